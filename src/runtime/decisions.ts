/**
 * The ledger of decisions: what a step into or out of a question puts on record.
 *
 * L1. A decision is pending on record before anybody is asked.
 * L2. `UD-<N>` counts up over the whole run; a state with a decision of its own asks it again in place.
 * L3. An answer, or a reason for having none, resolves a decision; nothing else does.
 * L4. No question is left while one of its decisions is pending, for whatever reason it is left.
 * L5. Asked again, what was answered stays answered, and what was closed gets a new id.
 */

import { nextDecisionId, pendingDecision, type AskedBatch, type Decision, type Query } from '../engine/decision.ts';
import type { Machine } from '../engine/machine.ts';
import { phaseOf } from '../engine/phase.ts';
import { evolve, type Delta, type Snapshot } from '../engine/snapshot.ts';
import { stateOf, type Signal, type Step } from '../engine/transition.ts';

interface Given {
  readonly signal: Signal;
  readonly at: string;
}

type Entries = Pick<Delta, 'decisions' | 'asked'>;

/** The step with its entries in the ledger. */
export function withDecisions(machine: Machine, before: Snapshot, step: Step, given: Given): Step {
  const isLeft = step.delta.state !== undefined;
  const resolved = resolutions(before, isLeft ? openDecisions(machine, before) : [], given);
  const known = { ...before, decisions: { ...before.decisions, ...resolved } };
  const asked = isLeft ? asking(machine, known, step.snapshot, given) : {};
  const decisions = { ...resolved, ...asked.decisions };
  if (Object.keys(decisions).length === 0) return step;
  const delta: Delta = { ...step.delta, ...asked, decisions };
  return { ...step, delta, snapshot: evolve(before, delta) };
}

/** What is open of the question a run is at; nothing where it is at none. */
export function openDecisions(machine: Machine, snapshot: Snapshot): readonly Decision[] {
  return decisionsAsked(machine, snapshot).filter(({ status }) => status === 'pending');
}

/** A state that has a decision of its own cannot do without it. */
export function decisionsAsked(machine: Machine, { state: name, decisions, asked }: Snapshot): readonly Decision[] {
  const state = stateOf(machine, name);
  if (state.kind !== 'decide') return [];
  const ids = state.decision ? [state.decision.id] : (asked?.ids ?? []);
  const found = ids.flatMap((id) => decisions[id] ?? []);
  return state.decision ? found.map((decision) => ({ ...decision, binding: true })) : found;
}

/** L3, L4. */
function resolutions(
  { decisions }: Snapshot,
  left: readonly Decision[],
  { signal: { resolves = [], problem }, at }: Given,
): Readonly<Record<string, Decision>> {
  const resolved: Record<string, Decision> = {};
  for (const { id, ...said } of resolves) {
    const decision = decisions[id];
    if (!decision) throw new Error(`there is no decision ${id}`);
    resolved[id] =
      'answer' in said
        ? { ...decision, status: 'answered', answer: said.answer, resolvedAt: at, reason: null }
        : closed(decision, said.reason, at);
  }
  for (const decision of left) resolved[decision.id] ??= closed(decision, problem?.message ?? 'no longer asked', at);
  return resolved;
}

function closed(decision: Decision, reason: string, at: string): Decision {
  return { ...decision, status: 'cancelled', answer: null, resolvedAt: at, reason };
}

/** L1. */
function asking(machine: Machine, before: Snapshot, after: Snapshot, { signal: { asks }, at }: Given): Entries {
  const entered = stateOf(machine, after.state);
  if (entered.kind !== 'decide') return {};
  const { decision: own } = entered;
  if (own) {
    const { extra } = before.decisions[own.id] ?? {};
    const decision = pendingDecision(own.id, own, { at, context: phaseOf(machine, after) ?? '' });
    return { decisions: { [own.id]: { ...decision, ...(extra && { extra }) } } };
  }
  const context = phaseOf(machine, before) ?? '';
  if (asks)
    return numbered(
      before,
      asks,
      asks.parts.map((part) => ({ part, context })),
      at,
    );
  return before.asked ? askingAgain(before, before.asked, at) : {};
}

/** L5. */
function askingAgain(before: Snapshot, asked: AskedBatch, at: string): Entries {
  const parts = asked.ids.map((id) => {
    const decision = before.decisions[id];
    const stays = decision?.status === 'answered' || decision?.status === 'pending';
    return stays || !decision ? id : { part: decision, context: decision.context };
  });
  return numbered(before, asked, parts, at);
}

/** L2. */
function numbered(
  { decisions: known }: Snapshot,
  { title, detail = '' }: Pick<AskedBatch, 'title'> & Partial<AskedBatch>,
  parts: readonly (string | { readonly part: Query; readonly context: string })[],
  at: string,
): Entries {
  const decisions: Record<string, Decision> = {};
  const ids = parts.map((each) => {
    if (typeof each === 'string') return each;
    const id = nextDecisionId([...Object.keys(known), ...Object.keys(decisions)]);
    decisions[id] = pendingDecision(id, each.part, { at, context: each.context });
    return id;
  });
  return { decisions, asked: { title, detail, ids } };
}
