/** The states in which a feature rests, enters a phase, and is at work in it. */

import { faultRoutes } from '../../engine/define-machine.ts';
import type { Outcome } from '../../engine/machine.ts';

const phase = [
  { when: { flag: 'current', is: 'created' }, is: 'created' },
  { when: { flag: 'current', is: 'brainstorm' }, is: 'brainstorm' },
  { when: { flag: 'current', is: 'specify' }, is: 'specify' },
  { when: { flag: 'current', is: 'design' }, is: 'design' },
  { when: { flag: 'current', is: 'create_plan' }, is: 'create-plan' },
  { when: { flag: 'current', is: 'create_tasks' }, is: 'create-tasks' },
  { when: { flag: 'current', is: 'implement' }, is: 'implement' },
  'verify',
] as const;

export const active = { phase } as const;

/** The run rests where it was before the command, and says why. */
export const backToIdle = { to: 'idle', outcome: 'not_ready' } as const;

const faults = faultRoutes(
  [
    { when: { left: 'retries' }, to: 'again', spend: 'retries' },
    { to: 'stopped', remember: true, outcome: 'failed' },
  ] as const,
  (outcome: Outcome) => ({ to: 'suspended', remember: true, outcome }) as const,
);

function dispatch<const R extends string, const O, const M extends object>(role: R, on: O, more: M) {
  const stopped = { interrupted: { to: 'stopped', remember: true } } as const;
  const resume = { to: 'refind_input', remember: true } as const;
  return { kind: 'dispatch', ...active, role, on: { ...on, ...faults, ...stopped }, resume, ...more } as const;
}

export function check<const C extends string, const O>(name: C, on: O) {
  return { kind: 'check', ...active, check: name, on } as const;
}

export function decide<const Q extends string, const O, const M extends object>(question: Q, on: O, more: M) {
  return { kind: 'decide', ...active, question, on: { ...on, withdrawn: backToIdle }, ...more } as const;
}

function enter<const T extends string>(target: T) {
  return { to: 'admit', set: { target, input: 'unneeded' } } as const;
}

/** The commands of a feature that rests. */
const phaseCommands = {
  brainstorm: enter('brainstorm'),
  specify: enter('specify'),
  design: enter('design'),
  create_plan: enter('create_plan'),
  create_tasks: { to: 'find_plan', set: { target: 'create_tasks', input: 'missing' } },
  implement: { to: 'find_spec', set: { target: 'implement', input: 'missing' } },
  verify: enter('verify'),
} as const;

const finish = [
  { when: { flag: 'verify', is: 'required' }, refuse: 'NotVerified', outcome: 'not_ready' },
  { to: 'inspect_finish' },
] as const;

/** Whoever continues may have lost the input meanwhile. */
const goOn = { to: 'refind_input' } as const;

/** A phase that nobody left, but a limit or a missing agent stopped, is continued by its own command. */
function continued<const T extends string, const R>(target: T, route: R) {
  return [{ when: { flag: 'target', is: target }, ...goOn }, route] as const;
}

export const resting = {
  new: {
    kind: 'parked',
    phase: null,
    outcome: 'not_ready',
    on: {
      create_hotfix: { to: 'open', set: { mode: 'hotfix' } },
      create_quick: { to: 'open', set: { mode: 'quick' } },
      create_standard: { to: 'open', set: { mode: 'standard' } },
      create_full: { to: 'open', set: { mode: 'full', verify: 'required' } },
    },
  },
  open: check('open', { opened: { to: 'idle' } }),
  idle: { kind: 'parked', ...active, outcome: 'done', on: { ...phaseCommands, finish } },
  stopped: {
    kind: 'parked',
    ...active,
    outcome: 'interrupted',
    on: { ...phaseCommands, finish, retry: goOn },
  },
  suspended: {
    kind: 'parked',
    ...active,
    outcome: 'temporary',
    on: {
      brainstorm: continued('brainstorm', phaseCommands.brainstorm),
      specify: continued('specify', phaseCommands.specify),
      design: continued('design', phaseCommands.design),
      create_plan: continued('create_plan', phaseCommands.create_plan),
      create_tasks: continued('create_tasks', phaseCommands.create_tasks),
      implement: continued('implement', phaseCommands.implement),
      verify: continued('verify', phaseCommands.verify),
      finish,
      retry: goOn,
    },
  },
} as const;

/** Every phase that begins makes an earlier verification void. */
const begins = [
  { when: { flag: 'mode', is: 'full' }, to: 'start', set: { verify: 'required' } },
  { to: 'start', set: { verify: 'optional' } },
] as const;

const toWork = [{ when: { flag: 'target', is: 'implement' }, to: 'implement_task' }, { to: 'produce' }] as const;
const loadWork = [
  { when: { flag: 'target', is: 'implement' }, to: 'implement_task', load: 'work' },
  { to: 'produce', load: 'work' },
] as const;

