/** Completion by the real shells: commands, flags, runs, decisions, answers, agents. */

import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { settings } from './change/observed.ts';
import { challenge, ChangeRepository, issue, planned } from './change/scripts.ts';

const noRounds = settings('planning_iterations = 0');
const asked = [...planned.slice(0, 3), challenge('needs_revision', [issue])];
let change: ChangeRepository;
let bin: string;

beforeAll(async () => {
  change = ChangeRepository.create(asked, noRounds);
  expect((await change.change('plan', 'greet', 'Greet by name')).code).toBe(3);
  bin = join(change.repository.home, 'bin');
  mkdirSync(bin);
  writeFileSync(join(bin, 'pawl'), `#!/bin/sh\nexec '${process.execPath}' '${change.repository.program}' "$@"\n`);
  chmodSync(join(bin, 'pawl'), 0o755);
});
afterAll(() => change.repository.remove());

/** How each shell is asked for what it would offer behind a command line. */
const shells: Readonly<Record<string, (words: readonly string[]) => readonly string[]>> = {
  bash: (words) => [
    '--norc',
    '-c',
    `eval "$(pawl completion bash)"; COMP_WORDS=(${quoted(words)}); COMP_CWORD=${words.length - 1}; _pawl; printf '%s\\n' "\${COMPREPLY[@]}"`,
  ],
  zsh: (words) => [
    '-f',
    '-c',
    `compdef() { :; }; compadd() { print -rl -- $found; }; _files() { :; }; eval "$(pawl completion zsh)"; words=(${quoted(words)}); CURRENT=${words.length}; _pawl`,
  ],
  fish: (words) => ['--no-config', '-c', `pawl completion fish | source; complete -C '${words.join(' ')}'`],
};

function quoted(words: readonly string[]): string {
  return words.map((word) => `'${word}'`).join(' ');
}

function offered(shell: string, words: readonly string[]): readonly string[] {
  const { PATH = '' } = process.env;
  const env = { PATH: `${bin}${delimiter}${PATH}`, HOME: change.repository.home, LANG: 'C.UTF-8' };
  const output = execFileSync(shell, shells[shell]?.(words) ?? [], {
    cwd: change.repository.root,
    env,
    encoding: 'utf8',
  });
  return output
    .split('\n')
    .filter((line) => line !== '')
    .toSorted();
}

for (const shell of Object.keys(shells)) {
  const isHere = spawnSync(shell, ['--version']).status === 0;
  const why = isHere ? '' : ` (skipped: ${shell} is not installed)`;
  test.skipIf(!isHere)(`${shell} completes commands, flags, runs, decisions, answers and agents${why}`, () => {
    expect(offered(shell, ['pawl', 'att'])).toEqual(['attach']);
    expect(offered(shell, ['pawl', 'change', 'ar'])).toEqual(['archive']);
    expect(offered(shell, ['pawl', 'runs', '--wor'])).toEqual(['--workflow']);
    expect(offered(shell, ['pawl', 'status', ''])).toEqual(['greet']);
    expect(offered(shell, ['pawl', 'answer', 'greet', ''])).toEqual(['revision']);
    expect(offered(shell, ['pawl', 'answer', 'greet', 'revision', 'con'])).toEqual(['continue']);
    expect(offered(shell, ['pawl', 'retry', 'greet', '--agent', 'cl'])).toEqual(['claude']);
  });
}

test('a shell that is not known is refused; without a repository there are only commands', async () => {
  expect(await change.pawl('completion', 'tcsh')).toMatchObject({ code: 2 });
  const env = { PATH: process.env['PATH'] ?? '', HOME: change.repository.home };
  const { stdout } = spawnSync(join(bin, 'pawl'), ['__complete', 'status', ''], { cwd: '/', env, encoding: 'utf8' });
  expect(stdout).toBe('');
});
