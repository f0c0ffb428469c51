/** Verbs that work with the files in TODO/ alone: `list`, `view`, `next` and `new`. */

import { findingText, type Finding } from '../../../documents/finding.ts';
import { splitFrontMatter } from '../../../documents/front-matter.ts';
import { oneLine, rows } from '../../../documents/review-text.ts';
import type { Json } from '../../../engine/snapshot.ts';
import { didYouMean } from '../../../schema/nearest.ts';
import { findWord, shown } from '../../../schema/values.ts';
import type { CommandInput, Objection, TellContext, Told } from '../../surface.ts';
import * as backlogs from './backlog.ts';
import type { Backlog } from './backlog.ts';
import { claimId, idExpectation, indexPath, isIssueId, issueIdIn, issuePath, prefixOf, todoFolder } from './ids.ts';
import { renderIssue, statuses, type Issue, type NewIssue } from './issue-file.ts';

type Context = Pick<TellContext, 'files'>;

export function list({ flags }: CommandInput, { files }: Context): Told | Objection {
  const { status: given, label, parent } = flags;
  const status = given === undefined ? undefined : findWord(given, statuses);
  if (given !== undefined && status === undefined) {
    const message = `there is no status ${shown(given)}`;
    return { code: 'UsageError', message, fix: 'use --status with todo, in-progress or done' };
  }
  const backlog = backlogs.readBacklog(files);
  const problem = parent === undefined ? null : issueProblem(backlog, String(parent));
  if (problem) return problem;
  const issues = [...backlog.issues.values()].filter(
    (issue) =>
      (status === undefined || issue.status === status) &&
      (label === undefined || issue.labels.includes(String(label))) &&
      (parent === undefined || issue.parent === parent),
  );
  const lines = issues.length === 0 ? ['no issues'] : rows(issues.map(listedCells));
  return told({ issues: issues.map(issueDocument) }, lines, backlog.findings);
}

export function view({ words: [id = ''] }: CommandInput, { files }: Context): Told | Objection {
  const backlog = backlogs.readBacklog(files);
  const problem = issueProblem(backlog, id);
  const issue = backlog.issues.get(id);
  if (problem || !issue) return problem ?? notFound(backlog, id);
  const { status, parent, labels } = issue;
  const subIssues = backlogs.subIssuesOf(backlog, id);
  const waitsFor = backlogs.blockedBy(backlog, id).map((each) => ({ id: each.id, status: each.status ?? 'missing' }));
  const fields = [
    ['status', status],
    ['parent', parent ?? ''],
    ['labels', labels.join(', ')],
    ['sub-issues', subIssues.map(idAndStatus).join(', ')],
    ['waits for', waitsFor.map(idAndStatus).join(', ')],
  ].filter(([, value]) => value !== '');
  const { body } = splitFrontMatter(files.read(issue.path) ?? '');
  const document = { ...issueDocument(issue), subIssues: subIssues.map((each) => each.id), waitsFor };
  return told(document, [...rows(fields), '', ...body.trim().split(/\r?\n/)], []);
}

export function next(_: CommandInput, { files }: Context): Told {
  const backlog = backlogs.readBacklog(files);
  const issues = backlogs.nextIssues(backlog);
  const waiting = backlogs.waitingIssues(backlog);
  const cycle = backlogs.cycleIn(backlog);
  const lines = rows(issues.map(({ id, title }) => [`pawl issue run ${id}`, title]));
  const idle = ['nothing can be run now', ...waiting.map(({ id, why }) => `${id} ${why}`)];
  const findings = [...backlog.findings, ...(cycle ? [cycle.finding] : [])];
  const waits = waiting.map(({ id, waitsFor }) => ({ id, waitsFor }));
  return told({ issues: issues.map(issueDocument), waiting: waits }, issues.length === 0 ? idle : lines, findings);
}

/** Of a repository without issues. */
const firstPrefix = 'ISSUE';

