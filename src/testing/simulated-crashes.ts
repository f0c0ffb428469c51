/**
 * Crashes of a simulated computer at every instant of a command, each followed by the same command again.
 *
 * The command is carried out once; what a crash at some instant leaves is derived from the disk's log (see
 * simulated-disk.ts), for a process that is killed takes nothing with it but its memory.
 */

import { replay } from '../runtime/run-state.ts';
import type { JournalRecord } from '../store/record.ts';
import type { Played } from './simulated-agent.ts';
import type { SimulatedDisk } from './simulated-disk.ts';
import {
  carryOut,
  computerOn,
  freshDisk,
  outsideOf,
  recordsOn,
  remainsOn,
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
  readonly records: readonly JournalRecord[];
  readonly played: readonly Played[];
}

export type Crash =
  | { readonly kind: 'kill' | 'torn'; readonly instant: number }
  | { readonly kind: 'power loss'; readonly instant: number; readonly seed: number };

export class SimulatedLives {
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
      done.push(await this.#carryOut(command, before ? before.afterKill(before.instants) : fresh, 'boot 1'));
    }
    return done;
  }

  /** The same command again, on what the crash left. */
  repeated({ command, disk }: CarriedOut, crash: Crash): Promise<CarriedOut> {
    if (crash.kind === 'power loss')
      return this.#carryOut(command, disk.afterPowerLoss(crash.instant, crash.seed), 'boot 2');
    return this.#carryOut(command, disk.afterKill(crash.instant, { torn: crash.kind === 'torn' }), 'boot 1');
  }

  readonly #now = (): number => (this.#nowMs += 1);

  async #carryOut(command: SimulatedCommand, disk: SimulatedDisk, boot: string): Promise<CarriedOut> {
    const computer = computerOn(disk, this.#life, this.#outside);
    const process = { pid: (this.#pid += 1), boot, computer, now: this.#now };
    const rest = await carryOut(this.#life, command, process);
    const records = recordsOn(process, this.#life);
    const remains = remainsOn(disk, replay(records), rest);
    return { command, disk, remains, records, played: computer.agent.played };
  }
}
