/**
 * What the verdicts of Reviewer, QA and Security come to, what is asked on the way, and what the answers come to:
 * agents' questions, notes, findings, repairs that do not succeed, criteria nobody can run.
 */

import { sameValue } from '../../schema/values.ts';
import type { Snapshot } from '../../engine/snapshot.ts';
import type { Signal } from '../../engine/transition.ts';
import type { DataPatch } from '../data-slots.ts';
import type { EndedDispatch, FreeQuestion, RunView, SettledAnswer } from '../workflow.ts';
import { readCriterion, readFinding, readLean, readNotes, readRepair } from './answers.ts';
import { resumeCommand } from './files/session-paths.ts';
import { acceptedBuild } from './known-failures.ts';
import {
  acceptedIssue,
  besides,
  findingText,
  oneLine,
  spentQuestion,
  subjectOf,
  type Finding,
} from './known-issues.ts';
import { appended, data, meta, retriesData, retriesOf, scopeOf, valuesOf } from './run-data.ts';
import type { Report } from './tool-arguments.ts';
import { kindOf, repairs, type Repair } from './session-words.ts';

/** By the step of each gate. */
export const judgements = { review: reviewed, qa: tested, security: secured };

function reviewed(context: EndedDispatch, report: Report): Signal {
  const { verdict, review_comments: comments = [], summary } = report;
  const judged = judgement(context, report, comments);
  if (verdict === 'NEEDS FIXES' || report.status === 'BLOCKED')
    return repair(context, 'fix_review', summary, { name: 'blocked', data: { ...judged, ...besides(context, []) } });
  const notes = openNotes({ data: { ...context.snapshot.data, ...judged } });
  const isAsked = verdict !== 'PASS' && notes.length > 0;
  const kept = { ...judged, ...besides(context, isAsked ? [] : notes.map((note) => `review comment: ${note}`)) };
  if (!isAsked) return passed('passed', context, kept);
  const scope = scopeOf(context.snapshot);
  const subject = scope === meta ? subjectOf(context) : scope;
  const asks = {
    title: `The Reviewer passes ${subjectOf(context)} with notes`,
    detail: [`The Reviewer says: ${oneLine(summary)}`, ...notes.map((note, index) => `N${index + 1}  ${note}`)].join(
      '\n',
    ),
    parts: [{ question: `Which notes on ${subject} should be fixed?`, suggestions: noteAnswers, binding: true }],
  };
  return { ...passed('notes', context, kept), asks };
}

const noteAnswers = ['none', 'all', 'fix: <ids such as N1, N3>'];

export function openNotes(holder: Pick<Snapshot, 'data'>): readonly string[] {
  const declined = valuesOf(data.declined, holder);
  const notes = (data.judgement.get(holder, 'review')?.findings ?? []).map((note) => oneLine(findingText(note)));
  return notes.filter((note) => !declined.includes(note));
}

function tested(context: EndedDispatch, report: Report): Signal {
  const { changed, history, judged: tree } = context;
  const gaps = report.coverage_gaps.map((gap) => ({ gap }));
  const judged = judgement(context, report, [{ results: report.test_results ?? '' }, ...gaps]);
  const name = report.only_tests_wrong === true ? 'tests_wrong' : 'blocked';
  if (report.status === 'BLOCKED')
    return repair(context, 'fix_tests', report.summary, { name, data: { ...judged, ...besides(context, []) } });
  // Whether the files are the very ones the reviewer saw last.
  const seen = history.findLast(({ step, problem }) => step === 'review' && problem === null);
  const isAsReviewed = changed.length === 0 && seen !== undefined && seen.tree === tree?.digest;
  const kept = { ...judged, ...besides(context, gaps.map(findingText)) };
  return passed(isAsReviewed ? 'passed' : 'passed_unreviewed', context, kept);
}

/** By the findings themselves: what an agent calls them does not let them through. */
function secured(context: EndedDispatch, report: Report): Signal {
  const { findings = [], summary } = report;
  const judged = judgement(context, report, findings);
  const grave = findings.some(({ severity }) => severity === 'high' || severity === 'critical');
  if (grave || report.status === 'BLOCKED')
    return repair(context, 'fix_security', summary, { name: 'blocked', data: { ...judged, ...besides(context, []) } });
  const low = findings.filter(({ severity }) => severity === 'low').map((each) => `security: ${findingText(each)}`);
  const kept = { ...judged, ...besides(context, low) };
  const open = openFindings(context.snapshot, findings);
  if (open.length === 0) return passed('passed', context, kept);
  const scope = scopeOf(context.snapshot);
  const parts = open.map((finding) => {
    const question = `${scope === meta ? '' : `${scope}: `}${oneLine(findingText(finding))}`;
    return { question, about: finding, suggestions: ['fix-now', 'fix-later', 'accept'], binding: true };
  });
  const asks = { title: `Security needs a decision about ${subjectOf(context)}`, detail: summary, parts };
  return { ...passed('decision', context, kept), asks };
}

