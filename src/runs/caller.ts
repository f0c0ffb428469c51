/** Whom runs are worked on for: an edge such as the command line, and its notices beside the events of a run. */

import { chosenFor, chosenForAll } from '../agents/role-choice.ts';
import { agentsByRole } from '../runtime/agent-choice.ts';
import type { Host } from '../runtime/host.ts';
import { confinementOf, type Confinement } from '../runtime/confinement.ts';
import type { Run } from '../runtime/run.ts';
import { remaining, type Remaining } from '../runtime/run-budgets.ts';
import type { Repository } from '../workspace/git.ts';
import type { Refusal } from './refusal.ts';
import type { Cast } from './work-order.ts';

export interface Caller {
  readonly host: Host;
  /** Stops the work at hand: aborts `host.interrupted` with this reason. */
  interrupt(reason: string): void;
  notify(notice: Notice): void;
  /** Refuses where nobody has trusted what the files at `root` tell Pawl to run; may ask. */
  untrusted(place: TrustedPlace): Promise<Refusal | null>;
}

/** What is trusted of a repository is trusted in all its worktrees; `root` is where its files are read. */
export type TrustedPlace = Pick<Repository, 'root' | 'commonDir'>;

export type Notice =
  | { readonly kind: 'settings'; readonly warnings: readonly string[] }
  /** A state file that is to be adopted, and what is wrong with it. */
  | { readonly kind: 'foreign_state'; readonly path: string; readonly notes: readonly string[] }
  | { readonly kind: 'opening'; readonly opening: Opening }
  /** The work pauses until a rate limit ends. */
  | { readonly kind: 'waiting'; readonly until: string; readonly ms: number };

/** What a run will use, known before its first dispatch. */
export interface Opening {
  /** A single entry without a role where one agent plays them all. */
  readonly cast: readonly {
    readonly role: string | null;
    readonly agent: string;
    readonly model: string | null;
    /** The model is chosen by a person, whatever the work is. */
    readonly exact: boolean;
  }[];
  /** The most dispatches, proven, as formulas; null where there is no such number. */
  readonly dispatches: { readonly most: string; readonly withFaults: string } | null;
  readonly left: Remaining;
  readonly sandbox: Confinement;
}

/** `chosen`: agents and models as the person chose them. */
export async function openingOf(run: Run, chosen: Pick<Cast, 'agent' | 'model'>): Promise<Opening> {
  // Which of an agent's models is taken depends on the work, so the ceiling is named.
  const playing = (role: string | null, agent: string) => {
    const exact = chosenFor(chosen.model, role ?? '');
    return { role, agent, model: exact ?? run.settings.modelFor(agent, undefined), exact: exact !== undefined };
  };
  const agents = agentsByRole(run, chosen.agent);
  const only = chosen.model === undefined || chosenForAll(chosen.model) ? chosenForAll(chosen.agent) : null;
  const roles = Object.keys(run.workflow.roles);
  const [{ dispatchesFrom }, { formulaText, withSizes }] = await Promise.all([
    import('../verifier/dispatches-from.ts'),
    import('../verifier/formula.ts'),
  ]);
  const { snapshot } = run.state;
  const most = dispatchesFrom(run.workflow.machine, snapshot);
  const sizes = run.workflow.itemsMost?.(snapshot) ?? {};
  return {
    cast: only === null ? roles.map((role) => playing(role, agents[role] ?? 'none')) : [playing(null, only)],
    dispatches: most && {
      most: formulaText(withSizes(most.dispatches, sizes)),
      withFaults: formulaText(withSizes(most.withFaults, sizes)),
    },
    left: remaining(run.state.spent, run.spendingLimits),
    sandbox: await confinementOf(run),
  };
}
