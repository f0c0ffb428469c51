/** `tasks.yaml` and `acceptance.json`: reading is tolerant, writing is strict. */

import { dependencyOrder } from '../../../documents/dependency-order.ts';
import { attempt, DocumentError } from '../../../documents/document-error.ts';
import { readJsonLines } from '../../../documents/json-lines.ts';
import { inFile, readDocument } from '../../../documents/read-document.ts';
import { editItems } from '../../../documents/yaml-edit.ts';
import { parseYaml, readYamlLines, refuseDepth } from '../../../documents/yaml.ts';
import * as compound from '../../../schema/compound.ts';
import { list, mapped, table, withDefault, type Flaw } from '../../../schema/compound.ts';
import { differing, ifFits, oneOrMany, unlessNull } from '../../../schema/lenient.ts';
import { didYouMean } from '../../../schema/nearest.ts';
import { leaf, schema, wrong, type Infer, type Schema } from '../../../schema/schema.ts';
import { verbatim, word } from '../../../schema/simple.ts';
import { isRecord, shown } from '../../../schema/values.ts';
import { extraOf, findSynonym, isMap, textOf, type JsonMap } from './decisions-file.ts';

export const taskStatuses = ['not-started', 'in-progress', 'implemented', 'completed', 'blocked'] as const;
export type TaskStatus = (typeof taskStatuses)[number];

/** `- cmd: npm test` without quotes is a map to YAML; whoever wrote it meant the text. */
function itemText(value: unknown): string | undefined {
  if (typeof value === 'string') return value.trim();
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  const [entry, ...others] = isRecord(value) ? Object.entries(value) : [];
  if (entry === undefined || others.length > 0 || isRecord(entry[1])) return undefined;
  const rest = itemText(entry[1]);
  return rest === undefined ? undefined : `${entry[0]}: ${rest}`;
}

const text = withDefault(unlessNull(leaf('a text', itemText)), '');

/** One item for a list of one; empty ones do not count. */
const texts: Schema<readonly string[]> = mapped(oneOrMany(list(text, 'a list of texts')), (items) =>
  items.filter((item) => item !== ''),
);

/** One text may name several, or say that there is none. */
const dependencies = mapped(texts, (items): readonly string[] => {
  const ids = items.flatMap((item) => item.split(/[\s,]+/)).filter((id) => id !== '' && !/^(?:none|-|n\/a)$/i.test(id));
  return [...new Set(ids)];
});

/** "done" is what a coder says, so it never counts as more than implemented: only Pawl completes a task. */
const otherStatuses = {
  'not-started': 'todo pending open new ready',
  'in-progress': 'started doing wip',
  implemented: 'done finished complete',
  blocked: 'stuck',
};

const status = leaf(`one of ${taskStatuses.join(', ')}`, (value) => findSynonym(value, taskStatuses, otherStatuses));

const idExpectation = 'T- and at least three digits, such as T-001';
const keys = {
  id: compound.matching(verbatim(idExpectation), /^T-\d{3,9}$/, idExpectation),
  status: withDefault(unlessNull(status), 'not-started'),
  type: text,
  title: text,
  depends_on: dependencies,
  goal: text,
  non_goals: texts,
  context_files: texts,
  files_expected: texts,
  acceptance_checks: texts,
  risk_flags: texts,
  done_when: texts,
};
const taskFields = table(keys, { expected: 'a task: a map with id, title and the rest' });

export type SessionTask = Infer<typeof taskFields> & {
  /** Lists the file does not have at all, which were read as empty ones. */
  readonly left_out?: readonly string[];
};

const lists = Object.keys(keys).filter((key) => !['id', 'status', 'type', 'title', 'goal'].includes(key));

const task = schema<SessionTask>((value, at) => {
  const leftOut = lists.filter((key) => isRecord(value) && (value[key] ?? null) === null);
  const fields = mapped(taskFields, (read) => ({ ...read, ...(leftOut.length > 0 && { left_out: leftOut }) }));
  return fields.read(value, at);
});

const project = compound.prepared(
  (value) => (typeof value === 'string' ? { name: value } : (value ?? {})),
  table({ name: text, definition_of_done: texts }, { expected: 'a map with name and definition_of_done' }),
);

