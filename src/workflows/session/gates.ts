/**
 * The first mandatory gate: is the design approved?
 *
 * G1. Approvals are bound to the digest of the design: anything a reader could see changes it; line ends, and what Pawl
 *     adds to acceptance.json at the end, do not.
 */

import { attempt, DocumentError } from '../../documents/document-error.ts';
import { lineDiff } from '../../documents/line-diff.ts';
import { readHeadings } from '../../documents/markdown.ts';
import { findingText } from '../../documents/finding.ts';
import { sameValue } from '../../schema/values.ts';
import type { DataPatch } from '../data-slots.ts';
import { digestOf, plainText } from '../digest.ts';
import type { AnswerReading, FreeQuestion, RunView, SettledAnswer } from '../workflow.ts';
import * as answers from './answers.ts';
import { reAsks } from './ask-user.ts';
import { sectionUnder } from './content-checks.ts';
import { criteriaOf, designFindings, designPaths, type SessionFiles } from './documents.ts';
import * as paths from './files/session-paths.ts';
import { data } from './run-data.ts';
import { designDecision } from './session-words.ts';

export function askedDesign(view: RunView): DataPatch {
  const earlier = data.askedDesign.of(view.snapshot);
  return { ...data.askedDesign.set(designTexts(view)), ...(earlier && data.askedBefore.set(earlier)) };
}

export function designQuestion(view: RunView): FreeQuestion {
  const proposed = data.proposedCorrection.of(view.snapshot);
  const gate = { reAsks, onExhausted: missing(view, designDecision.id), about: designDigest(view) };
  if (proposed) {
    const roles = [...new Set([proposed.role, ...answers.correctingRoles])];
    const suggested = Object.fromEntries(
      roles.map((role) => [role, `${corrects[role]}${role === proposed.role ? ' (suggested)' : ''}`]),
    );
    return {
      ...gate,
      title: 'Who should correct the design?',
      detail: `You asked for: ${proposed.summary}`,
      suggestions: { ...suggested, withdraw: 'drop the request; the approval is asked for again' },
      read: (words) => readCorrector(view, proposed, words),
    };
  }
  return {
    ...gate,
    title: designDecision.question,
    detail: approvalDetail(view),
    paths: designPaths(view),
    suggestions: {
      approved: view.snapshot.state === 'approve_design' ? 'continue with planning' : 'continue where the work stands',
      'changes-requested: <what to change>': 'have it corrected, then be asked again',
      defer: 'stop here; resume asks again',
    },
    read: (words, _, { at }) => readDesignAnswer(view, words, at),
  };
}

/** The person puts the decision off, or gives no answer that counts: the session stops. */
export function missing({ run }: RunView, id: string, putOff?: string): SettledAnswer {
  const reason = putOff ?? 'no valid answer was given';
  const message = `${id}: ${reason}`;
  const problem = { code: 'mandatory_user_decision_missing', message, fix: paths.resumeCommand(run) };
  return { signal: putOff === undefined ? 'unanswered' : 'deferred', reason, problem };
}

function readDesignAnswer(view: RunView, words: string, at: string): AnswerReading {
  const approval = answers.readApproval(words);
  if ('unclear' in approval) return approval;
  if ('putOff' in approval) return missing(view, designDecision.id, approval.putOff);
  if ('approved' in approval) return approved(view, approval.approved);
  return changesRequested(view, approval, { at, words });
}

/** What is approved is what was shown, and can be worked with. */
function approved(view: RunView, answer: string): AnswerReading {
  const changed = 'Nothing is approved yet: the design was changed since you were shown it.';
  if (!sameValue(designTexts(view), data.askedDesign.of(view.snapshot)))
    return { data: askedDesign(view), askedAgain: changed };
  const [finding] = designFindings(view);
  const restore = finding?.code === 'missing' ? `Bring it back with pawl restore ${view.run}, or say` : 'Say';
  const fix = `${restore} "changes-requested(<role>): <what>".`;
  if (finding) return { unclear: `it cannot be worked with yet: ${findingText(finding)} ${fix}` };
  return {
    answer,
    signal: 'approved',
    data: { ...data.approvedDesign.set(designDigest(view)), proposedCorrection: null },
  };
}

/** On record, and in the history, before anything else happens. */
function changesRequested(
  view: RunView,
  { changes: summary, role }: answers.Changes,
  { at, words }: { readonly at: string; readonly words: string },
): AnswerReading {
  const entry = { at, decision_id: designDecision.id, answer: requested(summary), state_context: 'APPROVE_DESIGN' };
  const path = paths.historyPath(view.run);
  const writes = [{ path, content: appendHistory(view.files.read(path), entry) }];
  if (role) return { ...corrected(view, summary, role), writes };
  const proposed = data.proposedCorrection.set({ summary, role: answers.suggestRole(summary) });
  return { data: proposed, writes, ...(words.trim() !== requested(summary) && { understood: requested(summary) }) };
}

