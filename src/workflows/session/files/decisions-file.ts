/** `user_decisions`: bare texts, missing fields and other spellings become whole decisions, and that is told. */

import { nextDecisionId, pendingDecision, type Decision } from '../../../engine/decision.ts';
import type { Json } from '../../../engine/snapshot.ts';
import { inside, nameOf, refuse, schema, unlessRefused, warn, type Schema, type Spot } from '../../../schema/schema.ts';
import { findWord, isRecord, sameValue, shown, withoutEnd } from '../../../schema/values.ts';
import { commandsDecision, contexts, designDecision, strategyDecision, type Context } from '../session-words.ts';

export type JsonMap = { readonly [key: string]: Json };

export function isMap(value: unknown): value is JsonMap {
  return isRecord(value);
}

/** What is known, and behind it the keys of other tools. */
export function withUnknown(known: JsonMap, before: Json | undefined, extra: JsonMap = {}): JsonMap {
  return { ...known, ...(isMap(before) && before), ...extra, ...known };
}

/** Tells of every value that is not read as it stands there. */
export function tellRepairs(at: Spot, found: Json | undefined, read: Json | undefined): void {
  if (isMap(found) && isMap(read)) {
    const own = (map: JsonMap, key: string): Json | undefined => (Object.hasOwn(map, key) ? map[key] : undefined);
    const keys = new Set([...Object.keys(read), ...Object.keys(found)]);
    for (const key of keys) tellRepairs(inside(at, key), own(found, key), own(read, key));
  } else if (!sameValue(found ?? null, read ?? null))
    warn(at, `${nameOf(at.path)} is ${shown(found)}; ${read === undefined ? 'left out' : `read as ${shown(read)}`}.`);
}

/** Texts as they are, numbers and yes-or-no as texts; undefined for what is empty or has parts. */
export function textOf(value: unknown): string | undefined {
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  return typeof value === 'string' && value.trim() !== '' ? value : undefined;
}

/** Times begin with a date, however exact they are; undefined for anything else. */
export function timeOf(value: unknown): string | undefined {
  return typeof value === 'string' && /^\d{4}-\d\d-\d\d/.test(value.trim()) ? value.trim() : undefined;
}

export function extraOf(map: JsonMap, known: readonly string[]): JsonMap | undefined {
  const unknown = Object.entries(map).filter(([key]) => !known.includes(key));
  return unknown.length === 0 ? undefined : Object.fromEntries(unknown);
}

/** Where a decision belongs that does not say so, and when it was asked. */
type Defaults = { readonly context: Context; readonly lastUpdate: string };

export function decisionsSchema(defaults: Defaults): Schema<readonly Decision[]> {
  return schema((value, at) => {
    const items = listOf(value);
    if (!Array.isArray(items)) return refuse(at, value, 'a list of decisions');
    return unlessRefused(at, () => readAll(items, at, defaults));
  });
}

/** The name of a decision is its id, and a text beside it the answer. */
function listOf(value: unknown): unknown {
  if (!isMap(value)) return value;
  return Object.entries(value).map(([id, each]) => ({ decision_id: id, ...(isMap(each) ? each : { answer: each }) }));
}

function readAll(items: readonly unknown[], at: Spot, defaults: Defaults): readonly Decision[] {
  const given = items.map((item) => (isMap(item) ? idOf(item) : ''));
  const decisions = new Map<string, Decision>();
  for (const [index, item] of items.entries()) {
    const spot = inside(at, index);
    if (typeof item !== 'string' && !isMap(item)) {
      refuse(spot, item, 'a decision: an object, or its question');
      continue;
    }
    // Decisions without an id, and all but the first of an ordinary one, get the next free number.
    const said = given[index] ?? '';
    const isFree = said !== '' && (gateContexts.has(said) || !decisions.has(said));
    const id = isFree ? said : nextDecisionId([...given, ...decisions.keys()]);
    const map = typeof item === 'string' ? mapOf(item) : renamed(item);
    const decision = decisionIn(id, map, defaults);
    if (isMap(item)) tellAll(spot, item, map, decision);
    else warn(spot, `The bare text ${shown(item)} is read as ${id}, ${decision.status}, asked in ${decision.context}.`);
    const other = decisions.get(id);
    decisions.set(id, other ? newest(spot, other, decision) : decision);
  }
  return [...decisions.values()];
}

const gateContexts = new Map<string, Context>([
  [designDecision.id, 'APPROVE_DESIGN'],
  [strategyDecision.id, 'REVIEW_STRATEGY'],
  [commandsDecision.id, 'INTEGRATE'],
]);

/** The id an entry of the file has, in its one spelling; none for a bare text. */
export function idOf(map: JsonMap): string {
  const trimmed = (textOf(map['decision_id']) ?? textOf(map['id']) ?? '').trim();
  const folded = trimmed.toUpperCase().replaceAll(/[\s_]+/g, '-');
  const gate = [folded, `UD-${folded}`].find((each) => gateContexts.has(each));
  return gate ?? (/^UD-\d+$/.test(folded) ? folded : trimmed);
}

/** Keys that other tools have in the place of ours, the first that says something. */
const otherKeys: Readonly<Record<string, readonly string[]>> = {
  question: ['title', 'topic', 'description', 'text'],
  answer: ['decision', 'choice', 'response', 'resolution', 'value'],
  resolved_at: ['answered_at', 'decided_at'],
  resolution_reason: ['reason', 'rationale'],
};

