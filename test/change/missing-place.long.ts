/** D14: another branch checked out, a deleted folder, a removed worktree: said as it is, and nothing is written. */

import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { folderOf, id, Prepared } from './prepared.ts';
import { implemented, planned, type ChangeRepository } from './scripts.ts';

let approved: Prepared;
let inWorktree: Prepared;
beforeAll(async () => {
  approved = await Prepared.make();
  const commands = [['plan', id, 'Greet people by name', '--worktree']];
  inWorktree = await Prepared.make({ commands });
});
afterAll(() => {
  approved.remove();
  inWorktree.remove();
});

/** The plan is committed on a branch of its own, and the other branch is checked out. */
function onOtherBranch(): ChangeRepository {
  const change = approved.copy([...planned, ...implemented]);
  const { repository } = change;
  repository.git('switch', '--quiet', '--create', 'feature');
  repository.git('add', '--all');
  repository.git('commit', '--quiet', '--message=plan');
  repository.git('switch', '--quiet', 'main');
  return change;
}

const commands = [
  ['change', 'impl', id],
  ['change', 'plan', id],
  ['resume', id],
  ['undo', id],
];

describe('[change/place/other-branch] D14: another branch is checked out', () => {
  test.each(commands)('%s %s: refused with the branch that has it, and no file is left', async (...command) => {
    const change = onOtherBranch();
    const { code, json } = await change.pawl(...command);
    expect(code).toBe(4);
    expect(json['diagnostics'][0]).toMatchObject({
      code: 'RunOnOtherBranch',
      message: `agentd/changes/${id} of ${id} is not in this work tree, where the branch main is checked out; the branch feature has it`,
      fix: 'git switch feature',
    });
    expect(change.repository.exists(folderOf())).toBe(false);
    expect(change.repository.git('status', '--porcelain')).toBe('');
  });

  test('status says so, and the run goes on once the branch is back', async () => {
    const change = onOtherBranch();
    const { json } = await change.pawl('change', 'status', id);
    expect(json).toMatchObject({ next: 'git switch feature', phase: 'challenged' });
    expect(json['message']).toMatch(/the branch feature has it/);
    change.repository.git('switch', '--quiet', 'feature');
    expect((await change.change('impl', id)).json['phase']).toBe('complete');
  });

  test('files that are there on both branches: the run says on which one it worked', async () => {
    const change = approved.copy([...planned, ...implemented]);
    change.repository.git('switch', '--quiet', '--create', 'other');
    const { stderr, code } = await change.change('impl', id);
    expect(stderr).toMatch(/the run last worked on the branch main; now other is checked out/);
    expect(code).toBe(0);
    expect((await change.pawl('change', 'status', id)).json['problems']).toEqual([]);
  });
});

describe('[change/place/folder-deleted] D14: the folder of the change is deleted', () => {
  test.each(commands)('%s %s: refused with what is missing and how to get it back', async (...command) => {
    const change = approved.copy([...planned, ...implemented]);
    rmSync(join(change.repository.root, folderOf()), { recursive: true });
    const { code, json } = await change.pawl(...command);
    expect(code).toBe(4);
    expect(json['diagnostics'][0]).toMatchObject({ code: 'RunFolderMissing', fix: `pawl restore ${id}` });
    expect(json['diagnostics'][0].message).toMatch(/^agentd\/changes\/greet of greet is missing, and no branch has it/);
    expect(change.repository.exists(folderOf())).toBe(false);
  });

  test('the fix brings the folder back, and the run goes on', async () => {
    const change = approved.copy([...planned, ...implemented]);
    rmSync(join(change.repository.root, folderOf()), { recursive: true });
    const restored = await change.pawl('restore', id);
    expect(restored.code, restored.stderr).toBe(0);
    expect((await change.change('impl', id)).json['phase']).toBe('complete');
  });

  test('a single document: the message names it', async () => {
    const change = approved.copy([...planned, ...implemented]);
    rmSync(join(change.repository.root, folderOf(), 'specs/greeting.md'));
    const { code, json } = await change.change('impl', id);
    expect(code).toBe(4);
    expect(json['diagnostics'][0].message).toMatch(/specs\/greeting\.md is missing/);
  });
});

