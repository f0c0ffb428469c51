/** Checks of the last phases: what is committed, what stays on record, and the record of a failure. */

import { attempt, DocumentError } from '../../../documents/document-error.ts';
import { isFault } from '../../../engine/machine.ts';
import { lowered } from '../../../documents/review-text.ts';
import { stopWith } from '../../define-workflow.ts';
import { lastOfEach, withWrites } from '../../staged-files.ts';
import type { CheckContext, CheckResult, FileView } from '../../workflow.ts';
import { changeIssue, failedLabel, fileIssues } from '../files/backlog.ts';
import { indexPath, issuePath, summaryPath, taskPath } from '../files/ids.ts';
import { addLabel, readIssue, type NewIssue, type Status } from '../files/issue-file.ts';
import { applyEdit, normalPath, normalTitle, type ReviewFinding } from '../../../documents/review-finding.ts';
import { renderSummary } from '../files/summary-text.ts';
import { added, type DataPatch } from '../../data-slots.ts';
import { data } from '../run-data.ts';
import { taskIn } from '../files/plan-files.ts';
import { filedIn, summaryOf } from '../summary-values.ts';
import { newIds } from './new-ids.ts';
import { moved } from './testing-checks.ts';
import { isCode } from '../role-words.ts';

export const finishingChecks = {
  apply_edits: applyEdits,
  give_up: giveUp,
  confirm_code: confirmCode,
  commit_code: commitCode,
  close_issue: closeIssue,
  commit_todo: commitTodo,
  fail,
  commit_wip: commitWip,
};

/** Cosmetic is checked, not believed: only whitespace, comments and documentation may differ. */
async function applyEdits(context: CheckContext): Promise<CheckResult> {
  const { files, snapshot } = context;
  const { sameTokens } = await import('../../../syntax/same-tokens.ts');
  const edited = new Map<string, string>();
  // Nobody but `make` takes up other files.
  const own = (await context.changedFiles()).filter(isCode);
  for (const finding of data.chosenFindings.of(snapshot)) {
    const { suggested_edit: edit } = finding;
    const file = normalPath(finding.file);
    const before = edited.get(file) ?? (own.includes(file) ? files.read(file) : undefined);
    const after = before === undefined || !edit ? null : applyEdit(before, edit);
    if (before === undefined || after === null)
      return notCosmetic(finding, 'the suggested edit does not fit a file that this run changed');
    if ((await sameTokens(file, before, after)) !== true)
      return notCosmetic(finding, 'the suggested edit changes code');
    edited.set(file, after);
  }
  const writes = [...edited].map(([path, content]) => ({ path, content }));
  return { signal: { name: 'applied' }, writes, notes: [...edited.keys()] };
}

function notCosmetic({ title }: ReviewFinding, why: string): CheckResult {
  return { signal: { name: 'not_cosmetic' }, notes: [`${title}: ${why}, so it counts as a finding in the code`] };
}

function giveUp({ snapshot }: CheckContext): CheckResult {
  const open = data.reviewFindings.of(snapshot).map((finding) => ({ phase: 'final review', finding }));
  const notes = open.map(({ finding }) => `${finding.severity}: ${finding.title}`);
  return { signal: { name: 'recorded', data: added(data.blockers, snapshot, ...open) }, notes };
}

/** What is committed is what was reviewed, to the byte. */
async function confirmCode(context: CheckContext): Promise<CheckResult> {
  if (await context.git.movedFrom(data.head.of(context.snapshot))) return moved();
  if ((await context.treeDigest()) === data.reviewedTree.of(context.snapshot)) return { signal: { name: 'unchanged' } };
  const escalation = { signal: 'the code was changed after its review', why: 'somebody edited the work tree' };
  return { signal: { name: 'changed', data: data.escalation.set(escalation) }, notes: [escalation.signal] };
}

