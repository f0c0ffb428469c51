/** The changes of a workspace, by their folders and state files. */

import { join } from 'node:path';
import { DocumentError } from '../../documents/document-error.ts';
import { nearest } from '../../schema/nearest.ts';
import { archivesFolder, changesFolder, isId } from '../../workflows/change/paths.ts';
import type { Phase } from '../../workflows/change/phases.ts';
import { codeOf } from '../../workspace/entry.ts';
import { FileProblem, readText } from '../../workspace/files.ts';
import { Problem } from '../problem.ts';
import { namesIn, quickText } from '../quick-reading.ts';
import { runsFolder } from '../run-folders.ts';
import { readState, scanState, type StateHead } from './state-reading.ts';

/** All ids there are, and the one that `wanted` most likely meant. */
export function knownChanges(
  root: string,
  runs: string,
  wanted?: string,
): { readonly near: string | undefined; readonly ids: readonly string[] } {
  const ids = [...new Set([...idsIn(join(root, changesFolder)), ...idsIn(runs)])].toSorted();
  return { near: wanted === undefined ? undefined : nearest(wanted, ids), ids };
}

export function changeNotFound(root: string, commonDir: string, run: string): Problem {
  const { near } = knownChanges(root, runsFolder(commonDir, 'change'), run);
  const hint = near === undefined ? '' : `; did you mean ${near}?`;
  return new Problem('ChangeNotFound', `there is no change "${run}"${hint}`, {
    fix: `begin it: pawl change plan ${run} "what to change and why"`,
  });
}

/** What a state file says. A broken one has no phase and says what is wrong with it. */
export interface StateSummary {
  readonly id: string;
  readonly phase: Phase | null;
  readonly verdict: string | null;
  readonly iteration: number | null;
  readonly updatedAt: string | null;
  /** `file:line: what is wrong; expected …` */
  readonly problem: string | null;
}

/** Of every change in work, or of every archived one (by the name of its folder). */
export async function readStateSummaries(
  root: string,
  { archived }: { readonly archived: boolean },
): Promise<StateSummary[]> {
  const folder = archived ? archivesFolder : changesFolder;
  const summaries: StateSummary[] = [];
  for (const id of idsIn(join(root, folder))) {
    const path = `${folder}/${id}/STATE.yaml`;
    const quick = quickSummary(root, path, id);
    const summary = quick === 'unsure' ? await fullSummary(root, path, id) : quick;
    if (summary) summaries.push(summary);
  }
  return summaries;
}

/** Of one state file; undefined when there is none. */
export async function readStateSummary(root: string, path: string, id: string): Promise<StateSummary | undefined> {
  const quick = quickSummary(root, path, id);
  return quick === 'unsure' ? fullSummary(root, path, id) : quick;
}

export function idsIn(folder: string): string[] {
  return namesIn(folder).filter(isId);
}

function quickSummary(root: string, path: string, id: string): StateSummary | 'unsure' | undefined {
  try {
    const read = quickText(`${root}/${path}`);
    if (!read) return undefined;
    const head = read.whole ? scanState(read.text) : undefined;
    return head ? summaryOf(id, head) : 'unsure';
  } catch (error) {
    if (codeOf(error) === 'unknown') throw error;
    return 'unsure';
  }
}

/** For a file that is unusual, or broken. */
async function fullSummary(root: string, path: string, id: string): Promise<StateSummary | undefined> {
  try {
    const text = readText(join(root, path));
    return text === undefined ? undefined : summaryOf(id, await readState(text, path));
  } catch (error) {
    if (!(error instanceof DocumentError) && !(error instanceof FileProblem)) throw error;
    return { id, phase: null, verdict: null, iteration: null, updatedAt: null, problem: error.message };
  }
}

/** Spelled out: spreading costs more than reading. */
function summaryOf(id: string, head: StateHead): StateSummary {
  const { phase, verdict, iteration, updatedAt } = head;
  return { id, phase, verdict, iteration, updatedAt, problem: null };
}
