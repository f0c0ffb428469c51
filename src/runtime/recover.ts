/**
 * Brings a run that was left in any state back to one it can go on from. Where people changed what Pawl wants to write,
 * files or the state file, a person says whose version counts, or the run waits for one.
 *
 * C1. Journalled writes that were not made, or that a power loss undid, are made, unless somebody changed the file meanwhile.
 * C2. A dispatch that was started and not ended is never silently repeated (see cut-off.ts).
 * C3. What somebody changed after the agent last could is never overwritten without being asked for.
 * C4. A hand-edited state file is adopted only while no dispatch is open, and past a gate only when confirmed.
 * C5. After an end in good order nothing is left to finish: files changed since are simply people's work.
 *
 * E1. An earlier projection is rolled forward at once, a missing or empty one by the next projection.
 * E2. An edit is taken over as a record; past a gate, or made while a dispatch was open, only when confirmed.
 * E3. A run that takes over an edit begins its phase afresh: nothing of where it was before leads on from there.
 * E4. An edit that is not taken over is put in quarantine, never lost.
 * E5. What was decided is projected at once: the next edit must not be mistaken for an earlier projection.
 */

import { join } from 'node:path';
import { attempt, DocumentError } from '../documents/document-error.ts';
import type { Machine } from '../engine/machine.ts';
import type { Delta } from '../engine/snapshot.ts';
import type { Authority, RecordedWrite } from '../store/record.ts';
import type { Adoption } from '../workflows/workflow.ts';
import { resolveInside } from '../workspace/safe-paths.ts';
import { endOrphans } from './dispatch-marker.ts';
import type { Choice } from './host.ts';
import { applyDue, bytesAt, examineWrites, wholeWrite } from './recorded-writes.ts';
import type { Run } from './run.ts';
import { isEdit, shownState, type ShownState } from './shown-state.ts';
import { approvable } from './texts-on-record.ts';

export type EditsChoice = 'keep' | 'discard';

export type Recovery =
  | { readonly kind: 'ready' }
  | { readonly kind: 'person_needed'; readonly message: string; readonly fix: string };

export const ready: Recovery = { kind: 'ready' };

export interface EditsDecision {
  readonly choice: EditsChoice;
  readonly by: Authority;
}

export async function recover(run: Run, edits: EditsChoice | undefined): Promise<Recovery> {
  if (!run.inOrder) await endOrphans(run, '#check');
  // The run has removed its workspace: only what lies in the main work tree is left to write.
  if (run.root !== run.workspace) {
    const written = run.inOrder ? ready : await finishWrites(run, edits);
    if (written.kind === 'ready') run.project();
    return written;
  }
  if (!run.inOrder) {
    const written = await finishWrites(run, edits);
    if (written.kind !== 'ready') return written;
  }
  const { open } = run.state;
  if (open) {
    const { closeDispatch } = await import('./cut-off.ts');
    const closed = await closeDispatch(run, open, edits);
    if (closed.kind !== 'ready') return closed;
  }
  return examineStateFile(run, edits, open !== null);
}

/** C1. */
async function finishWrites(run: Run, edits: EditsChoice | undefined): Promise<Recovery> {
  const isLeft = ({ path }: RecordedWrite): boolean =>
    run.root === run.workspace || run.workflow.inMain?.(path) === true;
  const { missing, contested } = run.held.powerLost
    ? examineWrites(run, run.state.unsynced.filter(isLeft), run.records)
    : examineWrites(run, run.state.unconfirmed.filter(isLeft));
  const paths = contested.map(({ path }) => path);
  const decided = await decideFiles(run, edits, paths, 'were changed before Pawl could write them');
  if (decided === undefined) return filesNeedPerson(paths);
  const theirs = new Set(decided?.choice === 'keep' ? paths : []);
  for (const path of paths) if (!theirs.has(path)) keepCopy(run, path);
  const ours = [...missing, ...contested].filter(({ path }) => !theirs.has(path));
  const writes = ours.map((write) => wholeWrite(write, run.records));
  applyDue(run, writes);
  if (missing.length > 0) run.tell('recovered', `finished writing ${missing.map(({ path }) => path).join(', ')}`);
  // Last, because it ends the memory of what was to be written.
  if (decided && theirs.size > 0) run.append({ type: 'edits.kept', paths: [...theirs], by: decided.by });
  run.inOrder = true;
  return ready;
}

function keepCopy(run: Run, path: string): void {
  const bytes = bytesAt(run, path);
  if (bytes === null) return;
  run.tell('recovered', `the changes to ${path} are discarded; a copy is kept in ${quarantine(run, path, bytes)}`);
}

async function decide(run: Run, edits: EditsChoice | undefined, question: Choice): Promise<EditsDecision | undefined> {
  const who = run.host.user;
  if (edits !== undefined) return { choice: edits, by: { who, how: 'flag' } };
  const answer = await run.host.person?.ask({ ...question, root: run.workspace });
  return answer === 'keep' || answer === 'discard' ? { choice: answer, by: { who, how: 'terminal' } } : undefined;
}

