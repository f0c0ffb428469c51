import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

/** What takes long to load. The commands that only look must start in the time of three empty Node processes. */
const heavy = [
  'yaml',
  'zod',
  'smol-toml',
  '@modelcontextprotocol/server',
  'src/workflows/change/change.ts',
  'src/workflows/session/session.ts',
  'src/runtime/dispatch.ts',
  'src/runtime/run.ts',
];
const root = fileURLToPath(new URL('../..', import.meta.url));

test.each(['src/cli/main.ts', 'src/cli/status-command.ts', 'src/cli/reading.ts'])('%s loads nothing heavy', (entry) => {
  const paths = loadedBy(entry);
  expect(paths.size).toBeGreaterThan(3);
  expect(heavy.flatMap((name) => paths.get(name) ?? [])).toEqual([]);
});

/** What only a dispatch or an unusual text needs: a command that makes no dispatch starts without it. */
const late = [
  'yaml',
  'zod',
  'smol-toml',
  '@modelcontextprotocol/server',
  'src/runtime/dispatch.ts',
  'src/runtime/cut-off.ts',
  'src/workflows/change/dispatching.ts',
  'src/workflows/change/checks/archiving.ts',
];

test('commands that work on a run load late what they may not need', () => {
  const paths = loadedBy('src/cli/work.ts');
  expect(paths.has('src/runtime/drive.ts')).toBe(true);
  expect(late.flatMap((name) => paths.get(name) ?? [])).toEqual([]);
});

test('status loads the part of a workflow that those need who only look', () => {
  const paths = loadedBy('src/workflows/change/reader.ts');
  expect(paths.has('src/workflows/change/machine.ts')).toBe(true);
  const work = ['src/workflows/change/change.ts', 'src/workflows/change/questions.ts', 'src/documents/yaml-edit.ts'];
  expect([...late, ...work].flatMap((name) => paths.get(name) ?? [])).toEqual([]);
});

/** Everything a file imports statically, with the chain of imports that leads to it. */
function loadedBy(entry: string): Map<string, string> {
  const found = new Map<string, string>([[entry, entry]]);
  for (const [file, chain] of found) {
    if (!file.endsWith('.ts') || !existsSync(join(root, file))) continue;
    for (const name of staticImports(readFileSync(join(root, file), 'utf8'))) {
      const target = name.startsWith('.') ? relative(root, join(root, dirname(file), name)) : name;
      if (!found.has(target)) found.set(target, `${chain} → ${target}`);
    }
  }
  return found;
}

function staticImports(source: string): string[] {
  const imports = source.matchAll(/^(?:import|export) (?!type )(?:[^;']*? from )?'([^']+)';/gm);
  return [...imports].map(([, name]) => name ?? '');
}
