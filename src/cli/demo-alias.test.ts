import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { aliasOfPawl } from './demo.ts';
import { shellWord } from '../documents/shell-word.ts';

let folder = '';
beforeAll(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'pawl-calling-')));
});
afterAll(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));

test('a shell reads any text as one word', () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom('a', ' ', "'", '"', '$', '\\', '*', '\n', '#', 'é')), (characters) => {
      const text = `-${characters.join('')}`;
      expect(execFileSync('/bin/sh', ['-c', `printf %s ${shellWord(text)}`], { encoding: 'utf8' })).toBe(text);
    }),
    { numRuns: 30 },
  );
});

describe('the alias', () => {
  test('is not needed where the command on the search path is this program', () => {
    const { program, bin } = install('global', 'lib', 'bin');
    expect(aliasOfPawl(program, [bin, dirname(process.execPath)].join(delimiter))).toBeNull();
  });

  test('is needed where npm put the command there for one call only', () => {
    const { program, bin } = install('local', 'node_modules/pawl/dist', 'node_modules/.bin');
    expect(aliasOfPawl(program, bin)).toContain(program);
  });

  test('is needed where another program has the name', () => {
    const { bin } = install('other', 'lib', 'bin');
    const { program } = install('this', 'lib', 'bin');
    expect(aliasOfPawl(program, bin)).toContain(program);
  });

  test('works in a shell, whatever the folder is called', () => {
    const { program } = install("it's a (strange) $folder", 'lib', 'bin');
    const alias = aliasOfPawl(program, dirname(process.execPath)) ?? '';
    // A shell expands aliases from the next line on.
    const script = `shopt -s expand_aliases\n${alias}\npawl here`;
    expect(execFileSync('bash', ['-c', script], { encoding: 'utf8' })).toBe('pawl says here\n');
  });

  test('names the running node where the search path has another or none', () => {
    const { program } = install('plain', 'lib', 'bin');
    expect(aliasOfPawl(program, '')).toBe(`alias pawl='${process.execPath} ${program}'`);
  });
});

function install(name: string, library: string, binaries: string): { program: string; bin: string } {
  const program = join(folder, name, library, 'pawl.js');
  const bin = join(folder, name, binaries);
  mkdirSync(dirname(program), { recursive: true });
  mkdirSync(bin, { recursive: true });
  writeFileSync(program, 'console.log("pawl says", process.argv[2]);\n');
  symlinkSync(program, join(bin, 'pawl'));
  return { program, bin };
}
