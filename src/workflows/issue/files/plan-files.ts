/**
 * plan.md, task-N.md and task-fix-N.md: lists that code acts on are front matter, prose is in sections.
 *
 * P1. Reading what was rendered gives the same values; rendering that again gives the same bytes.
 */

import { attempt, DocumentError } from '../../../documents/document-error.ts';
import { splitFrontMatter } from '../../../documents/front-matter.ts';
import { sectionText } from '../../../documents/render-documents.ts';
import { oneLine } from '../../../documents/review-text.ts';
import { editYaml } from '../../../documents/yaml-edit.ts';
import { fieldsOf, readFields } from '../../../documents/yaml.ts';
import { prepared, refine, withDefault } from '../../../schema/compound.ts';
import { items, map, maybe, oneOrMany } from '../../../schema/lenient.ts';
import { snakeCase, type Infer, type Schema } from '../../../schema/schema.ts';
import { oneOf, text, whole } from '../../../schema/simple.ts';
import { isInnerPath } from '../../run-config.ts';
import { findSection, outlineOf, sectionBody } from '../../../documents/checklist.ts';
import { todoFolder, workflowFolder, taskPath } from './ids.ts';
import type { FileView } from '../../workflow.ts';
import { issueId, type NewIssue } from './issue-file.ts';

const pathExpectation = `the path of one file in the repository, outside ${todoFolder}/ and ${workflowFolder}/`;
const OWN_FOLDERS = new Set(['.git', '.pawl', workflowFolder, todoFolder.toLowerCase()]);

/** Safe to build a write limit of: it can mean no other file. */
export const repositoryPath = refine(text(pathExpectation), (path) => {
  const [first = '', ...parts] = path.toLowerCase().split('/');
  const isOwn = OWN_FOLDERS.has(first) || parts.includes('.git');
  return isInnerPath(path) && !/[\\*]/.test(path) && !isOwn ? undefined : { expected: pathExpectation };
});

const tasksMax = 100;
export const taskNumber = prepared(
  (value) => (typeof value === 'string' && /^\d{1,9}$/.test(value) ? Number(value) : value),
  whole(1, tasksMax),
);
const many = <T>(item: Schema<T>, expected: string) => withDefault(maybe(oneOrMany(items(item, expected))), []);
const paths = many(repositoryPath, 'a list of paths');
const newSymbol = map({ file: repositoryPath, name: text('the name of a symbol') });

const planFields = { issue: issueId, title: text('a title'), files: paths, newFiles: paths };
const taskFields = {
  /** A fix is made of a finding of the final review. */
  kind: oneOf(['task', 'fix']),
  number: taskNumber,
  title: text('a title'),
  filesToModify: paths,
  newFiles: paths,
  newSymbols: many(newSymbol, 'a list of {file, name}'),
  /** Numbers of tasks. */
  dependsOn: many(taskNumber, 'a list of task numbers'),
};

const planFront = fieldsOf(planFields);
const taskFront = refine(fieldsOf(taskFields), ({ number, filesToModify, newFiles, newSymbols, dependsOn }) => {
  const outside = newSymbols.findIndex(({ file }) => ![...filesToModify, ...newFiles].includes(file));
  const expected = 'a file of files_to_modify or new_files';
  if (outside !== -1) return { at: ['new_symbols', outside, 'file'], found: newSymbols[outside]?.file, expected };
  if (filesToModify.length + newFiles.length === 0)
    return { at: ['files_to_modify'], found: [], expected: 'at least one file' };
  if (!dependsOn.includes(number)) return undefined;
  return { at: ['depends_on'], problem: `task ${number} depends on itself`, expected: 'other tasks' };
});

/** Headings by key; prose that is not needed is empty. */
const planSections = { problem: 'Problem', approach: 'Approach', risks: 'Risks', testDesign: 'Test design' } as const;
const taskSections = {
  description: 'Description',
  criteria: 'Acceptance criteria',
  codeContext: 'Code context',
  integrationContracts: 'Integration contracts',
  testDesign: 'Test design',
} as const;

type Prose<S> = { readonly [K in keyof S]: string };
type Headings = Readonly<Record<string, string>>;

export type Plan = Infer<typeof planFront> & Prose<typeof planSections>;
export type Task = Infer<typeof taskFront> &
  Omit<Prose<typeof taskSections>, 'criteria'> & { readonly criteria: readonly string[] };

export function renderPlan(plan: Plan): string {
  return rendered(`Plan for ${plan.issue}: ${plan.title}`, Object.keys(planFields), planSections, plan);
}

export function readPlan(source: string, path: string): Plan {
  const front = readFields(...frontOf(source, path), planFront);
  return { ...front, ...readProse(source, path, planSections, ['problem', 'approach']) };
}

export function renderTask(task: Task): string {
  const title = `${task.kind === 'fix' ? 'Fix' : 'Task'} ${task.number}: ${task.title}`;
  return rendered(title, Object.keys(taskFields), taskSections, { ...task, criteria: bulletList(task.criteria) });
}

