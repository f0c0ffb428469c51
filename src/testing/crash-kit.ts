/**
 * Kills a command at every instant of its life, runs it again, and compares with the undisturbed run.
 *
 * K1. Every case begins from a copy of the same checkpoint and is killed by a real SIGKILL (see crash-hook.ts).
 * K2. The second run must end as the undisturbed one: same exit code, same files, same state, same history.
 * K3. No dispatch whose end was journalled before the kill is started again.
 * K4. Nothing is left running.
 */

import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readJournal } from '../store/read-journal.ts';
import type { JournalRecord } from '../store/record.ts';
import { dispatchMarker, markerOf } from '../runtime/dispatch-marker.ts';
import { replay, type RunState } from '../runtime/run-state.ts';
import type { DispatchSummary } from '../workflows/workflow.ts';
import { listFiles } from '../workspace/files.ts';
import { findByMarker } from '../workspace/processes.ts';
import type { ScratchRepository } from './scratch-repository.ts';

export interface CrashScenario {
  /** The state before the command; it is copied, never changed. */
  readonly checkpoint: ScratchRepository;
  readonly args: readonly string[];
  readonly workflow: string;
  readonly run: string;
  /** Path of the built crash-hook.js. */
  readonly hook: string;
  /** Added to the variables of every process of the scenario. */
  readonly env?: Readonly<Record<string, string>>;
  /** The folder of a worktree, relative to the repository, whose files are compared too. */
  readonly worktree?: string;
  /** For a command that only begins a run: what goes on with the run where the repeated command says that there is one. */
  readonly goOn?: { readonly afterExit: number; readonly args: readonly string[] };
}

export interface Instant {
  readonly number: number;
  /** Such as `before-record dispatch.started`. */
  readonly what: string;
}

/**
 * The results of a command that must not depend on crashes.
 *
 * Left out: times, digests of documents that contain times (the documents themselves are compared), ids of commits and
 * of trees with the state file in them, durations and
 * numbers made of counters, the counter of reruns, calls that were cut off, usage (a dispatch taken as complete after a crash has unknown usage),
 * loop budgets of a run at rest, and patches kept of abandoned dispatches.
 */
export interface Remains {
  readonly exitCode: number | null;
  readonly files: Readonly<Record<string, string>>;
  readonly state: unknown;
  /** Of the branch that is checked out, the last one first: tree and subject. */
  readonly commits: readonly string[];
}

export interface Undisturbed {
  readonly instants: readonly Instant[];
  readonly remains: Remains;
  /** The repository after it, for scenarios that go on from there. */
  readonly after: ScratchRepository;
}

export async function runUndisturbed(scenario: CrashScenario): Promise<Undisturbed> {
  const after = scenario.checkpoint.copy();
  const log = join(after.folder, 'instants.log');
  const env = { ...scenario.env, PAWL_CRASH_LOG: log };
  const ran = await after.pawl(scenario.args, { node: ['--import', scenario.hook], env });
  const instants = readLines(log).map((line) => {
    const [number = '', ...what] = line.split(' ');
    return { number: Number(number), what: what.join(' ').trim() };
  });
  rmSync(log);
  if (instants.length === 0) throw new Error(`no instants were seen; the command said: ${ran.stderr}${ran.stdout}`);
  return { instants, remains: remainsOf(after, scenario, ran.code), after };
}

export interface CrashResult {
  readonly instant: Instant;
  readonly remains: Remains;
  /** Turns whose dispatch had ended before the kill and that were played again all the same. */
  readonly repeated: readonly string[];
  /** Processes of the run that are still alive. */
  readonly alive: readonly number[];
  /** The journal in the end. */
  readonly records: readonly JournalRecord[];
  /** The output of the second run, for a failing case. */
  readonly said: string;
}

export async function crashAt(scenario: CrashScenario, instant: Instant): Promise<CrashResult> {
  const repository = scenario.checkpoint.copy();
  const side = mkdtempSync(join(tmpdir(), 'pawl-crash-'));
  const log = join(side, 'script.log');
  try {
    const killed = await repository.pawl(scenario.args, {
      node: ['--import', scenario.hook],
      env: { ...scenario.env, PAWL_CRASH_AT: String(instant.number), PAWL_SCRIPT_LOG: log },
    });
    if (killed.signal !== 'SIGKILL')
      throw new Error(`${instant.what} (${instant.number}) was not reached: exit ${killed.code}\n${killed.stderr}`);
    // By the script's own log.
    const starts = readLines(log).filter(isStart);
    const ended = new Set(stateOf(repository, scenario)?.history.flatMap(callIds));
    const finished = new Set(starts.filter((line) => ended.has(line.split(' ')[1] ?? '')).map(turnOf));
    const env = { ...scenario.env, PAWL_SCRIPT_LOG: log };
    const { args, goOn } = scenario;
    let again = await repository.pawl(args, { env });
    if (goOn && again.code === goOn.afterExit) again = await repository.pawl(goOn.args, { env });
    const startsAfter = readLines(log).filter(isStart).slice(starts.length).map(turnOf);
    return {
      instant,
      remains: remainsOf(repository, scenario, again.code),
      repeated: startsAfter.filter((turn) => finished.has(turn)),
      alive:
        stateOf(repository, scenario)
          ?.history.flatMap(callIds)
          .flatMap((id) =>
            findByMarker(dispatchMarker, markerOf(repository.runFolder(scenario.workflow, scenario.run), id)),
          ) ?? [],
      records: recordsOf(repository, scenario),
      said: again.stderr + again.stdout,
    };
  } finally {
    repository.remove();
    rmSync(side, { recursive: true, force: true });
  }
}

