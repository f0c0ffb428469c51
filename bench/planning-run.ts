/** A run that is planned again and again through the runtime's own `Run`: what the drive loop records, without agents. */

import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { initialSnapshot } from '../src/engine/snapshot.ts';
import type { Signal } from '../src/engine/transition.ts';
import type { DispatchEnd, Entry } from '../src/store/record.ts';
import { Run } from '../src/runtime/run.ts';
import { change } from '../src/workflows/change/change.ts';
import { digest, host } from './without-agents.ts';
import { scratchStore } from '../test/scratch-store.ts';

/** Records of one round: five transitions and the start of a dispatch. */
export const recordsPerRound = 6;

export class PlanningRun {
  /** On the disk of this repository: a temporary folder may be in memory, where syncing costs nothing. */
  readonly folder: string;
  readonly #run: Run;
  #round = 0;

  constructor() {
    mkdirSync('.build', { recursive: true });
    this.folder = mkdtempSync(resolve('.build/bench-run-'));
    this.#run = Run.open(
      {
        workflow: change,
        run: 'add-limit',
        store: scratchStore(join(this.folder, 'runs'), join(this.folder, 'seals')),
        workspace: this.folder,
        commonDir: this.folder,
      },
      host,
      { input: {}, limits: {}, snapshot: { ...initialSnapshot(change.machine), state: 'challenged' } },
    );
  }

  get records(): number {
    return this.#run.records.length;
  }

  /** From a person's command to the rest after it; the state file is brought up to date where the runtime does it. */
  round(): void {
    this.#toDispatch();
    this.#run.project();
    this.#fromDispatch();
    this.#run.project();
  }

  /** As many records, of transitions that carry nothing along: a command that finds the plan as it was approved. */
  transitions(): void {
    for (let record = 0; record < recordsPerRound; record += 2) {
      this.#move(plan);
      this.#move(unchanged);
    }
  }

  #toDispatch(): void {
    this.#round += 1;
    for (const signal of toChallenge) this.#move(signal);
    this.#run.append({ ...started, id: `add-limit#${this.#round}` });
  }

  #fromDispatch(): void {
    this.#move(approved, { ...ended, id: `add-limit#${this.#round}` });
  }

  #move(signal: Signal, dispatch?: DispatchEnd): void {
    const step = this.#run.move(signal, dispatch && { dispatch });
    if (step.kind === 'refusal') throw new Error(`${signal.name} was refused: ${step.reason}`);
  }

  close(): void {
    this.#run.close();
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

const validatedAt = '2026-01-01T12:00:00.000Z';
const checksum = { hash: digest, validated_at: validatedAt };

const plan: Signal = {
  name: 'plan',
  data: { description: 'Slugs get a maximum length', agent: 'scripted', script: null },
  limits: { planning: 2, implementation: 2, archiving: 1, retries: 3 },
};
const unchanged: Signal = { name: 'unchanged' };

const toChallenge: readonly Signal[] = [
  plan,
  { name: 'changed' },
  { name: 'complete', data: { baseSpecs: { slug: null } } },
  {
    name: 'valid',
    data: {
      validations: [{ at: validatedAt, valid: true, findings: 0, fixed: [] }],
      findings: [],
      checksums: { 'proposal.md': checksum, 'specs/slug.md': checksum, 'tasks.md': checksum },
    },
  },
];

const approved: Signal = {
  name: 'approved',
  data: {
    planReviews: 2,
    verdict: 'APPROVED',
    judgedPlan: digest,
    openIssues: [],
    approvedPlan: { digest, by: 'challenger' },
  },
};

const started: Extract<Entry, { type: 'dispatch.started' }> = {
  type: 'dispatch.started',
  id: '',
  role: 'challenger',
  step: 'challenge',
  agent: 'scripted',
  model: null,
  prompt: digest,
  tree: digest.slice(-40),
  digest,
};

const ended: DispatchEnd = {
  id: '',
  ms: 60_000,
  usage: { inputTokens: 24_800, outputTokens: 1_320, costUsd: 0.04 },
  session: null,
  model: null,
  tree: digest.slice(-40),
  digest,
};
