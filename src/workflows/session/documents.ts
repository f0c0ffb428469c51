/**
 * The documents of a session, a row each: where it lies, which steps write it, who needs or reads it, and what may be
 * wrong with it. Tools, checks, prompts and approvals follow from these rows.
 */

import { attempt, DocumentError } from '../../documents/document-error.ts';
import { unreadable, type Finding } from '../../documents/finding.ts';
import { textDigest } from '../digest.ts';
import type { DispatchContext, RunView, Write } from '../workflow.ts';
import { architectureFlaws, criteriaFlaws, emptyFlaws, planFlaws, specFlaws, type Flaw } from './content-checks.ts';
import { readAcceptance, type Criterion } from './files/acceptance-file.ts';
import { readTasks, setTaskStatus } from './files/tasks-file.ts';
import type { SessionTask, TasksFile, TaskStatus } from './files/tasks-file.ts';
import { acceptancePath, sessionFolder, specPath, tasksPath } from './files/session-paths.ts';
import { data, scopeOf } from './run-data.ts';
import type { Role } from './session-words.ts';

export type SessionFiles = Pick<RunView, 'files' | 'run'>;
type View = Pick<RunView, 'files' | 'run' | 'snapshot'>;

export function criteriaOf({ files, run }: SessionFiles): readonly Criterion[] {
  const path = acceptancePath(run);
  return readAcceptance(textOf(files, path, run), path);
}

export function tasksOf({ files, run }: SessionFiles): TasksFile {
  const path = tasksPath(run);
  return readTasks(textOf(files, path, run), path);
}

/** None where they cannot be read. */
export function tasksIfReadable(view: SessionFiles): readonly SessionTask[] {
  const tasks = attempt(() => tasksOf(view).tasks);
  return tasks instanceof DocumentError ? [] : tasks;
}

export function taskNamed(view: SessionFiles, id: string): SessionTask {
  const task = tasksOf(view).tasks.find((each) => each.id === id);
  if (!task) throw new DocumentError({ file: tasksPath(view.run), line: null }, 'it is missing', `a task ${id}`);
  return task;
}

export function statusWrites(
  { files, run }: SessionFiles,
  ids: readonly string[],
  status: TaskStatus,
): readonly Write[] {
  const path = tasksPath(run);
  const before = files.read(path) ?? '';
  const content = ids.length === 0 ? before : setTaskStatus(before, ids, status, path);
  return content === before ? [] : [{ path, content }];
}

function textOf(files: RunView['files'], file: string, run: string): string {
  const text = files.read(file);
  if (text !== undefined) return text;
  const expected = 'it to be there, as the journal has it';
  throw new DocumentError({ file, line: null }, 'it is missing', expected, { fix: `pawl restore ${run}` });
}

/** May throw a DocumentError. */
type Check = (view: SessionFiles, rules: { readonly text: string; readonly lean: boolean }) => readonly Flaw[];

interface Row {
  /** In the session's folder; a folder of documents ends with a slash. */
  readonly path: string;
  readonly writer: Role;
  readonly steps: readonly string[];
  /** Where it is not written with `write_document`. */
  readonly tool?: string;
  readonly name?: { readonly pattern: RegExp; readonly example: string };
  readonly neededBy?: readonly Role[];
  readonly readBy?: readonly Role[];
  /** For a folder: why there must be something in it. */
  readonly lacks?: (view: View) => string | false;
  /** What nobody can work with. */
  readonly sound?: Check;
  /** What its own step has to see to beyond that. */
  readonly complete?: Check;
}

export type DocumentName = 'spec' | 'acceptance' | 'architecture' | 'adr' | 'design' | 'research' | 'tasks';

const anyName = { pattern: /^[\w.-]{1,80}\.md$/, example: '<name>.md' };

