/** What is asked on the way: agents' questions, notes, findings, repairs that do not succeed, criteria nobody can run. */

import type { Question, RunView } from '../../workflow.ts';
import {
  readFindingAnswer,
  readLeanAnswer,
  readManualAnswer,
  readNotesAnswer,
  readRepairAnswer,
  type FindingAnswer,
} from '../files/answers.ts';
import {
  askingOf,
  decisionNamed,
  declinedData,
  kindOf,
  guidanceOf,
  issueData,
  retriesData,
  scopeOf,
  verdictData,
} from '../run-data.ts';
import type { Data } from '../run-data.ts';
import { repairs } from '../vocabulary.ts';
import { batchQuestion, type BatchRules } from './asked.ts';

export const questions: Readonly<Record<string, (view: RunView) => Question>> = {
  lean: (view) =>
    batchQuestion(view, {
      read: (words) => {
        const answer = readLeanAnswer(words);
        return typeof answer === 'string' ? { answer } : answer;
      },
      leave: (snapshot) => onlyAnswer(snapshot),
    }),

  questions: (view) =>
    batchQuestion(view, {
      read: (words) =>
        words.trim() === ''
          ? { kind: 'unclear', why: 'Nothing was said; answer in a few words.' }
          : { answer: words.trim() },
      leave: () => 'answered',
    }),

  notes: (view) => {
    const ids = noteIds(view);
    return batchQuestion(view, {
      read: (words) => {
        const answer = readNotesAnswer(words, ids);
        if ('kind' in answer) return answer;
        const fix = answer.fix.length === 0 ? 'none' : answer.fix.join(', ');
        const left = ids.filter((id) => !answer.fix.includes(id));
        const kept = left.map((id) => noteText(view, id).replace(/^N\d+\s+/, ''));
        const chosen = answer.fix.map((id) => noteText(view, id));
        return { answer: fix, data: { ...declined(view, kept), ...(chosen.length > 0 && toFix(chosen)) } };
      },
      leave: (snapshot) => (onlyAnswer(snapshot) === 'none' ? 'none' : 'fix'),
    });
  },

  findings: (view) =>
    batchQuestion(view, {
      read: (words, { question }) => {
        const answer = readFindingAnswer(words);
        if (typeof answer !== 'string') return answer;
        return { answer, data: answer === 'fix-now' ? {} : issues(view, [`${settled[answer]}: ${question}`]) };
      },
      leave: (snapshot) => (answersIn(snapshot).includes('fix-now') ? 'fix_now' : 'settled'),
    }),

  repair: (view) => batchQuestion(view, repairRules(view)),

  criteria: (view) =>
    batchQuestion(view, {
      read: (words, { about }) => {
        const read = readManualAnswer(words);
        switch (read.kind) {
          case 'unclear':
            return read;
          case 'met':
            return {
              answer: read.evidence === '' ? 'met' : `met: ${read.evidence}`,
              data: verdictData(about, { status: 'met', words: read.evidence }),
            };
          case 'waived':
            return {
              answer: `waived: ${read.reason}`,
              data: verdictData(about, { status: 'waived', words: read.reason }),
            };
          case 'not-met':
            return {
              answer: `not met: ${read.why}`,
              data: {
                ...verdictData(about, { status: 'unmet', words: read.why }),
                guidance: [guidanceOf(view.snapshot), `Not met: ${about}: ${read.why}`].filter(Boolean).join('\n'),
              },
            };
        }
      },
      leave: (snapshot) => (answersIn(snapshot).some((answer) => answer.startsWith('not met')) ? 'unmet' : 'settled'),
    }),
};

const settled: Readonly<Record<Exclude<FindingAnswer, 'fix-now'>, string>> = {
  'fix-later': 'To be fixed later',
  accept: 'Accepted',
};

/** More attempts start that counter again, and no other; accepting puts what is wrong among the known issues. */
function repairRules(view: RunView): BatchRules {
  const { snapshot } = view;
  const repair = repairs.find((each) => snapshot.state === `ask_${each}`) ?? 'fix_review';
  return {
    read: (words, { question }) => {
      const read = readRepairAnswer(words);
      if (read.kind === 'unclear') return read;
      const note = read.text === '' ? '' : `: ${read.text}`;
      if (read.kind === 'accept')
        return { answer: `accept with known issues${note}`, data: issues(view, [`${question}${note}`]) };
      return {
        answer: `${told[read.kind]}${note}`,
        data: { ...retriesData(snapshot, scopeOf(snapshot), kindOf[repair], 1), guidance: `${told[read.kind]}${note}` },
      };
    },
    leave: (after) => (onlyAnswer(after).startsWith('accept') ? 'accept' : 'try_again'),
  };
}

const told = { 'different-approach': 'different approach', simplify: 'simplify scope', guidance: 'guidance' } as const;

function issues({ snapshot }: RunView, more: readonly string[]): Data {
  return issueData(snapshot, more);
}

/** The ids mean something to the person only, so whoever mends them gets their text. */
function toFix(notes: readonly string[]): Data {
  return { guidance: ['A person wants these notes fixed, and no others:', ...notes].join('\n') };
}

/** Notes that a person leaves as they are are not brought up again. */
function declined(view: RunView, notes: readonly string[]): Data {
  return {
    ...issues(
      view,
      notes.map((note) => `Review note: ${note}`),
    ),
    ...declinedData(view.snapshot, notes),
  };
}

function answersIn(snapshot: RunView['snapshot']): readonly string[] {
  return askingOf(snapshot).parts.flatMap(({ id }) => decisionNamed(snapshot, id)?.answer ?? []);
}

function onlyAnswer(snapshot: RunView['snapshot']): string {
  return answersIn(snapshot)[0] ?? '';
}

/** Notes are named in the question's detail, one a line: `N1  …`. */
function noteIds(view: RunView): readonly string[] {
  return noteLines(view).map((line) => line.split(/\s/, 1)[0] ?? '');
}

function noteText(view: RunView, id: string): string {
  return noteLines(view).find((line) => line.startsWith(`${id} `)) ?? id;
}

function noteLines({ snapshot }: RunView): readonly string[] {
  return askingOf(snapshot)
    .detail.split('\n')
    .filter((line) => /^N\d+ /.test(line));
}