const found = { to: 'admit', set: { input: 'found' } } as const;
const waived = { to: 'admit', set: { input: 'waived' } } as const;

export const entering = {
  find_spec: check('find_input', { found, missing: [{ when: { flag: 'mode', is: 'hotfix' }, ...waived }, backToIdle] }),
  find_plan: check('find_input', {
    found,
    missing: [
      { when: { flag: 'mode', is: 'hotfix' }, ...waived },
      { when: { flag: 'mode', is: 'quick' }, ...waived },
      backToIdle,
    ],
  }),
  refind_input: check('find_input', {
    found: [{ when: { flag: 'input', is: 'missing' }, to: 'return', set: { input: 'found' } }, { to: 'return' }],
    missing: [
      { when: { flag: 'input', is: 'waived' }, to: 'return' },
      { to: 'stopped', set: { input: 'missing' }, outcome: 'not_ready' },
    ],
  }),
  admit: check('admit', { proceed: begins, warned: { to: 'confirm_move' } }),
  confirm_move: decide('move', { proceed: begins, stop: backToIdle }, { yields: true }),
  start: check('start', {
    begun: loadWork,
    partial: { to: 'ask_partial', load: 'work' },
    // Every task was ticked before.
    tasks_done: [
      { when: { flag: 'target', is: 'implement' }, to: 'inspect_code', load: 'work' },
      { to: 'produce', load: 'work' },
    ],
    missing: backToIdle,
  }),
  ask_partial: decide(
    'partial',
    {
      continue: toWork,
      fresh: { to: 'set_aside' },
      review: [{ when: { flag: 'target', is: 'implement' }, to: 'inspect_code' }, { to: 'inspect' }],
    },
    { yields: true },
  ),
  set_aside: check('set_aside', { begun: loadWork }),
  complete: check('complete', {
    brainstorm: { to: 'idle', set: { current: 'brainstorm' } },
    specify: { to: 'idle', set: { current: 'specify' } },
    design: { to: 'idle', set: { current: 'design' } },
    create_plan: { to: 'idle', set: { current: 'create_plan' } },
    create_tasks: { to: 'idle', set: { current: 'create_tasks' } },
    implement: { to: 'idle', set: { current: 'implement' } },
    verify: { to: 'idle', set: { current: 'verify' } },
  }),
} as const;

function round<const T extends string>(to: T) {
  return { when: { left: 'rounds' }, to, spend: 'rounds' } as const;
}

/** What was not reviewed is not completed, whatever is spent. */
function roundOrStop<const T extends string>(to: T) {
  return [round(to), { to: 'stopped', remember: to, outcome: 'failed' }] as const;
}

const completed = { to: 'complete' } as const;
const produceAgain = [round('produce'), completed] as const;

export const documenting = {
  produce: dispatch('executor', { made: { to: 'inspect' } }, { makes: 'document' }),
  inspect: check('inspect', {
    sound: [{ when: { flag: 'target', is: 'verify' }, to: 'review_verification' }, { to: 'review' }],
    unsound: roundOrStop('produce'),
    skipped: completed,
  }),
  review: dispatch('reviewer', { approved: completed, changes: produceAgain }, { after: 'inspect' }),
  review_verification: dispatch(
    'reviewer',
    { approved: { to: 'complete', set: { verify: 'approved' } }, changes: produceAgain },
    { after: 'inspect' },
  ),
} as const;

export const coding = {
  implement_task: dispatch(
    'executor',
    {
      made: [
        { when: { more: 'work' }, to: 'implement_task', finish: true },
        { to: 'inspect_code', finish: true },
      ],
    },
    { makes: 'code', each: 'work' },
  ),
  inspect_code: check('inspect', {
    sound: { to: 'review_code' },
    unsound: roundOrStop('revise'),
    skipped: completed,
  }),
  review_code: dispatch(
    'reviewer',
    { approved: { to: 'same_code' }, changes: [round('revise'), { to: 'same_code' }] },
    { after: 'inspect_code' },
  ),
  revise: dispatch('executor', { made: { to: 'inspect_code' } }, { makes: 'code' }),
  same_code: check('same_code', { same: { to: 'final_review' }, changed: roundOrStop('inspect_code') }),
  final_review: dispatch('auditor', { approved: completed, findings: { to: 'ask_findings' } }, { after: 'same_code' }),
  ask_findings: decide(
    'findings',
    {
      address: [
        { when: { left: 'addresses' }, to: 'revise', spend: 'addresses' },
        { refuse: 'NoAddressLeft', outcome: 'over_budget' },
      ],
      proceed: completed,
    },
    {},
  ),
} as const;
