import type { Benchmark } from './benchmark.ts';
import { plannedId, plannedRepository, program } from './planned-repository.ts';
import { compareWithNode } from './processes.ts';

export const startUp: readonly Benchmark[] = [
  {
    name: 'version',
    about: 'pawl --version against node -e 0',
    measure: async () =>
      compareWithNode({
        what: 'pawl --version',
        args: [program, '--version'],
        cwd: process.cwd(),
        ratioMax: 2,
        waitedFor: true,
        startsPerTurn: 10,
      }),
  },
  {
    name: 'status',
    about: 'pawl change status of a planned change against node -e 0',
    measure: async () => {
      const { root } = await plannedRepository();
      return compareWithNode({
        what: 'pawl change status',
        args: [program, 'change', 'status', plannedId],
        cwd: root,
        ratioMax: 3,
        waitedFor: true,
        startsPerTurn: 10,
      });
    },
  },
  {
    name: 'hook',
    about: 'pawl hook session-start against node -e 0',
    measure: async () => {
      const { root } = await plannedRepository();
      return compareWithNode({
        what: 'pawl hook session-start',
        args: [program, 'hook', 'session-start'],
        cwd: root,
        ratioMax: null,
        waitedFor: true,
        wallMsMoreMax: 100,
        startsPerTurn: 10,
      });
    },
  },
  {
    name: 'verify',
    about: 'pawl verify of all bundled workflows against node -e 0',
    measure: async () =>
      compareWithNode({
        what: 'pawl verify',
        args: [program, 'verify'],
        cwd: process.cwd(),
        ratioMax: null,
        waitedFor: false,
        startsPerTurn: 2,
      }),
  },
];
