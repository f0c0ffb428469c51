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
import { appended, data, meta, retriesData, retriesOf, scopeOf, valuesOf } from './run-data.ts';
import type { Report } from './tool-arguments.ts';
import { kindOf, repairs, type Repair } from './vocabulary.ts';

/** By the step of each gate. */
export const judgements = { review: reviewed, qa: tested, security: secured };

function reviewed(context: EndedDispatch, report: Report): Signal {
  const { verdict, review_comments: comments = [], summary } = report;
  const judged = judgement(context, report, comments);
  if (verdict === 'NEEDS FIXES' || report.status === 'BLOCKED')
    return repair(context, 'fix_review', summary, { name: 'blocked', data: judged });
  const notes = openNotes({ data: { ...context.snapshot.data, ...judged } });
  if (verdict === 'PASS' || notes.length === 0) return passed('passed', context, judged);
  const said = `The reviewer says: ${summary.replaceAll('\n', ' ')}`;
  const asks = {
    title: 'The reviewer passes it with notes',
    detail: [said, ...notes.map((note, index) => `N${index + 1}  ${note}`)].join('\n'),
    parts: [{ question: 'Which notes shall be fixed?', suggestions: ['none', 'all', '<ids>'], binding: true }],
  };
  return { ...passed('notes', context, judged), asks };
}

export function openNotes(holder: Pick<Snapshot, 'data'>): readonly string[] {
  const declined = valuesOf(data.declined, holder);
  const notes = (data.judgement.get(holder, 'review')?.findings ?? []).map(({ severity, file, line, message }) =>
    `[${severity}] ${file}${line === undefined ? '' : `:${line}`} ${message}`.replaceAll('\n', ' '),
  );
  return notes.filter((note) => !declined.includes(note));
}

function tested(context: EndedDispatch, report: Report): Signal {
  const { changed, history, judged: tree } = context;
  const gaps = report.coverage_gaps.map((gap) => ({ gap }));
  const judged = judgement(context, report, [{ results: report.test_results ?? '' }, ...gaps]);
  const name = report.only_tests_wrong === true ? 'tests_wrong' : 'blocked';
  if (report.status === 'BLOCKED') return repair(context, 'fix_tests', report.summary, { name, data: judged });
  // Whether the files are the very ones the reviewer saw last.
  const seen = history.findLast(({ step, problem }) => step === 'review' && problem === null);
  const isAsReviewed = changed.length === 0 && seen !== undefined && seen.tree === tree?.digest;
  return passed(isAsReviewed ? 'passed' : 'passed_with_tests', context, judged);
}

/** By the findings themselves: what an agent calls them does not let them through. */
function secured(context: EndedDispatch, report: Report): Signal {
  const { findings = [], summary } = report;
  const judged = judgement(context, report, findings);
  const grave = findings.some(({ severity }) => severity === 'high' || severity === 'critical');
  if (grave || report.status === 'BLOCKED')
    return repair(context, 'fix_security', summary, { name: 'blocked', data: judged });
  const open = openFindings(context.snapshot, findings);
  if (open.length === 0) return passed('passed', context, judged);
  const parts = open.map((finding) => {
    const { category, file, description, recommended_fix: fix } = finding;
    const question = `[medium, ${category}] ${file}: ${description} Recommended: ${fix}`.replaceAll('\n', ' ');
    return { question, about: finding, suggestions: ['fix-now', 'fix-later', 'accept'], binding: true };
  });
  const asks = { title: 'Security needs a decision', detail: summary, parts };
  return { ...passed('decision', context, judged), asks };
}

/** Medium findings that no person has decided about yet, except to have them fixed. */
export function openFindings(
  { data: kept, decisions }: Pick<Snapshot, 'data' | 'decisions'>,
  findings = data.judgement.get({ data: kept }, 'security')?.findings ?? [],
): Findings {
  const settled = Object.values(decisions).filter(
    ({ status, answer }) => status === 'answered' && answer !== 'fix-now',
  );
  const medium = findings.filter(({ severity }) => severity === 'medium');
  return medium.filter((finding) => !settled.some(({ about }) => sameValue(about, finding)));
}

/** With what was passed, so that the same files are not judged twice for the same purpose. */
function passed(name: string, { step, snapshot }: EndedDispatch, judged: DataPatch): Signal {
  return { name, data: { ...judged, ...data.pass.set(step, scopeOf(snapshot)) } };
}

type Findings = Parameters<typeof data.judgement.set>[1]['findings'];

function judgement({ step, snapshot }: EndedDispatch, { summary }: Report, findings: Findings): DataPatch {
  return data.judgement.set(step, { scope: scopeOf(snapshot), summary, findings });
}

/** A repair is counted when it is sent off. When there is none left, what was tried and why it failed goes to a person. */
export function repair({ snapshot }: RunView, kind: Repair, why: string, signal: Signal): Signal {
  const scope = scopeOf(snapshot);
  const phase = kindOf[kind];
  const counted = retriesData(snapshot, scope, phase, retriesOf(snapshot, scope)[phase] + 1);
  if ((snapshot.budgets[kind] ?? 0) > 0) return { ...signal, data: { ...signal.data, ...counted } };
  const tried = data.attempts.of(snapshot).map(({ tried: what }, index) => `${index + 1}. ${what}`);
  const ways = ['different approach', 'accept with known issues', 'simplify scope', 'guidance: <what to do>'];
  const suggestions = [...ways, 'defer'];
  const asks = {
    title: `${phase}: the attempts at fixing ${scope === meta ? 'the session' : scope} are spent`,
    detail: [`Still wrong: ${why}`, ...(tried.length === 0 ? [] : ['Tried:', ...tried])].join('\n'),
    parts: [{ question: `${phase} of ${scope}: ${why}`, about: kind, suggestions, binding: true }],
  };
  return { ...signal, asks };
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
      const issues = kept.map((note) => `Review note: ${note}`);
      return {
        answer: read.fix.map((number) => `N${number}`).join(', ') || 'none',
        data: {
          // Notes that a person leaves as they are are not brought up again.
          ...appended(data.issue, snapshot, issues),
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
  repair: ({ run, snapshot, history }) => ({
    read: (words, { id, question }) => {
      const read = readRepair(words);
      if ('unclear' in read) return read;
      if ('putOff' in read) return { ...stopped(run, id, read.putOff), understood: 'stop here; resume asks again' };
      const kind = repairs.find((each) => snapshot.state === `ask_${each}`) ?? 'fix_review';
      const note = read.text === '' ? '' : `: ${read.text}`;
      const answer = `${read.word}${note}`;
      if (read.word === 'accept with known issues') {
        const issue = `${question}${note}`;
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

const wordOf = { met: 'met', unmet: 'not met', waived: 'waived' } as const;
