/**
 * What agent calls have consumed: over all runs, and by run, workflow, role and agent.
 *
 * U1. Unknown is never zero: a sum says for how many calls it does not know, and is null where it knows of none.
 */

import type { Usage } from '../engine/usage.ts';
import { readRunState, type RunState } from '../runtime/run-state.ts';
import { JournalCorrupt } from '../store/record.ts';
import type { RunKey } from '../store/run-store.ts';
import { runKeys } from './find.ts';
import type { RunRepository } from './work-order.ts';

export interface AgentCall extends RunKey {
  readonly role: string;
  readonly agent: string;
  readonly at: string;
  readonly ms: number;
  readonly usage: Usage;
}

/** U1. */
export interface UsageSum {
  readonly calls: number;
  readonly inputTokens: number | null;
  readonly outputTokens: number | null;
  readonly costUsd: number | null;
  readonly unknownTokens: number;
  readonly unknownCost: number;
  readonly agentMs: number;
}

export type NamedUsage = UsageSum & { readonly name: string };

export interface UsageReport {
  readonly total: UsageSum;
  /** The most expensive first, in each. */
  readonly runs: readonly NamedUsage[];
  readonly workflows: readonly NamedUsage[];
  readonly roles: readonly NamedUsage[];
  readonly agents: readonly NamedUsage[];
  /** Runs whose journals cannot be read. */
  readonly unread: readonly string[];
}

export function usageOf(repository: RunRepository, sinceMs: number | null): UsageReport {
  const calls: AgentCall[] = [];
  const unread: string[] = [];
  for (const key of runKeys(repository)) {
    try {
      const state = readRunState(repository.store, key);
      if (state) calls.push(...callsOf(key, state));
    } catch (error) {
      if (!(error instanceof JournalCorrupt)) throw error;
      unread.push(`${key.workflow}/${key.run}`);
    }
  }
  return { ...reportOf(calls.filter(({ at }) => sinceMs === null || Date.parse(at) >= sinceMs)), unread };
}

/** Those that ended, those that were cut off, and advisors beside them. */
export function callsOf({ workflow, run }: RunKey, { history, interrupted }: RunState): AgentCall[] {
  return [...history, ...interrupted].flatMap(({ role, agent, at, ms, usage, beside }) => {
    const { call, role: advisor = '' } = beside ?? {};
    return [
      { workflow, run, role, agent, at, ms, usage },
      ...(call ? [{ workflow, run, role: advisor, agent: call.agent, at, ms: call.ms, usage: call.usage }] : []),
    ];
  });
}

export function reportOf(calls: readonly AgentCall[]): Omit<UsageReport, 'unread'> {
  const by = (nameOf: (call: AgentCall) => string): NamedUsage[] =>
    [...grouped(calls, nameOf)]
      .map(([name, own]) => ({ name, ...sumOf(own) }))
      .toSorted((left, right) => (right.costUsd ?? 0) - (left.costUsd ?? 0) || right.calls - left.calls);
  return {
    total: sumOf(calls),
    runs: by(({ workflow, run }) => `${workflow}/${run}`),
    workflows: by(({ workflow }) => workflow),
    roles: by(({ workflow, role }) => `${workflow}/${role}`),
    agents: by(({ agent }) => agent),
  };
}

function grouped(calls: readonly AgentCall[], nameOf: (call: AgentCall) => string): Map<string, AgentCall[]> {
  const groups = new Map<string, AgentCall[]>();
  for (const call of calls) {
    const own = groups.get(nameOf(call));
    if (own) own.push(call);
    else groups.set(nameOf(call), [call]);
  }
  return groups;
}

function sumOf(calls: readonly AgentCall[]): UsageSum {
  const known = (key: keyof Usage): number[] => calls.flatMap(({ usage }) => usage[key] ?? []);
  const sum = (key: keyof Usage): number | null => {
    const values = known(key);
    return values.length === 0 && calls.length > 0 ? null : values.reduce((left, right) => left + right, 0);
  };
  const cost = sum('costUsd');
  return {
    calls: calls.length,
    inputTokens: sum('inputTokens'),
    outputTokens: sum('outputTokens'),
    // Sums of fractions are not exact in binary; millionths of a dollar are.
    costUsd: cost === null ? null : Math.round(cost * 1_000_000) / 1_000_000,
    unknownTokens: calls.filter(({ usage }) => usage.inputTokens === null || usage.outputTokens === null).length,
    unknownCost: calls.length - known('costUsd').length,
    agentMs: calls.reduce((total, { ms }) => total + ms, 0),
  };
}