/** Of a dispatch, and of its advisor. */
const callIds = ({ id, beside }: DispatchSummary): readonly string[] => [id, beside?.call?.id ?? []].flat();

const isStart = (line: string): boolean => line.startsWith('start ');
const turnOf = (line: string): string => line.split(' ').slice(2).join(' ');

function stateOf(repository: ScratchRepository, scenario: CrashScenario): RunState | undefined {
  return replay(recordsOf(repository, scenario));
}

function recordsOf(repository: ScratchRepository, { workflow, run }: CrashScenario): readonly JournalRecord[] {
  return readJournal(repository.runFolder(workflow, run)) ?? [];
}

function remainsOf(repository: ScratchRepository, scenario: CrashScenario, exitCode: number | null): Remains {
  const inWorktree = scenario.worktree === undefined ? [] : listFiles(join(repository.root, scenario.worktree), '');
  const paths = [
    ...listFiles(repository.root, '').filter((path) => !path.startsWith('.git/')),
    ...inWorktree.filter((path) => path !== '.git').map((path) => `${scenario.worktree}/${path}`),
  ];
  const log = repository.git('log', '--format=%H %T %s').trimEnd().split('\n');
  // The id of a commit depends on its time.
  const ids = log.map((line) => line.split(' ')[0] ?? '');
  const nameless = (text: string): string =>
    ids.reduce(
      (rest, id, index) => rest.replaceAll(id, `<commit ${index}>`).replaceAll(id.slice(0, 9), `<commit ${index}>`),
      text,
    );
  return {
    exitCode,
    files: fileRemains(paths.map((path) => [path, nameless(repository.read(path))])),
    state: stateRemains(stateOf(repository, scenario)),
    commits: log.map((line) => line.replace(/^\S+ /, '')),
  };
}

function readLines(file: string): readonly string[] {
  return existsSync(file) ? readFileSync(file, 'utf8').split('\n').filter(Boolean) : [];
}

export function stateRemains(state: RunState | undefined): unknown {
  const history = state?.history.map(({ role, step, signal, tree, beside }) => {
    const advisor = beside && { beside: { role: beside.role, problem: beside.problem } };
    return { role, step, signal, tree, ...advisor };
  });
  // A command that is run again after it had come to rest renews its loop budgets, as it should.
  const snapshot = state?.snapshot.outcome ? { ...state.snapshot, budgets: '<renewed>' } : state?.snapshot;
  const text = withoutTimes(JSON.stringify({ snapshot, open: state?.open, history }));
  return JSON.parse(text.replaceAll(/"[0-9a-f]{40}"/g, '"<object>"'));
}

/** Files by path; exported journals tell of crashes, as they should. */
export function fileRemains(files: Iterable<readonly [path: string, text: string]>): Readonly<Record<string, string>> {
  return Object.fromEntries(
    [...files]
      .filter(([path]) => !path.startsWith('.git/') && !path.endsWith('/journal.jsonl'))
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([path, text]) => [path, withoutVolatile(path, text)]),
  );
}

function withoutVolatile(path: string, text: string): string {
  const timeless = withoutTimes(text);
  if (!path.endsWith('.yaml')) return timeless;
  const finished = timeless.replace(/^( *)- step: .*\n\1 {2}interrupted: true\n(?:\1 {2}.*\n)*/gm, '');
  return finished.replace(/^( *)(tokens_in|tokens_out|cost_usd|duration_ms|calls): .*$/gm, '$1$2: …');
}

function withoutTimes(text: string): string {
  return text
    .replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g, '<time>')
    .replace(/sha256:[0-9a-f]{64}/g, '<digest>')
    .replace(/(checks\/)\d+-/g, '$1<n>-')
    .replace(/\/[^"'\s]*pawl-scratch-[A-Za-z0-9]+/g, '<scratch>');
}
