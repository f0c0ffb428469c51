import type { Benchmark } from './benchmark.ts';
import { plannedId, program, repositoryWithRecords } from './planned-repository.ts';
import { compareWithNode } from './processes.ts';

/** `plan` in phase `challenged` takes the lease, opens the journal, compares the plan, records two transitions and rests. */
export const resume: Benchmark = {
  name: 'resume',
  about: 'pawl change plan of a run with a 10,000-record journal against node -e 0',
  measure: async () => {
    const { root } = await repositoryWithRecords(10_000);
    const common = { cwd: root, startsPerTurn: 3 };
    const args = [program, 'change', 'plan', plannedId, '--no-input'];
    return [
      ...compareWithNode({ what: 'resuming a run, 10,000 records', args, ratioMax: 5, waitedFor: true, ...common }),
      ...compareWithNode({
        what: '  its status',
        args: [program, 'change', 'status', plannedId],
        ratioMax: null,
        waitedFor: false,
        ...common,
      }),
    ];
  },
};
