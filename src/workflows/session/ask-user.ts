/** What is asked on the way: agents' questions, notes, findings, repairs that do not succeed, criteria nobody can run. */

import type { Decision } from '../../engine/decision.ts';
import type { DataPatch } from '../data-slots.ts';
import type { FreeQuestion, RunView } from '../workflow.ts';
import { readCriterion, readFinding, readLean, readNotes, readRepair } from './answers.ts';
import { openNotes } from './judgements.ts';
import { appended, data, kindOf, retriesData, scopeOf } from './run-data.ts';
import { repairs } from './vocabulary.ts';

/** Beyond the first asking, in one sitting. */
export const reAsks = 3;

export const askUser: Readonly<Record<string, (view: RunView) => FreeQuestion>> = {
  lean: () => ({
    reAsks,
    read: (words) => {
      const answer = readLean(words);
      return typeof answer === 'string' ? { answer } : answer;
    },
    leave: ([decision]) => decision?.answer ?? 'full',
  }),

  questions: () => ({
    reAsks,
    read: (words) =>
      words.trim() === '' ? { unclear: 'Nothing was said; answer in a few words.' } : { answer: words.trim() },
    leave: () => 'answered',
  }),

  notes: ({ snapshot }) => {
    const notes = openNotes(snapshot);
    return {
      reAsks,
      read: (words) => {
        const read = readNotes(words, notes.length);
        if ('unclear' in read) return read;
        const chosen = read.fix.map((number) => `N${number}  ${notes[number - 1]}`);
        const kept = notes.filter((_, index) => !read.fix.includes(index + 1));
        return {
          answer: read.fix.map((number) => `N${number}`).join(', ') || 'none',
          data: { ...declined(snapshot, kept), ...(chosen.length > 0 && toFix(chosen)) },
        };
      },
      leave: ([decision]) => (decision?.answer === 'none' ? 'none' : 'fix'),
    };
  },

  findings: ({ snapshot }) => ({
    reAsks,
    read: (words, { question }) => {
      const answer = readFinding(words);
      if (typeof answer !== 'string') return answer;
      if (answer === 'fix-now') return { answer };
      const what = answer === 'accept' ? 'Accepted' : 'To be fixed later';
      return { answer, data: appended(data.issue, snapshot, [`${what}: ${question}`]) };
    },
    leave: (decisions) => (decisions.some(({ answer }) => answer === 'fix-now') ? 'fix_now' : 'settled'),
  }),

  repair,

  criteria: ({ snapshot }) => ({
    reAsks,
    read: (words, decision) => {
      const verdict = readCriterion(words);
      if ('unclear' in verdict) return verdict;
      const about = subjectOf(decision);
      const unmet = `Not met: ${about}: ${verdict.words}`;
      return {
        answer: `${criterionWords[verdict.status]}${verdict.words === '' ? '' : `: ${verdict.words}`}`,
        data: {
          ...data.verdict.set(about, verdict),
          ...(verdict.status === 'unmet' &&
            data.guidance.set([data.guidance.of(snapshot), unmet].filter(Boolean).join('\n'))),
        },
      };
    },
    leave: (decisions) => (decisions.some(isUnmet) ? 'unmet' : 'settled'),
  }),
};

const criterionWords = { met: 'met', unmet: 'not met', waived: 'waived' } as const;

function isUnmet({ answer }: Decision): boolean {
  const verdict = readCriterion(answer ?? '');
  return 'status' in verdict && verdict.status === 'unmet';
}

/** The entry or criterion a decision is about. */
function subjectOf({ about }: Decision): string {
  return typeof about === 'string' ? about : '';
}

/** More attempts start that counter again, and no other; accepting puts what is wrong among the known issues. */
function repair({ snapshot }: RunView): FreeQuestion {
  const kind = repairs.find((each) => snapshot.state === `ask_${each}`) ?? 'fix_review';
  return {
    reAsks,
    read: (words, { question }) => {
      const read = readRepair(words);
      if ('unclear' in read) return read;
      const note = read.text === '' ? '' : `: ${read.text}`;
      const answer = `${read.word}${note}`;
      return read.word === 'accept with known issues'
        ? { answer, signal: 'accept', data: appended(data.issue, snapshot, [`${question}${note}`]) }
        : {
            answer,
            signal: 'try_again',
            data: { ...retriesData(snapshot, scopeOf(snapshot), kindOf[kind], 1), ...data.guidance.set(answer) },
          };
    },
  };
}

/** The ids mean something to the person only, so whoever mends them gets their text. */
function toFix(notes: readonly string[]): DataPatch {
  return data.guidance.set(['A person wants these notes fixed, and no others:', ...notes].join('\n'));
}

/** Notes that a person leaves as they are are not brought up again. */
function declined(snapshot: RunView['snapshot'], notes: readonly string[]): DataPatch {
  const issues = notes.map((note) => `Review note: ${note}`);
  return { ...appended(data.issue, snapshot, issues), ...appended(data.declined, snapshot, notes) };
}
