/** state.yaml in the run's folder: where the run is. Nobody decides by editing it. */

import { DocumentError } from '../../documents/document-error.ts';
import { phaseOf } from '../../engine/phase.ts';
import { verbatim } from '../../schema/simple.ts';
import { yamlStateFile } from '../yaml-state-file.ts';
import { data } from './run-data.ts';
import { machine } from './transition-table.ts';
import { statePath } from './role-words.ts';

const expected = 'phase: and a phase of the run';

export const stateFile = yamlStateFile({
  path: statePath,
  phase: { schema: verbatim(expected), expected },
  fields: ({ run, snapshot, at, history }) => ({
    issue: run,
    title: data.title.of(snapshot),
    branch: data.branch.of(snapshot),
    phase: phaseOf(machine, snapshot),
    state: snapshot.state,
    updated_at: at,
    plan_rework_remaining: snapshot.budgets['plan_rework'],
    dispatches: history.length,
  }),
  adopt: (_, { run }) => {
    const place = { file: statePath(run), line: null };
    throw new DocumentError(
      place,
      'the phase of a run is not set by hand',
      `the file as Pawl wrote it: pawl restore ${run}`,
    );
  },
});
