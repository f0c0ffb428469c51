/** A workflow is added by its folder and one line that registers it: everything else comes with that. */

import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { execFileSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { main } from '../src/cli/main.ts';
import { workflowContract } from '../src/testing/workflow-contract.ts';
import { bundled } from '../src/workflows/bundled.ts';
import { poll } from './poll/poll.ts';
import { pollSurface } from './poll/surface.ts';

const registered = [...bundled, pollSurface];

let root = '';
beforeAll(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'pawl-poll-')));
  execFileSync('git', ['init', '--quiet'], { cwd: root });
});
afterAll(() => rmSync(root, { recursive: true, force: true, maxRetries: 5 }));

const git = (...args: string[]): void => void execFileSync('git', args, { cwd: root });

let written: string[] = [];
beforeEach(() => {
  written = [];
  vi.spyOn(process, 'cwd').mockReturnValue(root);
  for (const stream of [process.stdout, process.stderr])
    vi.spyOn(stream, 'write').mockImplementation((text) => written.push(String(text)) > 0);
});
afterEach(() => vi.restoreAllMocks());

async function pawl(...args: string[]): Promise<{ code: number; output: string }> {
  written = [];
  const code = await main('pawl', args, registered);
  return { code, output: written.join('') };
}

async function document(...args: string[]): Promise<unknown> {
  const { output } = await pawl(...args, '--json');
  return JSON.parse(output.slice(output.indexOf('{')));
}

test.each(workflowContract(poll, { run: 'tea' }))('it keeps the contract of $name', ({ check }) => check());

test('a run of it is begun, listed, shown, answered and finished', async () => {
  expect(await pawl('poll', 'ask', 'tea', 'Tea for everybody?', '--no-input')).toMatchObject({
    code: 3,
    output: expect.stringContaining('pawl answer tea vote yes'),
  });
  expect(await document('poll', 'list')).toMatchObject({
    polls: [{ run: 'tea', phase: 'open', subject: 'Tea for everybody?', journal: true }],
  });
  expect((await pawl('poll', 'list')).output).toMatch(
    /^POLL +STATE +SUBJECT +UPDATED\ntea +open +Tea for everybody\?/m,
  );
  expect(await document('runs')).toMatchObject({
    runs: [{ workflow: 'poll', run: 'tea', phase: 'open', next: 'pawl answer tea vote <answer>' }],
  });
  expect(await document('poll', 'status', 'tea')).toMatchObject({
    workflow: 'poll',
    run: 'tea',
    phase: 'open',
    subject: 'Tea for everybody?',
    decisions: [{ id: 'vote', answers: { yes: 'it shall be done', no: 'it shall not' } }],
  });
  expect(await pawl('answer', 'tea', 'vote', 'maybe')).toMatchObject({ code: 2 });
  expect(await document('answer', 'tea', 'vote', 'yes')).toMatchObject({ run: 'tea', answer: 'yes', next: null });
  expect(await document('poll', 'status', 'tea')).toMatchObject({ phase: 'closed', outcome: 'done', next: null });
  expect(await document('runs')).toEqual({ runs: [] });
  expect(await document('runs', '--all')).toMatchObject({ runs: [{ run: 'tea', phase: 'closed', outcome: 'done' }] });
  expect(existsSync(join(root, 'polls/tea.jsonl'))).toBe(true);
});

test('a verb tells about files, writes them together, and has names of its own in all branches', async () => {
  expect(await document('poll', 'topics')).toEqual({ topics: [] });
  // T-1 and T-2 are on another branch and in another worktree.
  git('commit', '--quiet', '--allow-empty', '--message=start');
  git('worktree', 'add', '--quiet', '-b', 'other', join(root, '.git', 'other'));
  mkdirSync(join(root, '.git/other/topics'));
  writeFileSync(join(root, '.git/other/topics/T-1.md'), '');
  git('-C', join(root, '.git/other'), 'add', '--all');
  git('-C', join(root, '.git/other'), 'commit', '--quiet', '--message=topic');
  rmSync(join(root, '.git/other/topics/T-1.md'));
  writeFileSync(join(root, '.git/other/topics/T-2.md'), '');
  expect(await pawl('poll', 'topic', 'Biscuits')).toEqual({ code: 0, output: 'noted as T-3\n' });
  expect(readFileSync(join(root, 'topics/T-3.md'), 'utf8')).toMatch(/^\d{4}-\d\d-\d\d: Biscuits\n$/);
  // A name that was taken once is never given again.
  rmSync(join(root, 'topics'), { recursive: true });
  expect(await document('poll', 'topic', 'Cake')).toEqual({ id: 'T-4', topic: 'Cake' });
  expect(await document('poll', 'topics')).toEqual({ topics: ['T-3 Biscuits', 'T-4 Cake'] });
});

test('a verb that objects, or cannot write everything, writes nothing', async () => {
  expect(await pawl('poll', 'topic', 'none')).toMatchObject({
    code: 2,
    output: expect.stringContaining('fix: name one'),
  });
  rmSync(join(root, 'topics'), { recursive: true, force: true });
  const before = readFileSync(join(root, 'polls/topics.txt'), 'utf8');
  writeFileSync(join(root, 'topics'), 'a file in the place of the folder');
  expect((await pawl('poll', 'topic', 'Jam')).code).toBe(1);
  expect(readFileSync(join(root, 'polls/topics.txt'), 'utf8')).toBe(before);
  rmSync(join(root, 'topics'));
});

test('two topics noted at once are both listed', async () => {
  const before = ((await document('poll', 'topics')) as { topics: string[] }).topics.length;
  await Promise.all(['a', 'b', 'c', 'd', 'e'].map((topic) => main('pawl', ['poll', 'topic', topic], registered)));
  const { topics } = (await document('poll', 'topics')) as { topics: string[] };
  expect(topics.length).toBe(before + 5);
  expect(new Set(topics.map((line) => line.split(' ')[0])).size).toBe(topics.length);
});

test('an agent that Pawl started may not use a verb that writes', async () => {
  vi.stubEnv('PAWL_DISPATCH', 'some/run#1');
  expect((await pawl('poll', 'topic', 'x')).code).toBe(4);
  expect((await pawl('poll', 'topics')).code).toBe(0);
  vi.unstubAllEnvs();
});

test('a run is admitted by what git says of the checkout', async () => {
  git('checkout', '--quiet', '-b', 'closed');
  expect(await pawl('poll', 'ask', 'milk', 'Milk?', '--no-input')).toMatchObject({
    code: 2,
    output: expect.stringContaining('no polls on this branch'),
  });
  expect(existsSync(join(root, '.git/pawl/poll/milk'))).toBe(false);
  git('checkout', '--quiet', '-');
});

test('it is in the help, its names are checked, and what is missing is said in its words', async () => {
  expect((await pawl('--help')).output).toMatch(/^ {2}poll +ask, /m);
  expect((await pawl('poll', '--help')).output).toContain('Polls, for a test:\n  pawl poll ask <poll> <subject>');
  expect((await pawl('poll', 'ask', 'T-1', 'x')).output).toContain('T-1 is not a valid poll name');
  expect((await pawl('poll', 'status', 'coffee')).output).toContain('there is no poll coffee');
  expect((await pawl('poll', 'vote')).output).toContain('unknown command "vote"');
});
