/** Real commands, watched while they work: started, waited for, killed; and what they left. */

import type { ChildProcess } from 'node:child_process';
import { lstatSync, readdirSync, readFileSync, readlinkSync, rmSync, statSync, utimesSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll } from 'vitest';
import { readJournal } from '../../src/store/read-journal.ts';
import type { JournalRecord } from '../../src/store/record.ts';
import { dispatchMarker, markerOf } from '../../src/runtime/dispatch-marker.ts';
import { replay, type RunState } from '../../src/runtime/run-state.ts';
import type { Ran, RunOptions, ScratchRepository } from '../../src/testing/scratch-repository.ts';
import { findByMarker } from '../../src/workspace/processes.ts';
import { ChangeRepository, config, type Turn } from '../change/scripts.ts';

export const run = 'greet';
export const folder = `agentd/changes/${run}`;
export const statePath = `${folder}/STATE.yaml`;
export const hook = new URL('../../dist/crash-hook.js', import.meta.url).pathname;

/** The machine may have much else to do. */
const patienceMs = 250_000;
const pollMs = 25;
/** Longer than any test: whoever sleeps that long is ended by somebody. */
const foreverMs = 600_000;

/** An agent that is at work for as long as the test wants. */
export const slowly = (turn: Turn): Turn => ({ ...turn, sleep_ms: foreverMs });
/** An agent that has written its files and does not come to an end. */
export const hanging = (turn: Turn): Turn => ({ ...turn, fault: 'hang' });

const made: ScratchRepository[] = [];

/** Repositories go when the tests of the file are over, and so does whatever still runs for them. */
export function keepTidy(): void {
  afterAll(() => {
    for (const repository of made.splice(0)) {
      for (const pid of leftovers(repository)) killHard(pid);
      repository.remove();
    }
  });
}

export function scratch(turns: readonly Turn[] = [], settings = config): ChangeRepository {
  const change = ChangeRepository.create(turns, settings);
  made.push(change.repository);
  return change;
}

/** The same state once more, with other turns to come. */
export function copyOf(checkpoint: ChangeRepository, turns: readonly Turn[] = []): ChangeRepository {
  const change = new ChangeRepository(checkpoint.repository.copy());
  made.push(change.repository);
  change.script(turns);
  return change;
}

export interface AtWork {
  readonly child: ChildProcess;
  readonly ended: Promise<Ran>;
}

/** Starts a command with the scripted agent and leaves it running. */
export function start(
  { repository, scriptFile }: ChangeRepository,
  args: readonly string[],
  options: RunOptions = {},
): AtWork {
  let child: ChildProcess | undefined;
  const scripted = ['--agent', 'scripted', '--script', scriptFile, '--json'];
  const ended = repository.pawl([...args, ...scripted], { ...options, onSpawn: (spawned) => (child = spawned) });
  if (!child) throw new Error('the process was not started');
  return { child, ended };
}

/** Starts a command and returns once an agent works on `step` and `more` holds. */
export async function startUntil(
  change: ChangeRepository,
  args: readonly string[],
  { step, more = () => true }: { step: string; more?: () => boolean },
): Promise<AtWork> {
  const work = start(change, args);
  let ended: Ran | undefined;
  void work.ended.then((ran) => (ended = ran));
  await until(`an agent works on ${step}`, () => {
    if (ended) throw new Error(`the command ended early (${ended.code}): ${ended.stderr}${ended.stdout}`);
    return stateOf(change)?.open?.started.step === step && agentsOf(change.repository).length > 0 && more();
  });
  return work;
}

/** A file that is there may still be empty: the agent is in the middle of writing it. */
export function isWritten({ repository }: ChangeRepository, path: string): boolean {
  return repository.exists(path) && repository.read(path) !== '';
}

/** Kills Pawl alone, with no chance to clear up; its agent lives on. */
export async function killPawl({ child, ended }: AtWork): Promise<void> {
  child.kill('SIGKILL');
  await ended;
}

/** A power failure in small: Pawl and everything it started. */
export async function killAll(change: ChangeRepository, work: AtWork): Promise<void> {
  await killPawl(work);
  for (const pid of agentsOf(change.repository)) killHard(pid);
  await until('the agent is gone', () => agentsOf(change.repository).length === 0);
}

export async function until(what: string, holds: () => boolean): Promise<void> {
  const deadline = Date.now() + patienceMs;
  while (!holds()) {
    if (Date.now() > deadline) throw new Error(`in vain waited until ${what}`);
    await wait(pollMs);
  }
}

export function recordsOf({ repository }: ChangeRepository): readonly JournalRecord[] {
  return readJournal(repository.runFolder('change', run)) ?? [];
}

export function stateOf(change: ChangeRepository): RunState | undefined {
  return replay(recordsOf(change));
}

/** Live processes of any dispatch or check of the run. */
export function agentsOf(repository: ScratchRepository): number[] {
  const runFolder = repository.runFolder('change', run);
  const marks = (readJournal(runFolder) ?? []).flatMap((record) =>
    record.type === 'dispatch.started' ? [record.id] : [],
  );
  return [...marks, '#check'].flatMap((mark) => findByMarker(dispatchMarker, markerOf(runFolder, mark)));
}

function leftovers(repository: ScratchRepository): number[] {
  try {
    return agentsOf(repository);
  } catch {
    // A test damaged the journal: nothing was started from it.
    return [];
  }
}

function killHard(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // Gone already.
  }
}

/** Everything outside .git, byte for byte: what "nothing was changed" is compared by. */
export function filesOf({ root }: ScratchRepository): Record<string, string> {
  const files: Record<string, string> = {};
  for (const entry of readdirSync(root, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    const name = relative(root, path);
    if (name === '.git' || name.startsWith('.git/') || entry.isDirectory()) continue;
    files[name] = lstatSync(path).isSymbolicLink() ? `→ ${readlinkSync(path)}` : readFileSync(path, 'latin1');
  }
  return files;
}

/** Files of the run's folder whose path matches, in one text. */
export function keptBy({ repository }: ChangeRepository, name: RegExp): string {
  const runFolder = repository.runFolder('change', run);
  return readdirSync(runFolder, { recursive: true, encoding: 'utf8' })
    .filter((path) => name.test(path) && statSync(join(runFolder, path)).isFile())
    .map((path) => readFileSync(join(runFolder, path), 'utf8'))
    .join('');
}

export const patches = /\.patch$/;
export const retire = /^set-aside\//;

export interface Edits {
  readonly [path: string]: string | null;
}

/** Somebody's changes, made a while after everything that happened so far. */
export function editLater({ repository }: ChangeRepository, edits: Edits): void {
  const later = new Date(Date.now() + 30_000);
  for (const [path, content] of Object.entries(edits)) {
    const file = join(repository.root, path);
    if (content === null) rmSync(file);
    else repository.write(path, content);
    utimesSync(content === null ? dirname(file) : file, later, later);
  }
}

export function setPhase({ repository }: ChangeRepository, phase: string): void {
  const text = repository.read(statePath);
  repository.write(statePath, text.replace(/^phase:.*$/m, `phase: ${phase}`));
}

export function phaseIn({ repository }: ChangeRepository): string | undefined {
  return /^phase: *(.*)$/m.exec(repository.read(statePath))?.[1];
}