/** Null where there is nothing to decide. */
export async function decideFiles(run: Run, edits: EditsChoice | undefined, paths: readonly string[], what: string) {
  if (paths.length === 0) return null;
  return decide(run, edits, {
    title: `Files ${what}`,
    detail: 'Pawl does not overwrite what somebody else wrote without asking.',
    answers: { keep: 'keep the files as they are now', discard: 'discard the changes (a copy is kept)' },
    paths,
  });
}

export function filesNeedPerson(paths: readonly string[]): Recovery {
  return {
    kind: 'person_needed',
    message: `somebody changed ${paths.join(', ')} after the interruption; Pawl does not overwrite it`,
    fix: 'run the command again with --edits keep (keep the files) or --edits discard (discard the changes; a copy is kept)',
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

async function examineStateFile(run: Run, edits: EditsChoice | undefined, dispatchWasOpen: boolean): Promise<Recovery> {
  const view = run.view();
  const shown = attempt(() => shownState(run.workflow, view));
  if (shown instanceof DocumentError) throw withWayOut(shown, run.id);
  if (!shown) return ready;
  run.shown.phase = shown.phase;
  if (!isEdit(shown, run.workflow.machine, () => run.records)) {
    if (shown.updatedAt === run.state.changedAt) keepUnread(run, shown);
    else run.project();
    return ready;
  }
  const digest = await run.digestOf(await run.tree.snapshot());
  const adoption = attempt(() => run.stateFile.adopt(shown.phase, view, digest));
  if (adoption instanceof DocumentError && edits === 'discard') return discardEdit(run, shown);
  if (adoption instanceof DocumentError) throw withWayOut(adoption, run.id);
  const mayAdopt = adoption.gate === null && !dispatchWasOpen;
  const decided = await decide(run, edits ?? (mayAdopt ? 'keep' : undefined), aboutPhase(shown, adoption));
  if (!decided) return editNeedsPerson(shown, adoption);
  if (decided.choice === 'discard') return discardEdit(run, shown);
  const by = { who: run.host.user, how: 'edit' } as const;
  const { machine } = run.workflow;
  const approved = adoption.gate !== null && run.approvedTexts(approvable(machine));
  run.append({ type: 'state.edited', phase: shown.phase, change: adopting(machine, adoption), ...approved, by });
  run.tell('recovered', `adopted phase ${shown.phase} from ${shown.path}, edited by hand`);
  for (const note of adoption.notes ?? []) run.tell('warning', `${shown.path}: ${note}`);
  run.project();
  return ready;
}

/** E4, E5. */
function discardEdit(run: Run, { path, text }: ShownState): Recovery {
  const copy = quarantine(run, path, text);
  run.tell('recovered', `the edit of the state file is discarded; a copy is kept in ${copy}`);
  run.project();
  return ready;
}

/** A state file that cannot be read, or adopted, says nothing that the journal does not. */
function withWayOut({ file, line, problem, expected, more }: DocumentError, run: string): DocumentError {
  return new DocumentError({ file, line }, problem, expected, { more, fix: `pawl restore ${run}` });
}

/** E4, for what is edited beside the phase. */
function keepUnread(run: Run, { path, text }: ShownState): void {
  const keys = run.stateFile.unread?.(text, run.view()) ?? [];
  if (keys.length === 0) return;
  const copy = quarantine(run, path, text);
  const rule = 'edits of a state file are read back only together with another phase';
  run.tell('warning', `${path}: the edit of ${keys.join(', ')} is not adopted (${rule}); a copy is kept in ${copy}`);
}

/** E2, E3. */
export function adopting(machine: Machine, adoption: Adoption): Delta {
  const { state, data, flags, budgets, returnTo = null, decisions, asked, problem } = adoption;
  const begins = { state, flags: { ...machine.flags, ...flags }, returnTo, outcome: null, data };
  const ledger = { ...(decisions && { decisions }), ...(asked !== undefined && { asked }) };
  return { ...begins, ...ledger, ...(budgets && { budgets }), ...(problem !== undefined && { problem }) };
}

type Passage = Pick<Adoption, 'gate' | 'objections'>;

export function editNeedsPerson({ path, phase, recorded }: ShownState, { gate, objections = [] }: Passage) {
  const passes = gate === null ? '' : `; that passes the gate "${gate}"`;
  return {
    kind: 'person_needed',
    message: [`${path} says phase ${phase}, Pawl says ${recorded}${passes}`, ...listOf(objections)].join('\n'),
    fix: 'keep the edit with --edits keep, or discard it with --edits discard',
  } as const satisfies Recovery;
}

const listOf = (objections: readonly string[]): readonly string[] =>
  objections.length === 0 ? [] : ['On record against it:', ...objections.map((each) => `- ${each}`)];

function aboutPhase({ path, phase }: ShownState, { gate, objections = [] }: Passage): Choice {
  return {
    title: `The state file was edited: phase ${phase}`,
    detail:
      gate === null
        ? 'It was edited while an agent was working.'
        : [`Confirming it means that you pass the gate "${gate}" for what is there now.`, ...listOf(objections)].join(
            '\n',
          ),
    answers: { keep: 'take the edit over', discard: 'put the recorded phase back' },
    paths: [path],
  };
}
