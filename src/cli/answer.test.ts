import { afterEach, describe, expect, test } from 'vitest';
import { AskingRun } from '../runtime/asking.fixture.ts';
import { pendingDecision } from '../runtime/answering.ts';
import { command } from '../runtime/drive.ts';
import { recordAnswer } from './answer.ts';
import { checkAnswer, givenAnswer } from './given-answer.ts';
import { Problem } from './problem.ts';

let runs: AskingRun[] = [];
afterEach(() => {
  for (const asking of runs) asking.remove();
  runs = [];
});

async function waitingWith(name: 'go' | 'detail' | 'choose'): Promise<AskingRun> {
  const asking = new AskingRun(null);
  runs.push(asking);
  expect((await command(asking.run, { name })).outcome).toBe('needs_person');
  return asking;
}

function problemOf(act: () => unknown): { code: string; exitCode: number; message: string; fix: string | null } {
  try {
    act();
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    const { code, message, fix } = error.diagnostic;
    return { code, exitCode: error.exitCode, message, fix };
  }
  throw new Error('it was taken');
}

describe('the command line', () => {
  test.each([
    [['x', 'UD-APPROVE-DESIGN', 'changes-requested:', 'a', 'smaller', 'one'], {}, 'changes-requested: a smaller one'],
    [['x', 'revision', 'continue'], {}, 'continue'],
    [['x', 'UD-12'], { cancel: true }, null],
  ] as const)('%j %j', (words, flags, answer) => {
    expect(givenAnswer({ words, flags })).toEqual({ decision: words[1], answer });
  });

  test.each([
    [['x', '../../x', 'yes'], {}, 'cannot name a decision'],
    [['x', 'UD-1.json', 'yes'], {}, 'cannot name a decision'],
    [['x', 'UD-1'], {}, 'needs <answer>'],
    [['x', 'UD-1', ' '], {}, 'needs <answer>'],
    [['x', 'UD-1', 'yes'], { cancel: true }, 'do not go together'],
  ] as const)('%j %j is refused', (words, flags, message) => {
    expect(problemOf(() => givenAnswer({ words, flags }))).toMatchObject({
      exitCode: 2,
      message: expect.stringContaining(message),
    });
  });
});

describe('parts of a question', () => {
  test('are answered one by one, in any order; the next one is named, and at the end how to go on', async () => {
    const { run, answers, stateText } = await waitingWith('detail');
    expect(answers).toEqual([]);
    expect(JSON.parse(stateText).answers).toEqual({});
    const asking = runs[0];
    expect(recordAnswer(run, { decision: 'UD-2', answer: 'me' })).toEqual({
      understood: null,
      next: 'pawl answer x UD-1 "<answer>"',
    });
    expect(Object.keys(JSON.parse(asking?.stateText ?? '').answers)).toEqual(['UD-2']);
    expect(recordAnswer(run, { decision: 'UD-1', answer: null }).next).toBe('pawl answer x UD-3 "<answer>"');
    expect(recordAnswer(run, { decision: 'UD-3', answer: 'Otto' }).next).toBe(null);
    expect(asking?.answers).toEqual([
      ['UD-2', 'me', 'answer'],
      ['UD-1', null, 'answer'],
      ['UD-3', 'Otto', 'answer'],
    ]);
    expect(run.state.snapshot.state).toBe('done');
  });

  test('what the words were taken for is said', async () => {
    const { run } = await waitingWith('go');
    expect(recordAnswer(run, { decision: 'UD-APPROVE', answer: 'looks good' })).toEqual({
      understood: 'approved',
      next: 'pawl answer x UD-1 "<answer>"',
    });
  });

  test.each([
    ['UD-7', 'yes', { code: 'usage', exitCode: 2, fix: expect.stringContaining('open are: UD-1, UD-2, UD-3') }],
    ['details', 'yes', { code: 'usage', exitCode: 2, message: expect.stringContaining('"details" is not open') }],
    [
      'UD-1',
      'huh',
      { code: 'unclear', exitCode: 2, message: 'that says nothing', fix: 'possible answers: postgres, sqlite' },
    ],
    ['UD-3', 'huh', { code: 'unclear', exitCode: 2, fix: 'say it in other words' }],
    [
      'UD-2',
      null,
      { code: 'must_be_answered', exitCode: 4, message: expect.stringContaining('cannot be passed over') },
    ],
  ])('%s with %j is refused, and nothing is recorded', async (decision, answer, problem) => {
    const asking = await waitingWith('detail');
    const records = asking.run.records.length;
    expect(problemOf(() => recordAnswer(asking.run, { decision, answer }))).toMatchObject(problem);
    expect(problemOf(() => checkAnswer('x', { decision, answer }, pendingDecision(asking.run)))).toMatchObject(problem);
    expect(asking.run.records).toHaveLength(records);
  });

  test('answered a second time is not open any more', async () => {
    const { run } = await waitingWith('detail');
    recordAnswer(run, { decision: 'UD-1', answer: 'sqlite' });
    expect(problemOf(() => recordAnswer(run, { decision: 'UD-1', answer: 'postgres' }))).toMatchObject({
      message: expect.stringContaining('"UD-1" is not open'),
      fix: expect.stringContaining('open are: UD-2, UD-3'),
    });
  });
});

test('a question with fixed answers cannot be passed over', async () => {
  const { run } = await waitingWith('choose');
  expect(problemOf(() => recordAnswer(run, { decision: 'side', answer: null }))).toMatchObject({
    exitCode: 2,
    message: 'side cannot be passed over',
    fix: expect.stringContaining('possible answers: left, right'),
  });
  expect(recordAnswer(run, { decision: 'side', answer: 'right' })).toEqual({ next: null });
});
