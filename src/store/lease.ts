/**
 * Who may write a run. Taken by creating `lease.<epoch>` exclusively.
 *
 * L1. A lease file appears with its content (link of a finished file), so no reader sees half of it.
 * L2. Of several takers of one epoch exactly one succeeds.
 * L3. A dead owner never blocks; a live one does, and one that cannot be seen from here counts as live
 *     until its heartbeat is stale.
 * L4. A holder notices before each write that a later epoch exists, and stops.
 * L5. A released lease says whether its holder left everything in order; any other trace of one counts as cut off.
 */

import { existsSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createExclusively } from './exclusive-file.ts';
import type { Owner } from './run-store.ts';

/** `unseen`: the owner runs where this process cannot look (another host or pid namespace). */
export type Liveness = 'alive' | 'dead' | 'unseen';

export const heartbeatMs = 10_000;
export const staleAfterMs = 60_000;
const attemptsMax = 20;

/** Another live process works on the run; waiting or stopping that one helps, retrying does not. */
export class RunLocked extends Error {
  readonly code = 'locked';
  readonly owner: Owner;

  constructor(owner: Owner) {
    super(
      `another pawl process (pid ${owner.pid} on ${owner.host}) is working on this run; ` +
        `wait for it, stop it with "pawl pause", or take over with --force if you are sure it is gone`,
    );
    this.owner = owner;
  }
}

export class LeaseLost extends Error {
  readonly code = 'lease_lost';
}

/** Somebody took the run's own folder away: there is nothing left to go on with. */
export class RunGone extends Error {
  readonly code = 'run_gone';
}

export interface LeaseOptions {
  readonly self: Owner;
  readonly livenessOf: (owner: Owner) => Liveness;
  readonly now: () => number;
  /** Take over from an owner that cannot be shown to be dead. */
  readonly force?: boolean;
}

export class Lease {
  readonly epoch: number;
  /** L5, of the holder before this one. */
  readonly foundInOrder: boolean;
  readonly #folder: string;
  readonly #file: string;
  readonly #timer: NodeJS.Timeout;

  private constructor(folder: string, epoch: number, foundInOrder: boolean) {
    this.epoch = epoch;
    this.foundInOrder = foundInOrder;
    this.#folder = folder;
    this.#file = leaseFile(folder, epoch);
    this.#timer = setInterval(() => this.#beat(), heartbeatMs);
    this.#timer.unref();
  }

  static acquire(folder: string, options: LeaseOptions): Lease {
    for (let attempt = 0; attempt < attemptsMax; attempt += 1) {
      const latest = latestEpoch(folder);
      const { owner, inOrder } = readLease(folder, latest);
      if (owner && !options.force && isHeld(folder, latest, owner, options)) throw new RunLocked(owner);
      const epoch = latest + 1;
      if (claim(folder, epoch, options.self)) {
        removeOlder(folder, epoch);
        return new Lease(folder, epoch, inOrder);
      }
    }
    throw new LeaseLost(`the run's lease in ${folder} could not be taken: too many processes want it; try again`);
  }

  /** L4. Whoever takes a later epoch removes this one's file before it reads the journal. */
  assertHeld(): void {
    if (existsSync(this.#file)) return;
    if (!existsSync(this.#folder) || latestEpoch(this.#folder) < this.epoch) {
      throw new RunGone(`${this.#file} does not exist any more: it was moved or deleted while Pawl was at work`);
    }
    throw new LeaseLost('another pawl process has taken over this run; this one stops without writing anything more');
  }

  /** Gives the run free but keeps the file, so that epochs never repeat. */
  release({ inOrder } = { inOrder: true }): void {
    clearInterval(this.#timer);
    try {
      if (existsSync(this.#file)) writeFileSync(this.#file, inOrder ? released : releasedInDisorder);
    } catch {
      // The disk is full or gone: once this process has ended, its lease is a dead owner's.
    }
  }

  #beat(): void {
    try {
      const now = new Date();
      utimesSync(this.#file, now, now);
    } catch {
      // A lost lease is noticed before the next write.
    }
  }
}

/** The live owner of a run, if any. */
export function currentOwner(folder: string, options: Pick<LeaseOptions, 'livenessOf' | 'now'>): Owner | undefined {
  const latest = latestEpoch(folder);
  const { owner } = readLease(folder, latest);
  return owner && isHeld(folder, latest, owner, options) ? owner : undefined;
}

function isHeld(
  folder: string,
  epoch: number,
  owner: Owner,
  options: Pick<LeaseOptions, 'livenessOf' | 'now'>,
): boolean {
  const liveness = options.livenessOf(owner);
  if (liveness !== 'unseen') return liveness === 'alive';
  try {
    return options.now() - statSync(leaseFile(folder, epoch)).mtimeMs < staleAfterMs;
  } catch {
    return true;
  }
}

function claim(folder: string, epoch: number, self: Owner): boolean {
  if (!createExclusively(folder, `lease.${epoch}`, JSON.stringify(self))) return false;
  // Whoever was slow may have taken an epoch that others have left behind meanwhile.
  if (latestEpoch(folder) === epoch) return true;
  rmSync(leaseFile(folder, epoch), { force: true });
  return false;
}

function latestEpoch(folder: string): number {
  const epochs = readdirSync(folder)
    .map((name) => /^lease\.(\d+)$/.exec(name)?.[1])
    .filter((epoch) => epoch !== undefined)
    .map(Number);
  return Math.max(0, ...epochs);
}

function removeOlder(folder: string, epoch: number): void {
  for (const name of readdirSync(folder)) {
    const older = /^lease\.(\d+)$/.exec(name)?.[1];
    if (older !== undefined && Number(older) < epoch) rmSync(join(folder, name), { force: true });
  }
}

const released = '{}';
const releasedInDisorder = '{"inOrder":false}';

function readLease(folder: string, epoch: number): { owner?: Owner; inOrder: boolean } {
  try {
    const text = readFileSync(leaseFile(folder, epoch), 'utf8');
    const owner = parseOwner(JSON.parse(text));
    return { ...(owner && { owner }), inOrder: text === released };
  } catch {
    return { inOrder: false };
  }
}

/** Nobody owns a released lease. */
function parseOwner(value: unknown): Owner | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const { pid, startedAt, host, bootId, pidNamespace } = value as Partial<Record<keyof Owner, unknown>>;
  if (typeof pid !== 'number' || typeof startedAt !== 'string' || typeof host !== 'string') return undefined;
  if (typeof bootId !== 'string' || typeof pidNamespace !== 'string') return undefined;
  return { pid, startedAt, host, bootId, pidNamespace };
}

function leaseFile(folder: string, epoch: number): string {
  return join(folder, `lease.${epoch}`);
}
