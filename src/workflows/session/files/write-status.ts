import type { Json } from '../../../engine/snapshot.ts';
import { isList, isMap, readJsonLines, type JsonMap } from './json-lines.ts';
import {
  repairKinds,
  wellKnownDecisions,
  type Extra,
  type RetryCounts,
  type Status,
  type UserDecision,
} from './status-shape.ts';

/**
 * `status.json` as Pawl writes it: known keys in their order, then those of `before` that Pawl does not know.
 * A status that breaks the rules is a mistake of the program, so it throws.
 */
export function writeStatus(before: string | undefined, status: Status): string {
  const broken = brokenRules(status);
  if (broken.length > 0) throw new Error(`status.json would break its rules: ${broken.join('; ')}`);
  const old = readMap(before);
  const oldDecisions = decisionsById(old['user_decisions']);
  const written = {
    current_state: status.current_state,
    session: status.session,
    mode: status.mode,
    assumptions: status.assumptions,
    user_decisions: status.user_decisions.map((each) => writeDecision(each, oldDecisions.get(each.decision_id))),
    gate_tracking: writeGates(status, old['gate_tracking']),
    runtime_flags: withUnknown(
      {
        copilot_instructions_exists: status.runtime_flags.copilot_instructions_exists,
        copilot_checked_at: status.runtime_flags.copilot_checked_at,
      },
      old['runtime_flags'],
    ),
    retry_counts: writeCounts(status.retry_counts),
    known_issues: status.known_issues,
    last_ci_result: status.last_ci_result,
    last_update: status.last_update,
  };
  return `${JSON.stringify(withUnknown(written, old, status.extra), null, 2)}\n`;
}

function brokenRules({ user_decisions: decisions }: Status): string[] {
  const ids = decisions.map(({ decision_id: id }) => id);
  const repeated = Object.keys(wellKnownDecisions).filter((id) => ids.indexOf(id) !== ids.lastIndexOf(id));
  return [...repeated.map((id) => `${id} stands there twice`), ...decisions.flatMap(brokenRulesOf)];
}

function brokenRulesOf(decision: UserDecision): string[] {
  const { decision_id: id, status, answer, resolved_at, resolution_reason } = decision;
  const context: string = decision.state_context;
  const rules: readonly (readonly [kept: boolean, problem: () => string])[] = [
    [id !== '', () => 'a decision has no id'],
    [context !== 'ASK_USER', () => `${id} belongs to ASK_USER`],
    [status !== 'pending' || answer === null, () => `${id} is pending with an answer`],
    [(status === 'pending') === (resolved_at === null), () => `${id} is ${status}, resolved_at ${String(resolved_at)}`],
    [status !== 'answered' || !isBlank(answer), () => `${id} is answered without an answer`],
    [
      status === 'pending' || status === 'answered' || !isBlank(resolution_reason),
      () => `${id} is ${status} without a reason`,
    ],
  ];
  return rules.filter(([kept]) => !kept).map(([, problem]) => problem());
}

function isBlank(text: string | null): boolean {
  return text === null || text.trim() === '';
}

function writeDecision({ extra, ...decision }: UserDecision, before: JsonMap | undefined): JsonMap {
  const { decision_id, question, status, answer, asked_at, resolved_at, state_context, resolution_reason } = decision;
  const known = { decision_id, question, status, answer, asked_at, resolved_at, state_context, resolution_reason };
  return withUnknown(known, before, extra);
}

/** Gates of other tools are kept; the one that is known is as Pawl says. */
function writeGates({ gate_tracking: { APPROVE_DESIGN: gate } }: Status, before: Json | undefined): JsonMap {
  const others = isMap(before) ? Object.entries(before).filter(([key]) => key !== 'APPROVE_DESIGN') : [];
  const old = isMap(before) ? before['APPROVE_DESIGN'] : undefined;
  const own = gate && {
    correction_status: gate.correction_status,
    last_correction_dispatch: gate.last_correction_dispatch,
  };
  return { ...(own && { APPROVE_DESIGN: withUnknown(own, old) }), ...Object.fromEntries(others) };
}

function writeCounts(counts: RetryCounts): JsonMap {
  const inOrder = (spent: RetryCounts[string]): JsonMap => {
    const written: Record<string, number> = {};
    for (const kind of repairKinds) if (spent[kind] !== undefined) written[kind] = spent[kind];
    return written;
  };
  return Object.fromEntries(Object.entries(counts).map(([task, spent]) => [task, inOrder(spent)]));
}

function withUnknown(known: JsonMap, before: Json | undefined, extra: Extra = {}): JsonMap {
  const unknown = [...unknownOf(before, known), ...unknownOf(extra, known)];
  return unknown.length === 0 ? known : { ...known, ...Object.fromEntries(unknown) };
}

function unknownOf(map: Json | undefined, known: JsonMap): [string, Json][] {
  return isMap(map) ? Object.entries(map).filter(([key]) => !Object.hasOwn(known, key)) : [];
}

/** What cannot be read has nothing to keep. */
function readMap(text: string | undefined): JsonMap {
  if (text === undefined) return {};
  try {
    const { value } = readJsonLines(text, 'status.json');
    return isMap(value) ? value : {};
  } catch {
    return {};
  }
}

function decisionsById(value: Json | undefined): Map<string, JsonMap> {
  const maps = isList(value) ? value.filter(isMap) : [];
  return new Map(maps.flatMap((map) => (typeof map['decision_id'] === 'string' ? [[map['decision_id'], map]] : [])));
}
