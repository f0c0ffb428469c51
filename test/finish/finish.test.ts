/** From finished work to merged: `pawl finish` on a change, in a worktree and in a checkout. */

import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { journalOf } from '../change/observed.ts';
import { id, Prepared } from '../change/prepared.ts';
import type { ChangeRepository } from '../change/scripts.ts';
import { archived, copyWithIdentity, copyWithWorktree, worktreeOf } from './finished-change.ts';

let apart: Prepared;
let here: Prepared;
beforeAll(async () => {
  apart = await archived('--worktree');
  here = await archived();
});
afterAll(() => [apart, here].forEach((each) => each.remove()));

const branch = `change/${id}`;
const inWorktree = (): ChangeRepository => copyWithWorktree(apart);
const finish = (change: ChangeRepository, ...flags: readonly string[]) =>
  change.pawl('finish', id, '--no-input', ...flags);
const branches = ({ repository }: ChangeRepository): string =>
  repository.git('branch', '--format=%(refname:short)').trim();
function hook({ repository }: ChangeRepository, name: string, lines: string): void {
  writeFileSync(join(repository.root, '.git/hooks', name), `#!/bin/sh\n${lines}\n`, { mode: 0o755 });
}

describe('in a worktree', () => {
  test('the end of a run says where its work is and what to run', async () => {
    const change = inWorktree();
    const { json } = await change.pawl('change', 'status', id);
    expect(json).toMatchObject({ phase: 'archived', next: `pawl finish ${id}`, landed: null });
  });

  test('merge commits with the proposal as message, merges, and removes the worktree', async () => {
    const change = inWorktree();
    const { repository } = change;
    const base = branches(change).replace(branch, '').trim();
    mkdirSync(join(worktreeOf(change), 'node_modules'));
    writeFileSync(join(worktreeOf(change), 'node_modules/built'), '');
    hook(change, 'commit-msg', 'echo "Checked-by: hook" >> "$1"');
    const { code, json } = await finish(change, '--merge');
    const commit = repository.git('rev-parse', 'HEAD').trim();
    expect([code, json]).toMatchObject([0, { action: 'finished', how: 'merged', branch: base, commit }]);
    expect(repository.git('log', '-1', '--format=%an %B').trim()).toBe(
      `Ada Greet by name\n\nChange: ${id}\nChecked-by: hook`,
    );
    expect(repository.git('status', '--porcelain')).toBe('');
    expect(repository.exists(`agentd/archive/${id}/proposal.md`)).toBe(true);
    expect([existsSync(worktreeOf(change)), branches(change)]).toEqual([false, base]);
    expect(journalOf(change, id).at(-1)).toMatchObject({ type: 'landed', how: 'merged', by: { how: 'command' } });
    expect((await change.pawl('change', 'status', id)).json).toMatchObject({
      next: null,
      landed: { how: 'merged', commit },
    });
    expect((await repository.pawl(['change', 'status', id])).stdout).toContain(
      `  finished: merged into ${base} at ${commit.slice(0, 9)}\n`,
    );
    // Once more is the same; anything else comes too late.
    expect((await finish(change, '--merge')).json).toMatchObject({ how: 'merged', commit });
    expect(await finish(change, '--keep')).toMatchObject({
      code: 4,
      json: { diagnostics: [{ code: 'AlreadyFinished' }] },
    });
  });

  test('a worktree with files that are nowhere else stays, and they are named', async () => {
    const change = inWorktree();
    writeFileSync(join(worktreeOf(change), '.env'), 'TOKEN=1\n');
    const { code, json } = await finish(change, '--merge', '--message', 'Greet\n\nWarmly.');
    expect([code, json.how]).toEqual([0, 'merged']);
    expect(json.notes).toEqual([expect.stringMatching(/^the worktree stays: .*: \.env; to remove it: git worktree/)]);
    expect(existsSync(join(worktreeOf(change), '.env'))).toBe(true);
    expect(change.repository.git('log', '-1', '--format=%B').trim()).toBe('Greet\n\nWarmly.');
  });

  test('a conflict leaves the checkout as it is, and the way on is printed', async () => {
    const change = inWorktree();
    const { repository } = change;
    repository.write('src/1.1.mjs', 'export const mine = 1;\n');
    repository.git('add', '--all');
    repository.git('commit', '--quiet', '--message=mine');
    const before = repository.git('rev-parse', 'HEAD');
    const refused = await finish(change, '--merge');
    expect(refused).toMatchObject({ code: 4, json: { diagnostics: [{ code: 'MergeConflict' }] } });
    expect(refused.json.next).toMatch(/^git -C \S+ merge /);
    expect([repository.git('rev-parse', 'HEAD'), repository.git('status', '--porcelain')]).toEqual([before, '']);
    expect((await change.pawl('change', 'status', id)).json).toMatchObject({ landed: null, next: `pawl finish ${id}` });
  });

  test('a hook that refuses the commit changes nothing', async () => {
    const change = inWorktree();
    const { repository } = change;
    const before = repository.git('rev-parse', 'HEAD', branch);
    hook(change, 'pre-commit', 'echo "not on a Wednesday"; exit 1');
    const refused = await finish(change, '--merge');
    expect(refused).toMatchObject({ code: 4, json: { diagnostics: [{ code: 'HookRefused' }] } });
    expect(refused.json.diagnostics[0].message).toContain('not on a Wednesday');
    expect(repository.git('rev-parse', 'HEAD', branch)).toBe(before);
  });

  test('discard needs the name of the run, removes the work, and keeps a copy', async () => {
    const change = inWorktree();
    for (const flags of [
      ['--discard', 'gret'],
      ['--discard', ''],
    ])
      expect((await finish(change, ...flags)).code).not.toBe(0);
    expect(existsSync(worktreeOf(change))).toBe(true);
    const { code, json } = await finish(change, '--discard', id);
    expect([code, json.how]).toEqual([0, 'discarded']);
    expect([existsSync(worktreeOf(change)), branches(change).includes(branch)]).toEqual([false, false]);
    const copy = join(change.repository.runFolder('change', id), 'discarded.patch');
    expect(readFileSync(copy, 'utf8')).toContain('src/1.1.mjs');
  });

  test('a pull request is opened by the program of the forge', async () => {
    const change = inWorktree();
    const { repository } = change;
    const remote = join(repository.folder, 'remote');
    const url = 'https://github.com/ada/x/pull/7';
    repository.git('init', '--quiet', '--bare', remote);
    repository.git('remote', 'add', 'origin', 'https://github.com/ada/x.git');
    repository.git('config', `url.${remote}.insteadOf`, 'https://github.com/ada/x.git');
    const bin = join(repository.folder, 'bin');
    mkdirSync(bin);
    const log = join(repository.folder, 'forge.log');
    const lines = ['#!/bin/sh', `echo "$@" >> ${log}`, `case "$2" in view) exit 1;; create) echo ${url};; esac`];
    writeFileSync(join(bin, 'gh'), `${lines.join('\n')}\n`, { mode: 0o755 });
    const env = { PATH: `${bin}:${process.env['PATH']}` };
    const ran = await repository.pawl(['finish', id, '--pull-request', '--no-input', '--json'], { env });
    expect(JSON.parse(ran.stdout)).toMatchObject({ how: 'pull_request', branch, url });
    expect(readFileSync(log, 'utf8')).toContain(`--head=${branch}`);
    expect(repository.git('-C', remote, 'branch', '--list', branch)).toContain(branch);
    expect(existsSync(worktreeOf(change))).toBe(true);
  });
});

