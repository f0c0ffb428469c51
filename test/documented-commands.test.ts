/** Every command line in the documents has words and flags that exist; test/guides.long.ts executes those of guides. */

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { commands } from '../src/cli/command-table.ts';
import { readCommandLine } from '../src/cli/options.ts';
import { root } from './source-tree.ts';

const pages = [
  'README.md',
  ...readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' }).map((name) => join('docs', name)),
];
const known = commands('pawl');
/** Of own workflows, which an example defines. */
const isOwn = (words: readonly string[]): boolean => ['release-notes', 'docs-review'].includes(words[0] ?? '');

/** The first command of each line of a shell block, without remarks and redirections. */
function commandLines(text: string): string[][] {
  const blocks = [...text.matchAll(/^```(?:sh|console)\n(.*?)^```$/gms)].map(([, block = '']) => block);
  return blocks
    .flatMap((block) => block.split('\n'))
    .flatMap((line) => /^(?:\$ )?pawl (?!--version)(.*)$/.exec(line)?.[1] ?? [])
    .map((line) => line.replace(/(?: {2,}| #| \|| >| &&).*$/, ''))
    .map((line) =>
      [...line.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(([, one, two, word]) => one ?? two ?? word ?? ''),
    );
}

const found = pages
  .filter((path) => path.endsWith('.md'))
  .flatMap((path) => commandLines(readFileSync(join(root, path), 'utf8')).map((words) => [path, words] as const))
  .filter(([, words]) => words.length > 0 && !isOwn(words));

test('there are many', () => {
  expect(found.length).toBeGreaterThan(80);
});

test.each(found.map(([path, words]) => [path, words.join(' '), words] as const))('%s: pawl %s', (_, __, words) => {
  const [command] = known
    .filter(({ path }) => path.every((word, index) => words[index] === word))
    .toSorted((left, right) => right.path.length - left.path.length);
  expect(command, 'no such command').toBeDefined();
  if (command) expect(() => readCommandLine(command.spec, words.slice(command.path.length))).not.toThrow();
});
