/** The decision protocol: what is on record before, while and after a person is asked. */

import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { dispatchMarker } from '../../src/runtime/dispatch-marker.ts';
import { program, worked, type PlayedSession } from './played-session.ts';
import { Prepared } from './prepared.ts';
import { code, designed, perBatch, plan, report, review } from './scripts.ts';

const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
const gate = 'UD-APPROVE-DESIGN';

/** Two questions at once, one of them about security. */
const asks = {
  role: 'Coder',
  call: [
    report({
      summary: 'Two things are not said.',
      questions: [
        { question: 'Which language?', kind: 'ambiguity', suggestions: ['English', 'all'] },
        { question: 'May strangers be greeted?', kind: 'security', suggestions: [] },
      ],
    }),
  ],
};

/** Nothing can be written beside status.json any more; what is returned is in the way. */
function blockWriting(session: PlayedSession): string {
  const inTheWay = join(session.repository.root, session.path('.status.json.pawl-tmp'));
  mkdirSync(join(inTheWay, 'folder'), { recursive: true });
  return inTheWay;
}

let design: Prepared;
let asking: Prepared;

beforeAll(async () => {
  [design, asking] = await Promise.all([
    Prepared.make(),
    Prepared.make({ turns: [...designed, plan(), asks], answers: perBatch }),
  ]);
});

afterAll(() => {
  design.remove();
  asking.remove();
});

