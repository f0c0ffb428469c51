/** A real agent at work on a change in a scratch repository, with a scripted model behind it. */

import type { ChildProcess } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { Usage } from '../../src/engine/usage.ts';
import { readJournal } from '../../src/store/read-journal.ts';
import type { JournalRecord } from '../../src/store/record.ts';
import { ScratchRepository, type Ran } from '../../src/testing/scratch-repository.ts';
import { ChangeRepository, program, type Turn } from '../change/scripts.ts';
import { pathWith } from './agents-cache.ts';
import { sprungIn } from './hostile-repository.ts';
import { ModelServer, type Manner } from './model/model-server.ts';
import type { ModelTurn } from './model/turn-player.ts';

/** What a vendor's tests say about its agent. */
export interface AgentUnderTest {
  /** Its name in Pawl, and in the cache of installed agents. */
  readonly agent: string;
  /** Names of more packages of the cache that have to be on its PATH. */
  readonly packages?: readonly string[];
  /** Variables by which it finds the scripted model. */
  env(server: ModelServer, repository: ScratchRepository): Readonly<Record<string, string>>;
  /** More TOML for the project's configuration. */
  readonly config?: string;
  /** Files it needs before it starts: a user's own configuration in the home folder. */
  prepare?(repository: ScratchRepository, server: ModelServer): void;
}

export interface Settings {
  readonly retries?: number;
  readonly timeoutMinutes?: number;
  readonly manner?: Manner;
}

export interface EndedDispatch {
  readonly signal: string;
  readonly problem: string;
  readonly session: string | null;
  readonly model: string | null;
  readonly usage: Usage;
}

export type Result = Ran & { readonly json: Readonly<Record<string, any>> };

export const run = 'greet';
/** With others at work on the machine an agent takes its time. */
const patienceMs = 100_000;

export class AgentRun {
  readonly server: ModelServer;
  readonly repository: ScratchRepository;
  readonly #subject: AgentUnderTest;

  private constructor(subject: AgentUnderTest, server: ModelServer, repository: ScratchRepository) {
    this.#subject = subject;
    this.server = server;
    this.repository = repository;
  }

  static async create(
    subject: AgentUnderTest,
    turns: readonly Turn[],
    { retries = 0, timeoutMinutes = 2, manner }: Settings = {},
  ): Promise<AgentRun> {
    const server = await ModelServer.start(modelTurns(turns), manner);
    const roles = ['planner', 'challenger', 'implementer', 'reviewer', 'archivist'];
    const repository = ScratchRepository.create(program, {
      'README.md': '# Scratch\n',
      'src/greet.mjs': "export const greet = () => 'Hello';\n",
      'agentd/config.toml': [
        `[workflow]\nretry_delay_secs = 0\nscript_retries = ${retries}`,
        `[roles]\n${roles.map((role) => `${role} = "${subject.agent}"`).join('\n')}`,
        '[checks]\ntest = ["node", "-e", "0"]',
        `[dispatch]\ntimeout_minutes = ${timeoutMinutes}`,
        subject.config ?? '',
      ].join('\n\n'),
    });
    // Not the folder that holds HOME: Codex refuses to work there.
    mkdirSync(join(repository.folder, 'tmp'));
    // Let into the sandbox, so that it is the agent that springs no trap.
    mkdirSync(sprungIn(repository));
    repository.write('pawl.toml', `[files]\nwrite = [${JSON.stringify(sprungIn(repository))}]\n`);
    repository.git('add', '--all');
    repository.git('commit', '--quiet', '--message=settings');
    subject.prepare?.(repository, server);
    return new AgentRun(subject, server, repository);
  }

  play(turns: readonly Turn[]): void {
    this.server.play(modelTurns(turns));
  }

  /** `pawl change plan|impl|archive` with the agent. */
  change(command: string, ...more: readonly string[]): Promise<Result> {
    return this.pawl(['change', command, run, ...more]);
  }

