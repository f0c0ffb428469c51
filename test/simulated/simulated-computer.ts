/** A computer in memory: a disk that can lose things, processes that are functions, a work tree without git. */

import type { Turn } from '../../src/agents/scripted/turn.ts';
import type { Disk } from '../../src/disk/disk.ts';
import type { Computer } from '../../src/runtime/host.ts';
import type { ProcessEnd, LaunchOptions } from '../../src/workspace/launcher.ts';
import { SimulatedAgent } from './simulated-agent.ts';
import { simulatedTree, TreeObjects } from './simulated-tree.ts';

export interface SimulatedComputer extends Computer {
  readonly agent: SimulatedAgent;
}

/** What a command of the project does: its exit code, and what it prints. */
export type ProjectCommands = (argv: readonly string[]) => { readonly exitCode: number; readonly output: string };

export interface ComputerOptions {
  readonly turns: readonly Turn[];
  readonly commands?: ProjectCommands;
  readonly objects?: TreeObjects;
}

const succeeding: ProjectCommands = () => ({ exitCode: 0, output: 'ok\n' });

export function simulatedComputer(
  disk: Disk,
  { turns, commands = succeeding, objects = new TreeObjects() }: ComputerOptions,
): SimulatedComputer {
  const agent = new SimulatedAgent(turns);
  return {
    disk,
    agent,
    launch: async (options) => {
      if (agent.isFor(options)) {
        await agent.play(options, disk);
        return ended(0);
      }
      const { exitCode, output } = commands([options.command, ...options.args]);
      print(disk, options, output);
      return ended(exitCode);
    },
    sandbox: () => Promise.resolve({ level: 'none', problem: 'simulated' }),
    // Whatever was started ends with the process that started it.
    endMarked: () => Promise.resolve(),
    workTree: ({ root }) => simulatedTree(disk, root, objects),
  };
}

function print(disk: Disk, { stdoutFile }: LaunchOptions, output: string): void {
  disk.writeFile(stdoutFile, output, { flag: 'a' });
}

function ended(exitCode: number): ProcessEnd {
  return {
    exitCode,
    signal: null,
    timedOut: false,
    aborted: false,
    outputExceeded: false,
    spawnError: null,
    stdinError: null,
    ms: 1_000,
    stderrTail: '',
  };
}
