/** The two mandatory gates: is the design approved, and how are the changes reviewed? */

import { lineDiff } from '../../../documents/line-diff.ts';
import type { GivenAnswer, Question, Reading, RunView } from '../../workflow.ts';
import { answered } from '../decisions.ts';
import { sameValue } from '../../../documents/same-value.ts';
import { askForApproval } from '../design-question.ts';
import { designDigest, designTexts } from '../digest.ts';
import { designPaths, designProblems, intakeProblems, tasksOf } from '../documents.ts';
import { correctingRoles, readApproval, readStrategy, suggestRole, type CorrectingRole } from '../files/answers.ts';
import { appendHistory, historyLine } from '../files/history-file.ts';
import { historyPath, tasksPath } from '../files/paths.ts';
import { readPutOff } from '../files/spoken.ts';
import { recommendStrategy } from '../files/recommendation.ts';
import { designSummary } from '../design-summary.ts';
import type { SessionTask } from '../files/tasks-file.ts';
import { recordOf, textIn, textsIn } from '../recorded.ts';
import { gateQuestion, putOff } from './asked.ts';

type Given = GivenAnswer & { readonly words: string };

const design = 'UD-APPROVE-DESIGN';
const strategy = 'UD-REVIEW-STRATEGY';

export function designQuestion(view: RunView): Question {
  const proposed = proposedCorrection(view);
  return gateQuestion(view, design, {
    title: proposed === null ? 'Is the design approved?' : 'Who shall correct the design?',
    detail: proposed === null ? approvalDetail(view) : `You asked for: ${proposed.summary}`,
    about: designDigest(view),
    paths: proposed === null ? [...designPaths(view)] : [],
    suggestions: proposed === null ? approvals : correctors(proposed.role),
    read: (given) => (proposed === null ? readDesignAnswer(view, given) : readCorrector(view, proposed, given)),
  });
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

function readDesignAnswer(view: RunView, given: Given): Reading {
  const approval = readApproval(given.words);
  switch (approval.kind) {
    case 'unclear':
      return { unclear: approval.why };
    case 'defer':
    case 'cancel':
      return putOff(view, design, approval, given.at);
    case 'approved':
      return approved(view, approval.canonical, given);
    case 'changes':
      return changesRequested(view, approval, given);
  }
}

/** What is approved is what was shown, and can be worked with. */
function approved(view: RunView, answer: string, given: Given): Reading {
  if (!sameValue(designTexts(view), view.snapshot.data['askedDesign']))
    return {
      signal: { name: 'noted', data: askForApproval(view) },
      understood: 'nothing yet: the design was changed since you were shown it, see what is new',
    };
  const [problem] = [...intakeProblems(view, { lean: false }), ...designProblems(view)];
  if (problem !== undefined)
    return { unclear: `it cannot be worked with yet: ${problem} Say "changes-requested(<role>): <what>".` };
  return {
    signal: {
      name: 'approved',
      data: {
        ...answered(view.snapshot, design, answer, given),
        approvedDesign: designDigest(view),
        proposedCorrection: null,
      },
    },
    ...(answer !== given.words.trim() && { understood: answer }),
  };
}

/** On record, and in the history, before anything else happens. */
function changesRequested(
  view: RunView,
  { summary, role }: { readonly summary: string; readonly role?: CorrectingRole },
  given: Given,
): Reading {
  const answer = `changes-requested: ${summary}`;
  const line = historyLine({ at: given.at, decision_id: design, answer, state_context: 'APPROVE_DESIGN' });
  const path = historyPath(view.run);
  const writes = [{ path, content: appendHistory(view.files.read(path), line) }];
  if (role) return { ...corrected(view, { summary, role }, given), writes };
  const proposedCorrection = { summary, role: suggestRole(summary) };
  return { signal: { name: 'noted', data: { proposedCorrection } }, writes };
}

function readCorrector(
  view: RunView,
  { summary, role: suggested }: { readonly summary: string; readonly role: CorrectingRole },
  given: Given,
): Reading {
  const off = readPutOff(given.words);
  if (off) return putOff(view, design, off, given.at);
  const word = given.words.trim().toLowerCase();
  if (word === 'withdraw') return { signal: { name: 'noted', data: { proposedCorrection: null } } };
  const named = correctingRoles.find((role) => role.toLowerCase() === word);
  const role = named ?? (/^(?:y|yes|ok|okay|confirm|confirmed)$/.test(word) ? suggested : undefined);
  if (role === undefined) return { unclear: `name one of ${correctingRoles.join(', ')}; ${suggested} is suggested` };
  return corrected(view, { summary, role }, given);
}

const correctionSignals = {
  SpecAgent: 'change_spec',
  Architect: 'change_architecture',
  Designer: 'change_ui',
} as const satisfies Record<CorrectingRole, string>;

function corrected(
  view: RunView,
  { summary, role }: { readonly summary: string; readonly role: CorrectingRole },
  given: Given,
): Exclude<Reading, { unclear: string }> {
  return {
    signal: {
      name: correctionSignals[role],
      data: {
        ...answered(view.snapshot, design, `changes-requested: ${summary}`, given),
        correction: { summary, role, dispatchedAt: null, from: designDigest(view) },
        correctionProblems: [],
        proposedCorrection: null,
      },
    },
    understood: `changes-requested, to be corrected by ${role}`,
  };
}

function proposedCorrection({
  snapshot: { data },
}: RunView): { readonly summary: string; readonly role: CorrectingRole } | null {
  const proposed = data['proposedCorrection'];
  if (proposed === undefined || proposed === null) return null;
  const { summary, role } = recordOf(proposed, 'proposedCorrection');
  return {
    summary: typeof summary === 'string' ? summary : '',
    role: correctingRoles.find((each) => each === role) ?? 'Architect',
  };
}

const diffLinesMax = 120;

function approvalDetail(view: RunView): string {
  const problems = textsIn(view.snapshot.data, 'correctionProblems');
  const changes = changesSince(view);
  return [
    designSummary(view),
    ...(problems.length === 0
      ? []
      : ['', 'Not complete after the correction:', ...problems.map((each) => `- ${each}`)]),
    ...(changes.length === 0 ? [] : ['', 'Changed since you were asked last:', ...changes]),
  ].join('\n');
}

function changesSince({ snapshot: { data } }: RunView): readonly string[] {
  if (data['askedBefore'] === undefined) return [];
  const before = recordOf(data['askedBefore'], 'askedBefore');
  const now = recordOf(data['askedDesign'], 'askedDesign');
  const paths = [...new Set([...Object.keys(before), ...Object.keys(now)])];
  const lines = paths.flatMap((path) => {
    if (before[path] === now[path]) return [];
    return [`${path}:`, ...lineDiff(textIn(before, path), textIn(now, path)).map((line) => `  ${line}`)];
  });
  const more = lines.length - diffLinesMax;
  return more > 0 ? [...lines.slice(0, diffLinesMax), `… and ${more} more lines`] : lines;
}

export function strategyQuestion(view: RunView): Question {
  const { tasks } = tasksOf(view);
  const recommended = recommendStrategy(tasks);
  const other = recommended.strategy === 'per-batch' ? 'single-final' : 'per-batch';
  return gateQuestion(view, strategy, {
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
    read: (given) => {
      const chosen = readStrategy(given.words);
      if (typeof chosen !== 'string')
        return chosen.kind === 'unclear' ? { unclear: chosen.why } : putOff(view, strategy, chosen, given.at);
      return {
        signal: { name: chosen.replace('-', '_'), data: answered(view.snapshot, strategy, chosen, given) },
        ...(chosen !== given.words.trim() && { understood: chosen }),
      };
    },
  });
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
