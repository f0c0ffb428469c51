/** The name of the run that a command is for. */

import { orElse } from '../disk/disk-error.ts';
import { readNote } from '../runtime/run-note.ts';
import { readRunState, restingOutcome } from '../runtime/run-state.ts';
import { isRecord, sameValue } from '../schema/values.ts';
import type { RunKey } from '../store/run-store.ts';
import type { CommandIntent } from '../workflows/surface.ts';
import { onlyUnfinished } from './catalog.ts';
import { findRunOf } from './find.ts';
import { isRefusal, usageRefusal, type Refusal } from './refusal.ts';
import { namesIn } from './tell.ts';
import type { WorkOrder } from './work-order.ts';

export interface NamedRun {
  readonly run: string;
  /** To be called where nothing was begun under the name. */
  readonly release: () => void;
}

type Place = Pick<WorkOrder, 'repository' | 'surface'>;

const given = (run: string): NamedRun => ({ run, release: () => {} });

export async function namedRun(place: Place, intent: CommandIntent): Promise<NamedRun | Refusal> {
  const { repository, surface } = place;
  const { run: word } = intent;
  if (typeof word === 'string') return given(word);
  if ('made' in word) {
    const begun = await begunBefore(place, intent);
    if (begun !== undefined) return given(begun);
    const { release, ...names } = namesIn(repository, surface.name);
    const made = await word.made(names);
    return typeof made === 'string' ? { run: made, release } : usageRefusal(made);
  }
  const found =
    word.existing === null ? await onlyUnfinished(repository, surface) : findRunOf(repository, surface, word.existing);
  return isRefusal(found) ? found : given(found.run);
}

/** A run that the same command began, and that was killed before it came to rest: the command goes on with it. */
async function begunBefore({ repository, surface }: Place, { command, args }: CommandIntent) {
  const { store, workflows } = repository;
  const { machine } = await workflows.read(surface.name);
  const notes = store.notes();
  const isCutOff = (key: RunKey): boolean => {
    // At rest when it was noted last, as nearly all are.
    if ((readNote(notes(key) ?? '')?.outcome ?? null) !== null) return false;
    const state = readRunState(store, key);
    const { begin } = state?.input ?? {};
    const isSame = isRecord(begin) && begin['command'] === command && sameValue(begin['args'], args);
    return state !== undefined && isSame && restingOutcome(machine, state.snapshot) === null;
  };
  // One that another process is just beginning may not be readable yet, and is none of them.
  const keys = store.list().filter(({ workflow }) => workflow === surface.name);
  return keys.find((key) => store.owner(key) === undefined && orElse(false, () => isCutOff(key)))?.run;
}
