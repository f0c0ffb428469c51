/** The two mandatory gates: is the design approved, and how are the changes reviewed? */

import { lineDiff } from '../../documents/line-diff.ts';
import { findingText } from '../../documents/finding.ts';
import { sameValue } from '../../schema/values.ts';
import type { DataPatch } from '../data-slots.ts';
import type { AnswerReading, FreeQuestion, GivenAnswer, RunView, SettledAnswer } from '../workflow.ts';
import {
  correctingRoles,
  readApproval,
  readPutOff,
  readStrategy,
  suggestRole,
  type CorrectingRole,
} from './answers.ts';
import { reAsks } from './ask-user.ts';
import { designDigest, designSummary, designTexts } from './design.ts';
import { designFindings, designPaths, tasksOf } from './documents.ts';
import { appendHistory, historyLine } from './files/history-file.ts';
import { historyPath, tasksPath } from './files/paths.ts';
import { recommendStrategy } from './files/recommendation.ts';
import type { SessionTask } from './files/tasks-file.ts';
import { data } from './run-data.ts';
import { designDecision, strategyDecision } from './vocabulary.ts';

/** The design as it is asked about, and as it was the last time. */
export function askedDesign(view: RunView): DataPatch {
  const earlier = data.askedDesign.of(view.snapshot);
  return { ...data.askedDesign.set(designTexts(view)), ...(earlier && data.askedBefore.set(earlier)) };
}

export function designQuestion(view: RunView): FreeQuestion {
  const proposed = data.proposedCorrection.of(view.snapshot);
  const gate = { reAsks, onExhausted: missing(view, designDecision.id, noAnswer), about: designDigest(view) };
  if (proposed)
    return {
      ...gate,
      title: 'Who shall correct the design?',
      detail: `You asked for: ${proposed.summary}`,
      suggestions: correctors(proposed.role),
      read: (words) => readCorrector(view, proposed, words),
    };
  return {
    ...gate,
    title: designDecision.question,
    detail: approvalDetail(view),
    paths: designPaths(view),
    suggestions: approvals,
    read: (words, _, given) => readDesignAnswer(view, words, given),
  };
}

const noAnswer = 'no valid answer was given';

/** The person puts the decision off, or gives no answer that counts: the session stops. */
function missing({ run }: RunView, id: string, reason: string): SettledAnswer {
  const fix = `pawl session resume ${run} asks again`;
  return {
    signal: 'deferred',
    reason,
    problem: { code: 'mandatory_user_decision_missing', message: `${id}: ${reason}`, fix },
  };
}

const approvals = {
  approved: 'go on to planning',
  'changes-requested: <what to change>': 'have it corrected, then be asked again',
  defer: 'stop here; resume asks again',
};

function correctors(suggested: CorrectingRole): Readonly<Record<string, string>> {
  const others = correctingRoles.filter((role) => role !== suggested);
  return {
    [suggested]: 'suggested',
    ...Object.fromEntries(others.map((role) => [role, ''])),
    withdraw: 'be asked for approval again',
  };
}

function readDesignAnswer(view: RunView, words: string, given: GivenAnswer): AnswerReading {
  const approval = readApproval(words);
  if ('unclear' in approval) return approval;
  if ('putOff' in approval) return missing(view, designDecision.id, approval.putOff);
  if ('approved' in approval) return approved(view, approval.approved, words);
  return changesRequested(view, approval, given);
}

/** What is approved is what was shown, and can be worked with. */
function approved(view: RunView, answer: string, words: string): AnswerReading {
  if (!sameValue(designTexts(view), data.askedDesign.of(view.snapshot)))
    return {
      data: askedDesign(view),
      understood: 'nothing yet: the design was changed since you were shown it, see what is new',
    };
  const [finding] = designFindings(view);
  if (finding)
    return {
      unclear: `it cannot be worked with yet: ${findingText(finding)} Say "changes-requested(<role>): <what>".`,
    };
  return {
    answer,
    signal: 'approved',
    data: { ...data.approvedDesign.set(designDigest(view)), proposedCorrection: null },
    ...(answer !== words.trim() && { understood: answer }),
  };
}

/** On record, and in the history, before anything else happens. */
function changesRequested(
  view: RunView,
  { changes: summary, role }: { readonly changes: string; readonly role?: CorrectingRole },
  { at }: GivenAnswer,
): AnswerReading {
  const answer = `changes-requested: ${summary}`;
  const line = historyLine({ at, decision_id: designDecision.id, answer, state_context: 'APPROVE_DESIGN' });
  const path = historyPath(view.run);
  const writes = [{ path, content: appendHistory(view.files.read(path), line) }];
  if (role) return { ...corrected(view, { summary, role }), writes };
  return { data: data.proposedCorrection.set({ summary, role: suggestRole(summary) }), writes };
}

interface Proposed {
  readonly summary: string;
  readonly role: CorrectingRole;
}

function readCorrector(view: RunView, { summary, role: suggested }: Proposed, words: string): AnswerReading {
  const off = readPutOff(words);
  if (off) return missing(view, designDecision.id, off.putOff);
  const word = words.trim().toLowerCase();
  if (word === 'withdraw') return { data: data.proposedCorrection.set(null) };
  const named = correctingRoles.find((role) => role.toLowerCase() === word);
  const role = named ?? (/^(?:y|yes|ok)$/.test(word) ? suggested : undefined);
  if (role === undefined) return { unclear: `name one of ${correctingRoles.join(', ')}; ${suggested} is suggested` };
  return corrected(view, { summary, role });
}

const correctionSignals = {
  SpecAgent: 'change_spec',
  Architect: 'change_architecture',
  Designer: 'change_ui',
} as const satisfies Record<CorrectingRole, string>;

function corrected(view: RunView, { summary, role }: Proposed): AnswerReading & SettledAnswer {
  return {
    answer: `changes-requested: ${summary}`,
    signal: correctionSignals[role],
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
  const problems = data.correctionProblems.of(view.snapshot);
  const changes = changesSince(view);
  return [
    designSummary(view),
    ...(problems.length === 0
      ? []
      : ['', 'Not complete after the correction:', ...problems.map((each) => `- ${each}`)]),
    ...(changes.length === 0 ? [] : ['', 'Changed since you were asked last:', ...changes]),
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
    onExhausted: missing(view, strategyDecision.id, noAnswer),
    title: 'How are the changes reviewed?',
    detail: [
      scopeLine(tasks),
      ...tasks.slice(0, shownTasksMax).map(({ id, title }) => `  ${id}  ${title}`),
      ...(tasks.length > shownTasksMax ? [`  … and ${tasks.length - shownTasksMax} more`] : []),
      '',
      'per-batch     each task is judged before the next: mistakes do not spread',
      'single-final  all tasks, then one judgement: fewer dispatches, late surprises',
      '',
      `Recommended: ${recommended.strategy}. ${recommended.reasons.join(' ')}`,
    ].join('\n'),
    about: recommended.strategy,
    paths: [tasksPath(view.run)],
    suggestions: { [recommended.strategy]: 'recommended', [other]: '', defer: 'stop here; resume asks again' },
    read: (words) => {
      const answer = readStrategy(words);
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
