/** `.meta.json` as the state file of a run: projected from the journal, adopted where a person or the plugin wrote it. */

import { DocumentError } from '../../documents/document-error.ts';
import { phaseOf } from '../../engine/phase.ts';
import type { Adoption, ForeignReader, RunView, StateFile } from '../workflow.ts';
import { differingFields, readMeta, recordOf, renderMeta, type Meta } from './meta-file.ts';
import { data, phaseRecords } from './run-data.ts';
import { machine } from './transition-table.ts';
import { branchOf, commandOf, metaPath, phaseAfter, phaseNamed, phases } from './phases.ts';
import { patch } from '../data-slots.ts';

export function metaOf({ run, snapshot, at }: RunView): Meta {
  const phase = phaseOf(machine, snapshot);
  return {
    id: data.id.of(snapshot) || run.slice(0, run.indexOf('-')),
    name: data.name.of(snapshot),
    mode: data.mode.of(snapshot),
    status: phase === 'completed' ? 'completed' : phase === 'abandoned' ? 'abandoned' : 'active',
    created: data.created.of(snapshot),
    completed: data.completed.of(snapshot),
    worktree: data.worktree.of(snapshot),
    currentPhase: data.currentPhase.of(snapshot),
    updated: at,
    phases: phaseRecords(snapshot),
  };
}

/** As the machine names it. */
export function shownPhase({ status, currentPhase }: Meta): string {
  return status === 'active' ? (currentPhase ?? 'created') : status;
}

export function stateFile(run: string): StateFile {
  return {
    path: () => metaPath(run),
    identify: (text, recorded) => {
      const { meta, repairs } = readMeta(text, run);
      // A phase that there is not is no edit: the recorded one is written again.
      const isUnread = repairs.some(({ key }) => key === 'currentPhase');
      return { phase: isUnread ? (recorded ?? shownPhase(meta)) : shownPhase(meta), updatedAt: meta.updated };
    },
    render: (before, view) => renderMeta(before, metaOf(view), run),
    unread: (text, view) => {
      const { meta, repairs } = readMeta(text, run);
      return [...new Set([...differingFields(meta, metaOf(view)), ...repairs.map(({ key }) => key)])];
    },
    adopt: (phase, view) => adopt(phase, view),
  };
}

/** A phase that a person sets counts as the last completed one; nothing that was set by hand is verified. */
function adopt(phase: string, view: RunView): Adoption {
  const { run, snapshot, files, history } = view;
  const file = metaPath(run);
  const { meta, repairs } = readMeta(files.read(file) ?? '{}', run);
  if (meta.status !== 'active') {
    const expected = `status active; a feature is completed and given up with pawl feature finish ${run}`;
    throw new DocumentError({ file, line: null }, `the status is set to ${meta.status} by hand`, expected);
  }
  const current = phaseNamed(phase);
  const isNew = history.length === 0 && data.created.of(snapshot) === '';
  const known = isNew
    ? patch(
        data.id.set(meta.id),
        data.name.set(meta.name),
        data.description.set(meta.name),
        data.mode.set(meta.mode),
        data.created.set(meta.created || meta.updated),
        data.worktree.set(meta.worktree),
        data.branch.set(meta.worktree === null ? null : branchOf(run)),
        ...Object.entries(meta.phases).map(([name, record]) => data.phase.set(name, { ...record, verified: false })),
      )
    : {};
  const mode = isNew ? meta.mode : data.mode.of(snapshot);
  const lost = phases.some((each) => recordOf(meta.phases, each).verified)
    ? ['verified counts only from Pawl itself']
    : [];
  const others = isNew ? [] : differingFields(meta, metaOf(view));
  if (others.length > 0) lost.push(`only the phase is adopted, not ${others.join(', ')}`);
  return {
    state: 'idle',
    data: { ...snapshot.data, ...known, ...data.currentPhase.set(current) },
    flags: {
      mode,
      current: current === null ? 'created' : commandOf(current),
      ...(mode === 'full' && { verify: 'required' }),
    },
    gate: null,
    worktree: meta.worktree,
    notes: [...repairs.map(({ message }) => message), ...lost],
  };
}

export const foreign: ForeignReader = {
  listed: (run, files, path) => {
    const text = files.read(path);
    if (text === undefined) return null;
    const { meta } = readMeta(text, run);
    const { next, ...shared } = listing(run, meta);
    return { ...shared, next, details: listedOf(meta) };
  },
  status: (run, files, path) => {
    const text = files.read(path);
    if (text === undefined) return null;
    const { meta, repairs } = readMeta(text, run);
    return {
      ...listing(run, meta),
      message: `${run} was made by another tool, or in another clone: this repository has no journal of it`,
      details: {
        keys: { ...listedOf(meta) },
        title: [shownPhase(meta), meta.mode],
        goal: meta.name,
        notes: repairs.map(({ message }) => ({ text: message })),
      },
    };
  },
};

function listing(run: string, meta: Meta) {
  const target = phaseAfter(meta.currentPhase, meta.mode);
  return {
    phase: shownPhase(meta),
    outcome: meta.status === 'active' ? null : ('done' as const),
    updatedAt: meta.updated || null,
    next: meta.status === 'active' ? `pawl feature ${target} ${run} --accept-state` : null,
  };
}

export function listedOf({ name, mode, status }: Pick<Meta, 'name' | 'mode' | 'status'>) {
  return { name, mode, status };
}
