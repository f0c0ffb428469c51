/** The composition root: puts the real agents, tool server, clock and person around a run. */

import { userInfo } from 'node:os';
import { fileURLToPath } from 'node:url';
import type { Agent } from '../agents/agent.ts';
import {
  thisComputer,
  type Part,
  type Person,
  type PreparedAnswers,
  type RunEvent,
  type Host,
  type ToolServer,
} from '../runtime/host.ts';
import type { WorkflowSurface } from '../workflows/surface.ts';
import { readText } from '../workspace/files.ts';
import { installedAgents } from './installed-agents.ts';
import { Problem } from './problem.ts';

export interface Composed extends Host {
  close(): Promise<void>;
}

export interface ComposeOptions {
  /** Their rehearsals are played by the scripted agent. */
  readonly surfaces: readonly WorkflowSurface[];
  readonly person: Person | null;
  readonly prepared?: PreparedAnswers | undefined;
  observe(event: RunEvent): void;
  readonly interrupted: AbortSignal;
}

export function compose(options: ComposeOptions): Composed {
  const agents = new Map<string, Promise<Agent>>();
  let server: Promise<ToolServer> | undefined;
  let installed: readonly string[] | undefined;
  const load = async (...[name, wanted, part]: Parameters<Host['agent']>): Promise<Agent> =>
    name === 'scripted' ? loadScripted(part, options.surfaces) : (await import('./agents.ts')).loadAgent(name, wanted);
  return {
    ...thisComputer,
    agent: (name, wanted, part) => {
      const known = agents.get(name) ?? load(name, wanted, part);
      agents.set(name, known);
      return known;
    },
    installed: () => (installed ??= installedAgents()),
    toolServer: () => (server ??= import('../mcp/tool-server.ts').then(({ startToolServer }) => startToolServer())),
    person: options.person,
    ...(options.prepared && { prepared: options.prepared }),
    observe: (event) => options.observe(event),
    now: () => Date.now(),
    sleep,
    interrupted: options.interrupted,
    user: userName(),
    close: async () => (await server)?.close(),
  };
}

async function loadScripted(part: Part, surfaces: readonly WorkflowSurface[]): Promise<Agent> {
  const [{ scriptedAgent }, script] = await Promise.all([
    import('../agents/scripted/scripted.ts'),
    part.script === null ? rehearsalOf(part, surfaces) : readScript(part.script),
  ]);
  const executable = fileURLToPath(new URL('./scripted-agent.js', import.meta.url));
  return scriptedAgent({ script, file: part.script ?? 'the bundled rehearsal', executable });
}

async function rehearsalOf({ workflow, flags }: Part, surfaces: readonly WorkflowSurface[]): Promise<string> {
  const script = await surfaces.find(({ name }) => name === workflow)?.rehearsal?.(flags);
  if (script !== undefined) return script;
  throw new Problem('usage', 'the scripted agent has no rehearsal of this workflow', {
    fix: 'give it a script with --script: see docs/guides/your-own-workflow.md',
  });
}

function readScript(file: string): string {
  const text = readText(file);
  if (text !== undefined) return text;
  throw new Problem('usage', `there is no script ${file}`, {
    target: file,
    fix: 'give the path of a YAML script with --script',
  });
}

function sleep(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const timer = setTimeout(done, ms);
    signal.addEventListener('abort', done, { once: true });
    function done(): void {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      resolve();
    }
  });
}

function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return 'unknown';
  }
}
