/** `status.json`: what it holds, in its own words, and how it is written. */

import { attempt, DocumentError } from '../../../documents/document-error.ts';
import { readJsonLines } from '../../../documents/json-lines.ts';
import type { Decision } from '../../../engine/decision.ts';
import type { Json } from '../../../engine/snapshot.ts';
import { isRecord } from '../../../schema/values.ts';
import { designDecision, strategyDecision } from '../vocabulary.ts';

export const phases = [
  'INTAKE',
  'INTAKE_LEAN',
  'DESIGN',
  'APPROVE_DESIGN',
  'PLAN',
  'REVIEW_STRATEGY',
  'IMPLEMENT_LOOP',
  'ASK_USER',
  'FIX_REVIEW',
  'FIX_TESTS',
  'FIX_SECURITY',
  'FIX_BUILD',
  'INTEGRATE',
  'RELEASE',
  'DONE',
  'BLOCKED',
] as const;
export type Phase = (typeof phases)[number];
/** Where a decision belongs: never ASK_USER itself, which every one of them passes through. */
export type Context = Exclude<Phase, 'ASK_USER'>;
export const contexts = phases.filter((phase) => phase !== 'ASK_USER');

export const modes = ['full', 'lean'] as const;
export const correctionStatuses = ['none', 'queued', 'dispatched', 'completed'] as const;
export const ciResults = ['unknown', 'green', 'red'] as const;
export const repairKinds = ['FIX_REVIEW', 'FIX_TESTS', 'FIX_SECURITY', 'FIX_BUILD'] as const;
export type RepairKind = (typeof repairKinds)[number];

export type JsonMap = { readonly [key: string]: Json };

export type Status = {
  readonly current_state: Phase;
  readonly session: string;
  readonly mode: (typeof modes)[number];
  readonly assumptions: readonly string[];
  readonly user_decisions: readonly Decision[];
  readonly gate_tracking: {
    readonly APPROVE_DESIGN?: {
      readonly correction_status: (typeof correctionStatuses)[number];
      readonly last_correction_dispatch: string | null;
    };
  };
  readonly runtime_flags: {
    readonly copilot_instructions_exists: boolean;
    readonly copilot_checked_at: string | null;
  };
  /** Attempts spent, by task (or `meta`) and kind; what is not there is 0. */
  readonly retry_counts: Readonly<Record<string, Readonly<Partial<Record<RepairKind, number>>>>>;
  readonly known_issues: readonly string[];
  readonly last_ci_result: (typeof ciResults)[number];
  readonly last_update: string;
  /** Keys that Pawl does not know, as they were found. */
  readonly extra?: JsonMap;
};

/** Of what came out of a JSON parser. */
export function isMap(value: unknown): value is JsonMap {
  return isRecord(value);
}

/**
 * `status.json` as Pawl writes it: known keys in their order, then those of `before` that Pawl does not know.
 * A status that breaks the rules is a mistake of the program, so it throws.
 */
export function writeStatus(before: string | undefined, status: Status): string {
  const broken = brokenRules(status.user_decisions);
  if (broken.length > 0) throw new Error(`internal error: status.json would break its rules: ${broken.join('; ')}`);
  return `${JSON.stringify(statusMap(mapIn(before), status), null, 2)}\n`;
}

export function statusMap(old: JsonMap, { extra, ...status }: Status): JsonMap {
  const decisions = Array.isArray(old['user_decisions']) ? old['user_decisions'].filter(isMap) : [];
  const { APPROVE_DESIGN: gate } = status.gate_tracking;
  const { gate_tracking: gates } = old;
  const written: JsonMap = {
    ...status,
    user_decisions: status.user_decisions.map((each) => {
      const before = decisions.find(({ decision_id: id }) => id === each.id);
      return decisionMap(before, each);
    }),
    // Gates of other tools are kept; the one that is known is as Pawl says.
    gate_tracking: withUnknown(
      gate ? { APPROVE_DESIGN: withUnknown(gate, isMap(gates) ? gates['APPROVE_DESIGN'] : {}) } : {},
      gates,
    ),
    runtime_flags: withUnknown(status.runtime_flags, old['runtime_flags']),
  };
  return withUnknown(written, old, extra);
}

/** The keys of a decision in the file, each with its name in the ledger. */
export const decisionKeys = {
  decision_id: 'id',
  question: 'question',
  status: 'status',
  answer: 'answer',
  asked_at: 'askedAt',
  resolved_at: 'resolvedAt',
  state_context: 'context',
  resolution_reason: 'reason',
} as const satisfies Record<string, keyof Decision>;

export function decisionMap(before: JsonMap | undefined, decision: Decision): JsonMap {
  const known = Object.entries(decisionKeys).map(([key, field]) => [key, decision[field]] as const);
  return withUnknown(Object.fromEntries(known), before, decision.extra);
}

function brokenRules(decisions: readonly Decision[]): readonly string[] {
  const ids = decisions.map(({ id }) => id);
  const gates = [designDecision.id, strategyDecision.id];
  const repeated = gates.filter((id) => ids.indexOf(id) !== ids.lastIndexOf(id));
  return [...repeated.map((id) => `${id} stands there twice`), ...decisions.flatMap(brokenRulesOf)];
}

function brokenRulesOf({ id, status, answer, resolvedAt, context, reason }: Decision): readonly string[] {
  const isBlank = (text: string | null): boolean => text === null || text.trim() === '';
  const isClosed = status === 'cancelled' || status === 'skipped';
  const rules: readonly (readonly [isBroken: boolean, problem: string])[] = [
    [id === '', 'a decision has no id'],
    [context === 'ASK_USER', `${id} belongs to ASK_USER`],
    [status === 'pending' && answer !== null, `${id} is pending with an answer`],
    [(status === 'pending') !== (resolvedAt === null), `${id} is ${status}, resolved_at ${String(resolvedAt)}`],
    [status === 'answered' && isBlank(answer), `${id} is answered without an answer`],
    [isClosed && isBlank(reason), `${id} is ${status} without a reason`],
  ];
  return rules.filter(([isBroken]) => isBroken).map(([, problem]) => problem);
}

function withUnknown(known: JsonMap, before: Json | undefined, extra: JsonMap = {}): JsonMap {
  const found = { ...(isMap(before) ? before : {}), ...extra };
  const unknown = Object.entries(found).filter(([key]) => !Object.hasOwn(known, key));
  return { ...known, ...Object.fromEntries(unknown) };
}

/** What cannot be read has nothing to keep. */
function mapIn(text: string | undefined): JsonMap {
  const read = text === undefined ? undefined : attempt(() => readJsonLines(text, 'status.json').value);
  return isMap(read) && !(read instanceof DocumentError) ? read : {};
}
