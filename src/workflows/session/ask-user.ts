/** What is asked on the way: agents' questions, notes, findings, repairs that do not succeed, criteria nobody can run. */

import type { Decision } from '../../engine/decision.ts';
import type { FreeQuestion, RunView } from '../workflow.ts';
import { readCriterion, readFinding, readLean, readNotes, readRepair } from './answers.ts';
import { openNotes } from './judgements.ts';
import { appended, data, retriesData, scopeOf } from './run-data.ts';
import { kindOf, repairs } from './vocabulary.ts';

/** Beyond the first asking, in one sitting. */
export const reAsks = 3;

const questions: Readonly<Record<string, (view: RunView) => Omit<FreeQuestion, 'reAsks'>>> = {
  lean: () => ({
    read: (words) => {
      const answer = readLean(words);
      return typeof answer === 'string' ? { answer } : answer;
    },
    leave: ([decision]) => decision?.answer ?? 'full',
  }),

  questions: () => ({
    read: (words) =>
      words.trim() === '' ? { unclear: 'Nothing was said; answer in a few words.' } : { answer: words.trim() },
    leave: () => 'answered',
  }),

  notes: ({ snapshot }) => ({
    read: (words) => {
      const notes = openNotes(snapshot);
      const read = readNotes(words, notes.length);
      if ('unclear' in read) return read;
      const chosen = read.fix.map((number) => `N${number}  ${notes[number - 1]}`);
      const kept = notes.filter((_, index) => !read.fix.includes(index + 1));
      return {
        answer: read.fix.map((number) => `N${number}`).join(', ') || 'none',
        data: {
          // Notes that a person leaves as they are are not brought up again.
          ...appended(
            data.issue,
            snapshot,
            kept.map((note) => `Review note: ${note}`),
          ),
          ...appended(data.declined, snapshot, kept),
          // The ids mean something to the person only, so whoever fixes them gets their text.
          ...(chosen.length > 0 &&
            data.guidance.set(['A person wants these notes fixed, and no others:', ...chosen].join('\n'))),
        },
      };
    },
    leave: ([decision]) => (decision?.answer === 'none' ? 'none' : 'fix'),
  }),

  findings: ({ snapshot }) => ({
    read: (words, { question }) => {
      const answer = readFinding(words);
      if (typeof answer !== 'string') return answer;
      if (answer === 'fix-now') return { answer };
      const what = answer === 'accept' ? 'Accepted' : 'To be fixed later';
      return { answer, data: appended(data.issue, snapshot, [`${what}: ${question}`]) };
    },
    leave: (decisions) => (decisions.some(({ answer }) => answer === 'fix-now') ? 'fix_now' : 'settled'),
  }),

  /** More attempts start that counter again, and no other; accepting puts what is wrong among the known issues. */
  repair: ({ snapshot }) => ({
    read: (words, { question }) => {
      const read = readRepair(words);
      if ('unclear' in read) return read;
      const kind = repairs.find((each) => snapshot.state === `ask_${each}`) ?? 'fix_review';
      const note = read.text === '' ? '' : `: ${read.text}`;
      const answer = `${read.word}${note}`;
      if (read.word === 'accept with known issues')
        return { answer, signal: 'accept', data: appended(data.issue, snapshot, [`${question}${note}`]) };
      const attempts = retriesData(snapshot, scopeOf(snapshot), kindOf[kind], 1);
      return { answer, signal: 'try_again', data: { ...attempts, ...data.guidance.set(answer) } };
    },
  }),

  criteria: ({ snapshot }) => ({
    read: (words, { about }) => {
      const verdict = readCriterion(words);
      if ('unclear' in verdict) return verdict;
      // The entry or criterion a decision is about.
      const subject = typeof about === 'string' ? about : '';
      const unmet = [data.guidance.of(snapshot), `Not met: ${subject}: ${verdict.words}`].filter(Boolean).join('\n');
      return {
        answer: `${criterionWords[verdict.status]}${verdict.words === '' ? '' : `: ${verdict.words}`}`,
        data: {
          ...data.verdict.set(subject, verdict),
          ...(verdict.status === 'unmet' && data.guidance.set(unmet)),
        },
      };
    },
    leave: (decisions) => (decisions.some(isUnmet) ? 'unmet' : 'settled'),
  }),
};

export const askUser: Readonly<Record<string, (view: RunView) => FreeQuestion>> = Object.fromEntries(
  Object.entries(questions).map(([name, question]) => [name, (view: RunView) => ({ ...question(view), reAsks })]),
);

const criterionWords = { met: 'met', unmet: 'not met', waived: 'waived' } as const;

function isUnmet({ answer }: Decision): boolean {
  const verdict = readCriterion(answer ?? '');
  return 'status' in verdict && verdict.status === 'unmet';
}
