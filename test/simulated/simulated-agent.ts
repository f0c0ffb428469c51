/** An agent that plays a script inside the process that runs the test: reports and files are real, nothing else is. */

import { dirname, join } from 'node:path';
import type { Agent, AgentEvent } from '../../src/agents/agent.ts';
import { eventLines } from '../../src/agents/own-program.ts';
import { turnFor } from '../../src/agents/scripted/scripted.ts';
import type { Turn } from '../../src/agents/scripted/turn.ts';
import type { Disk } from '../../src/disk/disk.ts';
import type { ToolCallHandler, ToolServer } from '../../src/runtime/host.ts';
import type { LaunchOptions } from '../../src/workspace/launcher.ts';

const command = 'simulated-agent';

/** One dispatch that was really begun. */
export interface Played {
  readonly dispatch: string;
  /** Which turn of the script. */
  readonly turn: number;
}

export class SimulatedAgent {
  readonly played: Played[] = [];
  readonly #turns: readonly Turn[];
  readonly #handlers = new Map<string, ToolCallHandler>();

  constructor(turns: readonly Turn[]) {
    this.#turns = turns;
  }

  readonly agent: Agent = {
    name: 'scripted',
    launch: (request) => {
      const turn = turnFor(this.#turns, request);
      if (turn === null) throw new Error(`the script has no turn left for ${request.role} (step ${request.step})`);
      this.played.push({ dispatch: request.id, turn });
      return {
        command,
        args: [String(turn), request.tools.token],
        env: {},
        stdin: request.prompt,
        output: eventLines(),
      };
    },
  };

  readonly toolServer: ToolServer = {
    url: 'simulated:',
    open: (handler) => {
      const token = String(this.#handlers.size + 1);
      this.#handlers.set(token, handler);
      return { token, close: () => Promise.resolve(void this.#handlers.delete(token)) };
    },
    close: () => Promise.resolve(),
  };

  isFor(options: LaunchOptions): boolean {
    return options.command === command;
  }

  /** What the process does: in the order of the real scripted agent. */
  async play({ args: [turn, token = ''], cwd, stdoutFile, onLine }: LaunchOptions, disk: Disk): Promise<void> {
    const emit = (event: AgentEvent): void => {
      const line = JSON.stringify(event);
      disk.writeFile(stdoutFile, `${line}\n`, { flag: 'a' });
      onLine?.(line);
    };
    const { call = [], say, usage, fault } = this.#turns[Number(turn)] ?? {};
    disk.writeFile(stdoutFile, '', { flag: 'a' });
    this.#writeFiles(Number(turn), cwd, disk);
    for (const { tool, args } of fault === 'no_report' ? [] : call) {
      emit({ type: 'tool', name: tool });
      const result = await this.#handlers.get(token)?.call(tool, args);
      emit({ type: 'text', text: `${tool} ${result?.isError ? 'failed' : 'answered'}: ${result?.text}` });
    }
    if (say !== undefined) emit({ type: 'text', text: say });
    if (usage) {
      const { input_tokens: inputTokens = null, output_tokens: outputTokens = null, cost_usd: costUsd = null } = usage;
      emit({ type: 'usage', inputTokens, outputTokens, costUsd });
    }
    emit({ type: 'finished', error: null });
  }

  /** What a process does that nobody listens to any more, until it is ended: nothing, if it was not begun. */
  playOn(turn: number, { cwd, stdoutFile }: Pick<LaunchOptions, 'cwd' | 'stdoutFile'>, disk: Disk): void {
    if (!disk.exists(stdoutFile)) return;
    this.#writeFiles(turn, cwd, disk);
    disk.writeFile(stdoutFile, 'the tools cannot be reached\n', { flag: 'a' });
  }

  #writeFiles(turn: number, workspace: string, disk: Disk): void {
    for (const [path, content] of Object.entries(this.#turns[turn]?.write ?? {}))
      put(disk, join(workspace, path), content);
  }
}

function put(disk: Disk, file: string, content: string | null): void {
  if (content === null) {
    if (disk.exists(file)) disk.unlink(file);
    return;
  }
  disk.mkdir(dirname(file));
  disk.writeFile(file, content);
}
