import { readFileSync } from 'node:fs';
import module from 'node:module';

/** Runs one command line and leaves its exit code; the version is answered without loading anything. */
export async function start(program: string, args: readonly string[]): Promise<void> {
  const others = args.filter((arg) => arg !== '--json');
  if (others.length === 1 && (others[0] === '--version' || others[0] === '-V')) {
    process.stdout.write(`${args.length > 1 ? JSON.stringify({ program, version: version() }) : version()}\n`);
    return;
  }
  enableCompileCache();
  const { main } = await import('./main.ts');
  process.exitCode = await main(program, args);
}

/** Node 22 and later keep compiled code between starts; the types here know Node 20 only. */
function enableCompileCache(): void {
  const newer: object & { enableCompileCache?: () => unknown } = module;
  newer.enableCompileCache?.();
}

export function version(): string {
  const manifest: unknown = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
  return typeof manifest === 'object' && manifest !== null && 'version' in manifest
    ? String(manifest.version)
    : 'unknown';
}