/** ADR-7: with stubs, two commits, each of which compiles. */
async function commitCode(context: CheckContext): Promise<CheckResult> {
  const { run, files, snapshot } = context;
  const paths = (await context.changedFiles()).filter(isCode);
  const title = data.title.of(snapshot);
  const stubs = data.stubTree.of(snapshot);
  const task = taskIn(files, run, taskPath(run, 1));
  const names = task?.newSymbols.map(({ name }) => name).join(', ') ?? '';
  const isRust = task?.newSymbols.some(({ file }) => file.endsWith('.rs'));
  const scaffold = { message: `feat: scaffold ${names} with ${isRust ? 'todo!() ' : ''}stubs`, tree: stubs ?? '' };
  const what = stubs === null ? lowered(task?.title ?? title) : `implement ${names}`;
  const body = { message: `${isFix(files, run) ? 'fix' : 'feat'}: ${what}\n\n${run}: ${title}` };
  const commits = [...data.commits.of(snapshot)];
  for (const { message, ...tree } of stubs === null ? [body] : [scaffold, body]) {
    const made = await context.git.commit({ message, paths, ...tree });
    if (made.kind === 'refused') return refused(message, made.output);
    if (made.kind !== 'nothing') commits.push({ id: made.id, message: message.split('\n')[0] ?? '' });
  }
  return {
    signal: { name: 'committed', data: data.commits.set(commits) },
    notes: commits.length === 0 ? ['there was nothing to commit'] : commits.map(({ message }) => message),
  };
}

function isFix(files: FileView, run: string): boolean {
  const issue = attempt(() => readIssue(files.read(issuePath(run)) ?? '', issuePath(run)));
  return !(issue instanceof DocumentError) && issue.labels.includes('bug');
}

function refused(message: string, output: string): CheckResult {
  return stopWith('refused', `git refused the commit "${message.split('\n')[0]}":\n${output.trim()}`);
}

/** Phase 9: criteria, comment, status, and what is left to do as issues of its own. */
async function closeIssue(context: CheckContext): Promise<CheckResult> {
  const { run, files, snapshot, at } = context;
  const { criteria } = readIssue(files.read(issuePath(run)) ?? '', issuePath(run));
  const numbers = data.ticked.of(snapshot).map((number) => number - 1);
  const ticked = [...new Set(numbers)].filter((index) => criteria[index] !== undefined);
  const isDone = criteria.every(({ done }, index) => done || ticked.includes(index));
  const status: Status = isDone ? 'Done' : 'In Progress';
  const comment = { date: at.slice(0, 'YYYY-MM-DD'.length), words: data.comment.of(snapshot) };
  const issues = await followUps(context);
  const filed = fileIssues(files, run, issues);
  const closed = changeIssue(withWrites(files, filed), run, { status, ticked, comment });
  return {
    signal: {
      name: 'closed',
      data: data.followUps.set(issues.map(({ id, labels: [label = ''], title }) => ({ id, label, title }))),
    },
    writes: lastOfEach([...filed, ...closed]),
    notes: [`${run} is ${status}`, ...issues.map(({ id, title }) => `${id}: ${title}`)],
  };
}

async function followUps(context: CheckContext): Promise<Omit<NewIssue, 'parent'>[]> {
  const { run, snapshot } = context;
  const open = data.blockers.of(snapshot).filter(({ finding }) => finding.severity === 'BLOCK');
  const found = [
    ...data.bugs.of(snapshot).map(({ title, body }) => ({ label: 'bug', title, text: body })),
    ...open.map(({ finding: { title, detail, file } }) => ({ label: 'followup', title, text: `${file}: ${detail}` })),
    ...data.seams.of(snapshot).map((seam) => ({ label: 'tech-debt', title: seam.split('\n')[0] ?? seam, text: seam })),
  ];
  // Several roles may report one problem.
  const titles = found.map(({ title }) => normalTitle(title));
  const wanted = found.filter((_, index) => titles.indexOf(titles[index] ?? '') === index);
  if (wanted.length === 0) return [];
  const claimed = await newIds(context);
  const origin = `Discovered during run on \`${data.branch.of(snapshot)}\` for parent issue \`${run}\`.`;
  const sections = [{ heading: 'Origin', text: origin }];
  const issues: Omit<NewIssue, 'parent'>[] = [];
  for (const { label, title, text } of wanted)
    issues.push({ id: await claimed(), title, text, labels: [label], dependsOn: [], criteria: [title], sections });
  return issues;
}

