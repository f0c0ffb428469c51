/** The two mandatory gates: is the design approved, and how are the changes reviewed? */

import { lineDiff } from '../../documents/line-diff.ts';
import { findingText } from '../../documents/finding.ts';
import { sameValue } from '../../schema/values.ts';
import type { DataPatch } from '../data-slots.ts';
import type { AnswerReading, FreeQuestion, RunView, SettledAnswer } from '../workflow.ts';
import * as answers from './answers.ts';
import { reAsks } from './ask-user.ts';
import { designDigest, designSummary, designTexts } from './design.ts';
import { designFindings, designPaths, tasksOf } from './documents.ts';
import { historyPath, tasksPath } from './files/session-paths.ts';
import type { SessionTask } from './files/plan-files.ts';
import { data } from './run-data.ts';
import { designDecision, strategyDecision } from './vocabulary.ts';

export function askedDesign(view: RunView): DataPatch {
  const earlier = data.askedDesign.of(view.snapshot);
  return { ...data.askedDesign.set(designTexts(view)), ...(earlier && data.askedBefore.set(earlier)) };
}

export function designQuestion(view: RunView): FreeQuestion {
  const proposed = data.proposedCorrection.of(view.snapshot);
  const gate = { reAsks, onExhausted: missing(view, designDecision.id), about: designDigest(view) };
  if (proposed) {
    const roles = [...new Set([proposed.role, ...answers.correctingRoles])];
    const suggested = Object.fromEntries(roles.map((role) => [role, role === proposed.role ? 'suggested' : '']));
    return {
      ...gate,
      title: 'Who shall correct the design?',
      detail: `You asked for: ${proposed.summary}`,
      suggestions: { ...suggested, withdraw: 'be asked again' },
      read: (words) => readCorrector(view, proposed, words),
    };
  }
  return {
    ...gate,
    title: designDecision.question,
    detail: approvalDetail(view),
    paths: designPaths(view),
    suggestions: {
      approved: 'continue with planning',
      'changes-requested: <what to change>': 'have it corrected, then be asked again',
      defer: 'stop here; resume asks again',
    },
    read: (words, _, { at }) => readDesignAnswer(view, words, at),
  };
}

/** The person puts the decision off, or gives no answer that counts: the session stops. */
function missing({ run }: RunView, id: string, reason = 'no valid answer was given'): SettledAnswer {
  const fix = `pawl session resume ${run}`;
  const problem = { code: 'mandatory_user_decision_missing', message: `${id}: ${reason}`, fix };
  return { signal: 'deferred', reason, problem };
}

function readDesignAnswer(view: RunView, words: string, at: string): AnswerReading {
  const approval = answers.readApproval(words);
  if ('unclear' in approval) return approval;
  if ('putOff' in approval) return missing(view, designDecision.id, approval.putOff);
  if ('approved' in approval) return approved(view, approval.approved, words);
  return changesRequested(view, approval, at);
}

/** What is approved is what was shown, and can be worked with. */
function approved(view: RunView, answer: string, words: string): AnswerReading {
  const changed = 'nothing yet: the design was changed since you were shown it, see what is new';
  if (!sameValue(designTexts(view), data.askedDesign.of(view.snapshot)))
    return { data: askedDesign(view), understood: changed };
  const [finding] = designFindings(view);
  const fix = 'Say "changes-requested(<role>): <what>".';
  if (finding) return { unclear: `it cannot be worked with yet: ${findingText(finding)} ${fix}` };
  return {
    answer,
    signal: 'approved',
    data: { ...data.approvedDesign.set(designDigest(view)), proposedCorrection: null },
    ...(answer !== words.trim() && { understood: answer }),
  };
}

/** On record, and in the history, before anything else happens. */
function changesRequested(view: RunView, { changes: summary, role }: answers.Changes, at: string): AnswerReading {
  const entry = { at, decision_id: designDecision.id, answer: requested(summary), state_context: 'APPROVE_DESIGN' };
  const path = historyPath(view.run);
  const writes = [{ path, content: appendHistory(view.files.read(path), entry) }];
  if (role) return { ...corrected(view, summary, role), writes };
  return { data: data.proposedCorrection.set({ summary, role: answers.suggestRole(summary) }), writes };
}

const requested = (summary: string): string => `changes-requested: ${summary}`;

/** Appending the entry that is already the last changes nothing, so that a step may be made again. */
export function appendHistory(before: string | undefined, entry: Readonly<Record<string, string>>): string {
  const text = (before ?? '').replace(/[^\n]$/, '$&\n');
  const line = `${JSON.stringify(entry)}\n`;
  return `\n${text}`.endsWith(`\n${line}`) ? text : `${text}${line}`;
}

type Proposed = NonNullable<ReturnType<typeof data.proposedCorrection.of>>;

function readCorrector(view: RunView, { summary, role: suggested }: Proposed, words: string): AnswerReading {
  const off = answers.readPutOff(words);
  if (off) return missing(view, designDecision.id, off.putOff);
  const word = words.trim().toLowerCase();
  if (word === 'withdraw') return { data: data.proposedCorrection.set(null) };
  const named = answers.correctingRoles.find((role) => role.toLowerCase() === word);
  const role = named ?? (/^(?:y|yes|ok)$/.test(word) ? suggested : undefined);
  if (role) return corrected(view, summary, role);
  return { unclear: `name one of ${answers.correctingRoles.join(', ')}; ${suggested} is suggested` };
}