const corrects: Readonly<Record<answers.CorrectingRole, string>> = {
  SpecAgent: 'scope, criteria, assumptions',
  Architect: 'modules, data flows, decisions',
  Designer: 'layout, interactions, components',
};

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
  return firstOf(lines, diffLinesMax, 'line');
}

/** Null: approved before digests were kept; `recheck` asks for it anew. */
export function isDesignAsApproved(view: RunView): boolean {
  const approved = data.approvedDesign.of(view.snapshot);
  return approved === null || approved === designDigest(view);
}

export function designDigest(view: SessionFiles): string {
  return digestOf(Object.entries(designTexts(view)));
}

export function designTexts(view: SessionFiles): Readonly<Record<string, string>> {
  const folder = `${paths.sessionFolder(view.run)}/`;
  return Object.fromEntries(designPaths(view).map((path) => [path.slice(folder.length), designText(view, path)]));
}

function designText(view: SessionFiles, path: string): string {
  const criteria = path === paths.acceptancePath(view.run) ? attempt(() => criteriaOf(view)) : null;
  if (criteria === null || criteria instanceof DocumentError) return plainText(view.files.read(path) ?? '').trimEnd();
  return criteria
    .map(({ id, description, verify }) => [`${id}: ${description}`, ...verify.map((each) => `  ${each}`)].join('\n'))
    .join('\n');
}

/** Scope, criteria, assumptions; modules, data flows, ADRs; layout, interactions, components. */
function designSummary(view: RunView): string {
  const { files, run, snapshot } = view;
  const spec = files.read(paths.specPath(run)) ?? '';
  const architecture = files.read(paths.architecturePath(run)) ?? '';
  const criteria = attempt(() =>
    criteriaOf(view).flatMap(({ id, description, verify }) => [
      `${id}  ${description}`,
      ...verify.map((entry) => `        ${entry}`),
    ]),
  );
  const sections: readonly (readonly [title: string, lines: readonly string[]])[] = [
    ['Scope', excerpt(spec, /\bgoals?\b/i)],
    ['Acceptance criteria', criteria instanceof DocumentError ? [criteria.message] : criteria],
    ['Assumptions', data.assumptions.of(snapshot).map((each) => `- ${each}`)],
    ['Modules', excerpt(architecture, /\b(?:modules?|components?)\b/i)],
    ['Data flows', excerpt(architecture, /\bdata[ -]flows?\b|\bflows?\b/i)],
    ['Risks', excerpt(architecture, /\brisks?\b/i)],
    ['Decisions (ADR)', documentLines(view, paths.adrFolder(run))],
    ['User interface', documentLines(view, paths.designFolder(run), shownOfInterface)],
    ['Research', documentLines(view, paths.researchFolder(run))],
  ];
  return sections
    .filter(([, lines]) => lines.length > 0)
    .map(([title, lines]) => [`${title}:`, ...lines.map((line) => `  ${line}`)].join('\n'))
    .join('\n');
}

const shownOfInterface = [/\blayout\b/i, /\binteractions?\b/i, /\bcomponents?\b/i];

/** Each document of a folder by its title, or by its name where it has none, with excerpts of these sections. */
function documentLines({ files }: RunView, folder: string, sections: readonly RegExp[] = []): readonly string[] {
  return files.list(folder).flatMap((path) => {
    const text = files.read(path) ?? '';
    const [title] = readHeadings(text);
    const name = path.slice(folder.length + 1);
    const parts = sections.flatMap((heading) => excerpt(text, heading)).map((line) => `  ${line}`);
    return [title === undefined ? `- ${name}` : `- ${title.text} (${name})`, ...parts];
  });
}

const excerptLinesMax = 6;

function excerpt(text: string, heading: RegExp): readonly string[] {
  const lines = sectionUnder(text, heading)
    .split('\n')
    .filter((line) => line.trim() !== '');
  return firstOf(lines, excerptLinesMax, 'line');
}

/** So many of them, and how many more there are. */
export function firstOf(lines: readonly string[], max: number, what: string): readonly string[] {
  const more = lines.length - max;
  return more > 0 ? [...lines.slice(0, max), `… and ${more} more ${what}${more === 1 ? '' : 's'}`] : lines;
}
