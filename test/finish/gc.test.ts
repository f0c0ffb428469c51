/** `pawl gc`: what runs that are over leave behind. */

import { existsSync, mkdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { id, type Prepared } from '../change/prepared.ts';
import { planned, type ChangeRepository } from '../change/scripts.ts';
import { archived, copyWithIdentity, copyWithWorktree, worktreeOf } from './finished-change.ts';

let apart: Prepared;
let here: Prepared;
beforeAll(async () => {
  apart = await archived('--worktree');
  here = await archived();
});
afterAll(() => [apart, here].forEach((each) => each.remove()));

const gc = (change: ChangeRepository, ...flags: readonly string[]) => change.pawl('gc', '--older-than', '0h', ...flags);
const names = ({ json }: Awaited<ReturnType<typeof gc>>): string[] =>
  json['garbage'].map(({ kind, run }: Record<string, string>) => `${kind} ${run}`);
const folderOf = ({ repository }: ChangeRepository): string => repository.runFolder('change', id);

test('lists a journal and removes it with --yes; young ones and unmerged work stay', async () => {
  const change = copyWithIdentity(here);
  expect((await gc(change, '--yes')).json).toMatchObject({
    garbage: [],
    kept: [{ run: id, why: expect.stringContaining('not committed') }],
  });
  await change.pawl('finish', id, '--keep');
  expect(names(await gc(change, '--yes'))).toEqual([]);
  await change.pawl('finish', id, '--commit');
  expect((await change.pawl('gc', '--yes')).json).toMatchObject({ action: 'removed', bytes: 0, garbage: [], kept: [] });
  const listed = await gc(change);
  expect([names(listed), listed.json['next']]).toEqual([[`journal ${id}`], 'pawl gc --yes']);
  expect(existsSync(folderOf(change))).toBe(true);
  expect(names(await gc(change, '--yes'))).toEqual([`journal ${id}`]);
  expect(existsSync(folderOf(change))).toBe(false);
  expect((await change.repository.pawl(['gc', '--older-than', 'soon'])).code).toBe(2);
  // Its name can be used again, and what it archived is still known.
  expect((await change.pawl('change', 'status', id)).json).toMatchObject({ phase: 'archived' });
  change.script(planned);
  expect((await change.change('plan', id, 'Greet once more', '--new')).json).toMatchObject({ phase: 'challenged' });
});

test('a worktree goes once its work is merged; one that was removed by hand stays with its branch', async () => {
  const change = copyWithWorktree(apart);
  const { repository } = change;
  expect((await gc(change, '--yes')).json).toMatchObject({ garbage: [], kept: [{ run: id }] });
  await change.pawl('finish', id, '--commit');
  expect((await gc(change, '--yes')).json).toMatchObject({ garbage: [], kept: [{ run: id }] });
  const away = `${worktreeOf(change)}-away`;
  renameSync(worktreeOf(change), away);
  expect((await gc(change, '--yes')).json).toMatchObject({ garbage: [], kept: [{ run: id }] });
  renameSync(away, worktreeOf(change));
  repository.git('merge', '--quiet', `change/${id}`);
  expect(names(await gc(change))).toEqual([`worktree ${id}`, `journal ${id}`]);
  expect(existsSync(worktreeOf(change))).toBe(true);
  expect(names(await gc(change, '--yes'))).toEqual([`worktree ${id}`, `journal ${id}`]);
  expect([existsSync(worktreeOf(change)), existsSync(folderOf(change))]).toEqual([false, false]);
  expect(repository.git('branch', '--format=%(refname:short)').trim()).toBe('main');
});

test('what a removal that was cut off left is removed by the next', async () => {
  const change = copyWithIdentity(here);
  await change.pawl('finish', id, '--commit');
  const left = join(folderOf(change), '../../.removed/cut-off/run');
  mkdirSync(left, { recursive: true });
  expect((await change.pawl('runs', '--all')).json['runs']).toHaveLength(1);
  await gc(change, '--yes');
  expect(existsSync(join(left, '../..'))).toBe(false);
});
