import { closeSync, fdatasyncSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { Benchmark } from './benchmark.ts';
import { PlanningRun, recordsPerRound } from './planning-run.ts';
import { compare, medianMs } from './rounds.ts';

const rawBytes = 300;
const roundsPerTurn = 50;

export const durableTransition: Benchmark = {
  name: 'transition',
  about: 'one durable transition against appending 300 bytes and fdatasync, on the same disk',
  measure: async () => {
    const run = new PlanningRun();
    const descriptor = openSync(join(run.folder, 'raw'), 'a');
    const bytes = Buffer.alloc(rawBytes, 'x');
    const appendRaw = () => {
      for (let record = 0; record < recordsPerRound; record += 1) {
        writeSync(descriptor, bytes);
        fdatasyncSync(descriptor);
      }
    };
    const against = (round: () => void) =>
      compare(
        () => medianMs(roundsPerTurn, appendRaw) / recordsPerRound,
        () => medianMs(roundsPerTurn, round) / recordsPerRound,
      );
    try {
      return [
        {
          what: 'one durable transition',
          unit: 'ms',
          ...against(() => run.transitions()),
          ratioMax: 1.5,
        },
        {
          what: '  of a planning round, with its state file',
          unit: 'ms',
          ...against(() => run.round()),
          ratioMax: null,
        },
      ];
    } finally {
      closeSync(descriptor);
      run.close();
    }
  },
};
