/** The composition root: puts the real agents, tool server, clock and person around a run. */

import { hostname, userInfo } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Agent } from '../agents/agent.ts';
import { FileStore } from '../store/file-store.ts';
import type { Liveness, LeaseOptions } from '../store/lease.ts';
import type { Owner } from '../store/run-store.ts';
import { runStateVersion, type RunState } from '../runtime/run-state.ts';
import type { Person, PreparedAnswers, RunEvent, Surroundings } from '../runtime/surroundings.ts';
import { thisComputer } from '../runtime/this-computer.ts';
import type { ToolServer } from '../runtime/tool-server.ts';
import { readText } from '../workspace/files.ts';
import { bootId, isAlive, pidNamespace, startTimeOf } from '../workspace/processes.ts';
import { installedAgents } from './installed-agents.ts';
import { Problem } from './problem.ts';

export interface Composed extends Surroundings {
  close(): Promise<void>;
}

export interface ComposeOptions {
  readonly person: Person | null;
  readonly prepared?: PreparedAnswers | undefined;
  observe(event: RunEvent): void;
  /** Which rehearsal the scripted agent plays without a script; without one it needs a script. */
  rehearsal?(): Rehearsal | null;
  /** The scripted agent's script; null plays the bundled rehearsal. Asked when the agent is first needed. */
  script(): string | null;
  readonly interrupted: AbortSignal;
}

export function compose(options: ComposeOptions): Composed {
  const agents = new Map<string, Promise<Agent>>();
  let server: Promise<ToolServer> | undefined;
  let installed: readonly string[] | undefined;
  const load = async (...[name, wanted]: Parameters<Surroundings['agent']>): Promise<Agent> =>
    name === 'scripted'
      ? loadScripted(options.script(), options.rehearsal?.() ?? null)
      : (await import('./agents.ts')).loadAgent(name, wanted);
  return {
    ...thisComputer,
    agent: (name, wanted) => {
      const known = agents.get(name) ?? load(name, wanted);
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

async function loadScripted(file: string | null, rehearsal: Rehearsal | null): Promise<Agent> {
  const [{ scriptedAgent }, script] = await Promise.all([
    import('../agents/scripted/scripted.ts'),
    readScript(file, rehearsal),
  ]);
  const executable = fileURLToPath(new URL('./scripted-agent.js', import.meta.url));
  return scriptedAgent({ script, file: file ?? 'the bundled rehearsal', executable });
}

const rehearsals = {
  change: () => import('../workflows/change/rehearsal.yaml'),
  session: () => import('../workflows/session/rehearsal-full.yaml'),
  'session-lean': () => import('../workflows/session/rehearsal-lean.yaml'),
};

type Rehearsal = keyof typeof rehearsals;

/** A lean session goes another way than a full one, so it has a rehearsal of its own. */
export function rehearsalOf(workflow: string, flags: Readonly<Record<string, string>> = {}): Rehearsal | null {
  if (workflow === 'session' && flags['course'] === 'lean') return 'session-lean';
  return workflow === 'session' || workflow === 'change' ? workflow : null;
}

async function readScript(file: string | null, rehearsal: Rehearsal | null): Promise<string> {
  if (file === null && rehearsal !== null) return (await rehearsals[rehearsal]()).default;
  if (file === null)
    throw new Problem('usage', 'the scripted agent has no rehearsal of this workflow', {
      fix: 'give it a script with --script: see docs/guides/your-own-workflow.md',
    });
  const text = readText(file);
  if (text === undefined)
    throw new Problem('usage', `there is no script ${file}`, {
      target: file,
      fix: 'give the path of a YAML script with --script',
    });
  return text;
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

/** The runs of a repository: in its git directory, shared by all its worktrees. */
export function storeOf(commonDir: string): FileStore<RunState> {
  const { self, livenessOf: liveness, now } = leaseOptions(false);
  return new FileStore(join(commonDir, 'pawl'), { self, livenessOf: liveness, now, stateVersion: runStateVersion });
}

export function leaseOptions(force: boolean): LeaseOptions {
  const self: Owner = {
    pid: process.pid,
    startedAt: startTimeOf(process.pid) ?? '',
    host: hostname(),
    bootId: bootId(),
    pidNamespace: pidNamespace(),
  };
  return { self, livenessOf: (owner) => livenessOf(owner, self), now: () => Date.now(), force };
}

export function livenessOf(owner: Owner, self: Pick<Owner, 'host' | 'bootId' | 'pidNamespace'>): Liveness {
  if (owner.host !== self.host) return 'unseen';
  if (owner.bootId !== self.bootId) return 'dead';
  if (owner.pidNamespace !== self.pidNamespace) return 'unseen';
  return isAlive(owner) ? 'alive' : 'dead';
}
