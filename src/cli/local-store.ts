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
  const options = Object.assign(leaseOptions(false), { stateVersion: runStateVersion, ...(disk && { disk }) });
  return new FileStore(join(commonDir, 'pawl'), options);
}

export function leaseOptions(force: boolean): LeaseOptions {
  return {
    get self() {
      return thisProcess();
    },
    livenessOf: (owner) => livenessOf(owner, thisProcess()),
    now: () => Date.now(),
    force,
  };
}

/** Looked up when it is first asked for: those who only look at runs at rest need not know. */
function thisProcess(): Owner {
  return (self ??= {
    pid: process.pid,
    startedAt: startTimeOf(process.pid) ?? '',
    host: hostname(),
    bootId: bootId(),
    pidNamespace: pidNamespace(),
  });
}

let self: Owner | undefined;

export function livenessOf(owner: Owner, self: Pick<Owner, 'host' | 'bootId' | 'pidNamespace'>): Liveness {
  if (owner.host !== self.host) return 'unseen';
  if (owner.bootId !== self.bootId) return 'dead';
  if (owner.pidNamespace !== self.pidNamespace) return 'unseen';
  return isAlive(owner) ? 'alive' : 'dead';
}
