/**
 * The documents of a session, a row each: where it lies, which steps write it, who needs or reads it, whether it is
 * approved with the design, and what may be wrong with it. Tools, checks, prompts and approvals follow from these rows.
 */

import { attempt, DocumentError } from '../../documents/document-error.ts';
import { unreadable, type Finding } from '../../documents/finding.ts';
import type { Problem } from '../../engine/snapshot.ts';
import type { DispatchContext, RunView } from '../workflow.ts';
import { architectureFlaws, criteriaFlaws, planFlaws, shellFlaws, specFlaws, type Flaw } from './content-checks.ts';
import { readAcceptance, type Criterion } from './files/acceptance-file.ts';
import { acceptancePath, sessionFolder, specPath, tasksPath } from './files/paths.ts';
import { readTasks, type SessionTask, type TasksFile } from './files/tasks-file.ts';
import { data } from './run-data.ts';
import type { Role } from './vocabulary.ts';

type Place = Pick<RunView, 'files' | 'run'>;
type View = Place & Pick<RunView, 'snapshot'>;

export function criteriaOf({ files, run }: Place): readonly Criterion[] {
  const path = acceptancePath(run);
  return readAcceptance(textOf(files, path), path);
}

export function tasksOf({ files, run }: Place): TasksFile {
  const path = tasksPath(run);
  return readTasks(textOf(files, path), path);
}

export function taskNamed(place: Place, id: string): SessionTask {
  const task = tasksOf(place).tasks.find((each) => each.id === id);
  if (!task) throw missing(tasksPath(place.run), `a task ${id}`);
  return task;
}

function textOf(files: Place['files'], path: string): string {
  const text = files.read(path);
  if (text === undefined) throw missing(path, 'it to be there');
  return text;
}

function missing(file: string, expected: string): DocumentError {
  return new DocumentError({ file, line: null }, 'it is missing', expected);
}

/** May throw a DocumentError. */
type Check = (view: Place, rules: { readonly text: string; readonly lean: boolean }) => readonly Flaw[];

interface Row {
  /** In the session's folder; a folder of documents ends with a slash. */
  readonly path: string;
  readonly writer: Role;
  readonly steps: readonly string[];
  readonly tool: 'write_document' | 'write_acceptance' | 'write_tasks';
  /** How those are named that `write_document` writes. */
  readonly name?: { readonly pattern: RegExp; readonly example: string };
  readonly neededBy: readonly Role[];
  readonly readBy: readonly Role[];
  readonly isDesign: boolean;
  /** For a folder: why there must be something in it. */
  readonly lacks?: (view: View) => string | null;
  /** What nobody can work with. */
  readonly sound?: Check;
  /** What its own step has to see to beyond that. */
  readonly complete?: Check;
}

export type DocumentName = 'spec' | 'acceptance' | 'architecture' | 'adr' | 'design' | 'research' | 'tasks';

