/**
 * Crashes of a simulated computer at every instant of a command, each followed by the same command again.
 *
 * K1. The command is carried out once; what a crash at some instant leaves is derived from the disk's log (see
 *     simulated-disk.ts), for a process that is killed takes nothing with it but its memory.
 * K2. The repeated command must end as the undisturbed one: same outcome, files, state, history and answers.
 * K3. No dispatch whose end was on record is played again, and none begins while another one is open.
 * K4. No file of the control folder is written in place: at every instant it is an old version or a new one.
 */

import { join } from 'node:path';
import { replay, type RunState } from '../../src/runtime/run-state.ts';
import type { JournalRecord } from '../../src/store/record.ts';
import type { Played } from './simulated-agent.ts';
import type { SimulatedDisk } from './simulated-disk.ts';
import {
  carryOut,
  computerOn,
  freshDisk,
  outsideOf,
  recordsOn,
  remainsOn,
  runFolderOf,
  workspaceRoot,
  type Outside,
  type SimulatedCommand,
  type SimulatedLife,
  type SimulatedRemains,
} from './simulated-run.ts';

/** One command, carried out to its end. */
export interface CarriedOut {
  readonly command: SimulatedCommand;
  /** With the log of all that the command changed. */
  readonly disk: SimulatedDisk;
  readonly remains: SimulatedRemains;
  /** The journal before the command, and after it. */
  readonly before: readonly JournalRecord[];
  readonly records: readonly JournalRecord[];
  readonly played: readonly Played[];
}

export interface Crash {
  /** The process is killed before a change, or in the middle of a write; or the computer loses its power. */
  readonly kind: 'kill' | 'torn' | 'power loss';
  readonly instant: number;
  /** Chooses what a power loss takes. */
  readonly seed: number;
}

export class CrashSimulation {
  readonly #life: SimulatedLife;
  readonly #outside: Outside;
  #nowMs = Date.UTC(2026, 0, 1);
  #pid = 1;

  constructor(life: SimulatedLife) {
    this.#life = life;
    this.#outside = outsideOf(life);
  }

