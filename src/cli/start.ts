import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { keepCompiledCode } from './code-cache.ts';

/** Runs one command line and leaves its exit code; the version is answered without loading anything. */
export async function start(program: string, args: readonly string[]): Promise<void> {
  const others = args.filter((arg) => arg !== '--json');
  if (others.length === 1 && (others[0] === '--version' || others[0] === '-V')) {
    process.stdout.write(`${args.length > 1 ? JSON.stringify({ program, version: version() }) : version()}\n`);
    return;
  }
  keepCompiledCode();
  const { main } = await import('./main.ts');
  process.exitCode = await main(program, args);
}

export function version(): string {
  const manifest: unknown = JSON.parse(readFileSync(join(import.meta.dirname, '../package.json'), 'utf8'));
  return typeof manifest === 'object' && manifest !== null && 'version' in manifest
    ? String(manifest.version)
    : 'unknown';
}
