/** The store of runs on this computer, for this process. */

import { homedir, hostname } from 'node:os';
import { join } from 'node:path';
import type { Disk } from '../disk/disk.ts';
import { withTodaysFlags } from '../runtime/earlier-records.ts';
import { runStateVersion, type RunState } from '../runtime/run-state.ts';
import { FileStore } from '../store/file-store.ts';
import type { Liveness, Owner } from '../store/run-store.ts';
import type { WorkflowSurface } from '../workflows/surface.ts';
import { bootId, isAlive, pidNamespace, startTimeOf } from '../workspace/processes.ts';

/** The runs of a repository: in its git directory, shared by all its worktrees. */
export function storeOf(commonDir: string, surfaces: readonly WorkflowSurface[], disk?: Disk): FileStore<RunState> {
  return new FileStore(join(commonDir, 'pawl'), {
    get self() {
      return thisProcess();
    },
    livenessOf,
    now: () => Date.now(),
    stateVersion: runStateVersion,
    upgradeOf: (workflow) => {
      const former = surfaces.find(({ name }) => name === workflow)?.formerFlags;
      return former && ((record) => withTodaysFlags(record, former));
    },
    seals: { folder: join(stateFolder(), 'seals'), boot: () => thisProcess().bootId },
    ...(disk && { disk }),
  });
}

/** The user's own, outside of every repository and every sandbox. */
export function stateFolder(): string {
  return join(process.env['XDG_STATE_HOME'] || join(homedir(), '.local/state'), 'pawl');
}

let self: Owner | undefined;

/** Looked up when it is first needed: commands that only show runs at rest do without. */
export function thisProcess(): Owner {
  return (self ??= {
    pid: process.pid,
    startedAt: startTimeOf(process.pid) ?? '',
    host: hostname(),
    bootId: bootId(),
    pidNamespace: pidNamespace(),
  });
}

export function livenessOf(owner: Owner): Liveness {
  const { host, bootId, pidNamespace } = thisProcess();
  if (owner.host !== host) return 'unseen';
  if (owner.bootId !== bootId) return 'dead';
  if (owner.pidNamespace !== pidNamespace) return 'unseen';
  return isAlive(owner) ? 'alive' : 'dead';
}
