/** `pawl hook session-start` with real features. */

import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { documented, FeatureRepository, run, specText } from './played-feature.ts';

let repository: FeatureRepository;
beforeAll(async () => {
  repository = FeatureRepository.with();
  await repository.begin('--mode', 'quick', '--worktree');
  await repository.phase('specify', documented(specText));
});
afterAll(() => repository.remove());

const hook = (cwd: string, ...args: readonly string[]) => repository.pawl(['hook', 'session-start', ...args], { cwd });
const line = `Feature ${run} (quick): specify done; next: pawl feature create-tasks ${run}`;

test('[feature/hook/context] [feature/hook/worktree] in the worktree and its folders it tells the feature, elsewhere it warns', async () => {
  mkdirSync(join(repository.worktree, 'src/deep'), { recursive: true });
  for (const cwd of [repository.worktree, join(repository.worktree, 'src/deep')])
    expect(await hook(cwd)).toMatchObject({ code: 0, stdout: `${line}\n`, stderr: '' });
  const { code, stdout } = await hook(repository.root);
  expect(code).toBe(0);
  expect(stdout).toBe(
    `${line}\nWarning: this folder is not the worktree of the feature, which is ${repository.worktree}\n`,
  );
});

test('[feature/hook/format] as JSON for a coding agent', async () => {
  const { stdout } = await hook(repository.worktree, '--format', 'json');
  expect(JSON.parse(stdout)).toEqual({
    hookSpecificOutput: { hookEventName: 'SessionStart', additionalContext: line },
  });
});

test('[feature/hook/quiet] silent outside of a repository, and once no feature is active', async (context) => {
  const outside = join(repository.folder, 'outside');
  mkdirSync(outside, { recursive: true });
  expect(await hook(outside)).toMatchObject({ code: 0, stdout: '', stderr: '' });
  const other = FeatureRepository.for(context);
  expect(await other.pawl(['hook', 'session-start'])).toMatchObject({ code: 0, stdout: '', stderr: '' });
  other.write(`docs/features/${run}/.meta.json`, JSON.stringify({ status: 'completed' }));
  expect(await other.pawl(['hook', 'session-start'])).toMatchObject({ code: 0, stdout: '', stderr: '' });
  other.write(`docs/features/${run}/.meta.json`, '{ broken');
  expect(await other.pawl(['hook', 'session-start'])).toMatchObject({ code: 0, stdout: '', stderr: '' });
});

test('[feature/hook/context] the feature that was touched last', async (context) => {
  const other = FeatureRepository.for(context);
  await other.feature(['create', 'Tea', '--mode', 'hotfix']);
  await other.feature(['create', 'Coffee', '--mode', 'hotfix', '--share-tree']);
  expect((await other.pawl(['hook', 'session-start'])).stdout).toContain('Feature 002-coffee (hotfix): created');
  expect((await other.told(['abandon', '002-coffee', 'no longer needed', '--yes'])).code).toBe(0);
  expect((await other.pawl(['hook', 'session-start'])).stdout).toContain('Feature 001-tea (hotfix): created');
});

test('[feature/commands/slash] every verb of a phase is a command of coding agents', async (context) => {
  const other = FeatureRepository.for(context);
  await other.pawl(['init', '--yes', '--tools', 'claude']);
  for (const verb of [
    'brainstorm',
    'specify',
    'design',
    'create-plan',
    'create-tasks',
    'implement',
    'verify',
    'finish',
  ])
    expect(other.exists(`.claude/commands/${verb}.md`), verb).toBe(true);
  expect(other.read('.claude/commands/specify.md')).toContain('pawl feature specify');
});
