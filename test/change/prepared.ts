/** Repositories in which the first commands have run already, copied for every test instead of being made again. */

import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { parse } from 'yaml';
import { ChangeRepository, config, planned, type Turn } from './scripts.ts';

export const id = 'greet';
/** Another process may have all of the machine. */
const patienceMs = 250_000;

interface Preparation {
  readonly turns?: readonly Turn[];
  readonly settings?: string;
  /** Files of the project, beside those every repository has. */
  readonly files?: Readonly<Record<string, string>>;
  readonly commands?: readonly (readonly string[])[];
}

const plan = ['plan', id, 'Greet people by name'];

export class Prepared {
  readonly #original: ChangeRepository;
  readonly #copies: ChangeRepository[] = [];

  private constructor(original: ChangeRepository) {
    this.#original = original;
  }

  /** Without commands: an approved plan. */
  static async make(preparation: Preparation = {}): Promise<Prepared> {
    const { turns = planned, settings = config, files = {}, commands = [plan] } = preparation;
    const change = ChangeRepository.create(turns, settings);
    for (const [path, content] of Object.entries(files)) change.repository.write(path, content);
    change.repository.git('add', '--all');
    change.repository.git('commit', '--quiet', '--allow-empty', '--message=project');
    for (const command of commands) {
      const ran = await change.change(...command);
      if (ran.code !== 0) throw new Error(`${command.join(' ')} ended with ${ran.code}: ${ran.stderr}${ran.stdout}`);
    }
    return new Prepared(change);
  }

  static of(original: ChangeRepository): Prepared {
    return new Prepared(original);
  }

  /** The same state in a place of its own, with other turns for what follows. */
  copy(turns: readonly Turn[] = []): ChangeRepository {
    const copy = new ChangeRepository(this.#original.repository.copy());
    copy.script(turns);
    this.#copies.push(copy);
    return copy;
  }

  remove(): void {
    for (const { repository } of [this.#original, ...this.#copies]) repository.remove();
  }
}

/** What the agents did after planning, as `step:signal`. */
export function worked({ dispatches }: Readonly<Record<string, any>>): string[] {
  const all: readonly Readonly<Record<string, string>>[] = dispatches ?? [];
  return all
    .filter(({ role }) => role !== 'planner' && role !== 'challenger')
    .map(({ step, signal }) => `${step}:${signal}`);
}

export const folderOf = (name = id) => `agentd/changes/${name}`;

export function stateOf({ repository }: ChangeRepository, folder = folderOf()): Record<string, any> {
  return parse(repository.read(`${folder}/STATE.yaml`)) as Record<string, any>;
}

/** The status of each task, as tasks.md says it. */
export function taskStatuses({ repository }: ChangeRepository): Record<string, string> {
  const blocks = repository
    .read(`${folderOf()}/tasks.md`)
    .matchAll(/^id: "([\d.]+)"\n(?:.*\n)*?status: (\w+)(?:  #.*)?$/gm);
  return Object.fromEntries([...blocks].map(([, task = '', status = '']) => [task, status]));
}

/** Sets the phase as a person with an editor would. */
export function setPhase({ repository }: ChangeRepository, phase: string): void {
  const path = `${folderOf()}/STATE.yaml`;
  repository.write(path, repository.read(path).replace(/^phase: .*$/m, `phase: ${phase}`));
}

export function appendTo({ repository }: ChangeRepository, path: string, text: string): void {
  repository.write(path, `${repository.read(path)}${text}`);
}

/** Every file below a folder with its bytes, times left out. */
export function everyFile(folder: string): Map<string, string> {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  const files = names.map((name) => join(folder, name)).filter((path) => statSync(path).isFile());
  return new Map(files.toSorted().map((path) => [relative(folder, path), readFileSync(path, 'base64')]));
}

/** What the agent printed in its n-th dispatch: refusals of tools among it. */
export function printedBy({ repository }: ChangeRepository, dispatch: number): string {
  return readFileSync(join(repository.runFolder('change', id), 'dispatches', String(dispatch), 'stdout.log'), 'utf8');
}

export function promptOf({ repository }: ChangeRepository, dispatch: number): string {
  return readFileSync(join(repository.runFolder('change', id), 'dispatches', String(dispatch), 'prompt.md'), 'utf8');
}

/** Resolves once a file is there. */
export async function appears(file: string): Promise<void> {
  const endMs = Date.now() + patienceMs;
  while (!existsSync(file)) {
    if (Date.now() > endMs) throw new Error(`${file} did not appear`);
    await new Promise((wake) => {
      setTimeout(wake, 20);
    });
  }
}

/** A program for the project's checks that leaves a mark each time it runs. */
export function countingCheck({ repository }: ChangeRepository, exitCode = 0): string {
  const marks = join(repository.folder, 'marks');
  writeFileSync(marks, '');
  return `node -e "require('fs').appendFileSync('${marks}','x');console.log('the check speaks');process.exit(${exitCode})"`;
}

export function marksIn({ repository }: ChangeRepository): number {
  return readFileSync(join(repository.folder, 'marks'), 'utf8').length;
}
