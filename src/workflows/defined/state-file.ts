/** state.yaml: where a run of a defined workflow is, for people. */

import { DocumentError } from '../../documents/document-error.ts';
import { keyLine } from '../../documents/yaml.ts';
import type { Machine } from '../../engine/machine.ts';
import { phaseOf } from '../../engine/phase.ts';
import { nearest } from '../../schema/nearest.ts';
import { verbatim } from '../../schema/simple.ts';
import type { Adoption, FileView, Workflow } from '../workflow.ts';
import { yamlStateFile } from '../yaml-state-file.ts';
import { controlFolder } from './artifacts.ts';

const expected = 'phase: and a state';

export function stateFile(workflow: string, machine: Machine): Workflow['stateFile'] {
  const path = (run: string): string => `${controlFolder(workflow)}/${run}/state.yaml`;
  return yamlStateFile({
    path,
    fields: ({ run, snapshot, at, history }) => {
      const { description } = snapshot.data;
      const last = history.at(-1);
      return {
        workflow,
        run,
        ...(typeof description === 'string' && { description }),
        phase: phaseOf(machine, snapshot),
        state: snapshot.state,
        updated_at: at,
        budgets_left: snapshot.budgets,
        dispatches: history.length,
        last_dispatch: last ? { step: last.step, role: last.role, agent: last.agent, signal: last.signal } : null,
      };
    },
    phase: { schema: verbatim(expected), expected },
    adopt: (phase, { files, run }) => adopt(machine, phase, files, path(run)),
  });
}

function adopt({ states, initial, gates }: Machine, phase: string, files: FileView, file: string): Adoption {
  const resting = Object.keys(states).filter((name) => states[name]?.kind === 'parked' && name !== initial);
  // Which gates lie between two states only the verifier could say: with gates, a person is always asked.
  if (resting.includes(phase)) return { state: phase, data: {}, gate: Object.keys(gates)[0] ?? null };
  const near = nearest(phase, resting);
  throw new DocumentError(
    { file, line: keyLine(files.read(file) ?? '', 'phase') },
    `phase was set to ${phase} by hand${near === undefined ? '' : ` (did you mean ${near}?)`}`,
    resting.length === 0
      ? 'what Pawl wrote: this workflow rests nowhere'
      : `a state it rests in: ${resting.join(', ')}`,
  );
}
