/** `--json`: one document on stdout for every command, whatever becomes of it; prose on stderr; keys pinned. */

import { beforeAll, describe, expect, test } from 'vitest';
import type { Ran } from '../../src/testing/scratch-repository.ts';
import { challenge, config, implemented, issue, planned, type ChangeRepository } from '../change/scripts.ts';
import { copyOf, keepTidy, run, scratch } from './at-work.ts';

keepTidy();

let fresh: ChangeRepository;
let approved: ChangeRepository;
let waiting: ChangeRepository;
let complete: ChangeRepository;

beforeAll(async () => {
  fresh = scratch();
  approved = scratch(planned);
  expect((await approved.change('plan', run, 'Greet people')).code).toBe(0);
  complete = copyOf(approved, [...planned, ...implemented]);
  expect((await complete.change('impl', run)).code).toBe(0);
  const asked = [...planned.slice(0, 3), challenge('needs_revision', [issue])];
  waiting = scratch(asked, config.replace('[workflow]', '[workflow]\nplanning_iterations = 0'));
  expect((await waiting.change('plan', run, 'Greet people')).code).toBe(3);
});

const diagramKeys = ['workflow', 'initial', 'commands', 'states', 'transitions', 'budgets', 'gates', 'run'];
const problemKeys = ['action', 'outcome', 'exitCode', 'phase', 'verdict', 'next', 'diagnostics'];
const diagnosticKeys = ['severity', 'code', 'message', 'target', 'fix'];
const resultKeys = [
  'workflow',
  'run',
  'state',
  'phase',
  'verdict',
  'action',
  'outcome',
  'exitCode',
  'next',
  'until',
  'decisions',
  'dispatches',
  'checks',
  'usage',
  'budget',
  'worktree',
  'diagnostics',
];
const statusKeys = [
  'workflow',
  'run',
  'state',
  'phase',
  'outcome',
  'message',
  'next',
  'until',
  'updatedAt',
  'decisions',
  'dispatches',
  'open',
  'usage',
  'budget',
  'edited',
  'problems',
  'owner',
  'workspace',
  'landed',
  'cast',
  'verdict',
  'iteration',
  'stale',
  'tasks',
];

interface Row {
  readonly args: readonly string[];
  readonly code: number;
  readonly keys: readonly string[];
}

function documentOf({ stdout, code }: Ran): Record<string, any> {
  expect(stdout.trim(), `exit ${code}`).not.toBe('');
  expect(stdout.endsWith('\n')).toBe(true);
  return JSON.parse(stdout) as Record<string, any>;
}

