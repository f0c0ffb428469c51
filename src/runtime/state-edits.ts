/**
 * What a state file on disk says that the journal does not: an older projection, or a person's edit.
 *
 * E1. A missing, empty or earlier projection is rolled forward by the next projection.
 * E2. An edit is taken over as a record; past a gate, or made while a dispatch was open, only when confirmed.
 * E3. A run that takes over an edit begins its phase afresh: nothing of where it was before leads on from there.
 * E4. An edit that is not taken over is set aside, never lost.
 * E5. What was decided is projected at once: the next edit must not be mistaken for an earlier projection.
 */

import type { RunView } from '../workflows/workflow.ts';
import { decide, ready, type EditsChoice, type Recovery } from './edits.ts';
import { RunFold } from './run-state.ts';
import type { Run } from './run.ts';
import { setAside } from './set-aside.ts';
import type { Choice } from './surroundings.ts';

export async function examineStateFile(
  run: Run,
  edits: EditsChoice | undefined,
  dispatchWasOpen: boolean,
): Promise<Recovery> {
  const view = run.view();
  const path = run.stateFile.path(view);
  const text = view.files.read(path);
  const phase = run.stateFile.phaseOf(run.state.snapshot);
  if (phase === null || text === undefined || text.trim() === '') return ready;
  const found = run.stateFile.identify(text);
  run.examined(found.phase);
  if (found.phase === phase || isEarlierProjection(run, found)) return ready;
  const adoption = run.stateFile.adopt(found.phase, view, await run.digestOf(await run.tree.snapshot()));
  const mayAdopt = adoption.gate === null && !dispatchWasOpen;
  const question = aboutPhase({ path, phase: found.phase, gate: adoption.gate });
  const decided = await decide(run, edits ?? (mayAdopt ? 'keep' : undefined), question);
  if (!decided) {
    const passes = adoption.gate === null ? '' : `; that passes the gate "${adoption.gate}"`;
    return {
      kind: 'person_needed',
      message: `${path} says phase ${found.phase}, Pawl says ${phase}${passes}`,
      fix: 'confirm the edit with --edits keep, or take it back with --edits discard',
    };
  }
  if (decided.choice === 'discard') {
    const copy = setAside(run, path, text);
    run.observe({ type: 'recovered', message: `the edited state file was put aside as ${copy}` });
  } else {
    takeOver(run, found.phase, adoption);
    run.observe({ type: 'recovered', message: `took over phase ${found.phase} from ${path}, edited by hand` });
  }
  run.project();
  return ready;
}

/** E2, E3. */
function takeOver(
  run: Run,
  phase: string,
  { state, data }: { state: string; data: RunView['snapshot']['data'] },
): void {
  run.append({
    type: 'state.edited',
    phase,
    change: { state, flags: run.workflow.machine.flags, returnTo: null, outcome: null, data },
    by: { who: run.surroundings.user, how: 'edit' },
  });
}

/** E1. A projection carries the time of the record it shows, so an old one (checked out, restored) is recognised. */
function isEarlierProjection(run: Run, found: { phase: string; updatedAt: string }): boolean {
  const [first, ...rest] = run.records;
  if (first?.type !== 'created') return false;
  const fold = new RunFold(first);
  for (const record of rest) {
    fold.apply(record);
    if (fold.state.changedAt === found.updatedAt) return run.stateFile.phaseOf(fold.state.snapshot) === found.phase;
  }
  return false;
}

function aboutPhase({ path, phase, gate }: { path: string; phase: string; gate: string | null }): Choice {
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
