/** A repository in a temporary folder, for tests: state files, journals and leases as Pawl leaves them. */

import { copyFileSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { initialSnapshot, type Snapshot } from '../engine/snapshot.ts';
import { Journal } from '../store/journal.ts';
import { Lease } from '../store/lease.ts';
import type { Entry } from '../store/record.ts';
import { bundled } from '../workflows/bundled.ts';
import { machine } from '../workflows/change/transition-table.ts';
import { machine as sessionMachine } from '../workflows/session/transition-table.ts';
import type { RunRepository } from '../runs/work-order.ts';
import type { CommandFunction } from './context.ts';
import { contextFor } from './context.ts';
import { livenessOf, thisProcess } from './local-store.ts';
import type { CommandInput } from '../workflows/surface.ts';

export const startedMs = Date.parse('2026-03-01T10:00:00Z');

const leaseOptions = { self: thisProcess(), livenessOf, now: () => Date.now(), force: false };

export class RepositoryFixture {
  readonly root: string;
  readonly repository: RunRepository;

  constructor() {
    this.root = realpathSync(mkdtempSync(join(tmpdir(), 'pawl-cli-')));
    const gitDir = join(this.root, '.git');
    for (const folder of ['objects', 'refs']) mkdirSync(join(gitDir, folder), { recursive: true });
    writeFileSync(join(gitDir, 'HEAD'), 'ref: refs/heads/main\n');
    this.repository = contextFor(
      { name: 'test', about: '', words: [], flags: {} },
      bundled,
      () => this.root,
    ).repository();
  }

  write(path: string, text: string): void {
    mkdirSync(dirname(join(this.root, path)), { recursive: true });
    writeFileSync(join(this.root, path), text);
  }

  copy(from: string, to: string): void {
    mkdirSync(dirname(join(this.root, to)), { recursive: true });
    copyFileSync(join(this.root, from), join(this.root, to));
  }

  folder(run: string, workflow = 'change'): string {
    return this.repository.store.folder({ workflow, run });
  }

  /** A journal whose records are a second apart; its run begins in the given snapshot. */
  journal(
    run: string,
    snapshot: Partial<Snapshot>,
    { entries = [], workflow = 'change', workspace = this.root, id = run }: JournalOptions = {},
  ): void {
    const folder = this.folder(run, workflow);
    mkdirSync(folder, { recursive: true });
    const lease = Lease.acquire(folder, leaseOptions);
    let nowMs = startedMs;
    const journal = new Journal(folder, { lease, now: () => (nowMs += 1_000), stateVersion: 0 });
    journal.append({
      type: 'created',
      format: 1,
      workflow,
      run: id,
      workspace: relative(this.repository.commonDir, workspace),
      input: {},
      snapshot: { ...initialSnapshot(workflow === 'session' ? sessionMachine : machine), ...snapshot },
    });
    for (const entry of entries) journal.append(entry);
    journal.close({ inOrder: true, state: null });
  }

  /** This process works on the run until the function it returns is called. */
  hold(run: string, workflow = 'change'): () => void {
    const lease = Lease.acquire(this.folder(run, workflow), leaseOptions);
    return () => lease.release();
  }

  remove(): void {
    rmSync(this.root, { recursive: true, force: true, maxRetries: 5 });
  }
}

interface JournalOptions {
  readonly entries?: readonly Entry[];
  readonly workflow?: string;
  readonly workspace?: string;
  /** The run's own name, where its folder has another one. */
  readonly id?: string;
}

/** Intent and outcome of one dispatch. */
export function dispatchEntries(
  id: string,
  { step, signal, to }: { step: string; signal: string; to: string },
): Entry[] {
  return [
    {
      type: 'dispatch.started',
      id,
      role: 'challenger',
      step,
      agent: 'codex',
      model: 'o9',
      prompt: 'sha256:0',
      tree: 't1',
      digest: 'd1',
    },
    {
      type: 'moved',
      from: step,
      signal,
      change: { state: to },
      dispatch: {
        id,
        ms: 12_000,
        usage: { inputTokens: 1_200, outputTokens: 300, costUsd: 0.01 },
        session: null,
        model: null,
        tree: 't2',
        digest: 'd2',
      },
    },
  ];
}

export function stateYaml(phase: string, fields: Readonly<Record<string, string | number>> = {}): string {
  const lines = { change_id: 'x', schema_version: '"2.0"', updated_at: '2026-03-01T10:00:01.000Z', phase, ...fields };
  return Object.entries(lines)
    .map(([key, value]) => `${key}: ${value}\n`)
    .join('');
}

/** Runs a command as if it were called in `root`; what it prints comes back. */
export async function outputOf(root: string, command: CommandFunction, given: Partial<CommandInput>): Promise<string> {
  const written: string[] = [];
  const cwd = Object.getOwnPropertyDescriptor(process, 'cwd');
  const output = Object.getOwnPropertyDescriptor(process, 'stdout');
  const stdout = {
    isTTY: false,
    on: () => {},
    listenerCount: () => 1,
    write: (text: string) => written.push(text) > 0,
  };
  Object.defineProperty(process, 'cwd', { configurable: true, value: () => root });
  Object.defineProperty(process, 'stdout', { configurable: true, value: stdout });
  try {
    const spec = { name: 'test', about: '', words: [], flags: {} };
    await command({ words: [], flags: {}, ...given }, contextFor(spec, bundled));
  } finally {
    if (cwd) Object.defineProperty(process, 'cwd', cwd);
    if (output) Object.defineProperty(process, 'stdout', output);
  }
  return written.join('');
}