describe.concurrent('every command prints one document', () => {
  const withApproved: readonly Row[] = [
    { args: ['change', 'plan', run], code: 0, keys: resultKeys },
    { args: ['change', 'impl', run, '--agent', 'claude'], code: 69, keys: resultKeys },
    { args: ['change', 'archive', run], code: 4, keys: resultKeys },
    { args: ['change', 'status', run], code: 0, keys: statusKeys },
    { args: ['change', 'list'], code: 0, keys: ['changes'] },
    { args: ['change', 'list', '--archived'], code: 0, keys: ['changes'] },
    { args: ['runs'], code: 0, keys: ['runs'] },
    { args: ['status'], code: 0, keys: ['needsYou', 'working', 'stopped', 'ready', 'finished'] },
    { args: ['status', run], code: 0, keys: statusKeys },
    { args: ['attach', run], code: 0, keys: statusKeys },
    { args: ['answer'], code: 0, keys: ['decisions', 'unread'] },
    {
      args: ['usage'],
      code: 0,
      keys: ['since', 'total', 'runs', 'workflows', 'roles', 'agents', 'unread'],
    },
    { args: ['log', run, '--dispatch', '1'], code: 0, keys: ['workflow', 'run', 'dispatch'] },
    { args: ['log', run], code: 0, keys: ['workflow', 'run', 'records'] },
    { args: ['diff', run], code: 0, keys: ['workflow', 'run', 'from', 'to', 'diff', 'shared'] },
    { args: ['show', run], code: 0, keys: diagramKeys },
    { args: ['show', 'change'], code: 0, keys: diagramKeys },
    { args: ['show'], code: 0, keys: ['workflows'] },
    { args: ['show', 'nothing'], code: 2, keys: problemKeys },
    { args: ['resume', run], code: 4, keys: resultKeys },
    { args: ['retry', run], code: 4, keys: resultKeys },
  ];
  test.each(withApproved)('approved: $args', ({ args, code, keys }) => check(approved, { args, code, keys }));

  const withComplete: readonly Row[] = [
    { args: ['change', 'impl', run], code: 0, keys: resultKeys },
    {
      args: ['change', 'archive', run, '--dry-run'],
      code: 0,
      keys: ['workflow', 'run', 'action', 'specs', 'judgement'],
    },
    { args: ['change', 'archive', run], code: 0, keys: resultKeys },
    { args: ['undo', run], code: 0, keys: ['run', 'restored', 'left', 'kept', 'phase', 'next'] },
  ];
  test.each(withComplete)('complete: $args', ({ args, code, keys }) => check(complete, { args, code, keys }));

  const withWaiting: readonly Row[] = [
    { args: ['change', 'plan', run], code: 3, keys: resultKeys },
    { args: ['answer', run, 'revision', 'continue'], code: 0, keys: ['run', 'decision', 'answer', 'next'] },
    { args: ['cancel', run], code: 0, keys: ['run', 'action', 'next'] },
  ];
  test.each(withWaiting)('waiting: $args', ({ args, code, keys }) => check(waiting, { args, code, keys }));

  const mistakes: readonly Row[] = [
    ['change', 'plan', run],
    ['change', 'plan', '../up', 'x'],
    ['change', 'impl', run],
    ['change', 'archive', run],
    ['change', 'status', run],
    ['change', 'plna', run],
    ['change', 'list', '--archvied'],
    ['change', 'challenge', run],
    ['log', run],
    ['answer', run, 'revision', 'continue'],
    ['resume', run],
    ['retry', run],
    ['pause', run],
    ['cancel', run],
    ['diff', run],
    ['undo', run],
    ['nothing'],
    ['change'],
  ].map((args) => ({ args, code: 2, keys: problemKeys }));
  test.each(mistakes)('without a run: $args', ({ args, code, keys }) => check(fresh, { args, code, keys }));

  async function check(checkpoint: ChangeRepository, { args, code, keys }: Row): Promise<void> {
    const change = copyOf(checkpoint);
    const ran = await change.repository.pawl([...args, '--json']);
    expect(ran.code, ran.stderr).toBe(code);
    const document = documentOf(ran);
    expect(Object.keys(document)).toEqual(keys);
    for (const diagnostic of document['diagnostics'] ?? []) expect(Object.keys(diagnostic)).toEqual(diagnosticKeys);
    if (keys === problemKeys) expect(ran.stderr).toMatch(/^error: /);
    if ('exitCode' in document) expect(document['exitCode']).toBe(code);
  }
});

test('the keys of nested objects are pinned', async () => {
  const ran = await waiting.change('plan', run);
  const { decisions, dispatches, usage, budget } = ran.json;
  expect(Object.keys(decisions[0])).toEqual(['id', 'title', 'detail', 'answers', 'paths']);
  expect(Object.keys(decisions[0].answers)).toEqual(['implement_anyway', 'continue']);
  const dispatchKeys = ['id', 'role', 'step', 'agent', 'model', 'signal', 'ms', 'usage', 'problem'];
  expect(Object.keys(dispatches[0])).toEqual(dispatchKeys);
  expect(Object.keys(usage)).toEqual([
    'dispatches',
    'reruns',
    'inputTokens',
    'outputTokens',
    'costUsd',
    'unknownTokens',
    'unknownCost',
    'wallMs',
  ]);
  expect(Object.keys(budget)).toEqual(['limits', 'remaining']);
  expect(usage.costUsd).toBeNull();
});

test('without --json, a result is prose on stdout', async () => {
  const ran = await copyOf(approved).repository.pawl(['change', 'plan', run]);
  expect(ran.stdout).toContain('Current state: phase=challenged');
  expect(ran.stdout).not.toMatch(/^\{/);
});