describe('a gate', () => {
  test.concurrent('[session/answering/nobody-there] [session/commands/json] [session/decisions/pending-before-asking] [session/decisions/entry] exit 3 names the command; the entry is pending, and stays the one there is', async () => {
    const session = design.copy();
    const pending = {
      decision_id: gate,
      question: 'Is the design approved?',
      status: 'pending',
      answer: null,
      asked_at: time,
      resolved_at: null,
      state_context: 'APPROVE_DESIGN',
      resolution_reason: null,
    };
    expect(session.status['user_decisions']).toEqual([pending]);
    expect(session.status['current_state']).toBe('APPROVE_DESIGN');
    const again = await session.resume();
    expect([again.code, again.json['exitCode'], again.json['outcome']]).toEqual([3, 3, 'needs_person']);
    expect(again.json['decisions'].map(({ id }: { id: string }) => id)).toEqual([gate]);
    expect(again.stderr).toContain(`pawl answer ${session.run} ${gate} "<answer>"`);
    expect(again.json['next']).toBe(`pawl session resume ${session.run}`);
    expect(session.status['user_decisions']).toEqual([pending]);
    expect(worked(again)).toHaveLength(2);
  });

  test.concurrent('[session/answering/answer-command] [session/decisions/answered] [session/design/normalised] pawl answer puts it on record and says what it was taken for; resume goes on', async () => {
    const session = design.copy([plan()]);
    const answered = await session.answer(gate, 'looks', 'good');
    expect({ code: answered.code, ...answered.json }).toMatchObject({
      code: 0,
      understood: 'approved',
      next: `pawl resume ${session.run}`,
    });
    expect(session.decision(gate)).toMatchObject({
      status: 'answered',
      answer: 'approved',
      resolved_at: time,
      resolution_reason: null,
    });
    const twice = await session.answer(gate, 'approved');
    expect([twice.code, twice.stderr]).toEqual([4, expect.stringContaining('not waiting for an answer')]);
    expect((await session.resume()).json['phase']).toBe('REVIEW_STRATEGY');
  });

  test.concurrent('[session/table/approve-design] what only looks like an approval is refused, and nothing changes', async () => {
    const session = design.copy();
    const before = session.read('status.json');
    for (const words of ['approved-later', 'approve if the tests pass', 'not approved']) {
      const refused = await session.answer(gate, words);
      expect([refused.code, refused.stderr], words).toEqual([2, expect.stringMatching(/approved.*changes-requested/s)]);
    }
    expect(session.read('status.json')).toBe(before);
  });

  test.concurrent('[session/decisions/gates-never-cancelled] it cannot be skipped', async () => {
    const session = design.copy();
    const refused = await session.pawl('answer', session.run, gate, '--skip');
    expect([refused.code, refused.stderr]).toEqual([4, expect.stringContaining('cannot be skipped')]);
    expect(session.decision(gate)?.['status']).toBe('pending');
  });

  test.concurrent('[session/table/gate-deferred] [session/decisions/cancelled] [session/decisions/well-known-unique] deferred: BLOCKED, exit 3; resume asks the same decision again, in place', async () => {
    const session = design.copy([plan()]);
    const deferred = await session.resume({ [gate]: 'defer: I must ask my boss' });
    expect([deferred.code, deferred.json['phase'], deferred.json['outcome']]).toEqual([3, 'BLOCKED', 'needs_person']);
    expect(session.decision(gate)).toMatchObject({
      status: 'cancelled',
      answer: null,
      resolved_at: time,
      resolution_reason: 'I must ask my boss',
    });
    expect(session.status['blocked']).toMatchObject({
      blocker: 'mandatory_user_decision_missing',
      detail: expect.stringContaining(gate),
      way_out: expect.stringContaining(`pawl session resume ${session.run}`),
      from: 'APPROVE_DESIGN',
    });
    const again = await session.resume();
    expect([again.code, again.json['phase'], session.status['user_decisions'].length]).toEqual([
      3,
      'APPROVE_DESIGN',
      1,
    ]);
    expect(session.decision(gate)).toMatchObject({ status: 'pending', resolved_at: null, resolution_reason: null });
    expect((await session.resume({ [gate]: ['defer', 'approved'] })).json['phase']).toBe('REVIEW_STRATEGY');
    expect(session.status['user_decisions'].map(({ decision_id }: Record<string, string>) => decision_id)).toEqual([
      gate,
      'UD-REVIEW-STRATEGY',
    ]);
  });

  test.concurrent('[session/table/gate-missing-answer] [session/budgets/re-asks] [session/budgets/re-asks-not-persisted] one asking and three more, then BLOCKED; the next sitting has its own', async () => {
    const session = design.copy([plan()]);
    const blocked = await session.resume({ [gate]: ['hm', 'perhaps', 'not sure', 'what?'] });
    expect([blocked.code, blocked.json['phase']]).toEqual([3, 'BLOCKED']);
    expect(blocked.stderr.match(/is not an answer to UD-APPROVE-DESIGN/g)).toHaveLength(4);
    expect(session.status['blocked']['blocker']).toBe('mandatory_user_decision_missing');
    expect(session.decision(gate)).toMatchObject({
      status: 'cancelled',
      resolution_reason: 'no valid answer was given',
    });
    const third = await design.copy([plan()]).resume({ [gate]: ['hm', 'perhaps', 'not sure', 'approved'] });
    expect(third.json['phase']).toBe('REVIEW_STRATEGY');
    expect((await session.resume()).json['phase']).toBe('APPROVE_DESIGN');
  });

  test.concurrent('[session/budgets/status-writes] [session/table/persistence-spent] status.json cannot be written: nobody is asked, BLOCKED with a way out; once it can, resume asks', async () => {
    const session = design.copy([plan()]);
    const inTheWay = blockWriting(session);
    rmSync(join(session.repository.root, session.path('status.json')));
    const stopped = await session.resume(perBatch);
    expect([stopped.code, stopped.json['phase']], stopped.stderr).toEqual([1, 'BLOCKED']);
    expect(stopped.stderr).toMatch(/persistence_failed/);
    expect(stopped.stderr).not.toContain('is asked');
    expect(session.journal.filter((record) => record['by']?.['how'] === 'answers')).toEqual([]);
    expect(session.journal.at(-1)).toMatchObject({ type: 'moved', signal: 'unwritten' });

    rmSync(inTheWay, { recursive: true });
    const again = await session.resume();
    expect([again.code, again.json['phase']]).toEqual([3, 'APPROVE_DESIGN']);
    expect(session.decision(gate)).toMatchObject({ status: 'pending', answer: null });
  });

  test.concurrent('[session/budgets/status-writes] [session/answering/never-lost] an answer that cannot be shown is on record: the command ends with what to clear away, and resume does not ask again', async () => {
    const session = design.copy([plan()]);
    const inTheWay = blockWriting(session);
    const stopped = await session.resume({ [gate]: 'approved' });
    expect([stopped.code, stopped.stderr]).toEqual([
      1,
      expect.stringMatching(/tried 3 times[^]*fix: move that file away, then run pawl resume/),
    ]);
    expect(session.decision(gate)).toMatchObject({ status: 'pending' });
    rmSync(inTheWay, { recursive: true });
    expect((await session.resume()).json['phase']).toBe('REVIEW_STRATEGY');
    expect(session.decision(gate)).toMatchObject({ status: 'answered', answer: 'approved' });
  });

  test.concurrent('a folder in the place of status.json is named, nothing is done, and resume asks once it is gone', async () => {
    const session = design.copy();
    const file = join(session.repository.root, session.path('status.json'));
    rmSync(file);
    mkdirSync(file);
    const records = session.journal.length;
    const refused = await session.resume(perBatch);
    expect([refused.code, refused.stderr]).toEqual([
      2,
      expect.stringMatching(/status\.json: there is a folder in its place/),
    ]);
    expect(session.journal).toHaveLength(records);
    rmSync(file, { recursive: true });
    expect((await session.resume()).json['phase']).toBe('APPROVE_DESIGN');
    expect(session.decision(gate)).toMatchObject({ status: 'pending' });
  });
});