/** In the order in which they are approved; all but the tasks belong to the design. */
const rows: Readonly<Record<DocumentName, Row>> = {
  spec: {
    path: 'spec.md',
    writer: 'SpecAgent',
    steps: ['intake', 'intake_lean', 'correct_spec'],
    neededBy: ['Researcher', 'Architect', 'Designer', 'Planner', 'Coder', 'Reviewer', 'QA', 'Docs'],
    sound: (_, { text, lean }) => specFlaws(text, lean),
  },
  acceptance: {
    path: 'acceptance.json',
    writer: 'SpecAgent',
    steps: ['intake', 'intake_lean', 'correct_spec'],
    tool: 'write_acceptance',
    neededBy: ['Architect', 'Designer', 'Planner', 'QA', 'Integrator', 'Docs'],
    readBy: ['Researcher'],
    sound: (view) => (criteriaOf(view), []),
    complete: (view) => criteriaFlaws(criteriaOf(view)),
  },
  architecture: {
    path: 'architecture.md',
    writer: 'Architect',
    steps: ['architect', 'correct_architecture'],
    neededBy: ['Designer', 'Planner'],
    readBy: ['Researcher', 'Coder', 'Reviewer', 'Security', 'Docs'],
    sound: ({ files, run }, { text }) => architectureFlaws(text, files.read(specPath(run)) ?? ''),
  },
  adr: {
    path: 'adr/',
    writer: 'Architect',
    steps: ['architect', 'correct_architecture'],
    name: { pattern: /^ADR-\d{3}\.md$/, example: 'ADR-001.md' },
    sound: (_, { text }) => emptyFlaws(text),
  },
  design: {
    path: 'design-specs/',
    writer: 'Designer',
    steps: ['design_ui', 'correct_ui'],
    name: anyName,
    readBy: ['Planner', 'Coder', 'Reviewer', 'QA'],
    sound: (_, { text }) => emptyFlaws(text),
    lacks: ({ snapshot }) =>
      data.intake.of(snapshot).hasUi && 'there is no design spec, though there is a user interface',
  },
  research: {
    path: 'research/',
    writer: 'Researcher',
    steps: ['research'],
    name: anyName,
    readBy: ['Architect', 'Planner'],
    sound: (_, { text }) => emptyFlaws(text),
    lacks: ({ snapshot }) =>
      data.intake.of(snapshot).needsResearch && 'there is no research report, though research was asked for',
  },
  tasks: {
    path: 'tasks.yaml',
    writer: 'Planner',
    steps: ['plan', 'intake_lean'],
    tool: 'write_tasks',
    neededBy: ['Coder', 'Reviewer', 'QA', 'Security', 'Integrator', 'Docs'],
    sound: (view) => (tasksOf(view), []),
    complete: (view, { lean }) => tasksFlaws(view, tasksOf(view), lean),
  },
};

const all = Object.values(rows);
const design = all.filter((row) => row !== rows.tasks);

export function isLean({ flags, state }: RunView['snapshot']): boolean {
  return flags['mode'] === 'lean' || state === 'intake_lean';
}

/** What is wrong with documents before their step counts as done. */
export function findingsIn(view: View, names: readonly DocumentName[], lean: boolean): readonly Finding[] {
  return names.flatMap((name) => findingsOf(view, rows[name], lean));
}

export function designFindings(view: View): readonly Finding[] {
  return design.flatMap((row) => findingsOf(view, row, false));
}

/** The same for what a step is for; the files of its context already show what was filed. */
export function stepFindings(context: DispatchContext): readonly Finding[] {
  return ofStep(context.step).flatMap((row) => findingsOf(context, row, isLean(context.snapshot)));
}

function ofStep(step: string): readonly Row[] {
  return all.filter(({ steps }) => steps.includes(step));
}

function findingsOf(view: View, { path, name, lacks, sound, complete }: Row, lean: boolean): readonly Finding[] {
  const place = `${sessionFolder(view.run)}/${path}`.replace(/\/$/, '');
  if (name) {
    const paths = view.files.list(place);
    const why = paths.length === 0 && lacks?.(view);
    if (why) return [absent(place, why, 'write one')];
    return paths.flatMap((each) => {
      const text = view.files.read(each) ?? '';
      return found(view, each, text, () => sound?.(view, { text, lean }) ?? []);
    });
  }
  const text = view.files.read(place);
  if (text === undefined) return [absent(place, 'it is missing')];
  return found(view, place, text, () => [sound, complete].flatMap((check) => check?.(view, { text, lean }) ?? []));
}

/** Names of documents that a step of this session wrote, and that are not there any more. */
export function lostDocuments({ run, files, history, snapshot }: RunView): readonly string[] {
  const written = history.filter(({ problem }) => problem === null).map(({ step }) => step);
  const lost = all.filter(({ path, name, steps }) => {
    const isDue = steps.some((step) => written.includes(step)) && !steps.includes(snapshot.state);
    return isDue && !name && !files.exists(`${sessionFolder(run)}/${path}`);
  });
  return lost.map(({ path }) => path);
}

