/** The part of `change` that lists and `status` need. It loads without what only work takes. */

import { attempt, DocumentError } from '../../documents/document-error.ts';
import { scanTasks, taskStatuses, type ScannedTask } from '../../documents/task-scan.ts';
import { parseYaml } from '../../documents/yaml.ts';
import type { Outcome } from '../../engine/machine.ts';
import { effectOf } from '../../engine/transition.ts';
import { findWord, isRecord } from '../../schema/values.ts';
import { summarize } from '../define-workflow.ts';
import { textDigest } from '../digest.ts';
import type { FileView, StatusDetails, WorkflowReader } from '../workflow.ts';
import { identifyState, stateKeys } from '../yaml-state.ts';
import { settingsOf } from './config.ts';
import { canonicalDocuments } from './documents.ts';
import { machine } from './transition-table.ts';
import { statePath, tasksPath } from './change-paths.ts';
import { nextOf, words } from './summary.ts';
import { isLean, iterationOf, overriddenOf, phaseFormat, phaseOf, stateFilePath, verdictOf } from './run-data.ts';

export const reader: WorkflowReader = {
  name: 'change',
  machine,
  settings: settingsOf,
  stateFile: (run) => ({
    path: ({ snapshot }) => stateFilePath(run, snapshot),
    identify: (text) => identifyState(phaseFormat, text, statePath(run)),
  }),
  summarize: (view, rest) => summarize(machine, words, view, rest),
  listed: (view) => ({ verdict: verdictOf(view), iteration: iterationOf(view) }),
  nextIn: nextOf,
  status: (view) => {
    const { run, snapshot, files } = view;
    const atWork = ['dispatch', 'check'].includes(effectOf(machine, snapshot).type);
    const path = stateFilePath(run, snapshot);
    // A broken state file is reported apart from this.
    const { checksums } = atWork ? {} : stateKeys(files.read(path) ?? '', path);
    const details = {
      lean: isLean(snapshot),
      phase: phaseOf(snapshot),
      verdict: verdictOf(view),
      iteration: iterationOf(view),
      checksums,
      override: overriddenOf(snapshot),
    };
    return detailsOf(run, files, details);
  },
  foreign: {
    listed: (run, files, path) => foreignChange(run, files, path)?.listing ?? null,
    status: (run, files, path) => {
      const change = foreignChange(run, files, path);
      if (!change) return null;
      const message =
        change.listing.phase === 'archived'
          ? `${run} is archived (${path}); its journal is not in this repository`
          : `${path} has no journal in this repository; a command that continues it asks first (--accept-state vouches for it)`;
      return { ...change.listing, message, details: detailsOf(run, files, change.state) };
    },
  },
};

interface ChangeState {
  readonly lean: boolean;
  readonly phase: ReturnType<typeof phaseOf>;
  readonly verdict: string | null;
  readonly iteration: number | null;
  /** Path → {hash, validated_at}, as STATE.yaml has it. */
  readonly checksums: unknown;
  readonly override?: ReturnType<typeof overriddenOf>;
}

/** A change of a fresh clone: its state file is all there is. */
function foreignChange(run: string, files: FileView, path: string) {
  const text = files.read(path);
  if (text === undefined) return null;
  const { phase, updatedAt } = identifyState(phaseFormat, text, path);
  const { checksums, ...keys } = stateKeys(text, path);
  const verdict = typeof keys['verdict'] === 'string' ? keys['verdict'] : null;
  const iteration = typeof keys['iteration'] === 'number' ? keys['iteration'] : null;
  const outcome: Outcome | null = phase === 'archived' ? 'done' : null;
  const details = { verdict, iteration };
  return {
    state: { lean: keys['lean'] === true, phase, verdict, iteration, checksums },
    listing: { phase, outcome, updatedAt: updatedAt || null, next: nextOf(run, phase), details },
  };
}

function detailsOf(
  run: string,
  files: FileView,
  { lean, phase, verdict, iteration, checksums, override = null }: ChangeState,
): StatusDetails {
  // A change that is over has nothing to compare.
  const stale = phase === 'archived' || phase === 'abandoned' ? [] : staleDocuments(checksums, files, run);
  const tasks = phase === 'challenged' || phase === 'implementing' ? tasksOf(files, run) : null;
  return {
    keys: { verdict, iteration, stale, tasks, ...(override && { override }) },
    title: [
      `${lean ? 'lean, ' : ''}phase ${phase ?? 'new'}`,
      ...(verdict === null ? [] : [`verdict ${verdict}`]),
      ...(iteration === null ? [] : [`iteration ${iteration}`]),
    ],
    notes: [
      ...(override ? [overrideNote(override)] : []),
      ...stale.map((document) => ({ text: staleText(document) })),
      ...(tasks && tasks.open > 0 ? [{ text: `${tasks.open} of ${tasks.total} tasks are open` }] : []),
    ],
  };
}

function overrideNote({ at, open_issues: open }: NonNullable<ChangeState['override']>) {
  const text = `approved by override (a person, ${at.slice(0, 16)}Z), with findings open:`;
  return { text, items: open.map(({ severity, title }) => `${severity}: ${title}`) };
}

/** Documents that were changed since they were validated, and the later ones that were made from them. */
function staleDocuments(checksums: unknown, files: FileView, run: string) {
  if (!isRecord(checksums) || Object.keys(checksums).length === 0) return [];
  const now = canonicalDocuments(files, run);
  // Specs are made from the proposal, tasks from both.
  const rank = (path: string) => (path === 'proposal.md' ? 0 : path === 'tasks.md' ? 2 : 1);
  const all = new Set([...now.keys(), ...Object.keys(checksums)]);
  const paths = [...all].toSorted((left, right) => rank(left) - rank(right));
  return paths.flatMap((path) => {
    const validated = checksums[path];
    const { hash, validated_at: at } = isRecord(validated) ? validated : {};
    const text = now.get(path) ?? null;
    const what = text === null ? 'removed' : typeof hash === 'string' ? 'edited' : 'added';
    if (textDigest(text ?? '') === (typeof hash === 'string' ? hash : textDigest(''))) return [];
    const later = paths.filter((other) => rank(other) > rank(path) && typeof now.get(other) === 'string');
    return [{ path, what, validatedAt: typeof at === 'string' ? at : null, later }];
  });
}

function staleText({ path, what, later }: ReturnType<typeof staleDocuments>[number]): string {
  const since = `${path} was ${what} since the plan was validated`;
  const list = [...(later.length > 1 ? [later.slice(0, -1).join(', ')] : []), ...later.slice(-1)].join(' and ');
  return list === '' ? since : `${since}: ${list}, made from it, may be stale`;
}

function tasksOf(files: FileView, run: string) {
  const file = tasksPath(run);
  const text = files.read(file);
  if (text === undefined) return null;
  const { tasks, lines } = scanTasks(text.replaceAll('\r\n', '\n'));
  const open = attempt(() => tasks.filter((task) => !isCompleted(task, lines, file)).length);
  return open instanceof DocumentError ? null : { open, total: tasks.length };
}

/** As when the list is read in full, which takes longer than all the rest of the status: a ticked box always counts. */
function isCompleted({ block, details, mark }: ScannedTask, lines: readonly string[], file: string): boolean {
  if (mark === 'x' || mark === 'X') return true;
  if (!block) return findWord(details.find(({ key }) => key === 'status')?.value, taskStatuses) === 'completed';
  const line = block.start + 1;
  const fields = parseYaml(lines.slice(line, block.end).join('\n'), { file, line });
  return isRecord(fields) && findWord(fields['status'], taskStatuses) === 'completed';
}