describe('in a checkout', () => {
  test('commits what the run wrote, and nothing of anybody else', async () => {
    const change = copyWithIdentity(here);
    const { repository } = change;
    repository.write('notes.txt', 'mine\n');
    repository.write('src/greet.mjs', 'mine\n');
    expect((await change.pawl('change', 'status', id)).json).toMatchObject({ next: `pawl finish ${id}` });
    const { json } = await finish(change, '--commit');
    expect(json).toMatchObject({ how: 'committed', commit: repository.git('rev-parse', 'HEAD').trim() });
    const status = repository.git('status', '--porcelain').trim().split('\n');
    expect(status.map((line) => line.trim().slice(2).trim()).toSorted()).toEqual(['notes.txt', 'src/greet.mjs']);
    expect((await change.pawl('change', 'status', id)).json).toMatchObject({
      next: null,
      landed: { how: 'committed' },
    });
  });

  test('nothing is asked without a person, and nothing is done', async () => {
    const change = copyWithIdentity(here);
    const before = change.repository.git('status', '--porcelain');
    expect(await finish(change)).toMatchObject({ code: 3, json: { next: `pawl finish ${id} --commit` } });
    expect(await finish(change, '--commit', '--keep')).toMatchObject({ code: 2 });
    expect(await finish(change, '--merge')).toMatchObject({
      code: 4,
      json: { diagnostics: [{ code: 'NotPossible' }] },
    });
    expect(await finish(change, '--pull-request')).toMatchObject({
      code: 4,
      json: { diagnostics: [{ code: 'NoBranch' }] },
    });
    expect(change.repository.git('status', '--porcelain')).toBe(before);
    expect((await finish(change, '--keep')).json).toMatchObject({ how: 'kept' });
    expect((await finish(change, '--commit')).json).toMatchObject({ how: 'committed' });
  });
});

test('a run that is not over is not finished', async () => {
  const approved = await Prepared.make();
  try {
    const refused = await finish(approved.copy(), '--keep');
    expect(refused).toMatchObject({
      code: 4,
      json: { next: `pawl change impl ${id}`, diagnostics: [{ code: 'RunNotOver' }] },
    });
  } finally {
    approved.remove();
  }
});
