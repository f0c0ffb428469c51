/** D14: another branch checked out, a deleted folder, a removed worktree: said as it is, and nothing is written. */

import { existsSync, rmSync } from 'node:fs';
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
    expect(fix).toBe(`git worktree add --force ${worktree} change/${id}`);
    expect(existsSync(worktree)).toBe(false);
    // The fix can be pasted.
    change.repository.git(...fix.split(' ').slice(1));
    expect((await change.pawl('change', 'status', id)).json['next']).toBe(`pawl restore ${id}`);
  });
});
