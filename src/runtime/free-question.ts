/** A question about decisions of the ledger, as it is put to people: its open parts, and what their words come to. */

import type { Decision } from '../engine/decision.ts';
import type { Machine } from '../engine/machine.ts';
import type { Snapshot } from '../engine/snapshot.ts';
import type { Signal } from '../engine/transition.ts';
import type {
  AnswerReading,
  FreeQuestion,
  GivenAnswer,
  Question,
  QuestionPart,
  Reading,
  SettledAnswer,
} from '../workflows/workflow.ts';
import { decisionsAsked } from './decisions.ts';

const staysOpen = 'this one stays open until it is answered';
const noResponse = 'no response provided';

export function freeQuestion(machine: Machine, snapshot: Snapshot, made: FreeQuestion): Question {
  const all = decisionsAsked(machine, snapshot);
  const open = all.filter(({ status }) => status === 'pending');
  const { title = snapshot.asked?.title ?? '', detail = snapshot.asked?.detail ?? '', reAsks, onExhausted } = made;
  const [first] = open;
  return {
    title,
    detail,
    answers: {},
    about: made.about ?? open.map(({ id }) => id).join(' '),
    withdrawn: null,
    paths: made.paths ?? [],
    freeText: {
      parts: open.map((decision) => partOf(decision, made)),
      read: (given) => read(made, all, given),
      insist: { reAsks, onExhausted: onExhausted && first ? signalOf(made, all, first, onExhausted) : null },
    },
  };
}

function partOf(
  { id, question, suggestions, binding }: Decision,
  { title, suggestions: own }: FreeQuestion,
): QuestionPart {
  const answers = own ?? Object.fromEntries(suggestions.map((suggestion) => [suggestion, '']));
  return { id, text: title ?? question, answers, required: binding };
}

function read(made: FreeQuestion, all: readonly Decision[], given: GivenAnswer): Reading {
  const decision = all.find(({ id, status }) => id === given.part && status === 'pending');
  if (!decision) return { unclear: `${given.part} is not asked any more` };
  if (given.words === null && decision.binding) return { unclear: staysOpen };
  const reading: AnswerReading =
    given.words === null ? { reason: noResponse } : made.read(given.words, decision, given);
  if ('unclear' in reading) return reading;
  const { writes, understood, ...settled } = reading;
  return {
    signal: signalOf(made, all, decision, settled),
    ...(writes && { writes }),
    ...(understood !== undefined && { understood }),
  };
}

function signalOf(
  made: FreeQuestion,
  all: readonly Decision[],
  decision: Decision,
  { answer, reason, signal, data, problem }: SettledAnswer,
): Signal {
  const { id } = decision;
  const resolved: Decision = {
    ...decision,
    ...(answer !== undefined && { status: 'answered', answer }),
    ...(reason !== undefined && { status: 'cancelled', reason }),
  };
  const after = all.map((each) => (each.id === id ? resolved : each));
  const isOpen = after.some(({ status }) => status === 'pending');
  const name = signal ?? (isOpen ? 'noted' : made.leave?.(after));
  if (name === undefined) throw new Error(`nothing leads on from ${id}`);
  return {
    name,
    ...(answer !== undefined && { resolves: [{ id, answer }] }),
    ...(reason !== undefined && { resolves: [{ id, reason }] }),
    ...(data && { data }),
    ...(problem && { problem }),
  };
}