function corrected(view: RunView, summary: string, role: answers.CorrectingRole): AnswerReading & SettledAnswer {
  return {
    answer: requested(summary),
    signal: `change_${answers.correctedBy[role]}`,
    data: {
      ...data.correction.set({ summary, role, dispatchedAt: null, from: designDigest(view) }),
      correctionProblems: [],
      proposedCorrection: null,
    },
    understood: `changes-requested, to be corrected by ${role}`,
  };
}

const diffLinesMax = 120;

function approvalDetail(view: RunView): string {
  const problems = data.correctionProblems.of(view.snapshot).map((each) => `- ${each}`);
  const titled = (title: string, lines: readonly string[]) => (lines.length === 0 ? [] : ['', title, ...lines]);
  return [
    designSummary(view),
    ...titled('Not complete after the correction:', problems),
    ...titled('Changed since you were asked last:', changesSince(view)),
  ].join('\n');
}

function changesSince({ snapshot }: RunView): readonly string[] {
  const before = data.askedBefore.of(snapshot);
  const now = data.askedDesign.of(snapshot) ?? {};
  if (!before) return [];
  const lines = [...new Set([...Object.keys(before), ...Object.keys(now)])].flatMap((path) => {
    if (before[path] === now[path]) return [];
    return [`${path}:`, ...lineDiff(before[path] ?? '', now[path] ?? '').map((line) => `  ${line}`)];
  });
  const more = lines.length - diffLinesMax;
  return more > 0 ? [...lines.slice(0, diffLinesMax), `… and ${more} more lines`] : lines;
}

export function strategyQuestion(view: RunView): FreeQuestion {
  const { tasks } = tasksOf(view);
  const recommended = recommendStrategy(tasks);
  const other = recommended.strategy === 'per-batch' ? 'single-final' : 'per-batch';
  return {
    reAsks,
    onExhausted: missing(view, strategyDecision.id),
    title: 'How are the changes reviewed?',
    detail: [
      scopeLine(tasks),
      ...tasks.slice(0, shownTasksMax).map(({ id, title }) => `  ${id}  ${title}`),
      ...(tasks.length > shownTasksMax ? [`  … and ${tasks.length - shownTasksMax} more`] : []),
      '',
      'per-batch     each task is judged before the next: mistakes do not spread',
      'single-final  all tasks, then one judgement: fewer agent calls, late surprises',
      '',
      `Recommended: ${recommended.strategy}. ${recommended.reasons.join(' ')}`,
    ].join('\n'),
    about: recommended.strategy,
    paths: [tasksPath(view.run)],
    suggestions: { [recommended.strategy]: 'recommended', [other]: '', defer: 'stop here; resume asks again' },
    read: (words) => {
      const answer = answers.readStrategy(words);
      if (typeof answer !== 'string')
        return 'putOff' in answer ? missing(view, strategyDecision.id, answer.putOff) : answer;
      return { answer, signal: answer.replace('-', '_'), ...(answer !== words.trim() && { understood: answer }) };
    },
  };
}

const shownTasksMax = 20;

function scopeLine(tasks: readonly SessionTask[]): string {
  const count = (number: number, what: string): string => `${number} ${what}${number === 1 ? '' : 's'}`;
  const files = new Set(tasks.flatMap(({ files_expected: expected }) => expected));
  const waiting = tasks.filter(({ depends_on: on }) => on.length > 0);
  const flags = [...new Set(tasks.flatMap(({ risk_flags: risks }) => risks))];
  return [
    count(tasks.length, 'task'),
    `${count(files.size, 'file')} expected`,
    `${waiting.length} build on others`,
    flags.length === 0 ? 'no risks flagged' : `risks: ${flags.join(', ')}`,
  ].join(', ');
}

const manyTasks = 5;
/** A dependency of so many tasks, or on so many, is a crossing and not a chain. */
const crossingTasks = 2;
const RISKY_FLAG = /secur|auth|crypt|breaking/i;

type TaskRisks = Pick<SessionTask, 'id' | 'depends_on' | 'risk_flags'>;

export function recommendStrategy(tasks: readonly TaskRisks[]) {
  const reasons = [
    ...(tasks.length >= manyTasks ? [`There are ${tasks.length} tasks, ${manyTasks} or more.`] : []),
    ...crossings(tasks),
    ...tasks.flatMap(({ id, risk_flags: flags }) =>
      flags.filter((flag) => RISKY_FLAG.test(flag)).map((flag) => `${id} carries the risk flag ${flag}.`),
    ),
  ];
  if (reasons.length > 0) return { strategy: 'per-batch' as const, reasons };
  const count = tasks.length === 1 ? 'There is one task' : `There are only ${tasks.length} tasks`;
  const reason = `${count}, without cross-cutting dependencies and without a security or breaking-change flag.`;
  return { strategy: 'single-final' as const, reasons: [reason] };
}

/** A chain can be reviewed at its end; where several tasks meet, a mistake spreads before anybody looks. */
function crossings(tasks: readonly TaskRisks[]): string[] {
  const dependants = new Map<string, number>();
  for (const id of tasks.flatMap((task) => task.depends_on)) dependants.set(id, (dependants.get(id) ?? 0) + 1);
  return tasks.flatMap(({ id, depends_on: on }) => {
    const needing = dependants.get(id) ?? 0;
    return [
      ...(needing >= crossingTasks ? [`${needing} tasks depend on ${id}.`] : []),
      ...(on.length >= crossingTasks ? [`${id} depends on ${on.length} tasks.`] : []),
    ];
  });
}