/** `new`. Nothing is claimed before everything else is known to be right. */
export async function create(
  { words: [title = ''], flags: { parent, category } }: CommandInput,
  context: Omit<TellContext, 'today'>,
): Promise<Told | Objection> {
  const { files } = context;
  const fix = 'pawl issue new "Read limits in one place"';
  if (oneLine(title) === '') return { code: 'UsageError', message: 'an issue needs a title', fix };
  if ([title, category].some((text) => typeof text === 'string' && /[^\P{Cc}\s]/u.test(text)))
    return { code: 'UsageError', message: 'a title or category has no control characters', fix };
  const link = backlogs.linkIn(files);
  if (link) return link;
  if (parent !== undefined && category !== undefined) {
    const message = 'a sub-issue is listed in its parent, so it has no category';
    return { code: 'UsageError', message, fix: 'leave out --category or --parent' };
  }
  const backlog = backlogs.readBacklog(files);
  const problem = parent === undefined ? null : issueProblem(backlog, String(parent));
  if (problem) return problem;
  const here = [...backlog.issues.keys(), ...backlog.malformed.keys()];
  const elsewhere = (await context.namesElsewhere(todoFolder)).flatMap((name) => issueIdIn(name) ?? []);
  const prefix = parent === undefined ? usualPrefix(here.length > 0 ? here : elsewhere) : prefixOf(String(parent));
  const id = await claimId(prefix, [...here, ...elsewhere], (each) => context.claim(each));
  // Without a criterion a run would be done whatever it did.
  const draft = { id, title, labels: [], dependsOn: [], text: '', criteria: [title], sections: [] };
  const path = issuePath(id);
  const writes =
    parent === undefined
      ? topLevel({ ...draft, parent: null }, files.read(indexPath), category)
      : backlogs.fileIssues(files, String(parent), [draft]);
  const lines = [`created ${path}`, `describe it and add acceptance criteria, then: pawl issue run ${id}`];
  return { document: { id, path }, lines, writes };
}

function topLevel(issue: NewIssue, index = backlogs.newIndex, category?: string | true) {
  const row = { id: issue.id, done: false, text: issue.title };
  const listed = backlogs.addToIndex(index, typeof category === 'string' ? category : null, row);
  return [
    { path: issuePath(issue.id), content: renderIssue(issue) },
    { path: indexPath, content: listed },
  ];
}

/** The prefix of most issues. */
function usualPrefix(ids: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const id of ids) counts.set(prefixOf(id), (counts.get(prefixOf(id)) ?? 0) + 1);
  const [most] = [...counts].toSorted(([, a], [, b]) => b - a);
  return most?.[0] ?? firstPrefix;
}

/** Why an issue cannot be used; null when it can. */
function issueProblem(backlog: Backlog, id: string): Objection | null {
  const malformed = backlog.malformed.get(id);
  if (malformed)
    return { code: 'IssueMalformed', message: malformed.message, fix: malformed.fix, target: malformed.file };
  return backlog.issues.has(id) ? null : notFound(backlog, id);
}

function notFound({ issues, malformed }: Backlog, id: string): Objection {
  const near = didYouMean(id, [...issues.keys(), ...malformed.keys()]);
  const message = isIssueId(id) ? `there is no issue ${id}${near}` : `${shown(id)} is not ${idExpectation}${near}`;
  return { code: 'IssueNotFound', message, fix: 'pawl issue list' };
}

function issueDocument({ criteria, subIssues, ...issue }: Issue): Record<string, Json> {
  return {
    ...issue,
    criteria: criteria.map(({ text, done }) => ({ text, done })),
    subIssues: subIssues.map(({ id }) => id),
  };
}

function listedCells({ id, status, title, labels }: Issue): string[] {
  return [id, status, title, ...(labels.length === 0 ? [] : [`[${labels.join(', ')}]`])];
}

const idAndStatus = ({ id, status }: { readonly id: string; readonly status: string }) => `${id} (${status})`;

function told(document: Readonly<Record<string, Json>>, lines: readonly string[], findings: readonly Finding[]): Told {
  const problems = findings.map(({ code, path, line, message, fix }) => ({ code, path, line, message, fix }));
  const warnings = findings.map((finding) => `problem: ${findingText(finding)}`);
  return { document: { ...document, problems }, lines: [...lines, ...warnings] };
}
