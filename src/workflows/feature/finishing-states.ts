/** The states in which a feature is brought home, kept, or discarded. */

import { backToIdle, check, decide } from './phase-states.ts';

/** Before the question, and again behind the answer: anybody may have edited or committed meanwhile. */
function inspect<const S extends string>(to: S) {
  return check('inspect_finish', {
    verified: [{ when: { flag: 'verify', is: 'approved' }, to }, backToIdle],
    unverified: [{ when: { flag: 'mode', is: 'full' }, ...backToIdle }, { to }],
    dirty: backToIdle,
    changed: { ...backToIdle, set: { verify: 'required' } },
  });
}

export const finishing = {
  inspect_finish: inspect('ask_finish'),
  ask_finish: decide(
    'finish',
    {
      pull_request: { to: 'inspect_request' },
      merge: { to: 'inspect_merge' },
      keep: { to: 'idle' },
      discard: { to: 'confirm_discard' },
    },
    { yields: true },
  ),
  confirm_discard: decide(
    'discard',
    { confirmed: { to: 'inspect_discard' }, declined: { to: 'idle' } },
    { yields: true, decision: { id: 'discard', question: 'Discard the feature?' } },
  ),
  inspect_merge: inspect('merge'),
  merge: {
    ...check('merge', { merged: { to: 'clean_up' }, conflict: backToIdle, refused: backToIdle }),
    resume: { to: 'inspect_merge' },
  },
  inspect_request: inspect('open_pull_request'),
  open_pull_request: {
    ...check('open_pull_request', { opened: { to: 'done' }, refused: backToIdle }),
    resume: { to: 'inspect_request' },
  },
  clean_up: check('clean_up', { removed: { to: 'done' } }),
  inspect_discard: check('inspect_discard', { ready: { to: 'discard' }, dirty: backToIdle }),
  discard: check('discard', { removed: { to: 'discarded' }, refused: backToIdle }),
  done: { kind: 'final', phase: 'completed', outcome: 'done', on: {} },
  discarded: { kind: 'final', phase: 'abandoned', outcome: 'done', on: {} },
} as const;