describe('[change/place/worktree-removed] D14: the worktree of the change is removed', () => {
  test.each(commands)('%s %s: refused with the worktree, its branch and the way back', async (...command) => {
    const change = inWorktree.copy([...planned, ...implemented]);
    const worktree = join(change.repository.folder, `repo-change-${id}`);
    rmSync(worktree, { recursive: true });
    const { code, json } = await change.pawl(...command);
    expect(code).toBe(4);
    const { code: name, message, fix } = json['diagnostics'][0];
    expect(name).toBe('WorktreeMissing');
    expect(message).toMatch(new RegExp(`repo-change-${id} of ${id} is missing: its branch change/${id} has what`));
    expect(fix).toBe(`pawl restore ${id}`);
    expect(existsSync(worktree)).toBe(false);
  });

  const worktreeOf = ({ repository }: ChangeRepository): string => join(repository.folder, `repo-change-${id}`);
  /** Git knows worktrees by their place. */
  function copy(): ChangeRepository {
    const change = inWorktree.copy([...planned, ...implemented]);
    const known = join(change.repository.root, '.git/worktrees', `repo-change-${id}`);
    writeFileSync(join(worktreeOf(change), '.git'), `gitdir: ${known}\n`);
    writeFileSync(join(known, 'gitdir'), `${join(worktreeOf(change), '.git')}\n`);
    return change;
  }

  const removals: Readonly<Record<string, (change: ChangeRepository) => void>> = {
    'rm -rf': (change) => rmSync(worktreeOf(change), { recursive: true }),
    'git worktree remove': ({ repository }) =>
      void repository.git('worktree', 'remove', '--force', join(repository.folder, `repo-change-${id}`)),
    'rm -rf, with its branch': (change) => {
      rmSync(worktreeOf(change), { recursive: true });
      change.repository.git('worktree', 'prune');
      change.repository.git('branch', '-D', `change/${id}`);
    },
  };

  test.each(Object.keys(removals))('[trial 2 A7] %s: restore makes it anew, and the run goes on', async (how) => {
    const change = copy();
    const before = readFileSync(join(worktreeOf(change), folderOf(), 'proposal.md'), 'utf8');
    removals[how]?.(change);
    const dry = await change.pawl('restore', id, '--dry-run');
    expect([dry.code, existsSync(worktreeOf(change))]).toEqual([0, false]);
    const { code, json, stderr } = await change.pawl('restore', id);
    expect([code, json['worktree'], json['next']], stderr).toEqual([
      0,
      expect.stringMatching(/repo-change-greet$/),
      `pawl change impl ${id}`,
    ]);
    expect(readFileSync(join(worktreeOf(change), folderOf(), 'proposal.md'), 'utf8')).toBe(before);
    const ended = await change.change('impl', id);
    expect([ended.code, ended.json['phase']], ended.stderr).toEqual([0, 'complete']);
  });

  test('[trial 2 A7] code that was not committed comes back too, unless a commit has another version', async () => {
    const change = copy();
    await change.change('impl', id);
    const [first, second] = ['src/1.1.mjs', 'src/1.2.mjs'].map((path) => join(worktreeOf(change), path));
    const before = readFileSync(second ?? '', 'utf8');
    writeFileSync(first ?? '', '// committed\n');
    change.repository.git('-C', worktreeOf(change), 'add', 'src/1.1.mjs');
    change.repository.git('-C', worktreeOf(change), 'commit', '--quiet', '--message=work');
    rmSync(worktreeOf(change), { recursive: true });
    expect((await change.pawl('restore', id)).code).toBe(0);
    expect([first, second].map((path) => readFileSync(path ?? '', 'utf8'))).toEqual(['// committed\n', before]);
    const { json } = await change.change('archive', id);
    expect(json['next']).toBe(`pawl change impl ${id} --review`);
  });

  test('[trial 2 A7] only a folder of its name is left: said, with the command that moves it away', async () => {
    const change = copy();
    const worktree = worktreeOf(change);
    rmSync(worktree, { recursive: true });
    mkdirSync(worktree);
    writeFileSync(join(worktree, 'notes.txt'), 'mine\n');
    expect((await change.pawl('resume', id)).json['diagnostics'][0].fix).toBe(`pawl restore ${id}`);
    const [{ code, fix }] = (await change.pawl('restore', id)).json['diagnostics'];
    expect([code, fix]).toEqual(['WorktreeExists', `mv ${worktree} ${worktree}-old`]);
    renameSync(worktree, `${worktree}-old`);
    expect((await change.pawl('restore', id)).code).toBe(0);
    expect((await change.change('impl', id)).json['phase']).toBe('complete');
  });

  test('[trial 2 A7] of a run that is over, the worktree stays removed', async () => {
    const change = copy();
    await change.change('impl', id);
    await change.change('archive', id);
    rmSync(worktreeOf(change), { recursive: true });
    const { code, json } = await change.pawl('restore', id);
    expect([code, json['diagnostics'][0].fix]).toEqual([4, `pawl log ${id}`]);
    expect(existsSync(worktreeOf(change))).toBe(false);
  });
});
