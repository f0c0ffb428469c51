/** The decisions of a session, and the question at hand, as they stand in its snapshot. */

import type { Json } from '../../engine/snapshot.ts';
import type { Context, UserDecision } from './files/status.ts';
import { decisionStatuses, phases } from './files/status-shape.ts';
import { itemsIn, mapIn, recordOf, textIn, textsIn, type Data, type Holder } from './recorded.ts';

const decisionKey = 'decision:';

export function decisionsOf({ data }: Holder): readonly UserDecision[] {
  return Object.entries(data)
    .filter(([key]) => key.startsWith(decisionKey))
    .map(([, value]) => decisionOf(value));
}

export function decisionNamed({ data }: Holder, id: string): UserDecision | undefined {
  const found = data[`${decisionKey}${id}`];
  return found === undefined ? undefined : decisionOf(found);
}

/** Decisions as a transition records them. */
export function decisionData(decisions: readonly UserDecision[]): Data {
  return Object.fromEntries(decisions.map((decision) => [`${decisionKey}${decision.decision_id}`, { ...decision }]));
}

function decisionOf(value: Json): UserDecision {
  const map = recordOf(value, 'decision');
  const text = (key: string): string => textIn(map, key);
  const nullable = (key: string): string | null => (typeof map[key] === 'string' ? text(key) : null);
  return {
    decision_id: text('decision_id'),
    question: text('question'),
    status: oneOf(decisionStatuses, text('status')),
    answer: nullable('answer'),
    asked_at: text('asked_at'),
    resolved_at: nullable('resolved_at'),
    state_context: oneOf(contexts, text('state_context')),
    resolution_reason: nullable('resolution_reason'),
    ...(map['extra'] !== undefined && { extra: recordOf(map['extra'], 'extra') }),
  };
}

const contexts: readonly Context[] = phases.filter((phase) => phase !== 'ASK_USER');

function oneOf<W extends string>(known: readonly W[], word: string): W {
  const found = known.find((each) => each === word);
  if (found === undefined) throw new Error(`the session's data has a decision with "${word}" in it`);
  return found;
}

/** The question at hand: what is asked, and what each of its decisions is about. */
export interface Asking {
  readonly title: string;
  readonly detail: string;
  readonly parts: readonly AskedPart[];
}

export interface AskedPart {
  readonly id: string;
  readonly question: string;
  /** What it is about, in the words of whoever reads the answer: a finding's or criterion's id, a kind of repair. */
  readonly about: string;
  readonly suggestions: readonly string[];
  /** Never cancelled because only others were answered. */
  readonly binding: boolean;
}

export function askingOf({ data }: Holder): Asking {
  const asking = mapIn(data, 'asking');
  return {
    title: textIn(asking, 'title'),
    detail: textIn(asking, 'detail'),
    parts: itemsIn(asking, 'parts').map((value) => {
      const part = recordOf(value, 'asking.parts');
      return {
        id: textIn(part, 'id'),
        question: textIn(part, 'question'),
        about: textIn(part, 'about'),
        suggestions: textsIn(part, 'suggestions'),
        binding: part['binding'] === true,
      };
    }),
  };
}
