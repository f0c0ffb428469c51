import { expect, test } from 'vitest';
import { explore } from '../../verifier/space.ts';
import { phases } from './files/status.ts';
import { machine } from './machine.ts';
import { contextOf, phaseOf } from './phases.ts';
import { viewOf } from './session.fixture.ts';

test('every state but the first belongs to a phase, and every phase has states', () => {
  const shown = Object.keys(machine.states).map((state) => phaseOf(viewOf({ state }).snapshot));
  expect(shown.filter((phase) => phase === null)).toHaveLength(1);
  expect([...new Set(shown)].filter((phase) => phase !== null).toSorted()).toEqual(phases.toSorted());
});

test.each<[string, Parameters<typeof viewOf>[0], string]>([
  ['opened lean', { state: 'open_session', flags: { course: 'lean' } }, 'INTAKE_LEAN'],
  ['opened', { state: 'open_session' }, 'INTAKE'],
  ['the review of a release', { state: 'review', flags: { round: 'release' } }, 'RELEASE'],
  ['a review', { state: 'review', flags: { round: 'final' } }, 'IMPLEMENT_LOOP'],
  ['the end of a lean session', { state: 'finish', flags: { course: 'lean' } }, 'INTEGRATE'],
  ['the end of a full one', { state: 'finish', flags: { course: 'per_batch' } }, 'RELEASE'],
  ['on the way back to a repair', { state: 'recheck', returnTo: 'fix_tests' }, 'FIX_TESTS'],
  ['on the way back to a question', { state: 'recheck', returnTo: 'ask_notes' }, 'ASK_USER'],
  ['a correction that is queued', { state: 'queue_correction', returnTo: 'correct_ui' }, 'APPROVE_DESIGN'],
  ['a way back to nowhere', { state: 'recheck' }, 'IMPLEMENT_LOOP'],
])('%s', (_, setting, phase) => {
  expect(phaseOf(viewOf(setting).snapshot)).toBe(phase);
});

test('a question belongs to the state that asked, in no situation to ASK_USER [session/decisions/state-context]', () => {
  const asking = explore(machine).situations.filter(({ snapshot }) => phaseOf(snapshot) === 'ASK_USER');
  expect(asking.length).toBeGreaterThan(20);
  expect(asking.filter(({ snapshot }) => (contextOf(snapshot) as string) === 'ASK_USER')).toEqual([]);
});

test.each<[string, string | null, string]>([
  ['ask_lean', null, 'INTAKE'],
  ['ask_notes', 'code', 'IMPLEMENT_LOOP'],
  ['ask_fix_build', null, 'INTEGRATE'],
  ['ask_criteria', null, 'INTEGRATE'],
  ['ask_questions', 'research', 'DESIGN'],
  ['ask_questions', 'fix_security', 'FIX_SECURITY'],
  ['ask_questions', 'docs', 'RELEASE'],
  ['ask_questions', null, 'IMPLEMENT_LOOP'],
  ['blocked_asking', 'plan', 'PLAN'],
  ['approve_design', null, 'APPROVE_DESIGN'],
  ['reapprove_design', 'review', 'APPROVE_DESIGN'],
  ['review_strategy', 'schedule', 'REVIEW_STRATEGY'],
])('%s, going back to %s, belongs to %s [session/decisions/state-context]', (state, returnTo, context) => {
  expect(contextOf(viewOf({ state, returnTo }).snapshot)).toBe(context);
});
