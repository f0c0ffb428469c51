import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { findRepository } from '../workspace/git.ts';
import { WorkTree } from '../workspace/tree.ts';
import { withGitTools } from './git-tools.ts';
import type { ToolCallHandler } from './host.ts';

const own: ToolCallHandler = {
  tools: [{ name: 'report', description: 'files a report', schema: { type: 'object' } }],
  call: (tool) => Promise.resolve({ text: `${tool} of its own`, isError: false }),
};

function handler(): ToolCallHandler {
  const top = mkdtempSync(join(tmpdir(), 'pawl-git-tools-'));
  onTestFinished(() => rmSync(top, { recursive: true, force: true, maxRetries: 5 }));
  const root = join(top, 'repo');
  const git = (...args: string[]) => execFileSync('git', args, { cwd: top });
  git('init', '-q', root);
  writeFileSync(join(root, 'a.txt'), 'one\n');
  git('-C', root, 'add', '-A');
  git('-C', root, 'commit', '-q', '-m', 'first');
  writeFileSync(join(root, 'new.txt'), 'x'.repeat(300_000));
  const { commonDir } = findRepository(root);
  return withGitTools(own, new WorkTree({ root, shadowDir: join(top, 'shadow'), commonDir }).commits);
}

test('diff, log and show are offered beside the role\u2019s own tools (attack 2.22)', async () => {
  const tools = handler();
  expect(tools.tools.map(({ name }) => name)).toEqual(['report', 'git_diff', 'git_log', 'git_show']);
  expect(tools.tools.at(-1)?.schema).toMatchObject({ type: 'object', required: ['commit'] });
  expect(await tools.call('report', {})).toEqual({ text: 'report of its own', isError: false });
  expect((await tools.call('git_log', {})).text).toContain('first');
  expect(await tools.call('git_show', { commit: 'HEAD', path: 'a.txt' })).toEqual({ text: 'one\n', isError: false });
  const { text } = await tools.call('git_diff', {});
  expect(text.length).toBeLessThan(201_000);
  expect(text).toContain('truncated after 200000 characters');
  expect((await tools.call('git_diff', { path: 'a.txt' })).text).toBe('Nothing.');
});

test('what is wrong with a call is answered', async () => {
  const tools = handler();
  expect(await tools.call('git_show', { commit: '--output=x' })).toEqual({
    text: 'commit is "--output=x"; expected a commit, branch or tag such as HEAD~2',
    isError: true,
  });
  expect((await tools.call('git_log', { count: 1e9 })).isError).toBe(true);
  const { text, isError } = await tools.call('git_show', { commit: 'nowhere' });
  expect([text.slice(0, 20), isError]).toEqual(['git rev-parse failed', true]);
});

test('where there is no history to look into, the handler stays as it is', () => {
  expect(withGitTools(own, undefined)).toBe(own);
});
