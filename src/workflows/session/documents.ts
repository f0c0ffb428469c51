/** The documents of a session as they are on disk now; what cannot be read is a DocumentError with its line. */

import { DocumentError } from '../../documents/document-error.ts';
import type { FileView, RunView } from '../workflow.ts';
import { criteriaProblems, readAcceptance, type Criterion } from './files/acceptance-file.ts';
import { argumentVector } from './files/argument-vector.ts';
import { architectureProblems, specProblems } from './files/content-checks.ts';
import * as paths from './files/paths.ts';
import { planProblems, readTasks, type SessionTask, type TasksFile } from './files/tasks-file.ts';
import { intakeOf } from './run-data.ts';

type Place = Pick<RunView, 'files' | 'run'>;

export function criteriaOf({ files, run }: Place): readonly Criterion[] {
  const path = paths.acceptancePath(run);
  return readAcceptance(textOf(files, path), path);
}

export function tasksOf({ files, run }: Place): TasksFile {
  const path = paths.tasksPath(run);
  const text = textOf(files, path);
  if (lastTasks?.path !== path || lastTasks.text !== text) lastTasks = { path, text, read: readTasks(text, path) };
  return lastTasks.read;
}

/** A long list takes long to read, and most transitions leave it as it is. */
let lastTasks: { readonly path: string; readonly text: string; readonly read: TasksFile } | undefined;

export function taskNamed(place: Place, id: string): SessionTask {
  const task = tasksOf(place).tasks.find((each) => each.id === id);
  if (!task) throw missing(paths.tasksPath(place.run), `a task ${id}`);
  return task;
}

function textOf(files: FileView, path: string): string {
  const text = files.read(path);
  if (text === undefined) throw missing(path, 'it to be there');
  return text;
}

function missing(file: string, expected: string): DocumentError {
  return new DocumentError({ file, line: null }, 'it is missing', expected);
}

/** What is wrong with the spec and the acceptance criteria, a sentence each. */
export function intakeProblems(place: Place, { lean }: { readonly lean: boolean }): readonly string[] {
  return [
    ...inFile(place, paths.specPath(place.run), (text) => specProblems(text, { lean })),
    ...inFile(place, paths.acceptancePath(place.run), () => criteriaProblems(criteriaOf(place))),
  ];
}

/** What is wrong with the design, beside what the spec lacks. */
export function designProblems(view: RunView): readonly string[] {
  const { needsResearch, hasUi } = intakeOf(view.snapshot);
  const { files, run } = view;
  const spec = files.read(paths.specPath(run)) ?? '';
  const lacks = (wanted: boolean, folder: string, what: string): string[] =>
    wanted && files.list(folder).length === 0 ? [`${folder}: there is no ${what}`] : [];
  return [
    ...inFile(view, paths.architecturePath(run), (text) => architectureProblems(text, spec)),
    ...lacks(needsResearch, paths.researchFolder(run), 'research report, though research was asked for'),
    ...lacks(hasUi, paths.designFolder(run), 'design spec, though there is a user interface'),
  ];
}

export function tasksProblems(
  place: Place,
  { lean, allowShell }: { readonly lean: boolean; readonly allowShell: boolean },
): readonly string[] {
  return inFile(place, paths.tasksPath(place.run), () => {
    const file = tasksOf(place);
    const acceptanceIds = criteriaOf(place).map(({ id }) => id);
    return [
      ...planProblems(file, { acceptanceIds, lean }),
      ...file.tasks.flatMap(({ id, acceptance_checks: checks }) =>
        checks.filter((check) => !allowShell && wantsShell(check)).map((check) => `${id}: ${shellRefused(check)}`),
      ),
    ];
  });
}

/** Whether a check asks for a shell, which only the configuration can allow. */
export function wantsShell(check: string): boolean {
  const [, command] = /^cmd:\s*(.+)$/s.exec(check) ?? [];
  const read = command === undefined ? null : argumentVector(command);
  return read !== null && 'argv' in read && read.shell;
}

export function shellRefused(check: string): string {
  return `"${check}" wants a shell; name the program itself, or set allow_shell = true under [session] in pawl.toml.`;
}

function inFile({ files }: Place, path: string, problems: (text: string) => readonly string[]): readonly string[] {
  const text = files.read(path);
  if (text === undefined) return [`${path}: it is missing`];
  try {
    return problems(text).map((problem) => `${path}: ${problem}`);
  } catch (error) {
    if (error instanceof DocumentError) return [error.message];
    throw error;
  }
}

/** The design's own documents that are there, by path. */
export function designPaths({ files, run }: Place): readonly string[] {
  const single = [paths.specPath(run), paths.acceptancePath(run), paths.architecturePath(run)];
  const folders = [paths.adrFolder(run), paths.designFolder(run), paths.researchFolder(run)];
  return [
    ...single.filter((path) => files.read(path) !== undefined),
    ...folders.flatMap((folder) => files.list(folder)),
  ];
}
