import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { keepCompiledCode } from './code-cache.ts';

/** Runs one command line and leaves its exit code; the version is answered without loading anything. */
export async function start(program: string, args: readonly string[]): Promise<void> {
  const problem = nodeProblem(process.versions.node);
  if (problem !== null) {
    process.stderr.write(`error: ${problem}\n`);
    process.exitCode = unavailable;
    return;
  }
  const others = args.filter((arg) => arg !== '--json');
  if (others.length === 1 && versionWords.includes(others[0] ?? '')) {
    process.stdout.write(`${args.length > 1 ? JSON.stringify({ program, version: version() }) : version()}\n`);
    return;
  }
  keepCompiledCode();
  const { main } = await import('./main.ts');
  process.exitCode = await main(program, args);
}

const versionWords = ['--version', '-V', '-v', 'version'];

const unavailable = 69;

/** Told before anything is loaded that an older Node cannot read. */
export function nodeProblem(node: string): string | null {
  const [major = 0, minor = 0] = node.split('.').map(Number);
  const isNew = major > 20 || (major === 20 && minor >= 19);
  return isNew ? null : `Pawl needs Node 20.19 or newer; this is ${node}`;
}

export function version(): string {
  const manifest: unknown = JSON.parse(readFileSync(join(import.meta.dirname, '../package.json'), 'utf8'));
  return typeof manifest === 'object' && manifest !== null && 'version' in manifest
    ? String(manifest.version)
    : 'unknown';
}
