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

interface Cause {
  readonly signal: Signal;
  readonly at: string;
}

export function withDecisions(machine: Machine, before: Snapshot, step: Step, cause: Cause): Step {
  const isLeft = step.delta.state !== undefined;
  const resolved = resolutions(before, isLeft ? openDecisions(machine, before) : [], cause);
  const ledger = { ...before, decisions: { ...before.decisions, ...resolved } };
  const asked = isLeft ? asking(machine, ledger, step.snapshot, cause) : {};
  const decisions = { ...resolved, ...asked.decisions };
  if (Object.keys(decisions).length === 0) return step;
  const delta: Delta = { ...step.delta, ...asked, decisions };
  return { ...step, delta, snapshot: evolve(before, delta) };
}

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
  { signal: { resolves = [], problem }, at: resolvedAt }: Cause,
): Readonly<Record<string, Decision>> {
  const resolved: Record<string, Decision> = {};
  const close = (decision: Decision, reason: string): Decision => {
    return { ...decision, status: 'cancelled', answer: null, resolvedAt, reason };
  };
  for (const { id, ...resolution } of resolves) {
    const decision = decisions[id];
    if (!decision) throw new Error(`there is no decision ${id}`);
    resolved[id] =
      'answer' in resolution
        ? { ...decision, status: 'answered', answer: resolution.answer, resolvedAt, reason: resolution.reason ?? null }
        : close(decision, resolution.reason);
  }
  for (const decision of left) resolved[decision.id] ??= close(decision, problem?.message ?? 'no longer asked');
  return resolved;
}

/** L1. */
function asking(machine: Machine, before: Snapshot, after: Snapshot, { signal: { asks }, at }: Cause): LedgerEntries {
  const entered = stateOf(machine, after.state);
  if (entered.kind !== 'decide') return {};
  const { decision: own } = entered;
  if (own) {
    const { extra } = before.decisions[own.id] ?? {};
    const decision = pendingDecision(own.id, own, { at, context: phaseOf(machine, after) ?? '' });
    return { decisions: { [own.id]: { ...decision, ...(extra && { extra }) } } };
  }
  const context = phaseOf(machine, before) ?? '';
  if (asks) {
    const parts = asks.parts.map((part) => ({ ...part, context }));
    return numbered(before, { detail: '', ...asks }, parts, at);
  }
  if (!before.asked) return {};
  // L5.
  const parts = before.asked.ids.map((id) => {
    const decision = before.decisions[id];
    return !decision || decision.status === 'answered' || decision.status === 'pending' ? id : decision;
  });
  return numbered(before, before.asked, parts, at);
}

type LedgerEntries = Pick<Delta, 'decisions' | 'asked'>;

/** L2. Parts that stay as they are are given by their ids. */
function numbered(
  { decisions: earlier }: Snapshot,
  { title, detail }: Omit<AskedBatch, 'ids'>,
  parts: readonly (string | (Query & { readonly context: string }))[],
  at: string,
): LedgerEntries {
  const decisions: Record<string, Decision> = {};
  const ids = parts.map((part) => {
    if (typeof part === 'string') return part;
    const id = nextDecisionId([...Object.keys(earlier), ...Object.keys(decisions)]);
    decisions[id] = pendingDecision(id, part, { at, context: part.context });
    return id;
  });
  return { decisions, asked: { title, detail, ids } };
}
