/** A store of runs in a folder of the test's own, whose earlier owners all count as dead. */

import { runStateVersion, type RunState } from '../src/runtime/run-state.ts';
import { FileStore } from '../src/store/file-store.ts';

export function scratchStore(root: string): FileStore<RunState> {
  const self = { pid: process.pid, startedAt: '1', host: 'here', bootId: '1', pidNamespace: '1' };
  return new FileStore(root, { self, livenessOf: () => 'dead', now: () => Date.now(), stateVersion: runStateVersion });
}
