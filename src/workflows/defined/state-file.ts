/** state.yaml: where a run of a defined workflow is, for people. */

import { DocumentError } from '../../documents/document-error.ts';
import { keyLine } from '../../documents/yaml.ts';
import type { Machine } from '../../engine/machine.ts';
import { phaseOf } from '../../engine/phase.ts';
import { nearest } from '../../schema/nearest.ts';
import { verbatim } from '../../schema/simple.ts';
import type { Adoption, RunView, Workflow } from '../workflow.ts';
import { yamlStateFile } from '../yaml-state-file.ts';
import { runPaths } from './paths.ts';

const expected = 'phase: and a state';

export function stateFile(workflow: string, machine: Machine): Workflow['stateFile'] {
  return yamlStateFile({
    path: (run) => runPaths(workflow, run).state,
    fields: (view) => fieldsOf(workflow, machine, view),
    phase: { schema: verbatim(expected), expected },
    adopt: (phase, view) => adopt(machine, phase, view, runPaths(workflow, view.run).state),
  });
}

function adopt(machine: Machine, phase: string, { files }: RunView, file: string): Adoption {
  const resting = Object.keys(machine.states).filter(
    (name) => machine.states[name]?.kind === 'parked' && name !== machine.initial,
  );
  // Which gates lie between two states only the verifier could say: with gates, a person is always asked.
  if (resting.includes(phase)) return { state: phase, data: {}, gate: Object.keys(machine.gates)[0] ?? null };
  const near = nearest(phase, resting);
  throw new DocumentError(
    { file, line: keyLine(files.read(file) ?? '', 'phase') },
    `phase was set to ${phase} by hand${near === undefined ? '' : ` (did you mean ${near}?)`}`,
    resting.length === 0
      ? 'what Pawl wrote: this workflow rests nowhere'
      : `a state it rests in: ${resting.join(', ')}`,
  );
}

function fieldsOf(
  workflow: string,
  machine: Machine,
  { run, snapshot, at, history }: RunView,
): Record<string, unknown> {
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
}
