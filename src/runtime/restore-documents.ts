/**
 * Brings documents of a run back from its journal, which holds the text of everything that Pawl wrote.
 *
 * J1. What is missing is restored; what somebody changed only when it is named. A state file that cannot be read is
 *     written anew.
 * J2. What is replaced is put in quarantine first.
 */

import { DocumentError } from '../documents/document-error.ts';
import type { JournalRecord } from '../store/record.ts';
import { FileProblem, notUtf8 } from '../workspace/files.ts';
import { applyDue, applyEdit, bytesAt } from './recorded-writes.ts';
import { quarantine } from './recover.ts';
import type { Run } from './run.ts';
import { shownState } from './shown-state.ts';

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

export function restoreDocuments(run: Run, name: string | null, { dryRun = false } = {}): RestoredDocuments {
  const texts = documentsOnRecord(run.records);
  const statePath = run.phase === null ? null : run.stateFile.path(run.view());
  const isNamed = (path: string): boolean => name === null || isNameOf(name, path);
  const damaged = [...texts].flatMap(([path, text]) => {
    const found = bytesAt(run, path);
    if (found?.equals(Buffer.from(text)) || path === statePath || !isNamed(path)) return [];
    return [{ path, text, found, was: found === null ? ('missing' as const) : ('changed' as const) }];
  });
  const due = damaged.filter(({ was }) => was === 'missing' || name !== null);
  const shown = dryRun ? [] : due.map(({ path, found }) => (found === null ? null : quarantine(run, path, found)));
  if (!dryRun) {
    applyDue(
      run,
      due.map(({ path, text: content }) => ({ path, content })),
    );
    run.sync(due.map(({ path }) => path));
  }
  const documents = due.map(({ path, was }, at): RestorableDocument => ({ path, was, copy: shown[at] ?? null }));
  const state = statePath !== null && isNamed(statePath) ? restoreState(run, statePath, dryRun) : [];
  return {
    restored: [...documents, ...state],
    left: name === null ? damaged.filter(({ was }) => was === 'changed').map(({ path }) => path) : [],
    isKnown: [...texts.keys(), ...(statePath === null ? [] : [statePath])].some(isNamed),
  };
}

/** A path from the root or the run's folder, of a document or of a folder with some. */
function isNameOf(name: string, path: string): boolean {
  const plain = name.replace(/^\.\//, '').replace(/\/+$/, '');
  return path === plain || path.endsWith(`/${plain}`) || `/${path}`.includes(`/${plain}/`);
}

function restoreState(run: Run, path: string, dryRun: boolean): readonly RestorableDocument[] {
  const shown = readState(run);
  if (shown === 'readable') return [];
  const text = shown === 'missing' ? null : bytesAt(run, path);
  const was = text === null ? 'missing' : 'unreadable';
  if (dryRun) return [{ path, was, copy: null }];
  const copy = text === null ? null : quarantine(run, path, text);
  if (text !== null) applyDue(run, [{ path, content: null }]);
  run.project();
  return [{ path, was, copy }];
}

function readState(run: Run): 'readable' | 'missing' | 'unreadable' {
  try {
    return shownState(run.workflow, run.view()) === null ? 'missing' : 'readable';
  } catch (error) {
    if (error instanceof DocumentError || (error instanceof FileProblem && error.code === notUtf8)) return 'unreadable';
    throw error;
  }
}

/** The text of every document as the run left it last. */
export function documentsOnRecord(records: readonly JournalRecord[]): ReadonlyMap<string, string> {
  const texts = new Map<string, string>();
  for (const write of records.flatMap((record) => (record.type === 'moved' ? (record.writes ?? []) : []))) {
    if ('moveTo' in write) {
      const moved = [...texts].filter(([path]) => path.startsWith(`${write.path}/`));
      for (const [path, text] of moved) {
        texts.delete(path);
        texts.set(`${write.moveTo}${path.slice(write.path.length)}`, text);
      }
    } else if ('edit' in write) texts.set(write.path, applyEdit(texts.get(write.path) ?? '', write.edit));
    else if (write.content === null) texts.delete(write.path);
    else texts.set(write.path, write.content);
  }
  return texts;
}
