import { describe, expect, test } from 'vitest';
import { answered, asking, askingAgain, askingGate, cancelled, openParts, pendingIn } from './decisions.ts';
import { askingOf, decisionNamed, decisionsOf, type Data } from './run-data.ts';
import { answeredDecision, at, decisionOf, later, recorded, viewOf } from './session.fixture.ts';

const snapshotWith = (...parts: readonly Data[]) => viewOf({ data: Object.assign({}, ...parts) as Data }).snapshot;
const given = { part: '', words: '', by: 'alice', at: later };
const batch = { title: 'Two questions', queries: [{ question: 'Which format?' }, { question: 'Which name?' }] };

test('every question is pending on record before it is asked [session/decisions/pending-before-asking]', () => {
  const snapshot = snapshotWith(asking(batch, { snapshot: viewOf().snapshot, at, context: 'DESIGN' }));
  expect(pendingIn(snapshot)).toEqual([
    decisionOf({ decision_id: 'UD-1', question: 'Which format?', state_context: 'DESIGN' }),
    decisionOf({ decision_id: 'UD-2', question: 'Which name?', state_context: 'DESIGN' }),
  ]);
  expect(askingOf(snapshot).parts.map(({ id }) => id)).toEqual(['UD-1', 'UD-2']);
});

test('ids go on behind the highest there ever was [session/decisions/ids-sequential]', () => {
  const before = snapshotWith(
    recorded(answeredDecision('UD-7', 'yes'), answeredDecision('UD-APPROVE-DESIGN', 'approved')),
  );
  const snapshot = snapshotWith(before.data, asking(batch, { snapshot: before, at, context: 'DESIGN' }));
  expect(pendingIn(snapshot).map(({ decision_id: id }) => id)).toEqual(['UD-8', 'UD-9']);
});

test('a gate has one decision, pending again in place [session/decisions/well-known-unique]', () => {
  const before = snapshotWith(
    recorded({ ...answeredDecision('UD-APPROVE-DESIGN', 'approved'), extra: { by: 'alice' } }),
  );
  const asked = askingGate('UD-APPROVE-DESIGN', 'Approved?', {
    snapshot: before,
    at: later,
    context: 'APPROVE_DESIGN',
  });
  const snapshot = snapshotWith(before.data, asked);
  expect(decisionsOf(snapshot)).toEqual([
    decisionOf({
      decision_id: 'UD-APPROVE-DESIGN',
      question: 'Approved?',
      asked_at: later,
      state_context: 'APPROVE_DESIGN',
      extra: { by: 'alice' },
    }),
  ]);
});

describe('a decision is resolved', () => {
  const before = snapshotWith(recorded(decisionOf()));

  test('by an answer, with its time [session/decisions/answered]', () => {
    expect(decisionNamed(snapshotWith(answered(before, 'UD-1', 'csv', given)), 'UD-1')).toMatchObject({
      status: 'answered',
      answer: 'csv',
      resolved_at: later,
      resolution_reason: null,
    });
  });

  test('or by a reason for having none [session/decisions/cancelled]', () => {
    expect(
      decisionNamed(snapshotWith(cancelled(before, ['UD-1'], 'no response provided', later)), 'UD-1'),
    ).toMatchObject({
      status: 'cancelled',
      answer: null,
      resolved_at: later,
      resolution_reason: 'no response provided',
    });
  });

  test('and only one that there is', () => {
    expect(() => answered(before, 'UD-9', 'csv', given)).toThrow('there is no decision UD-9');
  });
});

describe('asked again', () => {
  const asked = asking(
    { title: 'Three', queries: [{ question: 'a', binding: true }, { question: 'b' }, { question: 'c' }] },
    { snapshot: viewOf().snapshot, at, context: 'INTEGRATE' },
  );
  const first = snapshotWith(asked);
  const half = snapshotWith(
    asked,
    answered(first, 'UD-1', 'fix-now', given),
    cancelled(first, ['UD-2'], 'cancelled', later),
  );

  test('what was answered stays, what is pending keeps its id, what was cancelled gets a new one', () => {
    const snapshot = snapshotWith(half.data, askingAgain({ snapshot: half, at: later, context: 'INTEGRATE' }));
    expect(askingOf(snapshot).parts.map(({ id, question }) => [id, question])).toEqual([
      ['UD-1', 'a'],
      ['UD-4', 'b'],
      ['UD-3', 'c'],
    ]);
    expect(decisionNamed(snapshot, 'UD-2')).toMatchObject({ status: 'cancelled' });
    expect(openParts(snapshot, askingOf(snapshot).parts).map(({ id }) => id)).toEqual(['UD-4', 'UD-3']);
  });
});
