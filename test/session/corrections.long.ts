/** Corrections of a design, designs and code that are edited while a person is waited for, and sessions that only have files. */

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { PlayedSession, worked } from './played-session.ts';
import { Prepared } from './prepared.ts';
import {
  architecture,
  code,
  closed,
  comment,
  correct,
  designed,
  perBatch,
  plan,
  qa,
  review,
  security,
  spec,
  type Turn,
} from './scripts.ts';

const gate = 'UD-APPROVE-DESIGN';
const changes = 'changes-requested: name the parameter';

let design: Prepared;
let notes: Prepared;

beforeAll(async () => {
  [design, notes] = await Promise.all([
    Prepared.make(),
    Prepared.make({
      turns: [...designed, plan(), code(), review('PASS WITH NOTES')],
      answers: perBatch,
    }),
  ]);
});

afterAll(() => {
  design.remove();
  notes.remove();
});

const history = (session: PlayedSession): string[] =>
  session
    .read('approve-design-history.jsonl')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line)['answer']);
const tracking = ({ status }: PlayedSession) => status['gate_tracking']['APPROVE_DESIGN'];

describe('changes are requested', () => {
  test.concurrent('[session/design/role-confirmed] [session/decisions/history-first] [session/decisions/correction-status] [session/decisions/correction-again] the line of history first, then who corrects; one correction; asked again with the difference', async () => {
    const session = design.copy([correct(), correct('makes a greeting in capitals')]);
    expect(tracking(session)).toEqual({ correction_status: 'none', last_correction_dispatch: null });
    const asked = await session.answer(gate, changes);
    expect(asked.code).toBe(0);
    expect(history(session)).toEqual([changes]);
    expect(session.decision(gate)?.['status']).toBe('pending');
    const who = await session.resume();
    expect(who.json['decisions'][0]).toMatchObject({
      id: gate,
      answers: {
        Architect: 'modules, data flows, decisions (suggested)',
        SpecAgent: 'scope, criteria, assumptions',
        Designer: 'layout, interactions, components',
      },
    });

    await session.answer(gate, 'yes');
    expect(session.decision(gate)).toMatchObject({ status: 'answered', answer: changes });
    expect(tracking(session)).toEqual({ correction_status: 'queued', last_correction_dispatch: null });
    const again = await session.resume();
    expect(worked(again, 2)).toEqual(['correct_architecture:reported']);
    expect(session.inputOf('correct_architecture')['correction']).toBe('name the parameter');
    expect(tracking(session)).toEqual({
      correction_status: 'completed',
      last_correction_dispatch: { agent: expect.any(String), task_id: 'meta', at: expect.stringMatching(/^\d{4}-/) },
    });
    expect(again.json['decisions'][0]['detail']).toMatch(
      /Changed since you were asked last:\narchitecture\.md:[^]*-- src\/greet\.mjs: makes a greeting\n[^]*\+- src\/greet\.mjs: makes a greeting with a name/,
    );
    expect(session.decision(gate)).toMatchObject({ status: 'pending', answer: null, resolved_at: null });

    const second = await session.resume({ [gate]: ['-', '-', 'changes-requested(Architect): in capitals'] });
    expect([worked(second, 3), history(session)]).toEqual([
      ['correct_architecture:reported'],
      [changes, 'changes-requested: in capitals'],
    ]);
    expect(session.status['user_decisions']).toHaveLength(1);
  });

  test.concurrent('[session/table/approve-design-changes] a correction that changes nothing is said, not repeated', async () => {
    const session = design.copy([correct('makes a greeting')]);
    const again = await session.resume({ [gate]: 'changes-requested(Architect): better' });
    expect([again.code, worked(again, 2)]).toEqual([3, ['correct_architecture:reported']]);
    expect(again.json['decisions'][0]['detail']).toContain('the correction changed nothing in the design');
  });
});

