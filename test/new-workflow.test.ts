/** A workflow is added by its folder and one line that registers it: everything else comes with that. */

import { existsSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
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
afterAll(() => rmSync(root, { recursive: true, force: true }));

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
  expect(await document('runs')).toMatchObject({ runs: [{ run: 'tea', phase: 'closed', outcome: 'done' }] });
  expect(existsSync(join(root, 'polls/tea.jsonl'))).toBe(true);
});

test('it is in the help, its names are checked, and what is missing is said in its words', async () => {
  const help = await pawl('--help');
  expect(help.output).toContain('Polls, for a test:\n  pawl poll ask <poll> <subject>');
  expect((await pawl('poll', 'ask', 'T-1', 'x')).output).toContain('T-1 cannot name a poll');
  expect((await pawl('poll', 'status', 'coffee')).output).toContain('there is no poll coffee');
  expect((await pawl('poll', 'vote')).output).toContain('unknown command "vote"');
});