  /** All commands without a crash. */
  async undisturbed(): Promise<readonly CarriedOut[]> {
    const done: CarriedOut[] = [];
    const fresh = freshDisk(this.#life, this.#now);
    for (const command of this.#life.commands) {
      const from = command.from ?? done.at(-1)?.command.name;
      const before = done.find((each) => each.command.name === from)?.disk;
      if (before) this.#nowMs = before.timeOf(before.instants);
      done.push(await this.#carryOut(command, before ? before.afterKill(before.instants) : fresh, 'boot 1'));
    }
    return done;
  }

  /** What is wrong after each of the crashes, with how to see it again; nothing when all is well. */
  async problemsAfter(step: CarriedOut, crashes: readonly Crash[]): Promise<readonly string[]> {
    const problems: string[] = [];
    for (const crash of crashes) {
      const found = await this.#problemsAfter(step, crash);
      const what = step.disk.whatHappensAt(crash.instant);
      const where = `${step.command.name}: ${crash.kind} at ${crash.instant} (${what}), seed ${crash.seed}`;
      problems.push(...found.map((problem) => `${where}: ${problem}`));
    }
    return problems;
  }

  async #problemsAfter(step: CarriedOut, crash: Crash): Promise<readonly string[]> {
    try {
      const again = await this.repeated(step, crash);
      return [...differences(step.remains, again.remains), ...repetitions(step, again), ...overlaps(again.records)];
    } catch (error) {
      return [error instanceof Error ? (error.stack ?? error.message) : String(error)];
    }
  }

  /** The same command again, on what the crash left. */
  repeated(step: CarriedOut, { kind, instant, seed }: Crash): Promise<CarriedOut> {
    this.#nowMs = step.disk.timeOf(instant);
    if (kind === 'power loss') return this.#carryOut(step.command, step.disk.afterPowerLoss(instant, seed), 'boot 2');
    const disk = step.disk.afterKill(instant, { torn: kind === 'torn' });
    // An agent does not notice that nobody listens any more: half of them write on until they are found.
    if (seed % 2 === 1) this.#orphan(step, disk);
    return this.#carryOut(step.command, disk, 'boot 1');
  }

  /** K4: paths that are written in place. */
  writtenInPlace({ disk }: CarriedOut): readonly string[] {
    const folder = join(workspaceRoot, this.#life.workflow.controlFolder, '/');
    return disk.changes
      .filter(({ type, path }) => (type === 'write' || type === 'truncate') && path.startsWith(folder))
      .map(({ path }) => path)
      .filter((path) => !path.endsWith('.pawl-tmp'));
  }

  readonly #now = (): number => (this.#nowMs += 1);

  async #carryOut(command: SimulatedCommand, disk: SimulatedDisk, boot: string): Promise<CarriedOut> {
    const computer = computerOn(disk, this.#life, this.#outside);
    const process = { pid: (this.#pid += 1), boot, computer, now: this.#now };
    const before = recordsOn(disk, this.#life);
    const rest = await carryOut(this.#life, command, process);
    const records = recordsOn(disk, this.#life);
    const remains = remainsOn(disk, records, rest);
    return { command, disk, remains, before, records, played: computer.agent.played };
  }

  #orphan({ played }: CarriedOut, disk: SimulatedDisk): void {
    const open = stateOf(recordsOn(disk, this.#life))?.open;
    const turn = played.find(({ dispatch }) => dispatch === open?.started.id)?.turn;
    if (!open || turn === undefined) return;
    const stdoutFile = join(
      runFolderOf(this.#life),
      'dispatches',
      open.started.id.split('#').at(-1) ?? '',
      'stdout.log',
    );
    computerOn(disk, this.#life, this.#outside).agent.playOn(turn, { cwd: workspaceRoot, stdoutFile }, disk);
  }
}

/** Before every change and in the middle of every write; syncing changes nothing that a kill could show. */
export function everyKill({ disk }: CarriedOut, seed: number): readonly Crash[] {
  const kills = disk.changes.flatMap(({ type }, instant): Crash[] => {
    if (type === 'sync') return [];
    const kill: Crash = { kind: 'kill', instant, seed: seed + instant };
    return type === 'write' ? [kill, { ...kill, kind: 'torn' }] : [kill];
  });
  return [...kills, { kind: 'kill', instant: disk.instants, seed }];
}

/** Before every sync, and at the end: whatever can be lost at an instant between them can be lost there, too. */
export function everyPowerLoss({ disk }: CarriedOut, seeds: readonly number[]): readonly Crash[] {
  const syncs = disk.changes.flatMap(({ type }, instant) => (type === 'sync' ? [instant] : []));
  return [...syncs, disk.instants].flatMap((instant) =>
    seeds.map((seed): Crash => ({ kind: 'power loss', instant, seed: seed * seedsPerInstant + instant })),
  );
}

/** Far apart, so that no instant has the seed of another. */
const seedsPerInstant = 1_000_003;

/** K2. */
function differences(wanted: SimulatedRemains, found: SimulatedRemains): readonly string[] {
  const paths = [...new Set([...Object.keys(wanted.files), ...Object.keys(found.files)])];
  const files = paths.filter((path) => wanted.files[path] !== found.files[path]);
  const [state, other] = [wanted, found].map(({ state: it, answers }) => JSON.stringify([it, answers]));
  return [
    ...(wanted.outcome === found.outcome ? [] : [`it ended ${found.outcome}, not ${wanted.outcome}`]),
    ...files.map((path) => `${path} is ${shown(found.files[path])}, not ${shown(wanted.files[path])}`),
    ...(state === other ? [] : [`the state is ${other}, not ${state}`]),
  ];
}

const shownCharsMax = 300;

function shown(text: string | undefined): string {
  return text === undefined ? 'missing' : JSON.stringify(text.slice(0, shownCharsMax));
}

/** K3. */
function repetitions(step: CarriedOut, { before, played }: CarriedOut): readonly string[] {
  const ended = new Set(stateOf(before)?.history.flatMap(({ id, beside }) => [id, beside?.call?.id]));
  const over = new Set(step.played.filter(({ dispatch }) => ended.has(dispatch)).map(({ turn }) => turn));
  return played.filter(({ turn }) => over.has(turn)).map(({ dispatch }) => `${dispatch} plays a turn that had ended`);
}

/** K3. */
function overlaps(records: readonly JournalRecord[]): readonly string[] {
  const found: string[] = [];
  let open: string | null = null;
  for (const record of records) {
    if (record.type === 'dispatch.started') {
      if (open !== null) found.push(`${record.id} begins while ${open} is open`);
      open = record.id;
    }
    if (record.type === 'dispatch.abandoned' || (record.type === 'moved' && record.dispatch)) open = null;
  }
  return found;
}

function stateOf(records: readonly JournalRecord[]): RunState | undefined {
  return records.length === 0 ? undefined : replay(records);
}