/** An entry with the keys of the format; what an open question has besides is no answer to it. */
function renamed(map: JsonMap): JsonMap {
  const isOpen = findSynonym(map['status'], statuses, otherStatuses) === 'pending';
  const found = Object.entries(otherKeys).flatMap(([key, others]) => {
    if (textOf(map[key]) !== undefined || (isOpen && key !== 'question')) return [];
    const other = others.find((each) => textOf(map[each]) !== undefined);
    return other === undefined ? [] : [[key, map[other] ?? null] as const];
  });
  // Whoever wrote "approved" as the status has said the answer with it.
  const said = textOf(map['answer']) === undefined && findWord(map['status'], ['approved']);
  return { ...map, ...(said && { answer: said }), ...Object.fromEntries(found) };
}

function tellAll(at: Spot, item: JsonMap, map: JsonMap, decision: Decision): void {
  const others = Object.keys(otherKeys).filter((key) => !sameValue(map[key] ?? null, item[key] ?? null));
  const keys = [
    ...(textOf(item['decision_id']) === undefined && textOf(item['id']) !== undefined ? ['decision_id'] : []),
    ...others,
  ];
  if (keys.length > 0)
    warn(at, `${nameOf(at.path)}: ${keys.join(', ')} ${keys.length > 1 ? 'are' : 'is'} read from other keys.`);
  tellRepairs(at, { ...map, decision_id: map['decision_id'] ?? decision.id }, decisionMap(item, decision));
}

const RESOLVED_TEXT = /\b(answered|cancelled|canceled|skipped)\s*:\s*(?=\S)/i;

/** A text alone is what was decided; one that asks is open, unless it says itself how it was resolved. */
function mapOf(text: string): JsonMap {
  const found = RESOLVED_TEXT.exec(text);
  const [match = '', status] = found ?? [];
  if (!found || status === undefined) return /[?？؟]/.test(text) ? { question: text.trim() } : { answer: text.trim() };
  const key = status.toLowerCase() === 'answered' ? 'answer' : 'resolution_reason';
  const question = withoutEnd(text.slice(0, found.index), /[\s\-–—>(|]/).trim();
  const rest = text
    .slice(found.index + match.length)
    .trimEnd()
    .replace(/\)$/, '')
    .trimEnd();
  return { question: question || text.trim(), status, [key]: rest };
}

/** Status, answer, times and reason agree; a question is rather asked again than taken for answered. */
function decisionIn(id: string, map: JsonMap, { context, lastUpdate }: Defaults): Decision {
  const { answer = null } = map;
  const words = textOf(answer) ?? (answer === null || typeof answer === 'string' ? null : JSON.stringify(answer));
  const said = statusOf(map['status'], words);
  const status = said === 'answered' && words === null ? 'pending' : said;
  const isClosed = status === 'cancelled' || status === 'skipped';
  const query = { question: textOf(map['question']) ?? '(no question recorded)', binding: true };
  const home = gateContexts.get(id) ?? findWord(map['state_context'], contexts) ?? context;
  const resolved = timeOf(map['resolved_at']) ?? lastUpdate;
  const asked = { at: timeOf(map['asked_at']) ?? resolved, context: home };
  const extra = extraOf(map, Object.keys(decisionKeys));
  return {
    ...pendingDecision(id, query, asked),
    status,
    answer: status === 'pending' ? null : words,
    resolvedAt: status === 'pending' ? null : resolved,
    reason: textOf(map['resolution_reason']) ?? (isClosed ? 'no reason recorded' : null),
    ...(extra && { extra }),
  };
}

const statuses = ['pending', 'answered', 'cancelled', 'skipped'] as const;
const otherStatuses = {
  pending: 'open asked waiting unanswered',
  answered: 'resolved decided approved accepted confirmed closed done final',
  cancelled: 'canceled rejected declined withdrawn',
  skipped: 'deferred postponed',
};

/** One of these words, or a word that other tools have for it. */
export function findSynonym<W extends string>(
  value: unknown,
  words: readonly W[],
  others: Readonly<Partial<Record<W, string>>>,
): W | undefined {
  const folded = typeof value === 'string' ? value.toLowerCase().replaceAll(/[\s_-]/g, '') : '';
  return findWord(value, words) ?? words.find((word) => folded !== '' && others[word]?.split(' ').includes(folded));
}

/** A word that nobody knows counts for nothing: what has an answer is answered. */
function statusOf(value: unknown, answer: string | null): Decision['status'] {
  return findSynonym(value, statuses, otherStatuses) ?? (answer === null ? 'pending' : 'answered');
}

/** Of two entries for the same gate the one that was touched last counts; in doubt the later in the list. */
function newest(at: Spot, first: Decision, second: Decision): Decision {
  const time = ({ askedAt, resolvedAt }: Decision): string =>
    resolvedAt !== null && resolvedAt > askedAt ? resolvedAt : askedAt;
  const [kept, dropped] = time(first) > time(second) ? [first, second] : [second, first];
  const other = `the other (${dropped.status}, ${shown(dropped.answer)}) is kept under "earlier"`;
  warn(at, `${kept.id} is there twice; the newest counts, ${other}.`);
  const { earlier: before } = kept.extra ?? {};
  const earlier: Json = [...(before === undefined ? [] : [before]), decisionMap(undefined, dropped)];
  return { ...kept, extra: { ...kept.extra, earlier } };
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

export function brokenRules(decisions: readonly Decision[]): readonly string[] {
  const ids = decisions.map(({ id }) => id);
  const repeated = [...gateContexts.keys()].filter((id) => ids.indexOf(id) !== ids.lastIndexOf(id));
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
