/** What lists and `status` tell of a change. */

import { attempt, DocumentError } from '../../documents/document-error.ts';
import { scanTasks, taskStatuses, type ScannedTask } from '../../documents/task-scan.ts';
import { parseYaml } from '../../documents/yaml.ts';
import { effectOf } from '../../engine/transition.ts';
import { findWord, isRecord } from '../../schema/values.ts';
import type {
  Details,
  FileView,
  ForeignListing,
  ForeignReader,
  ForeignStatus,
  RunView,
  StatusDetails,
} from '../workflow.ts';
import { stateValues } from '../yaml-state.ts';
import { machine } from './machine.ts';
import { tasksPath } from './paths.ts';
import { iterationOf, phaseOf, phases, verdictOf, type Phase } from './phases.ts';
import { staleDocuments, staleWords, type StaleDocument } from './stale.ts';
import { identify, stateFilePath } from './shown-state.ts';
import { nextOf } from './summary.ts';

export function listed({ snapshot }: RunView): Details {
  return { verdict: verdictOf({ snapshot }), iteration: iterationOf({ snapshot }) };
}

/** The command that leads on from a phase. */
export function nextIn(run: string, phase: string | null): string | null {
  return nextOf(run, phases.find((word) => word === phase) ?? null);
}

export function status(view: RunView): StatusDetails {
  const { run, snapshot, files } = view;
  const phase = phaseOf(snapshot);
  const effect = effectOf(machine, snapshot).type;
  const underWay = effect === 'dispatch' || effect === 'check';
  const path = stateFilePath(run, snapshot);
  const checksums = underWay ? null : checksumsIn(files.read(path), path);
  return detailsOf(run, files, {
    phase,
    verdict: verdictOf(view),
    iteration: iterationOf(view),
    checksums,
  });
}

/** A change of a fresh clone: its state file is all there is. */
export const foreign: ForeignReader = {
  listed: (run, files, path) => {
    const shown = shownIn(files, path);
    return shown && listingOf(run, shown);
  },
  status: (run, files, path): ForeignStatus | null => {
    const shown = shownIn(files, path);
    if (!shown) return null;
    const archived = shown.phase === 'archived';
    const message = archived
      ? `${run} is archived (${path}); its journal is not in this repository`
      : `${path} has no journal in this repository; a command that goes on with it asks first (--accept-state vouches for it)`;
    return { ...listingOf(run, shown), message, details: detailsOf(run, files, shown) };
  },
};

interface Shown {
  readonly phase: Phase | null;
  readonly verdict: string | null;
  readonly iteration: number | null;
  /** Path → {hash, validated_at}, as STATE.yaml has it. */
  readonly checksums: unknown;
}

interface ShownInFile extends Shown {
  readonly phase: Phase;
  readonly updatedAt: string | null;
}

function shownIn(files: FileView, path: string): ShownInFile | null {
  const text = files.read(path);
  if (text === undefined) return null;
  const { phase, updatedAt } = identify(text, path);
  const values = stateValues(text, path);
  const { verdict, iteration, checksums } = isRecord(values) ? values : {};
  return {
    phase,
    verdict: typeof verdict === 'string' ? verdict : null,
    iteration: typeof iteration === 'number' ? iteration : null,
    checksums,
    updatedAt: updatedAt === '' ? null : updatedAt,
  };
}

function listingOf(run: string, { phase, verdict, iteration, updatedAt }: ShownInFile): ForeignListing {
  const outcome = phase === 'archived' ? 'done' : null;
  return { phase, outcome, updatedAt, next: nextOf(run, phase), details: { verdict, iteration } };
}

function detailsOf(run: string, files: FileView, { phase, verdict, iteration, checksums }: Shown): StatusDetails {
  // An archived change has nothing to compare.
  const stale: readonly StaleDocument[] = phase === 'archived' ? [] : staleDocuments(checksums, files, run);
  const tasks = tasksOf(phase, files, run);
  return {
    keys: { verdict, iteration, stale, tasks },
    title: [
      `phase ${phase ?? 'new'}`,
      ...(verdict === null ? [] : [`verdict ${verdict}`]),
      ...(iteration === null ? [] : [`iteration ${iteration}`]),
    ],
    notes: [
      ...stale.map((document) => ({ text: staleWords(document) })),
      ...(tasks && tasks.open > 0 ? [{ text: `${tasks.open} of ${tasks.total} tasks are open` }] : []),
    ],
  };
}

/** A broken state file is told apart from this. */
function checksumsIn(text: string | undefined, path: string): unknown {
  const values = attempt(() => stateValues(text ?? '', path));
  return isRecord(values) && !(values instanceof DocumentError) ? values['checksums'] : null;
}

type TaskCount = { readonly open: number; readonly total: number };

/** Null where there is no list to work through, or none that can be read. */
function tasksOf(phase: Phase | null, files: FileView, run: string): TaskCount | null {
  if (phase !== 'challenged' && phase !== 'implementing') return null;
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