  async pawl(args: readonly string[], onSpawn?: (child: ChildProcess) => void): Promise<Result> {
    const ran = await this.repository.pawl([...args, '--json', '--no-input'], {
      env: this.#env(),
      ...(onSpawn && { onSpawn }),
    });
    return { ...ran, json: documentOf(ran) };
  }

  /** The same change, planned without the agent: what it has to do comes after that. */
  async planFirst(turns: readonly Turn[]): Promise<void> {
    const change = new ChangeRepository(this.repository);
    change.script(turns);
    const planned = await change.change('plan', run, 'Greet people by name');
    if (planned.code !== 0) throw new Error(`planning ended with ${planned.code}: ${planned.stderr}`);
  }

  /** Interrupts a command as soon as something holds. */
  async interrupt(args: readonly string[], when: () => boolean, signal: NodeJS.Signals = 'SIGINT'): Promise<Result> {
    let child: ChildProcess | undefined;
    let ended: Result | undefined;
    const working = this.pawl(args, (spawned) => (child = spawned)).then((result) => (ended = result));
    await until('the agent is at work', () => {
      if (ended) throw new Error(`the command ended early (${ended.code}): ${ended.stderr}`);
      return when();
    });
    child?.kill(signal);
    return working;
  }

  records(): readonly JournalRecord[] {
    return readJournal(this.repository.runFolder('change', run)) ?? [];
  }

  /** What the ended dispatches came to, oldest first. */
  dispatches(): EndedDispatch[] {
    return this.records().flatMap((record) => {
      if (record.type !== 'moved' || !record.dispatch) return [];
      const { problem = '', session, model, usage } = record.dispatch;
      return [{ signal: record.signal, problem, session, model, usage }];
    });
  }

  /** Processes that have to do with this repository: agents, their helpers and what those started. */
  processes(): number[] {
    return readdirSync('/proc')
      .map(Number)
      .filter((pid) => pid > 0 && pid !== process.pid && mentions(pid, this.repository.folder));
  }

  /** What everybody on the machine can read about them. */
  commandLines(): string[] {
    return this.processes().map((pid) => readOr(`/proc/${pid}/cmdline`).replaceAll('\0', ' '));
  }

  /** Ends everything; says which processes were left. */
  async close(): Promise<string[]> {
    await this.server.close();
    // What was killed a moment ago may still be on its way out.
    await until('', () => this.processes().length === 0, 2_000).catch(() => {});
    const left = this.processes();
    const commands = left.map(commandOf);
    for (const pid of left) killHard(pid);
    this.repository.remove();
    return commands;
  }

  #env(): Record<string, string> {
    const { agent, packages = [] } = this.#subject;
    return {
      PATH: pathWith(agent, ...packages),
      TMPDIR: join(this.repository.folder, 'tmp'),
      ...this.#subject.env(this.server, this.repository),
    };
  }
}

/** Turns for the scripted agent are the model's too: it has the same words for them, and some more. */
function modelTurns(turns: readonly Turn[]): readonly ModelTurn[] {
  return turns as never;
}

export async function until(what: string, holds: () => boolean, ms = patienceMs): Promise<true> {
  const deadline = Date.now() + ms;
  while (!holds()) {
    if (Date.now() > deadline) throw new Error(`in vain waited until ${what}`);
    await wait(50);
  }
  return true;
}

function documentOf({ stdout }: Ran): Record<string, any> {
  try {
    return JSON.parse(stdout) as Record<string, any>;
  } catch {
    return { notJson: stdout };
  }
}

function mentions(pid: number, folder: string): boolean {
  // A zombie's files are empty: it is gone.
  return ['environ', 'cmdline'].some((file) => readOr(`/proc/${pid}/${file}`).includes(folder));
}

function commandOf(pid: number): string {
  return readOr(`/proc/${pid}/cmdline`).replaceAll('\0', ' ').slice(0, 200);
}

function readOr(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

function killHard(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // Gone already.
  }
}