/** Medium findings that no person has decided about yet, except to have them fixed. */
export function openFindings(
  { data: kept, decisions }: Pick<Snapshot, 'data' | 'decisions'>,
  findings = data.judgement.get({ data: kept }, 'security')?.findings ?? [],
): Findings {
  const settled = Object.values(decisions).filter(({ status, answer }) => status === 'answered' && !isFixNow(answer));
  const medium = findings.filter(({ severity }) => severity === 'medium');
  return medium.filter((finding) => !settled.some(({ about }) => sameValue(about, finding)));
}

/** The answer, with or without a reason. */
const isFixNow = (answer: string | null): boolean => answer?.startsWith('fix-now') === true;

/** With what was passed, so that the same files are not judged twice for the same purpose. */
function passed(name: string, { step, snapshot }: EndedDispatch, judged: DataPatch): Signal {
  return { name, data: { ...judged, ...data.pass.set(step, scopeOf(snapshot)) } };
}

type Findings = readonly Finding[];

function judgement({ step, snapshot }: EndedDispatch, { summary }: Report, findings: Findings): DataPatch {
  return data.judgement.set(step, { scope: scopeOf(snapshot), summary, findings });
}

/** A repair is counted when it is sent off. When there is none left, what was tried and why it failed goes to a person. */
export function repair(view: RunView, kind: Repair, why: string, signal: Signal): Signal {
  const { snapshot } = view;
  const scope = scopeOf(snapshot);
  const phase = kindOf[kind];
  const counted = retriesData(snapshot, scope, phase, retriesOf(snapshot, scope)[phase] + 1);
  if ((snapshot.budgets[kind] ?? 0) > 0) return { ...signal, data: { ...signal.data, ...counted } };
  const { title, detail } = spentQuestion(
    kind,
    { ...view, snapshot: { ...snapshot, data: { ...snapshot.data, ...signal.data } } },
    why,
  );
  const parts = [{ question: title, about: kind, suggestions: Object.keys(repairAnswers(0)), binding: true }];
  return { ...signal, asks: { title, detail: detail.join('\n'), parts } };
}

/** What each answer does, and what it costs. */
function repairAnswers(attempts: number): Readonly<Record<string, string>> {
  const more = attempts === 1 ? 'one more attempt' : `${attempts} more attempts`;
  return {
    'different approach': `${more}, by another way`,
    'accept with known issues': 'continue; the findings become known issues',
    'simplify scope': `${more}, at less than was asked for`,
    'guidance: <what to do>': `${more}, with your words`,
    defer: 'stop here; resume asks again',
  };
}

/** The person wants neither more attempts nor the work as it is: the session stops until it is resumed. */
function stopped(run: string, id: string, reason: string): SettledAnswer {
  const problem = { code: 'repairs_spent', message: `${id}: ${reason}`, fix: resumeCommand(run) };
  return { signal: 'deferred', reason, problem };
}

/** Beyond the first asking, in one sitting. */
export const reAsks = 3;

