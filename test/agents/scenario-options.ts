/** The scenarios of real agents, and in what the agents differ. */

import type { AgentUnderTest } from './agent-run.ts';
import type { ModelTurn } from './model/turn-player.ts';

export type Scenario =
  | 'whole change'
  | 'read-only role'
  | 'malformed arguments'
  | 'streaming model'
  | 'no report'
  | 'rate limit'
  | 'wrong key'
  | 'server errors'
  | 'unreachable model'
  | 'cut stream'
  | 'hang'
  | 'interrupted'
  | 'interrupted command'
  | 'killed'
  | 'killed without a sandbox'
  | 'hostile repository'
  | 'own servers';

export interface ScenarioOptions extends AgentUnderTest {
  /** Scenarios that cannot be had from this agent, each with the reason. */
  readonly skips?: Readonly<Partial<Record<Scenario, string>>>;
  /** What this vendor's API answers when a limit is reached, and the end of it as far as the agent tells (null: it does not). */
  readonly limit?: { readonly error: NonNullable<ModelTurn['error']>; readonly until: string | null };
  /** Whether it tells what a dispatch has cost; tokens are expected of all. */
  readonly tellsCost?: boolean;
  /** Whether a second attempt goes on in the conversation of the first. */
  readonly resumes?: boolean;
  /** Whether it tells tokens; true if not given. */
  readonly tellsTokens?: boolean;
}
