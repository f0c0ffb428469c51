/** Reads `user_decisions`: bare texts, missing fields and other spellings become whole decisions, and that is told. */

import { nextDecisionId } from '../../../engine/decision.ts';
import type { Json } from '../../../engine/snapshot.ts';
import { inside, refuse, schema, unlessRefused, warn, type Schema, type Spot } from '../../../schema/schema.ts';
import { findWord, shown } from '../../../schema/values.ts';
import { isMap, type JsonMap } from './json-lines.ts';
import { extraOf, textOf, timeOf } from './status-reading.ts';
import { decisionStatuses, phases, wellKnownDecisions, type Context, type UserDecision } from './status-shape.ts';

export interface DecisionDefaults {
  /** Where a decision belongs that does not say so. */
  readonly context: Context;
  readonly lastUpdate: string;
}

export const decisionKeys = [
  'decision_id',
  'question',
  'status',
  'answer',
  'asked_at',
  'resolved_at',
  'state_context',
  'resolution_reason',
] as const;

export function decisionsSchema(defaults: DecisionDefaults): Schema<readonly UserDecision[]> {
  return schema((value, at) => {
    if (value === undefined || value === null) {
      warn(at, 'user_decisions is missing; taken to be empty.');
      return [];
    }
    if (!Array.isArray(value)) return refuse(at, value, 'a list of decisions');
    return unlessRefused(at, () => readAll(value, at, defaults));
  });
}

function readAll(items: readonly unknown[], at: Spot, defaults: DecisionDefaults): readonly UserDecision[] {
  const ids: Ids = {
    said: items.map((item) => (isMap(item) ? canonicalId(textOf(item['decision_id']) ?? '') : '')),
    given: [],
  };
  const decisions = new Map<string, UserDecision>();
  for (const [index, item] of items.entries()) {
    const spot = inside(at, index);
    const read: Reader = { ...defaults, at: spot, note: (text) => warn(spot, text) };
    if (typeof item !== 'string' && !isMap(item)) {
      refuse(spot, item, 'a decision: an object, or its question');
      continue;
    }
    const id = idOf(read, item, ids);
    const decision = typeof item === 'string' ? fromWords(read, id, item) : fromMap(read, id, item);
    const other = decisions.get(id);
    decisions.set(id, other ? newest(read, other, decision) : decision);
  }
  return [...decisions.values()];
}

interface Reader extends DecisionDefaults {
  readonly at: Spot;
  note(text: string): void;
}

interface Ids {
  readonly said: readonly string[];
  readonly given: string[];
}

