/** Reads `user_decisions`: bare texts, missing fields and other spellings become whole decisions, and that is told. */

import { nextDecisionId, pendingDecision, type Decision } from '../../../engine/decision.ts';
import { inside, refuse, schema, unlessRefused, warn, type Schema, type Spot } from '../../../schema/schema.ts';
import { findWord, shown } from '../../../schema/values.ts';
import { designDecision, strategyDecision } from '../vocabulary.ts';
import { decisionKeys, isMap, phases, type Context, type JsonMap } from './status-file.ts';

/** Texts as they are, numbers and yes-or-no as texts; undefined for what is empty or has parts. */
export function textOf(value: unknown): string | undefined {
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  return typeof value === 'string' && value.trim() !== '' ? value : undefined;
}

/** Times begin with a date, however exact they are; undefined for anything else. */
export function timeOf(value: unknown): string | undefined {
  return typeof value === 'string' && /^\d{4}-\d\d-\d\d/.test(value.trim()) ? value.trim() : undefined;
}

/** Keys that Pawl does not know. */
export function extraOf(map: JsonMap, known: readonly string[]): JsonMap | undefined {
  const unknown = Object.entries(map).filter(([key]) => !known.includes(key));
  return unknown.length === 0 ? undefined : Object.fromEntries(unknown);
}

interface Defaults {
  /** Where a decision belongs that does not say so. */
  readonly context: Context;
  readonly lastUpdate: string;
}

interface Reader extends Defaults {
  readonly at: Spot;
  note(text: string): void;
}

export function decisionsSchema(defaults: Defaults): Schema<readonly Decision[]> {
  return schema((value, at) => {
    if (!Array.isArray(value)) return refuse(at, value, 'a list of decisions');
    return unlessRefused(at, () => readAll(value, at, defaults));
  });
}

function readAll(items: readonly unknown[], at: Spot, defaults: Defaults): readonly Decision[] {
  const said = items.map((item) => (isMap(item) ? canonicalId(textOf(item['decision_id']) ?? '') : ''));
  const given: string[] = [];
  const decisions = new Map<string, Decision>();
  for (const [index, item] of items.entries()) {
    const spot = inside(at, index);
    const read: Reader = { ...defaults, at: spot, note: (text) => warn(spot, text) };
    if (typeof item !== 'string' && !isMap(item)) {
      refuse(spot, item, 'a decision: an object, or its question');
      continue;
    }
    const id = idOf(read, item, { said, given });
    const decision = settled(read, decisionIn(read, id, typeof item === 'string' ? mapOf(item, defaults) : item));
    const other = decisions.get(id);
    decisions.set(id, other ? newest(read, other, decision) : decision);
  }
  return [...decisions.values()];
}

const gateContexts: Readonly<Record<string, Context>> = {
  [designDecision.id]: 'APPROVE_DESIGN',
  [strategyDecision.id]: 'REVIEW_STRATEGY',
};

/** Decisions without an id, and all but the first of an ordinary one, get the next free number. */
function idOf(
  read: Reader,
  item: string | JsonMap,
  { said, given }: { readonly said: readonly string[]; readonly given: string[] },
): string {
  const index = given.length;
  const id = said[index] ?? '';
  if (id !== '' && (Object.hasOwn(gateContexts, id) || !given.includes(id))) {
    given.push(id);
    const written = isMap(item) ? item['decision_id'] : id;
    if (written !== id) read.note(`Decision ${shown(written)} is read as ${id}.`);
    return id;
  }
  const next = nextDecisionId([...said, ...given]);
  const what = typeof item === 'string' ? `is the bare text ${shown(item)}` : id === '' ? 'has no id' : `repeats ${id}`;
  read.note(`Decision ${index + 1} in the list ${what}; it becomes ${next}.`);
  given.push(next);
  return next;
}

function canonicalId(said: string): string {
  const folded = said
    .trim()
    .toUpperCase()
    .replaceAll(/[\s_]+/g, '-');
  return /^UD-\d+$/.test(folded) || Object.hasOwn(gateContexts, folded) ? folded : said.trim();
}

const RESOLVED_TEXT = /^(.*?)[\s\-–—>(|]*\b(answered|cancelled|canceled|skipped)\s*:\s*(\S.*?)\)?\s*$/is;

/** A text alone is an open question, unless it says itself how it was resolved: nothing else can be known of it. */
function mapOf(text: string, { lastUpdate: at }: Defaults): JsonMap {
  const [, question = '', word = '', rest = ''] = RESOLVED_TEXT.exec(text) ?? [];
  const status = statusWord(word) ?? 'pending';
  const isOpen = status === 'pending';
  return {
    question: (isOpen ? text : question).trim() || text.trim() || noQuestion,
    status,
    answer: status === 'answered' ? rest : null,
    asked_at: at,
    resolved_at: isOpen ? null : at,
    resolution_reason: isOpen || status === 'answered' ? null : rest,
  };
}

