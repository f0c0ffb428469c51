/** What `status` tells of a run of a defined workflow. */

import type { Machine } from '../../engine/machine.ts';
import { phaseOf } from '../../engine/phase.ts';
import type { StatusDetails, StatusView } from '../workflow.ts';
import { lastVerdict } from './summary.ts';

export function status(machine: Machine, view: StatusView): StatusDetails {
  const { history, snapshot, unproven } = view;
  const verdict = lastVerdict(view);
  return {
    keys: { verdict, dispatches: history.length, unproven: unproven.length > 0 ? unproven : null },
    title: [`state ${phaseOf(machine, snapshot) ?? 'new'}`, ...(verdict === null ? [] : [`verdict ${verdict}`])],
    notes:
      unproven.length > 0 ? [{ text: 'unproven: this run goes on although the verifier refutes its workflow' }] : [],
  };
}
