/** All issues in TODO/: what can be run, what waits for what, and the files that change with an issue. */

import { dependencyOrder, type Node } from '../../../documents/dependency-order.ts';
import { attempt, DocumentError } from '../../../documents/document-error.ts';
import { unreadable, type Finding } from '../../../documents/finding.ts';
import { oneLine } from '../../../documents/review-text.ts';
import { keyLine } from '../../../documents/yaml.ts';
import { didYouMean } from '../../../schema/nearest.ts';
import { withWrites } from '../../staged-files.ts';
import type { FileView, FileWrite } from '../../workflow.ts';
import { appendToSection, renderRow, rowsIn, setRow, type NewRow } from '../../../documents/checklist.ts';
import { compareIds, indexPath, issueIdIn, issuePath, todoFolder } from './ids.ts';
import * as issueFile from './issue-file.ts';
import type { Issue, NewIssue, Status } from './issue-file.ts';

export interface Backlog {
  /** Sorted by id; malformed ones are not in it. */
  readonly issues: ReadonlyMap<string, Issue>;
  /** Why an issue cannot be read, by id. */
  readonly malformed: ReadonlyMap<string, DocumentError>;
  readonly findings: readonly Finding[];
}

/** Files in TODO/ that are not named after an issue are left alone. */
export function readBacklog(files: FileView): Backlog {
  const issues = new Map<string, Issue>();
  const malformed = new Map<string, DocumentError>();
  const ids = files.list(todoFolder, 'shallow').flatMap((path) => issueIdIn(path) ?? []);
  for (const id of ids.toSorted(compareIds)) {
    const path = issuePath(id);
    const issue = attempt(() => issueFile.readIssue(files.read(path) ?? '', path));
    if (issue instanceof DocumentError) malformed.set(id, issue);
    else issues.set(id, issue);
  }
  const missing = `create ${indexPath} with a "##" heading for each category`;
  const findings = [
    ...(files.exists(indexPath) ? [] : [finding('missing-index', [indexPath, null], 'there is no index', missing)]),
    ...[...malformed.values()].map(unreadable),
    ...[...issues.values()].flatMap((issue) => unknownIds(issue, ids, files)),
  ];
  return { issues, malformed, findings };
}

/** Pawl writes these files by replacing them, so none of them may be a link. */
export function linkIn(files: FileView, id?: string) {
  const path = [todoFolder, indexPath, ...(id === undefined ? [] : [issuePath(id)])].find((each) =>
    files.isLink?.(each),
  );
  if (path === undefined) return null;
  const message = `${path} is a symbolic link, which Pawl would replace`;
  return {
    code: 'LinkedTracker',
    message,
    fix: `put the file or folder itself in the place of the link ${path}`,
    path,
  };
}

function finding(code: string, [path, line]: [string, number | null], message: string, fix: string): Finding {
  return { code, path, line, message, fix };
}

function unknownIds({ path, id, parent, dependsOn }: Issue, ids: readonly string[], files: FileView): Finding[] {
  const all = [
    ...(parent === null ? [] : [['parent', parent] as const]),
    ...dependsOn.map((each) => ['depends-on', each] as const),
  ];
  const others = ids.filter((each) => each !== id);
  return all.flatMap(([key, named]) => {
    if (ids.includes(named)) return [];
    const message = `${key} names ${named}, which is no issue in ${todoFolder}/${didYouMean(named, others)}`;
    const code = key === 'parent' ? 'unknown-parent' : 'unknown-dependency';
    const line = keyLine(files.read(path) ?? '', key);
    return finding(code, [path, line], message, `correct ${key}, or create ${issuePath(named)}`);
  });
}

export interface Blocker {
  readonly id: string;
  /** Null when there is no such issue, or it cannot be read. */
  readonly status: Status | null;
}

/** What an issue depends on and is not Done. */
export function blockedBy({ issues }: Backlog, id: string): Blocker[] {
  const blockers = (issues.get(id)?.dependsOn ?? []).map((each) => ({
    id: each,
    status: issues.get(each)?.status ?? null,
  }));
  return blockers.filter(({ status }) => status !== 'Done');
}

/** Issues whose parent it is. */
export function subIssuesOf({ issues }: Backlog, id: string): Issue[] {
  return [...issues.values()].filter(({ parent }) => parent === id);
}

/** Of a run that failed: what it builds on was never done. */
export const failedLabel = 'filed-by-failed-run';

/**
 * What can be run now, in dependency order: neither anything it depends on is open, nor a sub-issue. Sub-issues of a run
 * that failed are left to the next run of their parent.
 */
export function nextIssues(backlog: Backlog): Issue[] {
  const order = dependencyOrder(nodesOf(backlog, [...backlog.issues.values()]));
  const ids = 'ok' in order ? order.ok : [...backlog.issues.keys()];
  const isLeft = ({ labels }: Issue): boolean => labels.includes(failedLabel);
  const isOpen = (issue: Issue): boolean => issue.status !== 'Done' && !isLeft(issue);
  return ids
    .flatMap((id) => backlog.issues.get(id) ?? [])
    .filter((issue) => {
      const isWaiting = subIssuesOf(backlog, issue.id).some(isOpen) || blockedBy(backlog, issue.id).length > 0;
      return isOpen(issue) && !isWaiting;
    });
}

