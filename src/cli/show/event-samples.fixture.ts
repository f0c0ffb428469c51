/** Events as a run emits them, for tests of what is shown. */

import { toneOf } from '../../engine/machine.ts';
import { machine } from '../../workflows/change/transition-table.ts';
import type { DispatchEnded, DispatchStarted, RunEvent } from '../../runtime/host.ts';

export const started = (over: Partial<DispatchStarted> = {}): DispatchStarted => ({
  type: 'dispatch.started',
  id: 'change.x#1',
  role: 'planner',
  step: 'propose',
  item: null,
  agent: 'gemini',
  model: null,
  remaining: { dispatches: 40, tokens: 2_000_000, costUsd: 50, wallMs: 28_800_000 },
  ...over,
});

export const ended = (over: Partial<DispatchEnded> = {}): DispatchEnded => ({
  type: 'dispatch.ended',
  id: 'change.x#1',
  role: 'planner',
  step: 'propose',
  signal: 'reported',
  tone: toneOf(machine, over.signal ?? 'reported'),
  ms: 1_400,
  usage: { inputTokens: 1_200, outputTokens: 300, costUsd: 0.01 },
  problem: null,
  ...over,
});

export const checked = (check: string, signal: string, notes: readonly string[] = []): RunEvent => ({
  type: 'check.ended',
  check,
  signal,
  tone: toneOf(machine, signal),
  notes,
});

export const moved = (from: string, signal: string, to: string, phase: string | null = 'proposed'): RunEvent => ({
  type: 'moved',
  from,
  signal,
  to,
  kind: machine.states[to]?.kind ?? 'parked',
  phase,
});

export const question = {
  title: 'The plan still needs a revision',
  detail: 'The length is not checked.',
  answers: { implement_anyway: 'implement it as it is', continue: 'one more round', view: 'show the plan' },
  about: 'digest',
  withdrawn: null,
  paths: ['agentd/changes/x/proposal.md', 'agentd/changes/x/tasks.md'],
} as const;