function absent(path: string, message: string, fix = 'write it'): Finding {
  return { code: 'missing', path, line: null, message, fix };
}

/** A document that came with the session is asked for nothing but that it can be read, until somebody writes it anew. */
function found({ snapshot }: View, path: string, text: string, check: () => readonly Flaw[]): readonly Finding[] {
  const flaws = attempt(check);
  if (flaws instanceof DocumentError) return [unreadable(flaws)];
  return data.imported.of(snapshot)[path] === textDigest(text) ? [] : flaws.map((flaw) => ({ ...flaw, path }));
}

export function documentDigests({ files, run }: SessionFiles): Readonly<Record<string, string>> {
  const there = all.flatMap((row) => pathsOf({ files, run }, row)).filter((path) => files.read(path) !== undefined);
  return Object.fromEntries(there.map((path) => [path, textDigest(files.read(path) ?? '')] as const));
}

export function tasksFlaws(view: SessionFiles, file: TasksFile, lean: boolean): readonly Flaw[] {
  const acceptanceIds = criteriaOf(view).map(({ id }) => id);
  return planFlaws(file, acceptanceIds, lean);
}

/** What a document that a role writes with `write_document` still lacks; null where it is not its own to write. */
export function draftFlaws(context: DispatchContext, path: string, text: string): readonly Flaw[] | null {
  const row = writtenBy(context.role).find(({ path: own, name }) =>
    name ? path.startsWith(own) && name.pattern.test(path.slice(own.length)) : path === own,
  );
  return row ? (row.sound?.(context, { text, lean: isLean(context.snapshot) }) ?? []) : null;
}

function writtenBy(role: string): readonly Row[] {
  return all.filter(({ writer, tool }) => writer === role && tool === undefined);
}

export function documentNames(role: string): string {
  return writtenBy(role)
    .map(({ path, name }) => `${path}${name?.example ?? ''}`)
    .join(' or ');
}

export function writingTools(step: string): readonly string[] {
  return [...new Set(ofStep(step).map(({ tool = 'write_document' }) => tool))];
}

export const writers = [...new Set(all.filter(({ tool }) => tool === undefined).map(({ writer }) => writer))];

function pathsOf({ files, run }: SessionFiles, { path, name }: Row): readonly string[] {
  const place = `${sessionFolder(run)}/${path}`;
  return name ? files.list(place.slice(0, -1)) : [place];
}

export function placesOf(artifact: string, run: string): readonly string[] {
  const approved = { design, plan: [rows.tasks] }[artifact] ?? [];
  return approved.map(({ path }) => `${sessionFolder(run)}/${path}`);
}

export function designPaths(view: SessionFiles): readonly string[] {
  return design.flatMap((row) => pathsOf(view, row)).filter((path) => view.files.read(path) !== undefined);
}

/** What a role is sent to: first what it cannot work without, then what it reads if it exists. */
function contextRows(context: DispatchContext) {
  return (['neededBy', 'readBy'] as const).flatMap((key) => {
    const read = all.filter((row) => row[key]?.some((role) => role === context.role));
    const paths = read.flatMap((row) => pathsOf(context, row).map((path) => ({ path, row })));
    return paths.map((each) => ({ ...each, isNeeded: key === 'neededBy', text: context.files.read(each.path) }));
  });
}

export function contextFiles(context: DispatchContext): readonly string[] {
  const { step, item, snapshot } = context;
  const given = contextRows(context).flatMap(({ path, text }) => (text === undefined ? [] : [path]));
  // Whoever writes a document anew, to correct it or because a lean session grew, begins with what is there.
  const own = [...ofStep(step), ...(step === 'intake' ? [rows.tasks] : [])].flatMap((row) => pathsOf(context, row));
  const task =
    context.role === 'Coder' && item?.id === scopeOf(snapshot)
      ? tasksIfReadable(context).filter(({ id }) => id === item.id)
      : [];
  const named = task.flatMap(({ context_files: files }) => files);
  return [...new Set([...given, ...own.filter((path) => context.files.read(path) !== undefined), ...named])];
}

export function contextFindings(context: DispatchContext): readonly Finding[] {
  const lean = isLean(context.snapshot);
  return contextRows(context).flatMap(({ path, row, isNeeded, text }) => {
    if (text !== undefined) return found(context, path, text, () => row.sound?.(context, { text, lean }) ?? []);
    return isNeeded ? [absent(path, `it is missing, and the ${context.role} needs it`)] : [];
  });
}