/** Only issues that the run wrote: somebody may be at work on others. */
async function commitTodo(context: CheckContext): Promise<CheckResult> {
  const { run, files, snapshot } = context;
  const { status, parent } = readIssue(files.read(issuePath(run)) ?? '', issuePath(run));
  const message = `chore(todo): ${status === 'Done' ? 'close' : 'update'} ${run}`;
  const filed = filedIn(snapshot).map(({ id }) => id);
  const listed = parent === null ? indexPath : issuePath(parent);
  const paths = [listed, ...[run, ...filed].map(issuePath)].filter((path) => files.exists(path));
  const made = await context.git.commit({ message, paths });
  if (made.kind === 'refused') return refused(message, made.output);
  const commits =
    made.kind === 'nothing' ? data.commits.of(snapshot) : [...data.commits.of(snapshot), { id: made.id, message }];
  return { ...recorded(context, 'committed', 'done', data.commits.set(commits)), notes: [message] };
}

/** With a summary that tells of the data too. */
function recorded(context: CheckContext, name: string, outcome: 'done' | 'failed', more: DataPatch) {
  const { run, snapshot } = context;
  const after = { ...context, snapshot: { ...snapshot, data: { ...snapshot.data, ...more } } };
  const summary = { path: summaryPath(run), content: renderSummary(summaryOf(after, outcome)) };
  return { signal: { name, data: more }, writes: [summary] };
}

/** Why the run fails: what a check said, the fault of the last dispatch, or the signal that found its budget spent. */
function causeOf({ snapshot, history }: CheckContext): { readonly signal: string; readonly why: string } {
  const { problem } = snapshot;
  const last = history.at(-1);
  if (problem && !isFault(problem.code)) return { signal: problem.code, why: problem.message };
  if (last && last.problem !== null) return { signal: `${last.step}: ${last.signal}`, why: last.problem };
  return data.escalation.of(snapshot) ?? { signal: 'unknown', why: '' };
}

/** The issue is to be done again, and everything that was found out stays on record. */
function fail(context: CheckContext): CheckResult {
  const { run, files, snapshot, at } = context;
  const failure = causeOf(context);
  const words = `The run on \`${data.branch.of(snapshot)}\` failed (${failure.signal}): ${failure.why}`;
  const comment = { date: at.slice(0, 'YYYY-MM-DD'.length), words };
  const marked = filedIn(snapshot).flatMap(({ id }) => {
    const path = issuePath(id);
    const body = files.read(path);
    const content = body === undefined ? body : attempt(() => addLabel(body, failedLabel, path));
    return typeof content === 'string' ? [{ path, content }] : [];
  });
  // An issue that cannot be read is left as it is: the summary says what is wrong with it.
  const flipped = attempt(() => changeIssue(withWrites(files, marked), run, { status: 'Todo', comment }));
  const record = recorded(context, 'recorded', 'failed', data.failure.set(failure));
  return {
    ...record,
    writes: lastOfEach([...marked, ...(flipped instanceof DocumentError ? [] : flipped), ...record.writes]),
    notes: [`${failure.signal}: ${failure.why}`],
  };
}

/** Of code only, so that nothing of it is lost with the work tree. */
async function commitWip(context: CheckContext): Promise<CheckResult> {
  const { run, snapshot } = context;
  const paths = (await context.changedFiles()).filter(isCode);
  const message = `wip: ${run} ${data.title.of(snapshot)}`;
  const made = paths.length === 0 ? ({ kind: 'nothing' } as const) : await context.git.commit({ message, paths });
  if (made.kind === 'refused')
    return {
      signal: { name: 'refused' },
      notes: [`git refused the wip commit; the code is in the work tree:\n${made.output}`],
    };
  const commits = made.kind === 'nothing' ? [] : [{ id: made.id, message }];
  return recorded(context, 'committed', 'failed', added(data.commits, snapshot, ...commits));
}
