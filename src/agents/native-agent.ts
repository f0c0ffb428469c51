/** An agent that is driven by its vendor's own command line. */

import { allowedEnv } from '../workspace/launcher.ts';
import type { Agent, DispatchRequest, OutputReader } from './agent.ts';
import { findProgram, type ProgramSpec } from './program.ts';

export interface NativeAgent extends ProgramSpec {
  /** What differs from dispatch to dispatch; the arguments follow the configured ones, the variables add to `env`. */
  start(request: DispatchRequest): {
    readonly args: readonly string[];
    readonly env?: Readonly<Record<string, string>>;
    readonly output: OutputReader;
  };
}

/** Throws AgentUnavailable when its program is missing or too old. */
export async function nativeAgent(spec: NativeAgent): Promise<Agent> {
  const program = await findProgram({ ...spec, env: allowedEnv(spec.env) });
  return {
    name: spec.agent,
    version: program.version,
    launch: (request) => {
      const { args, env, output } = spec.start(request);
      return {
        command: program.command,
        args: [...program.args, ...args],
        env: { ...spec.env, ...env },
        stdin: request.prompt,
        output,
      };
    },
  };
}