/** Issues that are open and cannot be run yet. */
export function waitingIssues(
  backlog: Backlog,
): readonly { readonly id: string; readonly why: string; readonly waitsFor: readonly string[] }[] {
  return [...backlog.issues.values()].flatMap(({ id, status }) => {
    const waitsFor = status === 'Done' ? [] : blockedBy(backlog, id).map((each) => each.id);
    return waitsFor.length === 0 ? [] : [{ id, why: `waits for ${waitsFor.join(', ')}`, waitsFor }];
  });
}

export interface Cycle {
  /** Each waits for the next; the first is also the last. */
  readonly ids: readonly string[];
  readonly finding: Finding;
}

/** A cycle among open issues, or only among those that `from` waits for. A parent waits for its sub-issues. */
export function cycleIn(backlog: Backlog, from?: string): Cycle | null {
  const open = [...backlog.issues.values()].filter(({ status }) => status !== 'Done');
  const nodes = nodesOf(backlog, open);
  const order = dependencyOrder(from === undefined ? nodes : reachable(nodes, from));
  if ('ok' in order) return null;
  const path = issuePath(order.cycle[0] ?? '');
  const message = `issues wait for each other: ${order.cycle.join(' → ')}`;
  const fix = `remove one of them from depends-on or parent, beginning with ${path}`;
  return { ids: order.cycle, finding: finding('dependency-cycle', [path, null], message, fix) };
}

function nodesOf(backlog: Backlog, issues: readonly Issue[]): Node[] {
  return issues.map(({ id, dependsOn }) => ({
    id,
    depends: [...dependsOn, ...subIssuesOf(backlog, id).map((each) => each.id)],
  }));
}

function reachable(nodes: readonly Node[], from: string): Node[] {
  const wanted = new Set([from]);
  // A set grows while it is walked.
  for (const id of wanted) for (const each of nodes.find((node) => node.id === id)?.depends ?? []) wanted.add(each);
  return nodes.filter(({ id }) => wanted.has(id));
}

export interface IssueChange {
  readonly status?: Status;
  /** Indexes of criteria that hold. */
  readonly ticked?: readonly number[];
  readonly comment?: { readonly date: string; readonly words: string };
}

/** The issue's file and, with its status, the index or the parent's list. Files that stay as they are are left out. */
export function changeIssue(files: FileView, id: string, { status, ticked = [], comment }: IssueChange): FileWrite[] {
  const path = issuePath(id);
  const source = files.read(path) ?? '';
  const issue = issueFile.readIssue(source, path);
  const tickedText = issueFile.tickCriteria(source, ticked);
  const flipped = status === undefined ? tickedText : issueFile.setStatus(tickedText, status, path);
  const content = comment ? issueFile.addComment(flipped, comment.date, comment.words) : flipped;
  const list = issue.parent === null ? indexPath : issuePath(issue.parent);
  const setDone = issue.parent === null ? setRow : issueFile.setSubIssueDone;
  return changed(files, [
    { path, content },
    ...(status === undefined ? [] : [{ path: list, content: setDone(files.read(list) ?? '', id, status === 'Done') }]),
  ]);
}

function changed(files: FileView, writes: readonly FileWrite[]): FileWrite[] {
  return writes.filter(({ path, content }) => content !== (files.read(path) ?? ''));
}

export const newIndex = '# Issues\n';
/** Of issues that are filed without one. */
const defaultCategory = 'Other';

/** Adds a row to the category, which is made at the end if it is missing; nothing changes where it is listed. */
export function addToIndex(index: string, category: string | null, issue: NewRow): string {
  if (rowsIn(index, (name) => name === issue.id).length > 0) return index;
  return appendToSection(index, oneLine(category ?? '') || defaultCategory, [renderRow(issue)]);
}

/**
 * Files sub-issues of one parent and lists them there. One that exists is updated: it keeps its status and comments.
 * `withdrawn` are those that a later plan of the same run has no more use for.
 */
export function fileIssues(
  files: FileView,
  parent: string,
  drafts: readonly Omit<NewIssue, 'parent'>[],
  withdrawn: readonly string[] = [],
): FileWrite[] {
  const writes: FileWrite[] = [
    ...drafts.map((draft) => {
      const path = issuePath(draft.id);
      return { path, content: issueFile.renderIssue({ ...draft, parent }, files.read(path)) };
    }),
    ...withdrawn.map((id) => ({ path: issuePath(id), content: null })),
  ];
  const path = issuePath(parent);
  const source = files.read(path) ?? '';
  const backlog = readBacklog(withWrites(files, writes));
  const listed = issueFile.readIssue(source, path).subIssues.filter(({ id }) => !withdrawn.includes(id));
  const children = subIssuesOf(backlog, parent);
  const rows = new Map(listed.map(({ id, done, text }) => [id, { id, done, text, dependsOn: noIds }]));
  for (const { id, title, status, dependsOn } of children) {
    const isDraft = drafts.some((draft) => draft.id === id);
    rows.set(id, { id, done: status === 'Done', text: (!isDraft && rows.get(id)?.text) || title, dependsOn });
  }
  return changed(files, [...writes, { path, content: issueFile.setSubIssues(source, [...rows.values()]) }]);
}

const noIds: readonly string[] = [];