describe('a question of two parts', () => {
  test.concurrent('[session/decisions/state-context] [session/decisions/ids-sequential] two entries, both with the state that asked; the next question counts on after a resume', async () => {
    const session = asking.copy([asks]);
    const entries = session.status['user_decisions'].slice(2);
    expect(entries).toMatchObject([
      { decision_id: 'UD-1', question: 'Which language?', status: 'pending', state_context: 'IMPLEMENT_LOOP' },
      {
        decision_id: 'UD-2',
        question: 'May strangers be greeted?',
        status: 'pending',
        state_context: 'IMPLEMENT_LOOP',
      },
    ]);
    expect(session.status['current_state']).toBe('ASK_USER');
    const on = await session.resume({ 'UD-1': 'English', 'UD-2': 'no' });
    expect([on.code, on.json['phase']]).toEqual([3, 'ASK_USER']);
    expect(
      session.status['user_decisions']
        .slice(2)
        .map((each: Record<string, string>) => [each['decision_id'], each['status'], each['answer']]),
    ).toEqual([
      ['UD-1', 'answered', 'English'],
      ['UD-2', 'answered', 'no'],
      ['UD-3', 'pending', null],
      ['UD-4', 'pending', null],
    ]);
    expect(session.inputOf('code', 2)['user_decisions']).toContainEqual({
      id: 'UD-2',
      question: 'May strangers be greeted?',
      answer: 'no',
    });
  });

  test.concurrent('[session/decisions/none-left-pending] [session/answering/answers-file] one answer given beforehand: it is kept, the other stays pending, and the state is not left', async () => {
    const session = asking.copy();
    const half = await session.resume({ 'UD-1': 'English' });
    expect([half.code, half.json['phase']]).toEqual([3, 'ASK_USER']);
    expect(half.json['decisions'].map(({ id }: { id: string }) => id)).toEqual(['UD-2']);
    expect(session.decision('UD-1')).toMatchObject({ status: 'answered', answer: 'English' });
    expect(session.decision('UD-2')).toMatchObject({ status: 'pending', answer: null });
    expect(worked(half)).toHaveLength(4);
  });

  test.concurrent('[session/decisions/partial] [session/decisions/security-never-cancelled] one that is skipped is cancelled with the reason; a security question cannot be', async () => {
    const session = asking.copy([code(), review()]);
    const refused = await session.pawl('answer', session.run, 'UD-2', '--skip');
    expect([refused.code, refused.stderr]).toEqual([4, expect.stringContaining('UD-2 cannot be skipped')]);
    const passed = await session.pawl('answer', session.run, 'UD-1', '--skip');
    expect([passed.code, passed.json['next']]).toEqual([0, `pawl answer ${session.run} UD-2 "<answer>"`]);
    expect(session.decision('UD-1')).toMatchObject({
      status: 'cancelled',
      answer: null,
      resolved_at: time,
      resolution_reason: 'no response provided',
    });
    expect(session.decision('UD-2')).toMatchObject({ status: 'pending' });
    expect((await session.resume()).code).toBe(3);
    expect((await session.answer('UD-2', 'no')).json['next']).toBe(`pawl resume ${session.run}`);
    expect(worked(await session.resume()).slice(4, 6)).toEqual(['code:reported', 'review:passed']);
  });

  test.concurrent('an unknown decision, or one that is answered, is refused and named', async () => {
    const session = asking.copy();
    for (const id of ['UD-9', 'UD-REVIEW-STRATEGY']) {
      const refused = await session.answer(id, 'yes');
      expect([refused.code, refused.stderr]).toEqual([2, expect.stringMatching(/is not open.*open: UD-1, UD-2/s)]);
    }
  });
});

test.concurrent('agents can neither answer nor bring answers along', async () => {
  const session = asking.copy([{ ...code(), run: [`node ${program} answer ${asking.run} UD-2 yes`] }]);
  const inside = { env: { [dispatchMarker]: 'x' } };
  const answered = await session.ran(['answer', session.run, 'UD-1', 'English'], inside);
  expect([answered.code, answered.stderr]).toEqual([4, expect.stringContaining('an agent may not answer')]);
  const answers = session.answersFlag({ 'UD-1': 'English' });
  const brought = await session.ran(['session', 'resume', session.run, ...answers], inside);
  expect([brought.code, brought.stderr]).toEqual([4, expect.stringContaining('only a person may')]);
  expect(session.decision('UD-1')?.['status']).toBe('pending');

  await session.resume({ 'UD-1': 'English', 'UD-2': 'no' });
  expect(session.printed(5)).toMatch(/an agent may not answer[^]*ended with exit code 4/);
});
