import { fileURLToPath } from 'node:url';
import type { Benchmark, Measured } from './benchmark.ts';
import { largerPlan, program, repositoryOfMany } from './planned-repository.ts';
import { compareWithNode } from './processes.ts';
import { validateFlag } from './validation-flag.ts';

const changes = 10_000;
let many: ReturnType<typeof repositoryOfMany> | undefined;

export const manyChanges: readonly Benchmark[] = [
  {
    name: 'runs',
    about: 'pawl runs --json over 10,000 changes against node -e 0',
    measure: async () => {
      const { root } = await (many ??= repositoryOfMany(changes));
      return compareWithNode({
        what: 'pawl runs --json, 10,000 changes',
        args: [program, 'runs', '--json'],
        cwd: root,
        ratioMax: 15,
        waitedFor: false,
        startsPerTurn: 2,
      });
    },
  },
  {
    name: 'validate',
    about: 'validating 10,000 changes, read from disk in one process, against node -e 0',
    measure: async () => {
      const { root } = await (many ??= repositoryOfMany(changes));
      const larger = await repositoryOfMany(changes, largerPlan());
      return [
        ...validating(root, { what: 'validating 10,000 changes', ratioMax: 60 }),
        ...validating(larger.root, { what: '  larger ones: 2 specs, 5 tasks, 2 reviews', ratioMax: null }),
      ];
    },
  },
];

function validating(root: string, { what, ratioMax }: { what: string; ratioMax: number | null }): readonly Measured[] {
  const args = [process.argv[1] ?? fileURLToPath(import.meta.url), validateFlag, root];
  return compareWithNode({ what, args, cwd: root, ratioMax, waitedFor: false, startsPerTurn: 1 });
}
