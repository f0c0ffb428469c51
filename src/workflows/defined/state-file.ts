/** state.yaml: where a run of a defined workflow is, for people. */

import { DocumentError } from '../../documents/document-error.ts';
import { keyLine } from '../../documents/key-line.ts';
import { inFile, readDocument } from '../../documents/read-document.ts';
import { editYaml } from '../../documents/yaml-edit.ts';
import { parseYaml } from '../../documents/yaml.ts';
import type { Machine } from '../../engine/machine.ts';
import { phaseOf } from '../../engine/phase.ts';
import { choose, never, table, withDefault } from '../../schema/compound.ts';
import { ifFits } from '../../schema/lenient.ts';
import { nearest } from '../../schema/nearest.ts';
import { verbatim } from '../../schema/simple.ts';
import type { RunView, StateFile } from '../workflow.ts';
import { runPaths } from './paths.ts';

export function stateFile(workflow: string, machine: Machine, run: string): StateFile {
  const file = runPaths(workflow, run).state;
  return {
    path: () => file,
    render: (before, view) => editYaml(before, fieldsOf(workflow, machine, view), { file }),
    identify: (text) => identify(text, file),
    adopt: (phase, view) => {
      const state = machine.states[phase];
      if (state?.kind !== 'parked' || phase === machine.initial) {
        const resting = Object.keys(machine.states).filter(
          (name) => machine.states[name]?.kind === 'parked' && name !== machine.initial,
        );
        const near = nearest(phase, resting);
        const meant = near === undefined ? '' : ` (did you mean ${near}?)`;
        throw new DocumentError(
          { file, line: keyLine(view.files.read(file) ?? '', 'phase') },
          `phase was set to ${phase} by hand${meant}`,
          resting.length === 0
            ? 'what Pawl wrote: this workflow rests nowhere'
            : `a state it rests in: ${resting.join(', ')}`,
        );
      }
      // Which gates lie between two states only the verifier could say: with gates, a person is always asked.
      return { state: phase, data: {}, gate: Object.keys(machine.gates)[0] ?? null };
    },
  };
}

function identify(text: string, file: string): { phase: string; updatedAt: string } {
  const locate = inFile(file, () => keyLine(text, 'phase') ?? 1);
  const values = parseYaml(text, { file, line: 1 });
  const { phase, updated_at: updatedAt } = readDocument(stateHead, values, locate, { unknownKeys: 'ignored' });
  return { phase, updatedAt };
}

const noPhase = { problem: 'there is no phase', expected: 'phase: and a state' };

const stateHead = table(
  {
    phase: choose((value) => (typeof value === 'string' ? verbatim() : never(noPhase.expected, noPhase.problem))),
    updated_at: withDefault(ifFits(verbatim()), ''),
  },
  noPhase,
);

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
