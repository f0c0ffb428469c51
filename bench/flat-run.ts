import type { Benchmark } from './benchmark.ts';
import { PlanningRun, recordsPerRound } from './planning-run.ts';
import { compare, medianMs } from './rounds.ts';

const shortRecords = 1_000;
const longRecords = 10_000;
const roundsPerTurn = 20;

/** The last thousand transitions of a long run take turns with the first thousand of short ones. */
export const flatRun: Benchmark = {
  name: 'flat',
  about: 'the last of 10,000 transitions against the first 1,000',
  measure: async () => {
    let short = new PlanningRun();
    const long = new PlanningRun();
    try {
      while (long.records < longRecords - shortRecords) long.round();
      const found = compare(
        () => {
          if (short.records + roundsPerTurn * recordsPerRound > shortRecords) {
            short.close();
            short = new PlanningRun();
          }
          return medianMs(roundsPerTurn, () => short.round()) / recordsPerRound;
        },
        () => medianMs(roundsPerTurn, () => long.round()) / recordsPerRound,
      );
      return [{ what: 'transition 10,000 of a run (against 1 to 1,000)', ...found, unit: 'ms', ratioMax: 1.2 }];
    } finally {
      short.close();
      long.close();
    }
  },
};