/** In the order in which they are approved. */
const rows: Readonly<Record<DocumentName, Row>> = {
  spec: {
    path: 'spec.md',
    writer: 'SpecAgent',
    steps: ['intake', 'intake_lean', 'correct_spec'],
    tool: 'write_document',
    name: { pattern: /^spec\.md$/, example: 'spec.md' },
    neededBy: ['Researcher', 'Architect', 'Designer', 'Planner', 'Coder', 'Reviewer', 'QA', 'Docs'],
    readBy: [],
    isDesign: true,
    sound: (_, { text, lean }) => specFlaws(text, { lean }),
  },
  acceptance: {
    path: 'acceptance.json',
    writer: 'SpecAgent',
    steps: ['intake', 'intake_lean', 'correct_spec'],
    tool: 'write_acceptance',
    neededBy: ['Architect', 'Designer', 'Planner', 'QA', 'Integrator', 'Docs'],
    readBy: ['Researcher'],
    isDesign: true,
    sound: (view) => (criteriaOf(view), []),
    complete: (view) => criteriaFlaws(criteriaOf(view)),
  },
  architecture: {
    path: 'architecture.md',
    writer: 'Architect',
    steps: ['architect', 'correct_architecture'],
    tool: 'write_document',
    name: { pattern: /^architecture\.md$/, example: 'architecture.md' },
    neededBy: ['Designer', 'Planner'],
    readBy: ['Researcher', 'Coder', 'Reviewer', 'Security', 'Docs'],
    isDesign: true,
    sound: ({ files, run }, { text }) => architectureFlaws(text, files.read(specPath(run)) ?? ''),
  },
  adr: {
    path: 'adr/',
    writer: 'Architect',
    steps: ['architect', 'correct_architecture'],
    tool: 'write_document',
    name: { pattern: /^adr\/ADR-\d{3}\.md$/, example: 'adr/ADR-001.md' },
    neededBy: [],
    readBy: [],
    isDesign: true,
  },
  design: {
    path: 'design-specs/',
    writer: 'Designer',
    steps: ['design_ui', 'correct_ui'],
    tool: 'write_document',
    name: { pattern: /^design-specs\/[\w.-]{1,80}\.md$/, example: 'design-specs/<name>.md' },
    neededBy: [],
    readBy: ['Planner', 'Coder', 'Reviewer', 'QA'],
    isDesign: true,
    lacks: ({ snapshot }) =>
      data.intake.of(snapshot).hasUi ? 'there is no design spec, though there is a user interface' : null,
  },
  research: {
    path: 'research/',
    writer: 'Researcher',
    steps: ['research'],
    tool: 'write_document',
    name: { pattern: /^research\/[\w.-]{1,80}\.md$/, example: 'research/<name>.md' },
    neededBy: [],
    readBy: ['Architect', 'Planner'],
    isDesign: true,
    lacks: ({ snapshot }) =>
      data.intake.of(snapshot).needsResearch ? 'there is no research report, though research was asked for' : null,
  },
  tasks: {
    path: 'tasks.yaml',
    writer: 'Planner',
    steps: ['plan', 'intake_lean'],
    tool: 'write_tasks',
    neededBy: ['Coder', 'Reviewer', 'QA', 'Security', 'Integrator', 'Docs'],
    readBy: [],
    isDesign: false,
    sound: (view) => (tasksOf(view), []),
    complete: (view, { lean }) =>
      planFlaws(tasksOf(view), { acceptanceIds: criteriaOf(view).map(({ id }) => id), lean }),
  },
};

const all = Object.values(rows);
const design: readonly DocumentName[] = ['spec', 'acceptance', 'architecture', 'design', 'research'];

export function isLean({ flags, state }: RunView['snapshot']): boolean {
  return flags['mode'] === 'lean' || state === 'intake_lean';
}

/** What is wrong with documents before their step counts as done. */
export function findingsIn(
  view: View,
  names: readonly DocumentName[],
  lean = isLean(view.snapshot),
): readonly Finding[] {
  return names.flatMap((name) => findingsOf(view, rows[name], lean));
}

/** The same for the whole design. */
export function designFindings(view: View): readonly Finding[] {
  return findingsIn(view, design, false);
}

/** The same for what a step is for; the files of its context already show what was filed. */
export function stepFindings(context: DispatchContext): readonly Finding[] {
  return all
    .filter(({ steps }) => steps.includes(context.step))
    .flatMap((row) => findingsOf(context, row, isLean(context.snapshot)));
}

function findingsOf(view: View, { path, lacks, sound, complete }: Row, lean: boolean): readonly Finding[] {
  const place = `${sessionFolder(view.run)}/${path}`;
  if (path.endsWith('/')) {
    const why = view.files.list(place.slice(0, -1)).length === 0 ? lacks?.(view) : undefined;
    return why ? [{ code: 'missing', path: place.slice(0, -1), line: null, message: why, fix: 'write one' }] : [];
  }
  const text = view.files.read(place);
  if (text === undefined)
    return [{ code: 'missing', path: place, line: null, message: 'it is missing', fix: 'write it' }];
  return found(place, () => [...(sound?.(view, { text, lean }) ?? []), ...(complete?.(view, { text, lean }) ?? [])]);
}