const noQuestion = '(no question recorded)';

function decisionIn(read: Reader, id: string, map: JsonMap): Decision {
  const extra = extraOf(map, decisionKeys);
  const question = textOf(map['question']);
  const asked = timeOf(map['asked_at']);
  const resolved = timeOf(map['resolved_at']);
  if (question === undefined) read.note(`${id} has no question.`);
  if (asked === undefined) read.note(`${id}: asked_at is ${shown(map['asked_at'])}; taken to be ${read.lastUpdate}.`);
  if (resolved === undefined && textOf(map['resolved_at']) !== undefined)
    read.note(`${id}: resolved_at ${shown(map['resolved_at'])} is no time; left out.`);
  const status = statusOf(read, id, map);
  const answer = answerOf(read, id, map['answer']);
  const context = contextOf(read, id, map['state_context']);
  const query = { question: question ?? noQuestion, binding: true };
  return {
    ...pendingDecision(id, query, { at: asked ?? read.lastUpdate, context }),
    status,
    answer,
    resolvedAt: resolved ?? null,
    reason: textOf(map['resolution_reason']) ?? null,
    ...(extra && { extra }),
  };
}

const statuses = ['pending', 'answered', 'cancelled', 'skipped'] as const;
const otherWords: Readonly<Record<Decision['status'], string>> = {
  pending: 'open asked waiting unanswered',
  answered: 'resolved decided',
  cancelled: 'canceled',
  skipped: '',
};

function statusWord(value: unknown): Decision['status'] | undefined {
  const known = findWord(value, statuses);
  if (known !== undefined || typeof value !== 'string' || value === '') return known;
  return statuses.find((status) => otherWords[status].split(' ').includes(value.trim().toLowerCase()));
}

function statusOf(read: Reader, id: string, map: JsonMap): Decision['status'] {
  const value = map['status'];
  if (value === undefined || value === null || value === '') {
    const status = textOf(map['answer']) === undefined ? 'pending' : 'answered';
    read.note(`${id} has no status; taken to be ${status}.`);
    return status;
  }
  const status = statusWord(value);
  if (status === undefined) {
    refuse(inside(read.at, 'status'), value, `one of ${statuses.join(', ')}`);
    return 'pending';
  }
  if (status !== value) read.note(`${id}: status ${shown(value)} is read as ${status}.`);
  return status;
}

function answerOf(read: Reader, id: string, value: JsonMap[string] | undefined): string | null {
  if (value === undefined || value === null) return null;
  if (typeof value === 'string') return value.trim() === '' ? null : value;
  const text = textOf(value) ?? JSON.stringify(value);
  read.note(`${id}: the answer ${shown(value)} is kept as the text ${shown(text)}.`);
  return text;
}

function contextOf(read: Reader, id: string, value: unknown): Context {
  const gate = Object.hasOwn(gateContexts, id) ? gateContexts[id] : undefined;
  const said = findWord(value, phases);
  if (said !== undefined && said !== 'ASK_USER' && (gate === undefined || gate === said)) {
    if (said !== value) read.note(`${id}: state_context ${shown(value)} is read as ${said}.`);
    return said;
  }
  const context = gate ?? read.context;
  read.note(`${id}: state_context is ${shown(value)}; taken to be ${context}.`);
  return context;
}

/** Makes status, answer, times and reason agree; a question is rather asked again than taken for answered. */
function settled(read: Reader, decision: Decision): Decision {
  const { id, status, answer, resolvedAt, reason } = decision;
  if (status === 'pending' || (status === 'answered' && answer === null)) {
    if (status === 'answered') read.note(`${id} is answered without an answer; it is pending again.`);
    else if (answer !== null)
      read.note(`${id} is pending with the answer ${shown(answer)}, which is dropped; it is asked again.`);
    else if (resolvedAt !== null) read.note(`${id} is pending but resolved at ${resolvedAt}, which is dropped.`);
    return { ...decision, status: 'pending', answer: null, resolvedAt: null };
  }
  if (resolvedAt === null) read.note(`${id} does not say when it was resolved; taken to be ${read.lastUpdate}.`);
  const closed = { ...decision, resolvedAt: resolvedAt ?? read.lastUpdate };
  if (status === 'answered' || reason !== null) return closed;
  read.note(`${id} is ${status} without a reason.`);
  return { ...closed, reason: 'no reason recorded' };
}

/** Of two entries for the same gate the one that was touched last counts; in doubt the later in the list. */
function newest(read: Reader, first: Decision, second: Decision): Decision {
  const time = ({ askedAt, resolvedAt }: Decision): string =>
    resolvedAt !== null && resolvedAt > askedAt ? resolvedAt : askedAt;
  const [kept, dropped] = time(first) > time(second) ? [first, second] : [second, first];
  const words = `(${dropped.status}, answer ${shown(dropped.answer)})`;
  read.note(`${kept.id} stands there twice; the newest counts, the other ${words} is dropped.`);
  return kept;
}
