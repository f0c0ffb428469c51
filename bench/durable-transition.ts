import { closeSync, fdatasyncSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { Benchmark } from './benchmark.ts';
import { compare, median } from './rounds.ts';
import { PlanningRun, recordsPerRound } from './rounds-of-planning.ts';

const rawBytes = 300;
const roundsPerTurn = 40;

export const durableTransition: Benchmark = {
  name: 'transition',
  about: 'one durable transition against appending 300 bytes and fdatasync, on the same disk',
  measure: async () => {
    const run = new PlanningRun();
    const descriptor = openSync(join(run.folder, 'raw'), 'a');
    const bytes = Buffer.alloc(rawBytes, 'x');
    try {
      const found = interleaved(
        () => {
          writeSync(descriptor, bytes);
          fdatasyncSync(descriptor);
        },
        () => run.round(),
      );
      const shown = (ms: number) => `${ms.toFixed(3)} ms wall`;
      return [{ what: 'one durable transition', measured: shown(found.subject), baseline: shown(found.baseline), ratio: found.ratio, spread: found.spread, ratioMax: 1.5 }];
    } finally {
      closeSync(descriptor);
      run.close();
    }
  },
};
