/** An agent that is driven by its vendor's own command line. */

import { createHash } from 'node:crypto';
import { allowedEnv } from '../workspace/launcher.ts';
import type { Agent, DispatchRequest, Launch } from './agent.ts';
import { chosenEnv, type AgentOptions } from './agent-options.ts';
import { findProgram, type ProgramSpec } from './program.ts';
import { neededBy } from './vendor-needs.ts';

/** Its name is also that of its program. */
interface NativeAgent extends Pick<ProgramSpec, 'agent' | 'atLeast' | 'install'> {
  /** Variables of the user's that it may see, and variables that are always set. */
  readonly passedOn: readonly string[];
  readonly fixed?: Readonly<Record<string, string>>;
  /** What differs from dispatch to dispatch; the arguments follow the configured ones. */
  readonly start: (request: DispatchRequest) => Pick<Launch, 'args' | 'output'> &
    Partial<Pick<Launch, 'env'>> & {
      /** Folders it writes beside its own and that of the dispatch. */
      readonly writes?: readonly string[];
    };
}

/** Throws AgentUnavailable when its program is missing or too old. */
export async function nativeAgent(
  { command, environment, versions }: AgentOptions,
  { passedOn, fixed, start, ...spec }: NativeAgent,
): Promise<Agent> {
  const own = { ...chosenEnv(environment, passedOn), ...fixed };
  const noted = versions && { versions };
  const program = await findProgram({ ...spec, command: command ?? [spec.agent], env: allowedEnv(own), ...noted });
  return {
    name: spec.agent,
    version: program.version,
    program: [program.command, ...program.args],
    launch: (request) => {
      const { args, env, output, writes = [] } = start(request);
      const { command, args: configured } = program;
      const needs = neededBy(spec.agent, [command, ...configured], environment);
      return {
        command,
        args: [...configured, ...args],
        env: { ...own, ...env },
        stdin: request.prompt,
        output,
        needs: { ...needs, write: [...needs.write, ...writes] },
      };
    },
  };
}

/** A UUID for the conversation of a dispatch; the token makes it one that no earlier run of the same name had. */
export function conversationIdOf({ id, folder, tools }: Pick<DispatchRequest, 'id' | 'folder' | 'tools'>): string {
  const hex = createHash('sha256').update(`${folder}\n${id}\n${tools.token}`).digest('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

/** For agents that take the id of a conversation when it begins. */
export function conversationArgument(request: DispatchRequest): string {
  return request.resume === null ? `--session-id=${conversationIdOf(request)}` : `--resume=${request.resume}`;
}

export function modelArgument({ model }: DispatchRequest): readonly string[] {
  return model === null ? [] : [`--model=${model}`];
}