const listed = compound.prepared((value) => value ?? undefined, list(task, 'a list of tasks'));
const tasks = compound.refine(
  differing(listed, 'an id no other task has'),
  (all) => unknownDependency(all) ?? cycle(all),
);

const tasksFile = table(
  { project, tasks },
  { problem: 'the file is not a map', expected: 'the keys project and tasks' },
);
export type TasksFile = Infer<typeof tasksFile>;

export function readTasks(source: string, file: string): TasksFile {
  refuseDepth(source, file);
  const value = parseYaml(source, { file, line: 1 });
  let lines: ReturnType<typeof readYamlLines> | undefined;
  // Lines are worked out for the first mistake only: without one the quick reader is enough.
  const locate = inFile(file, (path) => (path.length === 0 ? 1 : (lines ??= readYamlLines(source, file)).lineOf(path)));
  return readDocument(tasksFile, value, locate, { unknownKeys: 'ignored' });
}

function unknownDependency(all: readonly SessionTask[]): Flaw | undefined {
  const ids = all.map(({ id }) => id);
  for (const [index, { id, depends_on }] of all.entries()) {
    const at = depends_on.findIndex((each) => !ids.includes(each));
    const unknown = depends_on[at];
    if (unknown === undefined) continue;
    const others = ids.filter((each) => each !== id);
    const expected = `the id of another task${didYouMean(unknown, others)}`;
    return { at: [index, 'depends_on', at], problem: `${id} depends on ${unknown}, which is not a task`, expected };
  }
  return undefined;
}

function cycle(all: readonly SessionTask[]): Flaw | undefined {
  const order = dependencyOrder(all.map(({ id, depends_on }) => ({ id, depends: depends_on })));
  if (!('cycle' in order)) return undefined;
  const index = all.findIndex(({ id }) => id === order.cycle[0]);
  const problem = `tasks wait for each other: ${order.cycle.join(' → ')}`;
  return { at: [index, 'depends_on'], problem, expected: 'dependencies without a cycle' };
}

/** The status of these tasks and nothing else is changed: comments, order, blank lines, quoting and line ends stay. */
export function setTaskStatus(source: string, ids: readonly string[], to: TaskStatus, file: string): string {
  refuseDepth(source, file);
  const own = attempt(() => readTasks(source, file));
  const isOwn = !(own instanceof DocumentError) && renderTasks(own) === source;
  if (!isOwn || ids.some((id) => !own.tasks.some((each) => each.id === id)))
    return editItems(source, { list: 'tasks', item: 'task', ids, key: 'status', value: to }, file);
  const edited = own.tasks.map((each) => (ids.includes(each.id) ? { ...each, status: to } : each));
  return renderTasks({ ...own, tasks: edited });
}

/** In the one form Pawl writes: keys in their order, a list item a line. */
export function renderTasks({ project: { name, definition_of_done: done }, tasks: all }: TasksFile): string {
  const lines = [
    'project:',
    ...rendered('  ', 'name', name),
    ...rendered('  ', 'definition_of_done', done),
    all.length === 0 ? 'tasks: []' : 'tasks:',
    ...all.flatMap((each: Readonly<Record<string, string | readonly string[]>>) => {
      const [first = '', ...rest] = Object.keys(keys).flatMap((key) => rendered('    ', key, each[key] ?? ''));
      return [first.replace('    ', '  - '), ...rest];
    }),
  ];
  return `${lines.join('\n')}\n`;
}

function rendered(pad: string, key: string, value: string | readonly string[]): readonly string[] {
  if (typeof value === 'string') return [`${pad}${key}: ${scalar(value)}`];
  if (value.length === 0) return [`${pad}${key}: []`];
  return [`${pad}${key}:`, ...value.map((item) => `${pad}  - ${scalar(item)}`)];
}

/** Starts with a letter, so it is no number or date; without `: `, ` #` and the indicators. */
const PLAIN = /^[A-Za-z_](?:[\w ./(),-]*[\w./()-])?$/;
const RESERVED = /^(?:true|false|null|yes|no|on|off|y|n|e-?\d+)$/i;
// oxlint-disable-next-line no-control-regex -- finding control characters is the point
const UNPRINTABLE = /[\x00-\x1f\x7f-\x9f\u2028\u2029\ufeff]/g;

