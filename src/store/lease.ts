/**
 * Who may write a run. Taken by creating `lease.<epoch>` exclusively.
 *
 * L1. A lease file appears with its content (link of a finished file), so no reader sees half of it.
 * L2. Of several takers of one epoch exactly one succeeds.
 * L3. A dead owner never blocks; a live one does, and one that cannot be seen from here counts as live
 *     until its heartbeat is stale.
 * L4. A holder notices before each write that a later epoch exists, and stops.
 * L5. A released lease says whether its holder left everything in order; any other trace of one counts as cut off.
 * L6. What a lease says holds for the records of its own epoch and earlier ones: it is not synced, so that after a power
 *     loss an older one may be there again.
 */

import { basename, dirname, join } from 'node:path';
import { codeOf, orElse, unlessMissing } from '../disk/disk-error.ts';
import type { Disk } from '../disk/disk.ts';
import { nodeDisk } from '../disk/node-disk.ts';
import { table } from '../schema/compound.ts';
import { check } from '../schema/schema.ts';
import { number, verbatim } from '../schema/simple.ts';
import { isRecord } from '../schema/values.ts';
import type { Liveness, Owner } from './run-store.ts';

export const heartbeatMs = 10_000;
export const staleAfterMs = 60_000;
const attemptsMax = 20;
/** Nobody takes a run as often: a file of a greater number is not a lease, and would leave no number to take next. */
const epochMax = 2 ** 31;

/** Another live process works on the run; waiting or stopping that one helps, retrying does not. */
export class RunLocked extends Error {
  readonly code = 'RunLocked';
  readonly fix: string;

  constructor(folder: string, { pid, host }: Owner) {
    const run = basename(folder);
    super(
      `another pawl process (pid ${pid} on ${host}) works on ${run}; ` +
        `wait for it, stop it, or pass --force to take over its lock if it is gone`,
    );
    this.fix = `pawl pause ${run}`;
  }
}

export class LeaseLost extends Error {
  readonly code = 'LeaseLost';
  readonly fix = 'run the same command again';
}

/** Somebody took the run's own folder away: there is nothing left to go on with. */
export class RunGone extends Error {
  readonly code = 'RunGone';
  readonly fix = 'restore the folder, then run the same command again';
}

export interface LeaseOptions {
  readonly self: Owner;
  readonly livenessOf: (owner: Owner) => Liveness;
  readonly now: () => number;
  readonly disk?: Disk;
  /** Take over from an owner that cannot be shown to be dead. */
  readonly force?: boolean;
}

export class Lease {
  readonly epoch: number;
  readonly found: LatestLease;
  readonly #boot: string;
  readonly #disk: Disk;
  readonly #folder: string;
  readonly #file: string;
  readonly #timer: NodeJS.Timeout;

