/** The part of `change` that lists and `status` need. It loads without what only work takes. */

import { attempt, DocumentError } from '../../documents/document-error.ts';
import { scanTasks, taskStatuses, type ScannedTask } from '../../documents/task-scan.ts';
import { parseYaml } from '../../documents/yaml.ts';
import type { Outcome } from '../../engine/machine.ts';
import { abandoned, effectOf } from '../../engine/transition.ts';
import { findWord, isRecord } from '../../schema/values.ts';
import { summarize } from '../define-workflow.ts';
import type { FileView, StatusDetails, WorkflowReader } from '../workflow.ts';
import { identifyState, stateKeys } from '../yaml-state.ts';
import { settingsOf } from './config.ts';
import { staleDocuments, staleText } from './stale.ts';
import { machine } from './transition-table.ts';
import { archivesFolder, proposalPath, statePath, tasksPath } from './change-paths.ts';
import { nextOf, words } from './summary.ts';
import { isLean, iterationOf, overriddenOf, phaseFormat, phaseOf, stateFilePath, verdictOf } from './run-data.ts';

export const reader: WorkflowReader = {
  name: 'change',
  writers: ['implementer', 'author'],
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
    const { checksums, validations } = atWork ? {} : stateKeys(files.read(path) ?? '', path);
    const found = { checksums, validations };
    return detailsOf(run, files, {
      lean: isLean(snapshot),
      phase: phaseOf(snapshot),
      verdict: verdictOf(view),
      iteration: iterationOf(view),
      ...found,
      override: snapshot.state === abandoned ? null : overriddenOf(snapshot),
    });
  },
  foreign: {
    listed: (run, files, path) => foreignChange(run, files, path)?.listing ?? null,
    status: (run, files, path) => {
      const change = foreignChange(run, files, path);
      if (!change) return null;
      const { phase } = change.listing;
      const folder = path.slice(0, path.lastIndexOf('/'));
      const message =
        phase === 'archived'
          ? `${run} is archived (${folder}); its journal is not in this repository`
          : phase === null
            ? `${folder} has no STATE.yaml, so nothing of it is approved`
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
  readonly validations: unknown;
  readonly override?: ReturnType<typeof overriddenOf>;
}

/** A change of a fresh clone or another tool: its files are all there is. Whatever lies in the archive is archived. */
function foreignChange(run: string, files: FileView, path: string) {
  const text = files.read(path);
  const isArchived = path.startsWith(`${archivesFolder}/`);
  if (text === undefined && files.list(path.slice(0, path.lastIndexOf('/'))).length === 0) return null;
  const state = text === undefined ? { phase: null, updatedAt: '' } : identifyState(phaseFormat, text, path);
  const { updatedAt } = state;
  const phase = isArchived ? 'archived' : state.phase;
  const { checksums, validations, ...keys } = stateKeys(text ?? '', path);
  const verdict = typeof keys['verdict'] === 'string' ? keys['verdict'] : null;
  const iteration = typeof keys['iteration'] === 'number' ? keys['iteration'] : null;
  const outcome: Outcome | null = phase === 'archived' ? 'done' : null;
  const details = { verdict, iteration };
  const isBegun = phase === null && files.exists(proposalPath(run));
  return {
    state: { lean: keys['lean'] === true, phase, verdict, iteration, checksums, validations },
    listing: { phase, outcome, updatedAt: updatedAt || null, next: nextOf(run, isBegun ? 'proposed' : phase), details },
  };
}

function detailsOf(run: string, files: FileView, state: ChangeState): StatusDetails {
  const { lean, phase, verdict, iteration, override = null } = state;
  // A change that is over has nothing to compare.
  const stale = phase === 'archived' || phase === 'abandoned' ? [] : staleDocuments(state, files, run);
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
