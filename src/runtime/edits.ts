/**
 * What people changed where Pawl wants to write: files, or the state file. A person says whose version counts, or the
 * run waits for one.
 *
 * E1. An earlier projection is rolled forward at once, a missing or empty one by the next projection.
 * E2. An edit is taken over as a record; past a gate, or made while a dispatch was open, only when confirmed.
 * E3. A run that takes over an edit begins its phase afresh: nothing of where it was before leads on from there.
 * E4. An edit that is not taken over is put in quarantine, never lost.
 * E5. What was decided is projected at once: the next edit must not be mistaken for an earlier projection.
 */

import { join } from 'node:path';
import type { Machine } from '../engine/machine.ts';
import { phaseOf } from '../engine/phase.ts';
import type { Delta } from '../engine/snapshot.ts';
import type { Authority, JournalRecord } from '../store/record.ts';
import type { Adoption, RunView, WorkflowReader } from '../workflows/workflow.ts';
import { resolveInside } from '../workspace/safe-paths.ts';
import type { Choice } from './host.ts';
import { isEarlierProjection } from './run-state.ts';
import type { Run } from './run.ts';

export type EditsChoice = 'keep' | 'discard';

export type Recovery =
  | { readonly kind: 'ready' }
  | { readonly kind: 'person_needed'; readonly message: string; readonly fix: string };

export const ready: Recovery = { kind: 'ready' };

export interface Decided {
  readonly choice: EditsChoice;
  readonly by: Authority;
}

export async function decide(run: Run, edits: EditsChoice | undefined, question: Choice): Promise<Decided | undefined> {
  const who = run.host.user;
  if (edits !== undefined) return { choice: edits, by: { who, how: 'flag' } };
  const answer = await run.host.person?.ask({ ...question, root: run.workspace });
  return answer === 'keep' || answer === 'discard' ? { choice: answer, by: { who, how: 'terminal' } } : undefined;
}

export function aboutFiles(paths: readonly string[], what: string): Choice {
  return {
    title: `Files ${what}`,
    detail: 'Pawl does not overwrite what somebody else wrote without asking.',
    answers: { keep: 'keep the files as they are now', discard: 'take them back (a copy is kept)' },
    paths,
  };
}

export function filesNeedPerson(paths: readonly string[]): Recovery {
  return {
    kind: 'person_needed',
    message: `somebody changed ${paths.join(', ')} after the interruption; Pawl does not overwrite it`,
    fix: 'run the command again with --edits keep (leave the files as they are) or --edits discard (take them back; a copy is kept)',
  };
}

/** Keeps a copy of what somebody wrote, in the run's folder, never over an earlier one; returns where. */
export function quarantine(run: Run, path: string, content: string | Buffer): string {
  for (let number = run.held.length; ; number += 1) {
    const file = resolveInside(join(run.folder, 'set-aside', String(number)), path, run.disk);
    if (run.disk.exists(file)) continue;
    run.keepFile(file, content);
    return file;
  }
}

export async function examineStateFile(
  run: Run,
  edits: EditsChoice | undefined,
  dispatchWasOpen: boolean,
): Promise<Recovery> {
  const view = run.view();
  const shown = shownState(run.workflow, view);
  if (!shown) return ready;
  run.examined(shown.phase);
  if (!isEdit(shown, run.workflow.machine, () => run.records)) {
    if (shown.updatedAt !== run.state.changedAt) run.project();
    return ready;
  }
  const adoption = run.stateFile.adopt(shown.phase, view, await run.digestOf(await run.tree.snapshot()));
  const mayAdopt = adoption.gate === null && !dispatchWasOpen;
  const decided = await decide(run, edits ?? (mayAdopt ? 'keep' : undefined), aboutPhase(shown, adoption.gate));
  if (!decided) return editNeedsPerson(shown, adoption.gate);
  if (decided.choice === 'discard') {
    const copy = quarantine(run, shown.path, shown.text);
    run.observe({ type: 'recovered', message: `the edited state file was put aside as ${copy}` });
  } else {
    const by = { who: run.host.user, how: 'edit' } as const;
    run.append({ type: 'state.edited', phase: shown.phase, change: adopting(run.workflow.machine, adoption), by });
    run.observe({ type: 'recovered', message: `took over phase ${shown.phase} from ${shown.path}, edited by hand` });
    for (const note of adoption.notes ?? []) run.observe({ type: 'warning', message: `${shown.path}: ${note}` });
  }
  run.project();
  return ready;
}

export interface ShownState {
  readonly path: string;
  readonly text: string;
  readonly phase: string;
  readonly updatedAt: string;
  readonly recorded: string;
}

/** What the state file says; null where there is none, or none is due. */
export function shownState(workflow: WorkflowReader, view: RunView): ShownState | null {
  const stateFile = workflow.stateFile(view.run);
  const path = stateFile.path(view);
  const text = view.files.read(path);
  const recorded = phaseOf(workflow.machine, view.snapshot);
  if (recorded === null || text === undefined || text.trim() === '') return null;
  return { path, text, recorded, ...stateFile.identify(text) };
}

/** E1. The records of a long run take long to read, so they are asked for only where they matter. */
export function isEdit(shown: ShownState, machine: Machine, records: () => readonly JournalRecord[]): boolean {
  if (shown.phase === shown.recorded) return false;
  return !isEarlierProjection(records(), machine, shown);
}

/** E2, E3. */
export function adopting(machine: Machine, adoption: Adoption): Delta {
  const { state, data, flags, budgets, returnTo = null, decisions, asked, problem } = adoption;
  const begins = { state, flags: { ...machine.flags, ...flags }, returnTo, outcome: null, data };
  const ledger = { ...(decisions && { decisions }), ...(asked !== undefined && { asked }) };
  return { ...begins, ...ledger, ...(budgets && { budgets }), ...(problem !== undefined && { problem }) };
}

export function editNeedsPerson({ path, phase, recorded }: ShownState, gate: string | null) {
  const passes = gate === null ? '' : `; that passes the gate "${gate}"`;
  return {
    kind: 'person_needed',
    message: `${path} says phase ${phase}, Pawl says ${recorded}${passes}`,
    fix: 'confirm the edit with --edits keep, or take it back with --edits discard',
  } as const satisfies Recovery;
}

function aboutPhase({ path, phase }: ShownState, gate: string | null): Choice {
  return {
    title: `The state file was edited: phase ${phase}`,
    detail:
      gate === null
        ? 'It was edited while an agent was at work.'
        : `Confirming it means that you pass the gate "${gate}" for what is there now.`,
    answers: { keep: 'take the edit over', discard: 'put the recorded phase back' },
    paths: [path],
  };
}