function found(path: string, check: () => readonly Flaw[]): readonly Finding[] {
  const flaws = attempt(check);
  return flaws instanceof DocumentError ? [unreadable(flaws)] : flaws.map((flaw) => ({ ...flaw, path }));
}

/** Checks that want a shell, where the configuration allows none. */
export function shellFindings(view: Place): readonly Finding[] {
  return found(tasksPath(view.run), () =>
    tasksOf(view).tasks.flatMap(({ id, acceptance_checks: checks }) =>
      checks.flatMap((check) => shellFlaws(id, check)),
    ),
  );
}

export function problemOf(problems: readonly string[], run: string): Problem {
  const fix = `fix the files, or let the step run again: pawl session resume ${run}`;
  return { code: 'invalid_documents', message: problems.join('\n'), fix };
}

/** What a document that a role writes with `write_document` still lacks; null where it is not its own to write. */
export function draftFlaws(context: DispatchContext, path: string, text: string): readonly Flaw[] | null {
  const row = writtenBy(context.role).find(({ name }) => name?.pattern.test(path));
  return row ? (row.sound?.(context, { text, lean: isLean(context.snapshot) }) ?? []) : null;
}

function writtenBy(role: string): readonly Row[] {
  return all.filter(({ writer, name }) => writer === role && name !== undefined);
}

/** Names of the documents a role writes; empty for those that write none. */
export function documentNames(role: string): string {
  return writtenBy(role)
    .flatMap(({ name }) => name?.example ?? [])
    .join(' or ');
}

/** Tools that write documents, by the steps that have them. */
export function writingTools(step: string): readonly string[] {
  return [...new Set(all.filter(({ steps }) => steps.includes(step)).map(({ tool }) => tool))];
}

export const writers = [...new Set(all.filter(({ name }) => name).map(({ writer }) => writer))];

function pathsOf({ files, run }: Place, { path }: Row): readonly string[] {
  const place = `${sessionFolder(run)}/${path}`;
  return place.endsWith('/') ? files.list(place.slice(0, -1)) : [place];
}

/** The design's own documents that are there, by path. */
export function designPaths(place: Place): readonly string[] {
  return all
    .filter(({ isDesign }) => isDesign)
    .flatMap((row) => pathsOf(place, row))
    .filter((path) => place.files.read(path) !== undefined);
}

/** What a role is sent to and there is: what it cannot work without, and what it reads if it exists. */
export function contextFiles(context: Pick<DispatchContext, 'role' | 'run' | 'files'>): readonly string[] {
  const is = (roles: readonly string[]): boolean => roles.includes(context.role);
  return [...all.filter(({ neededBy }) => is(neededBy)), ...all.filter(({ readBy }) => is(readBy))]
    .flatMap((row) => pathsOf(context, row))
    .filter((path) => context.files.read(path) !== undefined);
}

/** What keeps a role from working with the documents it is sent to. */
export function contextFindings(context: DispatchContext): readonly Finding[] {
  const { role, files, snapshot } = context;
  return all.flatMap((row) => {
    const isNeeded = row.neededBy.some((each) => each === role);
    if (!isNeeded && !row.readBy.some((each) => each === role)) return [];
    return pathsOf(context, row).flatMap((path) => {
      const text = files.read(path);
      if (text !== undefined) return found(path, () => row.sound?.(context, { text, lean: isLean(snapshot) }) ?? []);
      const message = `it is missing, and the ${role} needs it`;
      return isNeeded ? [{ code: 'missing', path, line: null, message, fix: 'write it' }] : [];
    });
  });
}
