/**
 * What a run leaves, as far as it must not depend on crashes.
 *
 * Left out: times, digests of documents that contain times (the documents themselves are compared), durations and
 * numbers made of counters, the counter of reruns, usage (a dispatch taken as complete after a crash has unknown usage),
 * loop budgets of a run at rest, and patches kept of abandoned dispatches.
 */

import type { RunState } from '../runtime/run-state.ts';

export function stateRemains(state: RunState | undefined): unknown {
  const history = state?.history.map(({ role, step, signal, tree }) => ({ role, step, signal, tree }));
  const snapshot = state && withoutLoopBudgets(state.snapshot);
  return JSON.parse(withoutTimes(JSON.stringify({ snapshot, open: state?.open, history })));
}

/** A command that is run again after it had come to rest renews its loop budgets, as it should. */
function withoutLoopBudgets(snapshot: RunState['snapshot']): unknown {
  return snapshot.outcome === null ? snapshot : { ...snapshot, budgets: '<renewed>' };
}

/** Files by path; exported journals tell of crashes, as they should. */
export function fileRemains(files: Iterable<readonly [path: string, text: string]>): Readonly<Record<string, string>> {
  return Object.fromEntries(
    [...files]
      .filter(([path]) => !path.startsWith('.git/') && !path.endsWith('/journal.jsonl'))
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([path, text]) => [path, withoutVolatile(path, text)]),
  );
}

function withoutVolatile(path: string, text: string): string {
  const timeless = withoutTimes(text);
  if (!path.endsWith('.yaml')) return timeless;
  return timeless.replace(/^( *)(tokens_in|tokens_out|cost_usd|duration_ms):.*$/gm, '$1$2: …');
}

function withoutTimes(text: string): string {
  return text
    .replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g, '<time>')
    .replace(/sha256:[0-9a-f]{64}/g, '<digest>')
    .replace(/(checks\/)\d+-/g, '$1<n>-')
    .replace(/\/[^"'\s]*pawl-scratch-[A-Za-z0-9]+/g, '<scratch>');
}
