/** The store of runs on this computer, for this process. */

import { hostname } from 'node:os';
import { join } from 'node:path';
import type { Disk } from '../disk/disk.ts';
import { runStateVersion, type RunState } from '../runtime/run-state.ts';
import { FileStore } from '../store/file-store.ts';
import type { LeaseOptions, Liveness } from '../store/lease.ts';
import type { Owner } from '../store/run-store.ts';
import { bootId, isAlive, pidNamespace, startTimeOf } from '../workspace/processes.ts';

/** The runs of a repository: in its git directory, shared by all its worktrees. */
export function storeOf(commonDir: string, disk?: Disk): FileStore<RunState> {
  const { self, livenessOf: liveness, now } = leaseOptions(false);
  const options = { self, livenessOf: liveness, now, stateVersion: runStateVersion, ...(disk && { disk }) };
  return new FileStore(join(commonDir, 'pawl'), options);
}

export function leaseOptions(force: boolean): LeaseOptions {
  const self: Owner = {
    pid: process.pid,
    startedAt: startTimeOf(process.pid) ?? '',
    host: hostname(),
    bootId: bootId(),
    pidNamespace: pidNamespace(),
  };
  return { self, livenessOf: (owner) => livenessOf(owner, self), now: () => Date.now(), force };
}

export function livenessOf(owner: Owner, self: Pick<Owner, 'host' | 'bootId' | 'pidNamespace'>): Liveness {
  if (owner.host !== self.host) return 'unseen';
  if (owner.bootId !== self.bootId) return 'dead';
  if (owner.pidNamespace !== self.pidNamespace) return 'unseen';
  return isAlive(owner) ? 'alive' : 'dead';
}
