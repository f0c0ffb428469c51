/** A store of runs in a folder of the test's own, whose earlier owners all count as dead. */

import { runStateVersion, type RunState } from '../src/runtime/run-state.ts';
import { FileStore } from '../src/store/file-store.ts';

/** `seals`: a folder for them, if there are to be any. */
export function scratchStore(root: string, seals?: string): FileStore<RunState> {
  const self = { pid: process.pid, startedAt: '1', host: 'here', bootId: '1', pidNamespace: '1' };
  const options = { self, livenessOf: () => 'dead' as const, now: () => Date.now(), stateVersion: runStateVersion };
  return new FileStore(root, { ...options, ...(seals !== undefined && { seals: { folder: seals, boot: () => '1' } }) });
}