/** Quotes are chosen so that the quick reader, which knows no escapes, can take nearly all of them. */
function scalar(value: string): string {
  if (PLAIN.test(value) && !RESERVED.test(value)) return value;
  const isPrintable = value.search(UNPRINTABLE) === -1;
  if (isPrintable && !/["\\]/.test(value)) return `"${value}"`;
  if (isPrintable && !value.includes("'")) return `'${value}'`;
  return JSON.stringify(value).replaceAll(
    UNPRINTABLE,
    (char) => String.raw`\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

export type Criterion = {
  readonly id: string;
  readonly description: string;
  readonly verify: readonly string[];
  readonly status?: 'met' | 'waived';
  readonly evidence?: string;
  /** Keys that Pawl does not know, as they were found. */
  readonly extra?: JsonMap;
};

/** Also takes a bare list, criteria that are only a text, and a single `verify`. */
export function readAcceptance(text: string, file: string): readonly Criterion[] {
  const lines = readJsonLines(text, file);
  return readDocument(acceptance, lines.value, inFile(file, lines.lineOf), { unknownKeys: 'ignored' });
}

/** A criterion that breaks the rules is a mistake of the program, so it throws. */
export function renderAcceptance(criteria: readonly Criterion[]): string {
  const ids = criteria.map(({ id }) => id);
  const broken = criteria.flatMap(({ id, status, evidence = '' }, index) => [
    ...(status !== undefined && evidence.trim() === '' ? [`${id} has a status without evidence`] : []),
    ...(ids.indexOf(id) === index ? [] : [`${id} stands there twice`]),
  ]);
  if (broken.length > 0) throw new Error(`acceptance.json would break its rules: ${broken.join('; ')}`);
  const list = criteria.map(({ extra, ...known }) => ({ ...known, ...extra }));
  return `${JSON.stringify({ acceptance_criteria: list }, null, 2)}\n`;
}

const said = ifFits(leaf('a text', textOf));

const criterionFields = table(
  {
    id: said,
    description: said,
    text: said,
    criterion: said,
    verify: texts,
    status: ifFits(word(['met', 'waived'])),
    evidence: said,
  },
  { expected: 'a criterion: an object, or its description' },
);

const criterion = schema<Criterion>((value, at) => {
  if (typeof value === 'string') return { id: '', description: value.trim(), verify: [] };
  const read = criterionFields.read(value, at);
  if (read === wrong || !isMap(value)) return wrong;
  const { id = '', description, text, criterion: other, ...rest } = read;
  // Any other status than ours ("pending", "failed") means not yet met, and is kept as it was found.
  const known = ['id', 'description', 'verify', 'evidence', ...(rest.status ? ['status'] : [])];
  const extra = extraOf(value, known);
  const told = (description ?? text ?? other ?? '').trim();
  return { id: canonicalId(id), description: told, ...rest, ...(extra && { extra }) };
});

const criteria = differing(mapped(list(criterion, 'a list of criteria'), numbered), 'an id no other criterion has');

const acceptance = compound.choose<readonly Criterion[]>((value) => {
  if (Array.isArray(value)) return criteria;
  if (!isRecord(value)) return compound.never('an object with acceptance_criteria', `the file is ${shown(value)}`);
  const names = ['acceptance_criteria', 'acceptanceCriteria', 'criteria'];
  const key = names.find((name) => name in value) ?? 'acceptance_criteria';
  const fields: Readonly<Record<string, Schema<readonly Criterion[]>>> = { [key]: criteria };
  return mapped(table(fields), (read) => read[key] ?? []);
});

/** `ac_1` and `AC1` are AC-001; ids of other kinds stay as they are. */
function canonicalId(id: string): string {
  const number = /^ac[-_ ]?(\d{1,6})$/i.exec(id.trim())?.[1];
  return number === undefined ? id.trim() : `AC-${number.padStart(3, '0')}`;
}

function numbered(all: readonly Criterion[]): readonly Criterion[] {
  let last = Math.max(0, ...all.map(({ id }) => Number(/^AC-(\d+)$/.exec(id)?.[1] ?? 0)));
  return all.map((each) => (each.id === '' ? { ...each, id: `AC-${String((last += 1)).padStart(3, '0')}` } : each));
}
