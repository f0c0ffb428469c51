/** A repository whose agents and checks attack what is around them, and somebody who looks at what came of it. */

import { execFileSync, spawn } from 'node:child_process';
import { chownSync, cpSync, existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { stringify } from 'yaml';
import { readJournal } from '../../src/store/read-journal.ts';
import { ScratchRepository, type Ran } from '../../src/testing/scratch-repository.ts';
import { implemented, planned, program, type Turn } from '../change/scripts.ts';

export const secret = 'a-private-key-of-nobody';
const nobody = 65_534;

export type User = 'this user' | 'an unprivileged user';

/** The level of this computer, and why it is no higher one: what the tests of the sandbox need. */
export function levelHere(within: readonly string[] = []): { readonly level: string; readonly problem: string | null } {
  const env = { PATH: process.env['PATH'] ?? '', HOME: process.env['HOME'] ?? '/' };
  const output = spawnDoctor(within, env);
  const { sandbox } = JSON.parse(output) as { sandbox: { level: string; problem: string | null } };
  return sandbox;
}

function spawnDoctor(within: readonly string[], env: Record<string, string>): string {
  const [command, ...args] = [...within, process.execPath, program, 'doctor', '--json'];
  try {
    return execFileSync(command, args, { env, cwd: '/', encoding: 'utf8' });
  } catch (error) {
    // Agents that are missing give another exit code, and the same document.
    if (error instanceof Error && 'stdout' in error) return String(error.stdout);
    throw error;
  }
}

export const users: readonly User[] = process.getuid?.() === 0 ? ['this user', 'an unprivileged user'] : ['this user'];

export class HostileRun {
  readonly repository: ScratchRepository;
  readonly daemon = `daemon-${process.pid}-${Math.random().toString(36).slice(2)}`;
  readonly #user: User;
  readonly #servers: Server[] = [];
  readonly #before = new Map<string, string>();
  readonly #bystander = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)', 'pawl.js'], { stdio: 'ignore' });

  private constructor(repository: ScratchRepository, user: User) {
    this.repository = repository;
    this.#user = user;
  }

  /** The attack is made by the planner (which only reads), the implementer (which writes) and a check. */
  static async create(user: User, settings = ''): Promise<HostileRun> {
    const attack = ['node', '../attack/attack.mjs'];
    const repository = ScratchRepository.create(program, {
      'README.md': '# Scratch\n',
      'src/greet.mjs': "export const greet = () => 'Hello';\n",
      '.gitignore': 'node_modules\n',
      'node_modules/tool.mjs': '',
      'pawl.toml': `${settings}\n[files]\nread = ["FOLDER/attack"]\n[change]\nretry_delay_secs = 0\nscript_retries = 0\n[checks]\ntest = ${JSON.stringify(attack)}\n`,
    });
    repository.write('pawl.toml', repository.read('pawl.toml').replace('FOLDER', repository.folder));
    const run = new HostileRun(repository, user);
    await run.#prepare();
    return run;
  }

  async #prepare(): Promise<void> {
    const { folder, root, home } = this.repository;
    const port = await this.#listen({ host: '127.0.0.1', port: 0 });
    await this.#listen({ path: join(folder, 'agent.sock') });
    mkdirSync(join(folder, 'attack'));
    cpSync(fileURLToPath(new URL('attack.mjs', import.meta.url)), join(folder, 'attack/attack.mjs'));
    const dispatch = join(root, '.git/pawl/change/greet/dispatches/1');
    const pid = this.#bystander.pid;
    const target = { root, folder, home, port, daemon: this.daemon, dispatch, pid, system: '/usr/local/pawl-planted' };
    writeFileSync(join(folder, 'attack/target.json'), JSON.stringify(target));
    mkdirSync(join(home, '.ssh'));
    writeFileSync(join(home, '.ssh/id_ed25519'), secret, { mode: 0o600 });
    writeFileSync(join(home, '.claude.json'), secret);
    writeFileSync(join(home, '.bashrc'), '# mine\n');
    const attacked = (turns: readonly Turn[]): Turn[] =>
      turns.map((turn, at) => (at === 0 ? { ...turn, run: ['node ../attack/attack.mjs'] } : turn));
    const turns = [...attacked(planned), ...attacked(implemented)];
    writeFileSync(join(folder, 'turns.yaml'), stringify(turns));
    if (this.#user === 'an unprivileged user') giveAway(folder);
    this.watchAgain();
  }

  /** What is there now is what nobody may change. */
  watchAgain(): void {
    for (const path of this.#watched()) this.#before.set(path, contentOf(path));
  }

  async #listen(where: object): Promise<number> {
    const server = createServer((socket) => socket.on('error', () => {}).end('reached'));
    this.#servers.push(server);
    await new Promise<void>((listening) => server.listen(where, listening));
    const address = server.address();
    return address !== null && typeof address === 'object' ? address.port : 0;
  }

  /** Everything that no agent and no check may change. */
  #watched(): string[] {
    const { folder, root, home } = this.repository;
    const git = ['hooks/post-checkout', 'config', 'refs/heads/main', 'HEAD'].map((name) => join(root, '.git', name));
    const own = ['inbox/answer-revision.json', 'lease.99'].map((name) => join(root, '.git/pawl/change/greet', name));
    return [...git, ...own, join(folder, 'outside.txt'), join(home, '.bashrc'), '/usr/local/pawl-planted'];
  }

  change(command: string, ...words: readonly string[]): Promise<Ran> {
    const args = ['change', command, 'greet', ...words, '--agent', 'scripted', '--no-input'];
    const script = ['--script', join(this.repository.folder, 'turns.yaml')];
    const env = {
      PAWL_SANDBOX: '',
      PAWL_TRUST: '1',
      PATH: process.env['PATH'] ?? '',
      HOME: this.repository.home,
      NO_COLOR: '1',
    };
    const drop = [
      '--reuid',
      `${nobody}`,
      '--regid',
      `${nobody}`,
      '--clear-groups',
      '--inh-caps=-all',
      '--bounding-set=-all',
    ];
    const start = this.#user === 'this user' ? [] : ['setpriv', ...drop];
    const [first = '', ...rest] = [...start, process.execPath, program, ...args, ...script];
    return new Promise((resolve) => {
      const child = spawn(first, rest, { cwd: this.repository.root, env, stdio: ['ignore', 'pipe', 'pipe'] });
      const output = { stdout: '', stderr: '' };
      child.stdout.on('data', (text) => (output.stdout += String(text)));
      child.stderr.on('data', (text) => (output.stderr += String(text)));
      child.on('close', (code, signal) => resolve({ code, signal, ...output }));
    });
  }

  /** What came of the attacks of a dispatch, by its number. */
  outcomesOf(dispatch: number): Readonly<Record<string, string>> {
    const file = join(this.repository.runFolder('change', 'greet'), 'dispatches', `${dispatch}`, 'events.jsonl');
    return outcomesIn(JSON.stringify(readFileSync(file, 'utf8')).replaceAll(/\\+"/g, '"').replaceAll(/\\+n/g, '\n'));
  }

  outcomesOfCheck(): Readonly<Record<string, string>> {
    const checks = join(this.repository.runFolder('change', 'greet'), 'checks');
    const [first = ''] = readdirSync(checks).toSorted();
    return outcomesIn(readFileSync(join(checks, first, 'output.log'), 'utf8'));
  }

  /** The same attacks by a program like any other; nothing outside of the test's own folder is touched. */
  async attackWithoutBox(): Promise<Readonly<Record<string, string>>> {
    const { folder, root } = this.repository;
    const file = join(folder, 'attack/target.json');
    const target: object = JSON.parse(readFileSync(file, 'utf8')) as object;
    writeFileSync(file, JSON.stringify({ ...target, system: join(folder, 'system') }));
    for (const name of ['inbox', 'shadow']) mkdirSync(join(root, '.git/pawl/change/greet', name), { recursive: true });
    const child = spawn(process.execPath, [join(folder, 'attack/attack.mjs')], { cwd: root, env: {} });
    let printed = '';
    child.stdout.on('data', (text) => (printed += String(text)));
    await new Promise((ended) => child.on('close', ended));
    return outcomesIn(printed);
  }

  journal(): string {
    return contentOf(join(this.repository.runFolder('change', 'greet'), 'journal.jsonl'));
  }

  records() {
    return readJournal(this.repository.runFolder('change', 'greet')) ?? [];
  }

  /** Files that are not as they were. */
  changed(): string[] {
    return [...this.#before].flatMap(([path, before]) => (contentOf(path) === before ? [] : [path]));
  }

  bystanderLives(): boolean {
    return this.#bystander.exitCode === null && this.#bystander.signalCode === null;
  }

  /** Processes that an attack left behind. */
  daemons(): string[] {
    return readdirSync('/proc').filter(
      (pid) => /^\d+$/.test(pid) && contentOf(`/proc/${pid}/cmdline`).includes(this.daemon),
    );
  }

  close(): void {
    this.#bystander.kill('SIGKILL');
    for (const pid of this.daemons()) process.kill(Number(pid), 'SIGKILL');
    for (const server of this.#servers) server.close();
    this.repository.remove();
  }
}

function outcomesIn(text: string): Readonly<Record<string, string>> {
  const line = /outcomes (\{[^}]*\})/.exec(text)?.[1] ?? '{}';
  return JSON.parse(line) as Record<string, string>;
}

function contentOf(path: string): string {
  try {
    return lstatSync(path).isSymbolicLink() ? 'a link' : readFileSync(path, 'utf8');
  } catch {
    return 'nothing';
  }
}

function giveAway(path: string): void {
  if (!existsSync(path)) return;
  chownSync(path, nobody, nobody);
  if (lstatSync(path).isDirectory()) for (const name of readdirSync(path)) giveAway(join(path, name));
}
