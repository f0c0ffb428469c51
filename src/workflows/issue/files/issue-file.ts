/**
 * An issue: `TODO/<ID>.md`.
 *
 * F1. An edit changes what it is named after; every other byte stays as it is, line ends too.
 * F2. Text from outside never passes for structure: it is put below the sections that are read here.
 */

import { nested } from '../../../documents/dependency-order.ts';
import { DocumentError } from '../../../documents/document-error.ts';
import { setFrontFields, splitFrontMatter } from '../../../documents/front-matter.ts';
import { sectionText } from '../../../documents/render-documents.ts';
import { oneLine } from '../../../documents/review-text.ts';
import { editYaml } from '../../../documents/yaml-edit.ts';
import { fieldsOf, readFields, yamlList, yamlText } from '../../../documents/yaml.ts';
import { orNull, refine, withDefault } from '../../../schema/compound.ts';
import { items, maybe, oneOrMany, texts } from '../../../schema/lenient.ts';
import { oneOf, text } from '../../../schema/simple.ts';
import * as checklist from '../../../documents/checklist.ts';
import { idExpectation, isIssueId, issueIdIn, issuePath } from './ids.ts';

export const statuses = ['Todo', 'In Progress', 'Done'] as const;
export type Status = (typeof statuses)[number];

export interface Issue {
  readonly path: string;
  readonly id: string;
  readonly title: string;
  readonly status: Status;
  readonly parent: string | null;
  readonly labels: readonly string[];
  readonly dependsOn: readonly string[];
  readonly criteria: readonly checklist.Check[];
  readonly subIssues: readonly checklist.Row[];
}

const CRITERIA = 'Acceptance criteria';
const SUB_ISSUES = 'Sub-issues';
const HINTS = 'Integration test hints';
const COMMENTS = 'Comments';

export const issueId = refine(text(idExpectation), (id) => (isIssueId(id) ? undefined : { expected: idExpectation }));

const front = fieldsOf({
  id: issueId,
  title: text('a title'),
  status: oneOf(statuses),
  parent: orNull(maybe(issueId)),
  labels: withDefault(maybe(texts('a list of labels such as [bug]')), []),
  'depends-on': withDefault(maybe(oneOrMany(items(issueId, 'a list of ids such as [GAL-1, GAL-2]'))), []),
});

/** Throws a DocumentError with file, line and expectation. */
export function readIssue(source: string, path: string): Issue {
  const { front: yaml, frontLine } = splitFrontMatter(source);
  if (yaml === null) throw withoutFront(source, path);
  const fields = refine(front, ({ id, parent, 'depends-on': dependsOn }) => {
    const named = issueIdIn(path);
    if (id !== named) return { at: ['id'], found: id, expected: `${named ?? idExpectation}, as the file is named` };
    if (parent === id) return { at: ['parent'], problem: `${id} is its own parent`, expected: 'another issue' };
    if (!dependsOn.includes(id)) return undefined;
    return { at: ['depends-on'], problem: `${id} depends on itself`, expected: 'other issues' };
  });
  const { 'depends-on': dependsOn, ...read } = readFields(yaml, { file: path, line: frontLine }, fields);
  return {
    path,
    ...read,
    dependsOn: [...new Set(dependsOn)],
    criteria: checklist.checksIn(source, CRITERIA),
    subIssues: checklist.rowsIn(source, isIssueId, SUB_ISSUES),
  };
}

function withoutFront(source: string, path: string): DocumentError {
  const isOpen = /^\uFEFF?---\s*\n/.test(source);
  const problem = isOpen ? 'the front matter is not closed' : 'there is no front matter';
  const expected = `${isOpen ? '' : 'a line "---", '}the fields id, title, status, parent, labels, depends-on, and a line "---"`;
  return new DocumentError({ file: path, line: 1 }, problem, expected);
}

/** F1. */
export function setStatus(source: string, status: Status, path = 'the issue'): string {
  return editFront(source, { status }, path);
}

