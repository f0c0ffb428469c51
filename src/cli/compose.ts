/** The composition root: connects the real agents, tool server, clock and person to a run. */

import { userInfo } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Agent } from '../agents/agent.ts';
import { versionNotes } from '../agents/version-notes.ts';
import { orElse } from '../disk/disk-error.ts';
import { thisComputer, type Host, type Part, type PreparedAnswers, type ToolServer } from '../runtime/host.ts';
import type { WorkflowSurface } from '../workflows/surface.ts';
import { readText } from '../workspace/files.ts';
import { agentNames, installedAgents, leaveRepositoryPrograms, loadAgent } from './agents.ts';
import { stateFolder } from './local-store.ts';
import { usageError } from './problem.ts';

export interface ComposeOptions extends Pick<Host, 'person' | 'observe' | 'interrupted'> {
  /** Their rehearsals are played by the scripted agent. */
  readonly surfaces: readonly WorkflowSurface[];
  readonly prepared?: PreparedAnswers | undefined;
}

export function compose({ surfaces, prepared, ...options }: ComposeOptions): Host & { close(): Promise<void> } {
  leaveRepositoryPrograms();
  const agents = new Map<string, Promise<Agent>>();
  const versions = versionNotes(join(stateFolder(), 'versions.json'));
  let server: Promise<ToolServer> | undefined;
  let installed: readonly string[] | undefined;
  return {
    ...thisComputer,
    ...options,
    workTree: (place) => thisComputer.workTree({ ...place, notes: join(stateFolder(), 'indexes') }),
    ...(prepared && { prepared }),
    agent: (name, wanted, part) => {
      const load = () =>
        name === 'scripted' ? loadScripted(part, surfaces) : loadAgent(name, { ...wanted, versions });
      const known = agents.get(name) ?? load();
      agents.set(name, known);
      return known;
    },
    installed: () => (installed ??= installedAgents()),
    agentNames,
    toolServer: () => (server ??= import('../mcp/tool-server.ts').then(({ startToolServer }) => startToolServer())),
    now: () => Date.now(),
    // An aborted signal ends the wait.
    sleep: (ms, signal) => wait(ms, undefined, { signal }).catch(() => undefined),
    user: orElse('unknown', () => userInfo().username),
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
  const fix = 'pass a script with --script, as docs/guides/your-own-workflow.md shows';
  throw usageError('the scripted agent has no rehearsal of this workflow', fix);
}

export function readScript(file: string): string {
  const text = readText(file);
  if (text !== undefined) return text;
  throw usageError(`there is no script ${file}`, 'pass the path of a YAML script with --script', file);
}