  private constructor(disk: Disk, folder: string, found: LatestLease, boot: string) {
    this.epoch = found.epoch + 1;
    this.found = found;
    this.#boot = boot;
    this.#disk = disk;
    this.#folder = folder;
    this.#file = leaseFile(folder, this.epoch);
    // A lost lease is noticed before the next write.
    const beat = (): void => orElse(undefined, () => disk.utimes(this.#file, new Date()));
    this.#timer = setInterval(beat, heartbeatMs).unref();
  }

  static acquire(folder: string, options: LeaseOptions): Lease {
    const { disk = nodeDisk } = options;
    for (let attempt = 0; attempt < attemptsMax; attempt += 1) {
      const found = readLease(disk, folder);
      const { owner, epoch } = found;
      if (owner && !options.force && isHeld(leaseFile(folder, epoch), owner, options))
        throw new RunLocked(folder, owner);
      if (epoch === epochMax)
        throw new LeaseLost(
          `${leaseFile(folder, epoch)} is the last possible lease: remove it if nobody works on the run`,
        );
      if (!claim(disk, folder, epoch + 1, options.self)) continue;
      const older = epochsIn(disk, folder).filter((each) => each <= epoch);
      for (const each of older) removeIfThere(disk, leaseFile(folder, each));
      return new Lease(disk, folder, found, options.self.bootId);
    }
    throw new LeaseLost(`the run's lease in ${folder} could not be taken: too many processes want it`);
  }

  /** L5, L6: whether nothing of the records up to this epoch is left to be done. */
  isInOrder(lastEpoch: number): boolean {
    return this.found.inOrder && this.found.epoch >= lastEpoch;
  }

  /** L6: whether the computer may have been off since the last record was written. */
  isAfterPowerLoss(lastEpoch: number): boolean {
    const { boot, epoch } = this.found;
    return lastEpoch > epoch || (boot !== undefined && boot !== this.#boot);
  }

  /** L4. The taker of a later epoch removes this one's file before it reads the journal. */
  assertHeld(): void {
    if (this.#disk.exists(this.#file)) return;
    if (!this.#disk.exists(this.#folder) || latestEpoch(this.#disk, this.#folder) < this.epoch) {
      throw new RunGone(`${this.#file} does not exist any more: it was moved or deleted while Pawl was running`);
    }
    throw new LeaseLost('another pawl process has taken over this run; this one stops without writing anything more');
  }

  /** Gives the run free but keeps the file, so that epochs never repeat. */
  release({ inOrder } = { inOrder: true }): void {
    clearInterval(this.#timer);
    const text = JSON.stringify({ inOrder, bootId: this.#boot });
    // Where the disk is full or gone, the lease is a dead owner's once this process has ended.
    orElse(null, () => this.#disk.exists(this.#file) && this.#disk.writeFile(this.#file, text));
  }
}

export function currentOwner(folder: string, options: Observer): Owner | undefined {
  const { disk = nodeDisk } = options;
  const { owner, epoch } = readLease(disk, folder);
  return owner && isHeld(leaseFile(folder, epoch), owner, options) ? owner : undefined;
}

type Observer = Pick<LeaseOptions, 'livenessOf' | 'now' | 'disk'>;

function isHeld(file: string, owner: Owner, { livenessOf, now, disk = nodeDisk }: Observer): boolean {
  const liveness = livenessOf(owner);
  if (liveness !== 'unseen') return liveness === 'alive';
  const beatMs = disk.target(file)?.mtimeMs;
  return beatMs === undefined || now() - beatMs < staleAfterMs;
}

function claim(disk: Disk, folder: string, epoch: number, self: Owner): boolean {
  if (!createExclusively(disk, leaseFile(folder, epoch), JSON.stringify(self))) return false;
  // A slow process may have taken an epoch that others have left behind meanwhile.
  if (latestEpoch(disk, folder) === epoch) return true;
  removeIfThere(disk, leaseFile(folder, epoch));
  return false;
}

function latestEpoch(disk: Disk, folder: string): number {
  return Math.max(0, ...epochsIn(disk, folder));
}

function epochsIn(disk: Disk, folder: string): readonly number[] {
  const names = unlessMissing(() => disk.names(folder)) ?? [];
  const epochs = names.flatMap((name) => /^lease\.([1-9]\d*)$/.exec(name)?.[1] ?? []).map(Number);
  return epochs.filter((epoch) => epoch <= epochMax);
}

interface LatestLease {
  readonly epoch: number;
  /** Nobody owns a released one. */
  readonly owner?: Owner;
  /** L5. */
  readonly inOrder: boolean;
  /** The boot of the computer its holder was last seen in; undefined for one that does not say, '' for one that is damaged. */
  readonly boot: string | undefined;
}

/** How Pawl used to release a lease in order. */
const formerly = '{}';

const ownerSchema = table(
  { pid: number(), startedAt: verbatim(), host: verbatim(), bootId: verbatim(), pidNamespace: verbatim() },
  { unknownKeys: 'ignored' },
);

function readLease(disk: Disk, folder: string): LatestLease {
  const epoch = latestEpoch(disk, folder);
  if (epoch === 0) return { epoch, inOrder: false, boot: undefined };
  const text = orElse('', () => disk.readFile(leaseFile(folder, epoch)).toString());
  const value = orElse(null, (): unknown => JSON.parse(text));
  if (!isRecord(value)) return { epoch, inOrder: false, boot: '' };
  const read = check(ownerSchema, value);
  const boot = typeof value['bootId'] === 'string' ? value['bootId'] : undefined;
  const inOrder = value['inOrder'] === true || text === formerly;
  return { epoch, ...('value' in read && { owner: read.value }), inOrder, boot };
}

function leaseFile(folder: string, epoch: number): string {
  return join(folder, `lease.${epoch}`);
}

/** L1. False when there is a file of that name already. */
export function createExclusively(disk: Disk, file: string, content: string): boolean {
  const draft = join(dirname(file), `.${basename(file)}.${process.pid}`);
  try {
    disk.writeFile(draft, content);
    disk.link(draft, file);
    return true;
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    throw error;
  } finally {
    removeIfThere(disk, draft);
  }
}

export function removeIfThere(disk: Disk, file: string): void {
  unlessMissing(() => disk.unlink(file));
}