/** Decisions without an id, and all but the first of an ordinary one, get the next free number. */
function idOf(read: Reader, item: string | JsonMap, { said, given }: Ids): string {
  const index = given.length;
  const id = said[index] ?? '';
  if (id !== '' && (Object.hasOwn(wellKnownDecisions, id) || !given.includes(id))) {
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
  return /^UD-(?:\d+|APPROVE-DESIGN|REVIEW-STRATEGY)$/.test(folded) ? folded : said.trim();
}

const noQuestion = '(no question recorded)';

const RESOLVED_TEXT = /^(.*?)[\s\-–—>(|]*\b(answered|cancelled|canceled|skipped)\s*:\s*(\S.*?)\)?\s*$/is;

/** A text alone is an open question, unless it says itself how it was resolved: nothing else can be known of it. */
function fromWords(read: Reader, id: string, text: string): UserDecision {
  const [, question = '', word = '', rest = ''] = RESOLVED_TEXT.exec(text) ?? [];
  const answered = word.toLowerCase() === 'answered';
  return settled(read, {
    decision_id: id,
    question: (word === '' ? text : question).trim() || text.trim() || noQuestion,
    status: word === '' ? 'pending' : answered ? 'answered' : (statusWord(word) ?? 'pending'),
    answer: answered ? rest : null,
    asked_at: read.lastUpdate,
    resolved_at: word === '' ? null : read.lastUpdate,
    state_context: contextOf(read, id, undefined),
    resolution_reason: word === '' || answered ? null : rest,
  });
}

function fromMap(read: Reader, id: string, map: JsonMap): UserDecision {
  const extra = extraOf(map, decisionKeys);
  const question = textOf(map['question']);
  const asked = timeOf(map['asked_at']);
  const resolved = timeOf(map['resolved_at']);
  if (question === undefined) read.note(`${id} has no question.`);
  if (asked === undefined) read.note(`${id}: asked_at is ${shown(map['asked_at'])}; taken to be ${read.lastUpdate}.`);
  if (resolved === undefined && textOf(map['resolved_at']) !== undefined) {
    read.note(`${id}: resolved_at ${shown(map['resolved_at'])} is no time; left out.`);
  }
  return settled(read, {
    decision_id: id,
    question: question ?? noQuestion,
    status: statusOf(read, id, map),
    answer: answerOf(read, id, map['answer']),
    asked_at: asked ?? read.lastUpdate,
    resolved_at: resolved ?? null,
    state_context: contextOf(read, id, map['state_context']),
    resolution_reason: textOf(map['resolution_reason']) ?? null,
    ...(extra && { extra }),
  });
}

const STATUS_WORDS = new Map<string, UserDecision['status']>([
  ['open', 'pending'],
  ['asked', 'pending'],
  ['waiting', 'pending'],
  ['unanswered', 'pending'],
  ['resolved', 'answered'],
  ['decided', 'answered'],
  ['canceled', 'cancelled'],
]);

function statusWord(value: Json): UserDecision['status'] | undefined {
  return (
    findWord(value, decisionStatuses) ??
    (typeof value === 'string' ? STATUS_WORDS.get(value.trim().toLowerCase()) : undefined)
  );
}

function statusOf(read: Reader, id: string, map: JsonMap): UserDecision['status'] {
  const value = map['status'];
  if (value === undefined || value === null || value === '') {
    const status = textOf(map['answer']) === undefined ? 'pending' : 'answered';
    read.note(`${id} has no status; taken to be ${status}.`);
    return status;
  }
  const status = statusWord(value);
  if (status === undefined) {
    refuse(inside(read.at, 'status'), value, `one of ${decisionStatuses.join(', ')}`);
    return 'pending';
  }
  if (status !== value) read.note(`${id}: status ${shown(value)} is read as ${status}.`);
  return status;
}

function answerOf(read: Reader, id: string, value: Json | undefined): string | null {
  if (value === undefined || value === null) return null;
  if (typeof value === 'string') return value.trim() === '' ? null : value;
  const text = textOf(value) ?? JSON.stringify(value);
  read.note(`${id}: the answer ${shown(value)} is kept as the text ${shown(text)}.`);
  return text;
}

function contextOf(read: Reader, id: string, value: Json | undefined): Context {
  const gate = Object.entries(wellKnownDecisions).find(([known]) => known === id)?.[1];
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
function settled(read: Reader, decision: UserDecision): UserDecision {
  const { decision_id: id, answer, resolved_at } = decision;
  if (decision.status === 'pending' || (decision.status === 'answered' && answer === null)) {
    if (decision.status === 'answered') read.note(`${id} is answered without an answer; it is pending again.`);
    else if (answer !== null)
      read.note(`${id} is pending with the answer ${shown(answer)}, which is dropped; it is asked again.`);
    else if (resolved_at !== null) read.note(`${id} is pending but resolved at ${resolved_at}, which is dropped.`);
    return { ...decision, status: 'pending', answer: null, resolved_at: null };
  }
  if (resolved_at === null) read.note(`${id} does not say when it was resolved; taken to be ${read.lastUpdate}.`);
  const closed = { ...decision, resolved_at: resolved_at ?? read.lastUpdate };
  if (decision.status === 'answered' || decision.resolution_reason !== null) return closed;
  read.note(`${id} is ${decision.status} without a reason.`);
  return { ...closed, resolution_reason: 'no reason recorded' };
}

/** Of two entries for the same gate the one that was touched last counts; in doubt the later in the list. */
function newest(read: Reader, first: UserDecision, second: UserDecision): UserDecision {
  const time = ({ asked_at, resolved_at }: UserDecision): string =>
    resolved_at !== null && resolved_at > asked_at ? resolved_at : asked_at;
  const [kept, dropped] = time(first) > time(second) ? [first, second] : [second, first];
  const { status, answer } = dropped;
  read.note(
    `${kept.decision_id} stands there twice; the newest counts, the other (${status}, answer ${shown(answer)}) is dropped.`,
  );
  return kept;
}
