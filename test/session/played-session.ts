/** A session in a scratch repository, played by the scripted agent, and what it left behind. */

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse, stringify } from 'yaml';
import type { ScratchRepository, Ran, RunOptions } from '../../src/testing/scratch-repository.ts';
import { WarmRepository } from '../warm-repository.ts';
import { config, type Turn } from './scripts.ts';

export const program = new URL('../../dist/pawl.js', import.meta.url).pathname;

type Document = Readonly<Record<string, any>>;
/** What a person has written down for the decisions, as `--answers` takes it. */
export type Answers = Readonly<Record<string, string | readonly string[]>>;

export type Result = Ran & { readonly json: Document };

export class PlayedSession {
  readonly repository: ScratchRepository;
  /** The session's id, once a command has named it. */
  run = '';

  constructor(repository: ScratchRepository, run = '') {
    this.repository = repository;
    this.run = run;
  }

  static create(turns: readonly Turn[] = [], files: Readonly<Record<string, string>> = {}): PlayedSession {
    const repository = WarmRepository.create(program, {
      'pawl.toml': config,
      'README.md': '# Scratch\n',
      'src/greet.mjs': "export const greet = () => 'Hello';\n",
      ...files,
    });
    const session = new PlayedSession(repository);
    session.script(turns);
    return session;
  }

  get scriptFile(): string {
    return `${this.repository.folder}/script.yaml`;
  }

  get scripted(): readonly string[] {
    return ['--agent', 'scripted', '--script', this.scriptFile];
  }

  /** Replaces what the agent will play; turns already played still count as played. */
  script(turns: readonly Turn[]): void {
    this.repository.write('../script.yaml', stringify(turns, { aliasDuplicateObjects: false }));
  }

  /** `pawl session start`, as a script would call it. */
  async start(answers: Answers = {}, flags: readonly string[] = []): Promise<Result> {
    const given = ['session', 'start', 'Greet people by name', ...flags, ...this.scripted];
    const result = await this.pawl(...given, ...this.answersFlag(answers));
    this.run = String(result.json['run'] ?? '');
    return result;
  }

  resume(answers: Answers = {}, ...flags: readonly string[]): Promise<Result> {
    return this.pawl('session', 'resume', this.run, ...flags, ...this.scripted, ...this.answersFlag(answers));
  }

  answer(decision: string, ...words: readonly string[]): Promise<Result> {
    return this.pawl('answer', this.run, decision, ...words);
  }

  /** Any command, with --json. */
  async pawl(...args: readonly string[]): Promise<Result> {
    return this.ran(args, {});
  }

  async ran(args: readonly string[], options: RunOptions): Promise<Result> {
    const ran = await this.repository.pawl([...args, '--json'], options);
    return { ...ran, json: parsed(ran) };
  }

  answersFlag(answers: Answers): readonly string[] {
    if (Object.keys(answers).length === 0) return [];
    const file = `${this.repository.folder}/answers.yaml`;
    writeFileSync(file, stringify(answers));
    return ['--answers', file];
  }

  /** The path of a file in the session's folder, within the repository. */
  path(name: string): string {
    return `.agents-work/${this.run}/${name}`;
  }

  read(name: string): string {
    return this.repository.read(this.path(name));
  }

  write(name: string, content: string): void {
    this.repository.write(this.path(name), content);
  }

  edit(name: string, from: string | RegExp, to: string): void {
    const before = this.read(name);
    const after = before.replace(from, to);
    if (after === before) throw new Error(`${name} does not have ${String(from)}:\n${before}`);
    this.write(name, after);
  }

  get status(): Document {
    return JSON.parse(this.read('status.json')) as Document;
  }

  decision(id: string): Document | undefined {
    const found: readonly Document[] = this.status['user_decisions'];
    const same = found.filter((each) => each['decision_id'] === id);
    if (same.length > 1) throw new Error(`${id} is there ${same.length} times`);
    return same[0];
  }

  /** Status of each task, as tasks.yaml says it. */
  get tasks(): Record<string, string> {
    const { tasks } = parse(this.read('tasks.yaml')) as { tasks: { id: string; status: string }[] };
    return Object.fromEntries(tasks.map(({ id, status }) => [id, status]));
  }

  get criteria(): readonly Document[] {
    return (JSON.parse(this.read('acceptance.json')) as Document)['acceptance_criteria'];
  }

  get journal(): Document[] {
    const text = readFileSync(join(this.runFolder, 'journal.jsonl'), 'utf8');
    return text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Document);
  }

  get runFolder(): string {
    return this.repository.runFolder('session', this.run);
  }

  /** What the agent printed in its n-th dispatch: refusals of tools among it. */
  printed(dispatch: number): string {
    return readFileSync(join(this.runFolder, 'dispatches', String(dispatch), 'stdout.log'), 'utf8');
  }

  prompt(dispatch: number): string {
    return readFileSync(join(this.runFolder, 'dispatches', String(dispatch), 'prompt.md'), 'utf8');
  }

  /** The JSON input a dispatch got. */
  input(dispatch: number): Document {
    const [, json = 'null'] = /```json\n([^]*?)\n```/.exec(this.prompt(dispatch)) ?? [];
    return JSON.parse(json) as Document;
  }

  /** The input of the n-th dispatch of a step. */
  inputOf(step: string, nth = 1): Document {
    const started = this.journal.filter(({ type }) => type === 'dispatch.started');
    const found = started.findIndex((each, index) => {
      const before = started.slice(0, index).filter((other) => other['step'] === step).length;
      return each['step'] === step && before === nth - 1;
    });
    if (found === -1) throw new Error(`there is no dispatch ${nth} of ${step}`);
    return this.input(found + 1);
  }
}

/** What the agents did, as `step:signal`. */
export function worked({ json }: Result, after = 0): string[] {
  const all: readonly Document[] = json['dispatches'] ?? [];
  return all.slice(after).map(({ step, signal }) => `${step}:${signal}`);
}

function parsed({ stdout }: Ran): Document {
  try {
    return JSON.parse(stdout) as Document;
  } catch {
    return { notJson: stdout };
  }
}
