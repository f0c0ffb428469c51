/** What all questions of a session have in common. */

import type { Json } from '../../../engine/snapshot.ts';
import type { GivenAnswer, Question, QuestionPart, Reading, RunView } from '../../workflow.ts';
import { answered, cancelled, noResponse, openParts, type GateDecision } from '../decisions.ts';
import type { PutOff, Unclear } from '../files/answers.ts';
import { askingOf, type AskedPart, type Data } from '../run-data.ts';
import { blockedBy } from '../stops.ts';

/** Beyond the first asking, in one sitting. */
export const reAsks = 3;

/** What words for one part of a batch come to: data to keep, and what they count as. */
export interface PartReading {
  /** The canonical answer that is put on record. */
  readonly answer: string;
  readonly data?: Data;
  readonly understood?: string;
}

export interface BatchRules {
  /** What the words for one part mean. */
  read(words: string, part: AskedPart): PartReading | Unclear;
  /** The signal when the last part is resolved. */
  leave(snapshot: RunView['snapshot']): string;
}

/** A question of one or more decisions under ids of their own (`UD-<N>`). */
export function batchQuestion(view: RunView, rules: BatchRules): Question {
  const { snapshot } = view;
  const { title, detail, parts } = askingOf(snapshot);
  const open = openParts(snapshot, parts);
  return {
    title,
    detail,
    answers: {},
    about: open.map(({ id }) => id).join(' '),
    withdrawn: null,
    paths: [],
    data: givenUp(view, ids(open)),
    freely: {
      parts: open.map(partOf),
      read: (given) => readPart(view, given, { rules, open }),
      insist: { reAsks, inVain: null },
    },
  };
}

function partOf({ id, question, suggestions, binding }: AskedPart): QuestionPart {
  return {
    id,
    text: question,
    answers: Object.fromEntries(suggestions.map((suggestion) => [suggestion, ''])),
    mustBeAnswered: binding,
  };
}

function readPart(
  { snapshot }: RunView,
  given: GivenAnswer,
  { rules, open }: { readonly rules: BatchRules; readonly open: readonly AskedPart[] },
): Reading {
  const part = open.find(({ id }) => id === given.part);
  if (!part) return { unclear: `${given.part} is not asked any more` };
  const read = given.words === null ? null : rules.read(given.words, part);
  if (read && 'kind' in read) return { unclear: read.why };
  if (!read && part.binding) return { unclear: 'this one stays open until it is answered' };
  const data: Data = read
    ? { ...answered(snapshot, part.id, read.answer, given), ...read.data }
    : cancelled(snapshot, [part.id], noResponse, given.at);
  const last = open.length === 1;
  const after = { ...snapshot, data: { ...snapshot.data, ...data } };
  return {
    signal: { name: last ? rules.leave(after) : 'noted', data },
    ...(read?.understood !== undefined && { understood: read.understood }),
  };
}

/** The one decision of a gate, which must be answered before anything goes on. */
export function gateQuestion(
  view: RunView,
  id: GateDecision,
  gate: Omit<Question, 'answers' | 'withdrawn' | 'data' | 'freely'> & {
    readonly suggestions: QuestionPart['answers'];
    readonly read: (given: GivenAnswer & { readonly words: string }) => Reading;
  },
): Question {
  const { read, suggestions, ...rest } = gate;
  return {
    ...rest,
    answers: {},
    withdrawn: null,
    data: givenUp(view, [id]),
    freely: {
      parts: [{ id, text: rest.title, answers: suggestions, mustBeAnswered: true }],
      read: (given) =>
        given.words === null
          ? { unclear: 'a mandatory gate is not passed over; "defer" stops the session here' }
          : read({ ...given, words: given.words }),
      insist: { reAsks, inVain: { name: 'deferred', data: missing(view, id, 'no valid answer was given', view.at) } },
    },
  };
}

/** The person puts the decision off: it is cancelled with the reason, and the session stops. */
export function putOff(view: RunView, id: string, { kind, reason }: PutOff, at: string): Reading {
  const words = reason === '' ? `the person said ${kind}` : reason;
  return { signal: { name: 'deferred', data: missing(view, id, words, at) } };
}

function missing(view: RunView, id: string, reason: string, at: string): Data {
  const wayOut = `pawl session resume ${view.run} asks again`;
  return {
    ...cancelled(view.snapshot, [id], reason, at),
    ...blockedBy('mandatory_user_decision_missing', `${id}: ${reason}`, wayOut),
  };
}

/** No question is left while a decision is pending, for whatever reason it is left. */
function givenUp(view: RunView, open: readonly string[]): Question['data'] & object {
  const leaving = (reason: string, blocker: string): Readonly<Record<string, Json>> => ({
    ...cancelled(view.snapshot, open, reason, view.at),
    ...blockedBy(blocker, reason, `pawl session resume ${view.run} asks again`),
  });
  return {
    cancelled: leaving('cancelled by a person', 'cancelled'),
    unwritten: leaving('status.json could not be written and read back', 'persistence_failed'),
  };
}

function ids(parts: readonly AskedPart[]): readonly string[] {
  return parts.map(({ id }) => id);
}