const questions: Readonly<Record<string, (view: RunView) => Omit<FreeQuestion, 'reAsks'>>> = {
  lean: () => ({
    suggestions: { lean: 'one task, a review, no design and no approvals', full: 'all phases' },
    read: readLean,
    leave: ([decision]) => decision?.answer ?? 'full',
  }),

  questions: () => ({
    ownWords: true,
    read: (words) =>
      words.trim() === '' ? { unclear: 'Nothing was said; answer in a few words.' } : { answer: words.trim() },
    leave: () => 'answered',
  }),

  notes: ({ snapshot }) => ({
    suggestions: {
      none: 'continue; the notes become known issues',
      all: 'one repair, then all is judged again',
      'fix: <ids such as N1, N3>': 'the same for these; the others become known issues',
    },
    read: (words) => {
      const notes = openNotes(snapshot);
      const read = readNotes(words, notes.length);
      if ('unclear' in read) return read;
      const chosen = read.fix.map((number) => `N${number}  ${notes[number - 1]}`);
      const kept = notes.filter((_, index) => !read.fix.includes(index + 1));
      const { reason } = read;
      const why = reason === undefined ? '' : ` (${oneLine(reason)})`;
      const issues = kept.map((note) => `Review note${why}: ${note}`);
      return {
        ...(reason !== undefined && { reason }),
        answer: read.fix.map((number) => `N${number}`).join(', ') || 'none',
        data: {
          // Notes that a person leaves as they are are not brought up again.
          ...appended(data.issue, snapshot, issues),
          ...appended(data.declined, snapshot, kept),
          // The ids mean something to the person only, so whoever fixes them gets their text.
          ...(chosen.length > 0 &&
            data.guidance.set([`A person wants these notes fixed, and no others${why}:`, ...chosen].join('\n'))),
        },
      };
    },
    leave: ([decision]) => (decision?.answer === 'none' ? 'none' : 'fix'),
  }),

  findings: ({ snapshot }) => ({
    suggestions: {
      'fix-now': 'one repair, then all is judged again',
      'fix-later': 'continue; a known issue, to be fixed later',
      accept: 'continue; a known issue, accepted',
    },
    read: (words, { question }) => {
      const read = readFinding(words);
      if ('unclear' in read) return read;
      const answer = read.text === '' ? read.word : `${read.word}: ${read.text}`;
      if (read.word === 'fix-now') return { answer, data: guidanceFor(snapshot, question, read.text) };
      const what = read.word === 'accept' ? 'Accepted' : 'To be fixed later';
      const issue = `${what}${read.text === '' ? '' : ` (${oneLine(read.text)})`}: ${question}`;
      return { answer, data: appended(data.issue, snapshot, [issue]) };
    },
    leave: (decisions) => (decisions.some(({ answer }) => isFixNow(answer)) ? 'fix_now' : 'settled'),
  }),

  /** More attempts start that counter again, and no other; accepting puts what is wrong among the known issues. */
  repair: ({ run, snapshot, history }) => ({
    ownWords: true,
    suggestions: repairAnswers(snapshot.limits[askedRepair(snapshot)] ?? 0),
    read: (words, { id }) => {
      const read = readRepair(words);
      if ('unclear' in read) return read;
      if ('putOff' in read) return { ...stopped(run, id, read.putOff), understood: 'stop here; resume asks again' };
      const kind = askedRepair(snapshot);
      const note = read.text === '' ? '' : `: ${read.text}`;
      const answer = `${read.word}${note}`;
      if (read.word === 'accept with known issues') {
        const issue = acceptedIssue(kind, snapshot, read.text);
        const issues = valuesOf(data.issue, snapshot).includes(issue) ? {} : appended(data.issue, snapshot, [issue]);
        const gate = history.findLast(({ problem }) => problem === null);
        const stands = gate && { ...data.pass.set(gate.step, scopeOf(snapshot)), ...data.accepted.set(gate.id) };
        const build = kind === 'fix_build' ? acceptedBuild(snapshot, `${id}${note}`) : {};
        return { answer, signal: 'accept', data: { ...issues, ...stands, ...build } };
      }
      const attempts = retriesData(snapshot, scopeOf(snapshot), kindOf[kind], 1);
      return { answer, signal: 'try_again', data: { ...attempts, ...data.guidance.set(answer) } };
    },
  }),

  criteria: ({ snapshot }) => ({
    suggestions: {
      met: 'you saw it',
      'not met: <why>': 'one repair, then all is judged and asked again',
      'waive: <reason>': 'skip it',
    },
    read: (words, { about }) => {
      const verdict = readCriterion(words);
      if ('unclear' in verdict) return verdict;
      // The entry or criterion a decision is about.
      const subject = typeof about === 'string' ? about : '';
      const unmet = [data.guidance.of(snapshot), `Not met: ${subject}: ${verdict.words}`].filter(Boolean).join('\n');
      return {
        answer: `${wordOf[verdict.status]}${verdict.words === '' ? '' : `: ${verdict.words}`}`,
        data: { ...data.verdict.set(subject, verdict), ...(verdict.status === 'unmet' && data.guidance.set(unmet)) },
      };
    },
    leave: (decisions) => (decisions.some(({ answer }) => answer?.startsWith(wordOf.unmet)) ? 'unmet' : 'settled'),
  }),
};

export const askUser: Readonly<Record<string, (view: RunView) => FreeQuestion>> = Object.fromEntries(
  Object.entries(questions).map(([name, question]) => [name, (view: RunView) => ({ ...question(view), reAsks })]),
);

const askedRepair = ({ state }: Snapshot): Repair => repairs.find((each) => state === `ask_${each}`) ?? 'fix_review';

/** Words that come with a decision to fix something go to whoever fixes it. */
function guidanceFor(snapshot: Snapshot, about: string, words: string): DataPatch {
  if (words === '') return {};
  return data.guidance.set([data.guidance.of(snapshot), `${about}: ${words}`].filter(Boolean).join('\n'));
}

const wordOf = { met: 'met', unmet: 'not met', waived: 'waived' } as const;
