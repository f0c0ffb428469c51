/** What a run is opened with where only its own work is measured. */

import { thisComputer, type Host } from '../src/runtime/host.ts';

/** Of nothing in particular. */
export const digest = `sha256:${'0123456789abcdef'.repeat(4)}`;

export const host: Host = {
  ...thisComputer,
  agent: () => Promise.reject(new Error('no agent takes part')),
  installed: () => [],
  toolServer: () => Promise.reject(new Error('no agent takes part')),
  person: null,
  observe: () => {},
  now: () => Date.now(),
  sleep: () => Promise.resolve(),
  interrupted: new AbortController().signal,
  user: 'bench',
};
