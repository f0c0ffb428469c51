/** What a run will use, known before its first dispatch: agents, budget, and the most dispatches there can be. */

import { agentsByRole } from '../runtime/agent-choice.ts';
import type { Run } from '../runtime/run.ts';
import { remaining, type Remaining } from '../runtime/run-state.ts';

export interface Opening {
  /** A single entry without a role where one agent plays them all. */
  readonly cast: readonly { readonly role: string | null; readonly agent: string; readonly model: string | null }[];
  /** Proven, not estimated, as formulas; null where there is no such number. */
  readonly dispatches: { readonly most: string; readonly withFaults: string } | null;
  readonly left: Remaining;
}

/** `agent` plays every role where it is given. */
export async function openingOf(run: Run, agent: string | undefined): Promise<Opening> {
  // Which of an agent's models is taken depends on the work, so the ceiling is named.
  const playing = (role: string | null, name: string) => ({
    role,
    agent: name,
    model: run.settings.modelFor(name, undefined),
  });
  const agents = agentsByRole(run);
  return {
    cast:
      agent === undefined
        ? Object.keys(run.workflow.roles).map((role) => playing(role, agents[role] ?? 'none'))
        : [playing(null, agent)],
    dispatches: await worstCase(run),
    left: remaining(run.state.spent, run.spendingLimits),
  };
}

/** The verifier follows every way the run can take from here. */
async function worstCase({ workflow: { machine }, state: { snapshot } }: Run): Promise<Opening['dispatches']> {
  const [{ dispatchesFrom }, { formulaText }] = await Promise.all([
    import('../verifier/dispatches-from.ts'),
    import('../verifier/formula.ts'),
  ]);
  const most = dispatchesFrom(machine, snapshot);
  return most && { most: formulaText(most.dispatches), withFaults: formulaText(most.withFaults) };
}
