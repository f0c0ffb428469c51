/** What the sandbox adds to an agent call: box, network, and finding out once per command that they work. */

import { performance } from 'node:perf_hooks';
import { replay } from '../src/runtime/run-state.ts';
import { readJournal } from '../src/store/read-journal.ts';
import type { Benchmark } from './benchmark.ts';
import { newPlan, newRepository, plannedId } from './planned-repository.ts';
import { summarize } from './rounds.ts';

const rounds = 7;

export const box: Benchmark = {
  name: 'box',
  about: 'an agent call in the sandbox, against one without (both with the scripted agent)',
  measure: async () => {
    const baselines: number[] = [];
    const subjects: number[] = [];
    for (let round = 0; round <= rounds; round += 1) {
      const [without, within] = [await callMs('off'), await callMs('')];
      // The first one warms up.
      if (round === 0) continue;
      baselines.push(without);
      subjects.push(within);
    }
    return [
      { what: 'an agent call in the sandbox', unit: 'ms wall', ...summarize(baselines, subjects), ratioMax: 1.5 },
    ];
  },
};

async function callMs(sandbox: string): Promise<number> {
  const begin = performance.now();
  const repository = await newPlan(newRepository(), { PAWL_SANDBOX: sandbox });
  const wall = performance.now() - begin;
  const records = readJournal(repository.runFolder('change', plannedId)) ?? [];
  const levels = records.flatMap((record) => (record.type === 'dispatch.started' ? [record.sandbox] : []));
  const expected = sandbox === 'off' ? 'none' : 'files+network';
  if (!levels.every((level) => level === expected)) throw new Error(`this computer has the sandbox level ${levels[0]}`);
  return wall / (replay(records)?.history.length ?? 1);
}
