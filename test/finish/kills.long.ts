/** `pawl finish` is killed before or after one of its git commands, and run again: it ends as one that was not. */

import { existsSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { journalOf } from '../change/observed.ts';
import { id, type Prepared } from '../change/prepared.ts';
import { deadlyGit } from '../landing/killed-landings.ts';
import { archived, copyWithIdentity, copyWithWorktree, worktreeOf } from './finished-change.ts';

let apart: Prepared;
let here: Prepared;
beforeAll(async () => {
  apart = await archived('--worktree');
  here = await archived();
});
afterAll(() => [apart, here].forEach((each) => each.remove()));

const fatal = (['before', 'after'] as const).flatMap((when) =>
  ['status', 'write-tree', 'commit-tree', 'update-ref', 'read-tree', 'worktree', '-d'].map((command) => ({
    when,
    command,
  })),
);
let kills = 0;
afterAll(() => expect(kills).toBeGreaterThan(fatal.length));

test.each(fatal)('a merge, killed $when $command', async (each) => {
  const change = copyWithWorktree(apart);
  const { repository } = change;
  repository.write('notes.txt', 'mine\n');
  const args = ['finish', id, '--merge', '--no-input'];
  const PATH = `${deadlyGit(repository.folder, each)}:${process.env['PATH']}`;
  const first = await repository.pawl(args, { env: { PATH }, onSpawn: () => {} });
  if (first.signal !== null) kills += 1;
  const again = await change.pawl(...args);
  expect(again, again.stderr).toMatchObject({ code: 0, json: { how: 'merged', branch: 'main' } });
  expect(repository.git('log', '--format=%s').split('\n').slice(0, 2)).toEqual(['Greet by name', 'project']);
  expect(repository.git('status', '--porcelain').trim()).toBe('?? notes.txt');
  expect(repository.git('branch', '--format=%(refname:short)').trim()).toBe('main');
  expect(existsSync(worktreeOf(change))).toBe(false);
  expect(journalOf(change, id).filter(({ type }) => type === 'landed')).toHaveLength(1);
});

test.each(fatal.slice(0, 4).concat(fatal.slice(7, 11)))(
  'a commit in a checkout, killed $when $command',
  async (each) => {
    const change = copyWithIdentity(here);
    const { repository } = change;
    repository.write('notes.txt', 'mine\n');
    const args = ['finish', id, '--commit', '--no-input'];
    const PATH = `${deadlyGit(repository.folder, each)}:${process.env['PATH']}`;
    const first = await repository.pawl(args, { env: { PATH }, onSpawn: () => {} });
    if (first.signal !== null) kills += 1;
    const again = await change.pawl(...args);
    expect(again, again.stderr).toMatchObject({ code: 0, json: { how: 'committed' } });
    expect(again.json.commit).toBe(repository.git('rev-parse', 'HEAD').trim());
    expect(repository.git('log', '--format=%s').split('\n').slice(0, 2)).toEqual(['Greet by name', 'project']);
    expect(repository.git('status', '--porcelain').trim()).toBe('?? notes.txt');
  },
);
