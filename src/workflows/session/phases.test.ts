import { expect, test } from 'vitest';
import type { Snapshot } from '../../engine/snapshot.ts';
import { branchesOf } from '../../engine/transition.ts';
import { withDecisions } from '../../runtime/decisions.ts';
import type { RunView } from '../workflow.ts';
import { machine } from './transition-table.ts';
import { phaseOf } from './transition-table.ts';
import { viewOf } from './session.fixture.ts';
import { phases } from './session-words.ts';

test('every state but the first belongs to a phase, and every phase has states', () => {
  const shown = Object.keys(machine.states).map((state) => phaseOf(viewOf({ state }).snapshot));
  expect(shown.filter((phase) => phase === null)).toHaveLength(1);
  expect([...new Set(shown)].filter((phase) => phase !== null).toSorted()).toEqual(phases.toSorted());
});

test.each<[string, Parameters<typeof viewOf>[0], string]>([
  ['opened lean', { state: 'open_session', flags: { mode: 'lean' } }, 'INTAKE_LEAN'],
  ['opened', { state: 'open_session' }, 'INTAKE'],
  ['the review of a release', { state: 'review', flags: { round: 'release' } }, 'RELEASE'],
  ['a review', { state: 'review', flags: { round: 'final' } }, 'IMPLEMENT_LOOP'],
  ['the end of a lean session', { state: 'finish', flags: { mode: 'lean' } }, 'INTEGRATE'],
  ['the end of a full one', { state: 'finish', flags: { mode: 'per_batch' } }, 'RELEASE'],
  ['on the way back to a repair', { state: 'recheck', returnTo: 'fix_tests' }, 'FIX_TESTS'],
  ['on the way back to a question', { state: 'recheck', returnTo: 'ask_notes' }, 'ASK_USER'],
  ['a correction that is queued', { state: 'queue_correction', returnTo: 'correct_ui' }, 'APPROVE_DESIGN'],
  ['a way back to nowhere', { state: 'recheck' }, 'IMPLEMENT_LOOP'],
])('%s', (_, setting, phase) => {
  expect(phaseOf(viewOf(setting).snapshot)).toBe(phase);
});

/** The states that lead to a question, each with the phase its decisions belong to. */
const askers = Object.entries(machine.states).flatMap(([name, { on }]) =>
  Object.values(on)
    .flatMap((route) => branchesOf(route))
    .flatMap((branch) =>
      'to' in branch && machine.states[branch.to]?.kind === 'decide' ? [[name, branch.to] as const] : [],
    ),
);

test('a question belongs to the state that asked, never to ASK_USER [session/decisions/state-context]', () => {
  const asked = new Set(askers.map(([, to]) => to));
  const asking = Object.keys(machine.states).filter((state) => machine.states[state]?.kind === 'decide');
  expect([...asked].toSorted()).toEqual(asking.toSorted());
  for (const [from, to] of askers) {
    const { decisions } = after(viewOf({ state: from }), to);
    for (const { context } of Object.values(decisions)) expect(context).not.toBe('ASK_USER');
  }
});

test.each<[string, string, string]>([
  ['intake', 'ask_lean', 'INTAKE'],
  ['review', 'ask_notes', 'IMPLEMENT_LOOP'],
  ['integrate', 'ask_fix_build', 'INTEGRATE'],
  ['verify_release', 'ask_fix_build', 'RELEASE'],
  ['judge_criteria', 'ask_criteria', 'INTEGRATE'],
  ['research', 'ask_questions', 'DESIGN'],
  ['fix_security', 'ask_questions', 'FIX_SECURITY'],
  ['docs', 'ask_questions', 'RELEASE'],
  ['check_design', 'approve_design', 'APPROVE_DESIGN'],
  ['recheck', 'reapprove_design', 'APPROVE_DESIGN'],
  ['check_plan', 'review_strategy', 'REVIEW_STRATEGY'],
])('%s leads to %s, which belongs to %s [session/decisions/state-context]', (from, to, context) => {
  expect(askers).toContainEqual([from, to]);
  expect(Object.values(after(viewOf({ state: from }), to).decisions)).toMatchObject([{ context }]);
});

function after({ snapshot }: RunView, state: string): Snapshot {
  const step = { kind: 'step', delta: { state }, snapshot: { ...snapshot, state }, effect } as const;
  const signal = { name: 'asks', asks: { title: 'Asked', parts: [{ question: 'Which?' }] } };
  return withDecisions(machine, snapshot, step, { signal, at: '' }).snapshot;
}

const effect = { type: 'rest', outcome: 'needs_person' } as const;