export function readTask(source: string, path: string): Task {
  const named = refine(taskFront, ({ kind, number }) => {
    const name = `task-${kind === 'fix' ? 'fix-' : ''}${number}.md`;
    const isNamed = path.slice(path.lastIndexOf('/') + 1) === name;
    return isNamed ? undefined : { at: ['number'], found: number, expected: 'the number in the name of the file' };
  });
  const front = readFields(...frontOf(source, path), named);
  const { criteria, ...prose } = readProse(source, path, taskSections, ['description', 'criteria']);
  const texts = criteria.split('\n').flatMap((line) => /^[-*+]\s+(.+)$/.exec(line.trim())?.[1]?.trim() ?? []);
  return { ...front, ...prose, criteria: texts };
}

function rendered(
  title: string,
  fields: readonly string[],
  headings: Headings,
  values: Readonly<Record<string, unknown>> & { readonly title: string },
): string {
  const valueOf = (key: string): unknown => (key === 'title' ? oneLine(values.title) : values[key]);
  const front = fields.map((key): [string, unknown] => [snakeCase(key), valueOf(key)]);
  const sections = Object.entries(headings).flatMap(([key, heading]) => {
    const words = sectionText(String(values[key]), 3);
    return words === '' ? [] : [`## ${heading}\n\n${words}\n`];
  });
  const yaml = editYaml('', Object.fromEntries<unknown>(front), '');
  return `---\n${yaml}---\n\n${[`# ${oneLine(title)}\n`, ...sections].join('\n')}`;
}

function frontOf(source: string, path: string): [string, { file: string; line: number }] {
  const { front, frontLine } = splitFrontMatter(source);
  if (front !== null) return [front, { file: path, line: frontLine }];
  throw new DocumentError(
    { file: path, line: 1 },
    'there is no front matter',
    'a line "---", fields, and a line "---"',
  );
}

function readProse<S extends Headings>(source: string, path: string, headings: S, required: readonly (keyof S)[]) {
  const outline = outlineOf(source);
  const entries = Object.entries(headings).map(([key, heading]) => {
    const section = findSection(outline, heading);
    const words = section ? sectionBody(outline, section) : '';
    if (words !== '' || !required.includes(key)) return [key, words];
    const problem = section ? `the section "${heading}" is empty` : `there is no section "${heading}"`;
    const where = { file: path, line: section ? section.start + 1 : null };
    throw new DocumentError(where, problem, `a section "## ${heading}" with text`);
  });
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- TypeScript cannot tell the type of computed keys
  return Object.fromEntries(entries) as Prose<S>;
}

function bulletList(texts: readonly string[]): string {
  return texts.map((each) => `- ${oneLine(each)}`).join('\n');
}

export interface Seed {
  readonly id: string;
  readonly branch: string;
  /** Issues that tasks were filed as, by number. Task 1 counts for none: the parent's own run does it first. */
  readonly filed: ReadonlyMap<number, string>;
}

/** A task that is left for a run of its own, with everything that run needs to plan without seeing this one. */
export function seedIssue(task: Task, plan: Plan, { id, branch, filed }: Seed): NewIssue {
  const files = [
    ...task.filesToModify.map((path) => `modify \`${path}\``),
    ...task.newFiles.map((path) => `create \`${path}\``),
    ...task.newSymbols.map(({ file, name }) => `new symbol \`${name}\` in \`${file}\``),
  ];
  const slice = (['problem', 'approach', 'risks'] as const).flatMap((key) =>
    plan[key].trim() === '' ? [] : [`### ${planSections[key]}`, sectionText(plan[key], 4)],
  );
  const origin = `Discovered during run on \`${branch}\` for parent issue \`${plan.issue}\`.`;
  const sections = [
    { heading: 'Files', text: bulletList(files) },
    { heading: taskSections.codeContext, text: task.codeContext },
    { heading: taskSections.integrationContracts, text: task.integrationContracts },
    { heading: `Plan of ${plan.issue}`, text: slice.join('\n\n') },
    { heading: taskSections.testDesign, text: task.testDesign.trim() || plan.testDesign },
    { heading: 'Origin', text: task.dependsOn.includes(1) ? `${origin} It builds on the work of that run.` : origin },
  ];
  return {
    id,
    title: task.title,
    parent: plan.issue,
    labels: ['split-from-run'],
    dependsOn: task.dependsOn.flatMap((n) => (n === 1 ? [] : (filed.get(n) ?? []))),
    text: task.description,
    criteria: task.criteria,
    sections: sections.filter(({ text: words }) => words.trim() !== ''),
  };
}

/** The task of this run; undefined where it cannot be read. */
export function taskIn(files: FileView, run: string, path = taskPath(run, 1)): Task | undefined {
  const text = files.read(path);
  const task = text === undefined ? undefined : attempt(() => readTask(text, path));
  return task instanceof DocumentError ? undefined : task;
}