describe('something is edited while a person is waited for', () => {
  test.concurrent('[session row 106] [session/design/bound] [session/answering/diff] the approved design: approved again, with the difference, before the work goes on', async () => {
    const session = notes.copy([qa(), ...closed, security()]);
    session.edit('architecture.md', 'makes a greeting', 'makes a greeting, loudly');
    const asked = await session.resume({ 'UD-1': 'none' });
    expect([asked.code, asked.json['phase'], worked(asked, 5)]).toEqual([3, 'APPROVE_DESIGN', []]);
    expect(asked.json['decisions'][0]['id']).toBe(gate);
    expect(asked.json['decisions'][0]['detail']).toContain('+- src/greet.mjs: makes a greeting, loudly');
    expect(asked.json['decisions'][0]['answers']['approved']).toBe('continue where the work stands');
    expect(
      session.status['user_decisions'].filter((each: Record<string, string>) => each['decision_id'] === gate),
    ).toHaveLength(1);
    const on = await session.resume({ [gate]: ['approved', 'approved'] });
    expect([on.code, on.json['phase']], on.stderr).toEqual([0, 'DONE']);
    expect(worked(on, 5)).toEqual([
      'qa:passed',
      'review:passed',
      'security:passed',
      'docs:reported',
      'release_notes:reported',
      'review:passed',
    ]);
  });

  test.concurrent('[session/review/edited-while-waiting] code: every gate of the task runs again', async () => {
    const session = notes.copy([review(), qa(), ...closed, security()]);
    session.repository.write('src/T-001.mjs', 'export const edited = true;\n');
    const on = await session.resume({ 'UD-1': 'none' });
    expect([on.code, on.json['phase']], on.stderr).toEqual([0, 'DONE']);
    // QA first, where the way led; then the reviewer, who has not seen these files.
    expect(worked(on, 5).slice(0, 3)).toEqual(['qa:passed_unreviewed', 'review:passed', 'security:passed']);
  });

  test.concurrent('[session row 38] [session/strategy/re-read] [session/validators/review-strategy] [session/validators/blocks] another strategy in status.json: nobody judges, BLOCKED; resume goes on by the one that was chosen', async () => {
    const session = notes.copy([review(), qa()]);
    await session.answer('UD-1', 'none');
    session.edit('status.json', '"per-batch"', '"single-final"');
    const stopped = await session.resume();
    expect([stopped.code, stopped.json['phase'], worked(stopped, 5)]).toEqual([3, 'BLOCKED', []]);
    expect(session.status['blocked']).toMatchObject({
      blocker: 'pre_dispatch_review_strategy',
      detail: expect.stringContaining('says single-final, but per-batch was chosen'),
      from: 'IMPLEMENT_LOOP',
    });
    expect(worked(await session.resume(), 5)[0]).toBe('qa:passed');
    expect(session.decision('UD-REVIEW-STRATEGY')).toMatchObject({ status: 'answered', answer: 'per-batch' });
  });

  test.concurrent('[session/strategy/re-read] no canonical strategy in status.json any more: it is asked for again, in place, and the task is judged by it', async () => {
    const session = notes.copy([review(), qa(), security()]);
    await session.answer('UD-1', 'none');
    session.edit('status.json', '"per-batch"', '"whatever suits"');
    const asked = await session.resume();
    expect([asked.code, asked.json['phase'], worked(asked, 5)]).toEqual([3, 'REVIEW_STRATEGY', []]);
    expect(session.decision('UD-REVIEW-STRATEGY')).toMatchObject({ status: 'pending', answer: null });
    const on = await session.resume({ 'UD-REVIEW-STRATEGY': ['-', 'per-batch'] });
    // What the task touched is not known any more: all gates look at it, but for the reviewer, whose notes were decided.
    expect(worked(on, 5).slice(0, 2)).toEqual(['qa:passed', 'security:passed']);
    expect(session.tasks).toEqual({ 'T-001': 'completed' });
  });

  test.concurrent('[session/validators/design-approval] the approval taken out of status.json: the next role is not dispatched', async () => {
    const session = design.copy([plan()]);
    await session.answer(gate, 'approved');
    session.edit('status.json', '"answer": "approved"', '"answer": "approved-later"');
    const stopped = await session.resume();
    expect([stopped.code, stopped.json['phase'], worked(stopped, 2)]).toEqual([3, 'BLOCKED', []]);
    expect(session.status['blocked']).toMatchObject({ blocker: 'pre_dispatch_design_approval', from: 'PLAN' });
    expect((await session.resume()).json['phase']).toBe('REVIEW_STRATEGY');
  });
});

