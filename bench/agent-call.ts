/** What Pawl takes around an agent: starting it, snapshots of the work tree, bounds, journal, its own start included. */

import { performance } from 'node:perf_hooks';
import { spawnSync } from 'node:child_process';
import { replay } from '../src/runtime/run-state.ts';
import { readJournal } from '../src/store/journal.ts';
import type { Benchmark } from './benchmark.ts';
import { newPlan, plannedId } from './planned-repository.ts';
import { summarize } from './rounds.ts';

const rounds = 7;

export const agentCall: Benchmark = {
  name: 'call',
  about: 'what Pawl adds to an agent call, against node -e 0',
  measure: async () => {
    const baselines: number[] = [];
    const subjects: number[] = [];
    for (let round = 0; round <= rounds; round += 1) {
      const started = performance.now();
      spawnSync(process.execPath, ['-e', '0']);
      const baseline = performance.now() - started;
      const begin = performance.now();
      const repository = await newPlan();
      const wall = performance.now() - begin;
      const history = replay(readJournal(repository.runFolder('change', plannedId)) ?? [])?.history ?? [];
      const agents = history.reduce((sum, { ms }) => sum + ms, 0);
      // The first one warms up.
      if (round === 0) continue;
      baselines.push(baseline);
      subjects.push((wall - agents) / history.length);
    }
    const what = 'an agent call, outside of the agent';
    return [{ what, unit: 'ms wall', ...summarize(baselines, subjects), ratioMax: null }];
  },
};
