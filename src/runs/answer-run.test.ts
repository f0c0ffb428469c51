import { afterEach, describe, expect, test } from 'vitest';
import { AskingRun } from '../runtime/asking.fixture.ts';
import { pendingDecision } from '../runtime/answering.ts';
import { command } from '../runtime/drive.ts';
import { recordAnswer, type AnsweredRun } from './answer-run.ts';
import { checkAnswer } from './answer-run.ts';
import { isRefusal, type Refusal } from './refusal.ts';

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

function refusalOf(result: AnsweredRun | Refusal | null): Refusal {
  if (!isRefusal(result)) throw new Error('it was taken');
  return result;
}

function taken(result: AnsweredRun | Refusal): AnsweredRun {
  if (isRefusal(result)) throw new Error(result.message);
  return result;
}

describe('parts of a question', () => {
  test('are answered one by one, in any order; the result names the next part, then the next command', async () => {
    const { run, answers, stateText } = await waitingWith('detail');
    expect(answers).toEqual([]);
    expect(JSON.parse(stateText).answers).toEqual({});
    const asking = runs[0];
    expect(recordAnswer(run, { decision: 'UD-2', answer: 'me' })).toEqual({
      by: 'us',
      understood: expect.stringMatching(/^me \(/),
      next: 'pawl answer x UD-1 "<answer>"',
    });
    expect(Object.keys(JSON.parse(asking?.stateText ?? '').answers)).toEqual(['UD-2']);
    expect(taken(recordAnswer(run, { decision: 'UD-1', answer: null })).next).toBe('pawl answer x UD-3 "<answer>"');
    expect(taken(recordAnswer(run, { decision: 'UD-3', answer: 'Otto' })).next).toBe(null);
    expect(asking?.answers).toEqual([
      ['UD-2', 'me', 'answer'],
      ['UD-1', null, 'answer'],
      ['UD-3', 'Otto', 'answer'],
    ]);
    expect(run.state.snapshot.state).toBe('done');
  });

  test('the result says how the answer was understood', async () => {
    const { run } = await waitingWith('go');
    expect(recordAnswer(run, { decision: 'UD-APPROVE', answer: 'looks good' })).toEqual({
      by: 'us',
      understood: 'approved',
      next: 'pawl answer x UD-1 "<answer>"',
    });
  });

  test.each([
    [
      'UD-7',
      'yes',
      { code: 'UsageError', outcome: 'usage', message: expect.stringContaining('open: UD-1, UD-2, UD-3') },
    ],
    [
      'details',
      'yes',
      { code: 'UsageError', outcome: 'usage', message: expect.stringContaining('"details" is not open') },
    ],
    [
      'UD-1',
      'huh',
      {
        code: 'UnclearAnswer',
        outcome: 'usage',
        message: 'that says nothing; possible answers: postgres, sqlite',
      },
    ],
    [
      'UD-3',
      'huh',
      { code: 'UnclearAnswer', outcome: 'usage', fix: expect.stringMatching(/^pawl answer \S+ UD-3 "<answer>"$/) },
    ],
    [
      'UD-2',
      null,
      { code: 'AnswerRequired', outcome: 'not_ready', message: expect.stringContaining('cannot be skipped') },
    ],
  ])('%s with %j is refused, and nothing is recorded', async (decision, answer, problem) => {
    const asking = await waitingWith('detail');
    const records = asking.run.records.length;
    expect(refusalOf(recordAnswer(asking.run, { decision, answer }))).toMatchObject(problem);
    expect(refusalOf(checkAnswer('x', { decision, answer }, pendingDecision(asking.run)))).toMatchObject(problem);
    expect(asking.run.records).toHaveLength(records);
  });

  test('an answered part is not open any more', async () => {
    const { run } = await waitingWith('detail');
    recordAnswer(run, { decision: 'UD-1', answer: 'sqlite' });
    expect(refusalOf(recordAnswer(run, { decision: 'UD-1', answer: 'postgres' }))).toMatchObject({
      message: expect.stringContaining('"UD-1" is not open; open: UD-2, UD-3'),
      fix: expect.stringContaining(' UD-2 '),
    });
  });
});

test('a question with fixed answers cannot be skipped', async () => {
  const { run } = await waitingWith('choose');
  expect(refusalOf(recordAnswer(run, { decision: 'side', answer: null }))).toMatchObject({
    outcome: 'usage',
    message: 'side cannot be skipped; possible answers: left, right',
    fix: expect.stringMatching(/^pawl answer \S+ side "<answer>"$/),
  });
  expect(recordAnswer(run, { decision: 'side', answer: 'right' })).toEqual({ by: 'us', next: null });
});