/** A session of which there are files and no journal. */
function foreign(status: Turn, turns: readonly Turn[] = []): PlayedSession {
  const session = PlayedSession.create(turns);
  session.run = '2026-03-01_greet-people';
  session.write('spec.md', spec);
  session.write('architecture.md', architecture());
  const criteria = [{ id: 'AC-001', description: 'The greeting is right', verify: ['cmd: node -e 0'] }];
  session.write('acceptance.json', JSON.stringify({ acceptance_criteria: criteria }));
  session.write('status.json', JSON.stringify({ session: session.run, mode: 'full', ...status }, null, 2));
  return session;
}

const requested = {
  decision_id: gate,
  question: 'Approve?',
  status: 'answered',
  answer: 'changes-requested: name the parameter',
  asked_at: '2026-03-01T10:00:00Z',
  resolved_at: '2026-03-01T10:05:00Z',
  state_context: 'APPROVE_DESIGN',
};

describe('a session that only has files, in APPROVE_DESIGN with a requested change', () => {
  test.concurrent.each([
    ['none', '[session/decisions/correction-resume-none]', ['correct_architecture:reported']],
    ['queued', '[session/decisions/correction-resume-queued]', ['correct_architecture:reported']],
    ['dispatched', '[session/decisions/correction-resume-dispatched]', []],
    ['completed', '[session/decisions/correction-resume-completed]', []],
  ])('correction_status %s %s', async (correction, _, dispatched) => {
    const sent = correction === 'dispatched' || correction === 'completed' ? '2026-03-01T10:06:00Z' : null;
    const session = foreign(
      {
        current_state: 'APPROVE_DESIGN',
        user_decisions: [requested],
        gate_tracking: { APPROVE_DESIGN: { correction_status: correction, last_correction_dispatch: sent } },
      },
      [correct()],
    );
    const asked = await session.resume({}, '--accept-state');
    expect([asked.code, asked.json['phase'], worked(asked)], asked.stderr).toEqual([3, 'APPROVE_DESIGN', dispatched]);
    expect(asked.json['decisions'][0]).toMatchObject({ id: gate });
    expect(session.decision(gate)).toMatchObject({ status: 'pending', answer: null });
    expect(tracking(session)['correction_status']).toBe('completed');
    session.repository.remove();
  });

  test.concurrent('[session/reading/foreign-session] without --accept-state nothing is taken over, and nothing is written', async () => {
    const session = foreign({ current_state: 'APPROVE_DESIGN', user_decisions: [] });
    const before = session.read('status.json');
    const refused = await session.resume();
    expect([refused.code, refused.stderr]).toEqual([expect.any(Number), expect.stringContaining('--accept-state')]);
    expect(refused.code).not.toBe(0);
    expect(session.read('status.json')).toBe(before);
    session.repository.remove();
  });

  test.concurrent('[session/reading/ask-user-context] [session/reading/bare-decisions] open questions of another tool are asked as they stand; what was answered is kept', async () => {
    const session = foreign(
      {
        current_state: 'ASK_USER',
        user_decisions: [
          { ...requested, answer: 'approved' },
          { decision_id: 'UD-4', question: 'Which language?', status: 'pending', state_context: 'ASK_USER' },
          'Use plain words',
        ],
      },
      [],
    );
    const asked = await session.resume({}, '--accept-state');
    expect([asked.code, asked.json['phase']], asked.stderr).toEqual([3, 'ASK_USER']);
    expect(asked.json['decisions'].map(({ id }: { id: string }) => id)).toEqual(['UD-4']);
    expect(session.decision('UD-4')).toMatchObject({ status: 'pending', state_context: 'DESIGN' });
    expect(session.decision('UD-5')).toMatchObject({ answer: 'Use plain words', status: 'answered' });
    session.repository.remove();
  });
});

test.concurrent('[session/table/pass-with-notes] [session/review/notes] a note that is to be fixed goes to the Coder with the words of the person', async () => {
  const session = notes.copy([
    code({ 'src/T-001.mjs': 'export const named = 1;\n' }),
    review(),
    qa(),
    ...closed,
    security(),
  ]);
  expect(session.decision('UD-1')).toMatchObject({
    question: 'Which notes on T-001 should be fixed?',
    state_context: 'IMPLEMENT_LOOP',
  });
  const refused = await session.answer('UD-1', 'N7');
  expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining('N1')]);
  const on = await session.resume({ 'UD-1': 'N1' });
  expect([on.code, worked(on, 5).slice(0, 3)]).toEqual([0, ['fix_review:reported', 'review:passed', 'qa:passed']]);
  expect(session.inputOf('fix_review')['to_fix']['findings']).toEqual([comment]);
});
