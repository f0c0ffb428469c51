/**
 * The decisions of a session (the ASK_USER protocol).
 *
 * A1. A decision is pending, on record and in status.json, before anybody is asked.
 * A2. `UD-<N>` counts up over the session's whole life; each of the two gates has one decision, updated in place.
 * A3. An answer, or a reason for having none, resolves it; nothing else does.
 */

import type { Snapshot } from '../../engine/snapshot.ts';
import type { GivenAnswer } from '../workflow.ts';
import { nextDecisionId, type Context, type UserDecision } from './files/status.ts';
import { askingOf, decisionData, decisionNamed, decisionsOf, type AskedPart, type Data } from './run-data.ts';

/** A question that is to be asked, before it has an id. */
export interface Query {
  readonly question: string;
  readonly about?: string;
  readonly suggestions?: readonly string[];
  readonly binding?: boolean;
}

export interface Batch {
  readonly title: string;
  readonly detail?: string;
  readonly queries: readonly Query[];
}

interface Asked {
  readonly snapshot: Pick<Snapshot, 'data'>;
  readonly at: string;
  readonly context: Context;
}

/** A1, A2: what a signal that leads to a question brings along. */
export function asking({ title, detail = '', queries }: Batch, asked: Asked): Data {
  const decisions: UserDecision[] = [];
  const parts: AskedPart[] = [];
  for (const { question, about = '', suggestions = [], binding = false } of queries) {
    const id = nextDecisionId([...decisionsOf(asked.snapshot), ...decisions]);
    decisions.push(pending(id, question, asked));
    parts.push({ id, question, about, suggestions, binding });
  }
  return { ...decisionData(decisions), asking: { title, detail, parts: parts.map((part) => ({ ...part })) } };
}

/**
 * The question at hand once more. What was answered stays answered, what is pending keeps its id,
 * and what was cancelled is asked under a new one: a cancelled decision stays what it is.
 */
export function askingAgain(asked: Asked): Data {
  const { title, detail, parts } = askingOf(asked.snapshot);
  const decisions: UserDecision[] = [];
  const again = parts.map((part): AskedPart => {
    const { status } = decisionNamed(asked.snapshot, part.id) ?? {};
    if (status === 'answered' || status === 'pending') return part;
    const id = nextDecisionId([...decisionsOf(asked.snapshot), ...decisions]);
    decisions.push(pending(id, part.question, asked));
    return { ...part, id };
  });
  return { ...decisionData(decisions), asking: { title, detail, parts: again.map((part) => ({ ...part })) } };
}

/** A2: the one decision of a gate, pending again. */
export function askingGate(id: GateDecision, question: string, asked: Asked): Data {
  return decisionData([{ ...decisionNamed(asked.snapshot, id), ...pending(id, question, asked) }]);
}

export type GateDecision = 'UD-APPROVE-DESIGN' | 'UD-REVIEW-STRATEGY';

function pending(id: string, question: string, { at, context }: Asked): UserDecision {
  return {
    decision_id: id,
    question,
    status: 'pending',
    answer: null,
    asked_at: at,
    resolved_at: null,
    state_context: context,
    resolution_reason: null,
  };
}

/** A3. */
export function answered(snapshot: Pick<Snapshot, 'data'>, id: string, answer: string, { at }: GivenAnswer): Data {
  return decisionData([
    { ...known(snapshot, id), status: 'answered', answer, resolved_at: at, resolution_reason: null },
  ]);
}

/** A3. */
export function cancelled(snapshot: Pick<Snapshot, 'data'>, ids: readonly string[], reason: string, at: string): Data {
  return decisionData(
    ids.map((id) => ({
      ...known(snapshot, id),
      status: 'cancelled' as const,
      answer: null,
      resolved_at: at,
      resolution_reason: reason,
    })),
  );
}

export const noResponse = 'no response provided';

function known(snapshot: Pick<Snapshot, 'data'>, id: string): UserDecision {
  const decision = decisionNamed(snapshot, id);
  if (!decision) throw new Error(`there is no decision ${id}`);
  return decision;
}

/** Parts of the question at hand that nobody has answered yet. */
export function openParts(snapshot: Pick<Snapshot, 'data'>, parts: readonly AskedPart[]): readonly AskedPart[] {
  return parts.filter(({ id }) => decisionNamed(snapshot, id)?.status === 'pending');
}

/** Questions that stand open anywhere. */
export function pendingIn(snapshot: Pick<Snapshot, 'data'>): readonly UserDecision[] {
  return decisionsOf(snapshot).filter(({ status }) => status === 'pending');
}