/** F1. */
export function addLabel(source: string, label: string, path: string): string {
  const { labels } = readIssue(source, path);
  return labels.includes(label) ? source : editFront(source, { labels: [...labels, label] }, path);
}

function editFront(source: string, updates: Readonly<Record<string, unknown>>, path: string): string {
  const { front: yaml, body } = splitFrontMatter(source);
  if (yaml === null) throw withoutFront(source, path);
  const start = source.indexOf('\n') + 1;
  const rest = source.slice(start + yaml.length, source.length - body.length);
  return source.slice(0, start) + editYaml(yaml, updates, path) + rest + body;
}

/** F1. `indexes` are those of `Issue.criteria`. */
export function tickCriteria(source: string, indexes: readonly number[]): string {
  const checks = checklist.checksIn(source, CRITERIA);
  const missing = indexes.find((index) => checks[index] === undefined);
  if (missing !== undefined) throw new Error(`internal error: there is no criterion ${missing}`);
  const ticked = checks.filter((_, index) => indexes.includes(index));
  return checklist.setChecks(source, ticked, true);
}

/** F1, F2. Several lines become one list item, no words none; `date` is YYYY-MM-DD. */
export function addComment(source: string, date: string, words: string): string {
  if (words.trim() === '') return source;
  const item = `- ${date} — ${words.trim().replaceAll(/\r\n?/g, '\n')}`.replaceAll(/\n+(?=[^\n])/g, '$&  ');
  return checklist.appendToSection(source, COMMENTS, sectionText(item, 3).split('\n'));
}

/** F1. */
export function setSubIssueDone(source: string, id: string, done: boolean): string {
  return checklist.setRow(source, id, done, SUB_ISSUES);
}

export interface SubIssue extends checklist.NewRow {
  readonly dependsOn: readonly string[];
}

/** F1. The rows replace those that are there; other lines of the section stay. */
export function setSubIssues(source: string, rows: readonly SubIssue[]): string {
  const rendered = nested(rows).map(({ node: row, depth }) => checklist.renderRow(row, depth));
  const [first, ...others] = checklist.rowsIn(source, isIssueId, SUB_ISSUES);
  if (first) {
    const without = (text: string, { line }: checklist.Row) => checklist.replaceLines(text, line - 1, 1, []);
    return checklist.replaceLines(others.toReversed().reduce(without, source), first.line - 1, 1, rendered);
  }
  if (rows.length === 0) return source;
  return checklist.appendToSection(source, SUB_ISSUES, rendered, [CRITERIA, HINTS, COMMENTS]);
}

export interface IssueBody {
  readonly text: string;
  readonly criteria: readonly string[];
  /** Further sections; headings are ours, texts are not. */
  readonly sections: readonly { readonly heading: string; readonly text: string }[];
}

export type NewIssue = IssueBody & Pick<Issue, 'id' | 'title' | 'parent' | 'labels' | 'dependsOn'>;

/** F2. `old` is the text of the issue where it was filed before: its status and comments stay. */
export function renderIssue(issue: NewIssue, old?: string): string {
  const outline = checklist.outlineOf(old ?? '');
  const comments = checklist.findSection(outline, COMMENTS);
  const sections = [
    { heading: CRITERIA, text: issue.criteria.map((each) => `- [ ] ${oneLine(each)}`).join('\n') },
    ...issue.sections,
    ...(comments ? [{ heading: COMMENTS, text: checklist.sectionBody(outline, comments) }] : []),
  ];
  const parts = [
    `# ${issue.id}: ${oneLine(issue.title)}`,
    sectionText(issue.text, 3),
    ...sections.flatMap(({ heading, text: words }) => [`## ${heading}`, sectionText(words, 3)]),
  ];
  return setFrontFields(`${parts.filter((part) => part !== '').join('\n\n')}\n`, {
    id: issue.id,
    title: yamlText(oneLine(issue.title)),
    status: old === undefined ? 'Todo' : readIssue(old, issuePath(issue.id)).status,
    parent: issue.parent ?? 'null',
    labels: yamlList(issue.labels),
    'depends-on': yamlList(issue.dependsOn),
  });
}
