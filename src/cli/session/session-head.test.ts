import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readStatus, writeStatus, type Status } from '../../workflows/session/files/status.ts';
import { readTasks, renderTasks, taskStatuses, type SessionTask } from '../../workflows/session/files/tasks-file.ts';
import { readHead, readTally, scanStatus, scanTasks } from './session-head.ts';

const run = '2026-03-04_csv-export';
let root = '';
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'pawl-head-'));
  mkdirSync(join(root, '.agents-work', run), { recursive: true });
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

const status: Status = {
  current_state: 'IMPLEMENT_LOOP',
  session: run,
  mode: 'full',
  assumptions: ['naïve “quotes”', 'a "status": "pending" in a text'],
  user_decisions: ['pending', 'answered', 'cancelled', 'pending'].map((each, index) => ({
    decision_id: `UD-${index + 1}`,
    question: 'Which one – “a” or “b”?',
    status: each === 'answered' ? 'answered' : each === 'cancelled' ? 'cancelled' : 'pending',
    answer: each === 'answered' ? 'b' : null,
    asked_at: '2026-03-04T10:00:00.000Z',
    resolved_at: each === 'pending' ? null : '2026-03-04T10:00:00.000Z',
    state_context: 'DESIGN',
    resolution_reason: each === 'cancelled' ? 'no response provided' : null,
  })),
  gate_tracking: {},
  runtime_flags: { copilot_instructions_exists: false, copilot_checked_at: null },
  retry_counts: {},
  known_issues: [],
  last_ci_result: 'unknown',
  last_update: '2026-03-04T10:00:00.000Z',
};

const tasks = taskStatuses.map((word, index): SessionTask => ({
  id: `T-00${index + 1}`,
  status: word,
  type: 'feature',
  title: 'status: completed',
  depends_on: [],
  goal: '- id: T-009\n    status: completed',
  non_goals: ["it's no XML", 'no "rich" text'],
  context_files: [],
  files_expected: [],
  acceptance_checks: ['cmd: npm test'],
  risk_flags: [],
  done_when: ['status: completed', 'id: T-007'],
}));

test('Q1: a status.json as Pawl writes it is told without the tolerant reader', () => {
  const text = writeStatus(undefined, status);
  expect(scanStatus(text)).toEqual({
    phase: 'IMPLEMENT_LOOP',
    mode: 'full',
    pending: 2,
    updatedAt: '2026-03-04T10:00:00.000Z',
    problem: null,
  });
  expect(scanStatus(Buffer.from(text).toString('latin1'))).toEqual(scanStatus(text));
});

test('Q1: a tasks.yaml as Pawl writes it is counted without a parser, and as one counts it', () => {
  const text = renderTasks({ project: { name: 'CSV', definition_of_done: [] }, tasks });
  const counted = readTasks(text, 'tasks.yaml').tasks.filter((task) => task.status === 'completed');
  expect(scanTasks(text)).toEqual({ done: counted.length, total: tasks.length });
  expect(counted).toHaveLength(1);
});

describe('Q2: what is unusual is left to the tolerant readers, and what they refuse is said', () => {
  test.each([
    ['a state in other words', '{"current_state": "fix review", "mode": "Lean mode"}', 'FIX_REVIEW', 'lean'],
    [
      'a decision that is a bare text',
      JSON.stringify({ ...status, user_decisions: ['Why?'] }),
      'IMPLEMENT_LOOP',
      'full',
    ],
    ['no time', '{"current_state": "PLAN", "mode": "full", "user_decisions": []}', 'PLAN', 'full'],
  ])('%s', async (_, text, phase, mode) => {
    expect(scanStatus(text)).toBeUndefined();
    write('status.json', text);
    expect(await readHead(root, run)).toMatchObject({ phase, mode, problem: null });
    expect(readStatus(text, `.agents-work/${run}/status.json`).status.current_state).toBe(phase);
  });

  test('a broken file is named with its line, a missing one is undefined', async () => {
    write('status.json', '{\n  "current_state": "PLAN",\n');
    expect(await readHead(root, run)).toMatchObject({
      phase: null,
      problem: expect.stringContaining('status.json:3:'),
    });
    expect(await readHead(root, '2026-03-04_not-there')).toBeUndefined();
  });

  test.each([
    [
      'a text of several lines',
      'tasks:\n  - id: T-001\n    goal: |\n      x\n    status: completed\n',
      { done: 1, total: 1 },
    ],
    [
      'a quote that ends elsewhere',
      'project: "a\n  b"\ntasks:\n  - id: T-001\n    status: completed\n',
      { done: 1, total: 1 },
    ],
    ['another form', 'tasks:\n- {id: T-001, status: completed}\n- {id: T-002}\n', { done: 1, total: 2 }],
    ['a word of other tools', 'tasks:\n  - id: T-001\n    status: done\n', { done: 0, total: 1 }],
    ['a list that cannot be read', 'tasks:\n  - id: T-001\n    status: nearly there\n', null],
    ['no tasks at all', 'tasks: []\n', { done: 0, total: 0 }],
  ])('tasks: %s', async (_, text, tally) => {
    expect(scanTasks(text)).toBeUndefined();
    write('tasks.yaml', text);
    expect(await readTally(root, run)).toEqual(tally);
  });
});

function write(name: string, text: string): void {
  writeFileSync(join(root, '.agents-work', run, name), text);
}
