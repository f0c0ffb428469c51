/**
 * Brings documents of a run back from its journal, which holds the text of everything that Pawl wrote and
 * of what was approved (texts-on-record.ts).
 *
 * J1. What is missing is restored, and what is as the commit has it that the run's worktree was made of; what somebody
 *     changed only when it is named. A state file that cannot be read or adopted is written anew.
 * J2. What is replaced is put in quarantine first.
 */

import { attempt, DocumentError } from '../documents/document-error.ts';
import { unchangedSince } from '../workspace/worktree.ts';
import { FileProblem, notUtf8 } from '../workspace/files.ts';
import { applyDue, bytesAt } from './recorded-writes.ts';
import { quarantine } from './recover.ts';
import type { Run } from './run.ts';
import { isEdit, shownState } from './shown-state.ts';
import { documentsOnRecord } from './texts-on-record.ts';

export interface RestorableDocument {
  readonly path: string;
  readonly was: 'missing' | 'unreadable' | 'changed';
  /** Where a copy of the replaced text is kept. */
  readonly copy: string | null;
}

export interface RestoredDocuments {
  readonly restored: readonly RestorableDocument[];
  /** Changed by somebody, and not named. */
  readonly left: readonly string[];
  /** Whether the journal has a document of the name that was given. */
  readonly isKnown: boolean;
}

/** `since`: the commit of J1. */
export async function restoreDocuments(
  run: Run,
  name: string | null,
  { dryRun = false, since = null }: { readonly dryRun?: boolean; readonly since?: string | null } = {},
): Promise<RestoredDocuments> {
  const texts = documentsOnRecord(run.records);
  const statePath = run.phase === null ? null : run.stateFile.path(run.view());
  const isNamed = (path: string): boolean => name === null || isNameOf(name, path);
  const damaged = [...texts].flatMap(([path, text]) => {
    const found = bytesAt(run, path);
    if (found?.equals(Buffer.from(text)) || path === statePath || !isNamed(path)) return [];
    return [{ path, text, found, was: found === null ? ('missing' as const) : ('changed' as const) }];
  });
  const paths = damaged.filter(({ was }) => was === 'changed').map(({ path }) => path);
  const unedited = since === null || name !== null ? [] : await unchangedSince(run.workspace, since, paths);
  const isDue = ({ path, was }: (typeof damaged)[number]): boolean =>
    was === 'missing' || name !== null || unedited.includes(path);
  const due = damaged.filter(isDue);
  const shown = dryRun ? [] : due.map(({ path, found }) => (found === null ? null : quarantine(run, path, found)));
  if (!dryRun) {
    applyDue(
      run,
      due.map(({ path, text: content }) => ({ path, content })),
    );
    run.sync(due.map(({ path }) => path));
  }
  const documents = due.map(({ path, was }, at): RestorableDocument => ({ path, was, copy: shown[at] ?? null }));
  const named = { dryRun, isNamed: name !== null };
  const state = statePath !== null && isNamed(statePath) ? restoreState(run, statePath, named) : null;
  const changed = damaged.filter((document) => !isDue(document));
  return {
    restored: [...documents, ...(state?.restored ?? [])],
    left: [...changed.map(({ path }) => path), ...(state?.left ?? [])],
    isKnown: [...texts.keys(), ...(statePath === null ? [] : [statePath])].some(isNamed),
  };
}

/** A path from the root or the run's folder, of a document or of a folder with some. */
function isNameOf(name: string, path: string): boolean {
  const plain = name.replace(/^\.\//, '').replace(/\/+$/, '');
  return path === plain || path.endsWith(`/${plain}`) || `/${path}`.includes(`/${plain}/`);
}

function restoreState(run: Run, path: string, { dryRun, isNamed }: { dryRun: boolean; isNamed: boolean }) {
  const { was, isLeft } = readState(run);
  if (was === null) return { restored: [], left: [] };
  if (isLeft && !isNamed) return { restored: [], left: [path] };
  const text = was === 'missing' ? null : bytesAt(run, path);
  const document = { path, was: text === null ? ('missing' as const) : was };
  if (dryRun) return { restored: [{ ...document, copy: null }], left: [] };
  const copy = text === null ? null : quarantine(run, path, text);
  if (was === 'unreadable') applyDue(run, [{ path, content: null }]);
  run.project();
  return { restored: [{ ...document, copy }], left: [] };
}

/** `isLeft`: changed in a way that the next command may adopt. */
function readState(run: Run): { readonly was: RestorableDocument['was'] | null; readonly isLeft?: boolean } {
  try {
    const view = run.view();
    const shown = shownState(run.workflow, view);
    if (shown === null) return { was: 'missing' };
    if (!isEdit(shown, run.workflow.machine, () => run.records)) return { was: null };
    const adoption = attempt(() => run.stateFile.adopt(shown.phase, view, ''));
    return { was: 'changed', isLeft: !(adoption instanceof DocumentError) };
  } catch (error) {
    if (error instanceof DocumentError || (error instanceof FileProblem && error.code === notUtf8))
      return { was: 'unreadable' };
    throw error;
  }
}
