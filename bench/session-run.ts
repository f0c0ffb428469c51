/** A session's tasks, one after the other, through the runtime's own `Run` and the workflow's own checks; no agents, no git. */

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { currentItem, initialSnapshot, type Json } from '../src/engine/snapshot.ts';
import type { Signal } from '../src/engine/transition.ts';
import type { DispatchEnd, Entry } from '../src/store/record.ts';
import { answer, pendingDecision } from '../src/runtime/answering.ts';
import type { MoveRecord } from '../src/runtime/run-place.ts';
import { Run } from '../src/runtime/run.ts';
import type { CheckContext } from '../src/workflows/workflow.ts';
import { noGit } from '../src/workflows/no-git.fixture.ts';
import { conclude } from '../src/workflows/session/conclude.ts';
import { tasksPath } from '../src/workflows/session/files/session-paths.ts';
import { renderTasks } from '../src/workflows/session/files/tasks-file.ts';
import { session } from '../src/workflows/session/session.ts';
import { digest, host } from './without-agents.ts';
import { scratchStore } from '../test/scratch-store.ts';

const id = '2026-01-01_many-tasks';

export class SessionRun {
  /** On the disk of this repository: a temporary folder may be in memory, where syncing costs nothing. */
  readonly folder: string;
  readonly #run: Run;
  readonly #count: number;
  readonly #shows: boolean;
  #done = 0;
  #dispatches = 0;

  /** `shows`: status.json is brought up to date where the runtime does it; else it is left for later. */
  constructor(count: number, { shows }: { shows: boolean }) {
    mkdirSync('.build', { recursive: true });
    this.folder = mkdtempSync(resolve('.build/bench-session-'));
    const tasks = join(this.folder, tasksPath(id));
    mkdirSync(dirname(tasks), { recursive: true });
    writeFileSync(tasks, renderTasks({ project: { name: 'many', definition_of_done: [] }, tasks: tasksOf(count) }));
    const flags = { mode: 'per_batch', round: 'task', pending_reviews: 'none' };
    const snapshot = { ...initialSnapshot(session.machine), state: 'schedule', flags };
    this.#run = Run.open(
      {
        workflow: session,
        run: id,
        store: scratchStore(join(this.folder, 'runs')),
        workspace: this.folder,
        commonDir: this.folder,
      },
      host,
      { input: {}, limits: {}, snapshot },
    );
    this.#count = count;
    this.#shows = shows;
    this.#check('schedule');
  }

  get records(): number {
    return this.#run.records.length;
  }

  /** Tasks that are left. */
  get left(): number {
    return this.#count - this.#done;
  }

  /** One task with a repair, from its beginning to its completion; two in five have a security decision. */
  task(): void {
    this.#check('begin_task');
    this.#dispatch('Coder', 'code', { status: 'OK', summary });
    this.#dispatch('Reviewer', 'review', { status: 'BLOCKED', summary, verdict: 'NEEDS FIXES' });
    this.#dispatch('Coder', 'fix_review', { status: 'OK', summary });
    this.#dispatch('Reviewer', 'review', { status: 'OK', summary, verdict: 'PASS' });
    this.#dispatch('QA', 'qa', { status: 'OK', summary });
    const isRisky = this.#done % 5 < 2;
    this.#dispatch(
      'Security',
      'security',
      isRisky ? { status: 'NEEDS_DECISION', summary, findings: [this.#finding()] } : { status: 'OK', summary },
    );
    if (isRisky) this.#decide();
    // What a fix owes the gates behind it.
    while (this.#run.state.snapshot.state !== 'accept_task') this.#again();
    this.#check('accept_task');
    this.#done += 1;
  }

  #again(): void {
    const { state } = this.#run.state.snapshot;
    if (state === 'review') this.#dispatch('Reviewer', state, { status: 'OK', summary, verdict: 'PASS' });
    else if (state === 'qa') this.#dispatch('QA', state, { status: 'OK', summary });
    else if (state === 'security') this.#dispatch('Security', state, { status: 'OK', summary });
    else throw new Error(`a task ended up in ${state}`);
  }

  #finding(): Json {
    return {
      severity: 'medium',
      category: 'input',
      file: 'src/a.ts',
      description: `Finding ${this.#done}`,
      recommended_fix: 'x',
    };
  }

  #check(name: string): void {
    const item = currentItem(this.#run.state.snapshot.lists['tasks']);
    const context = { ...this.#run.view(), ...workTreeUnknown, ...(item && { item }) };
    const result = session.checks[name]?.(context);
    if (!result || result instanceof Promise) throw new Error(`the check ${name} cannot be made at once`);
    this.#move(result.signal, { writes: result.writes ?? [] });
  }

  #dispatch(role: string, step: string, report: Readonly<Record<string, Json>>): void {
    const run = this.#run;
    const dispatch = `${id}#${(this.#dispatches += 1)}`;
    const item = currentItem(run.state.snapshot.lists['tasks']);
    if (this.#shows) run.project();
    run.append({ ...started, id: dispatch, role, step, ...(item && { item }) });
    run.append({ type: 'report.filed', dispatch, tool: 'report', args: report });
    const context = {
      ...run.view(),
      step,
      role,
      agent: 'scripted',
      dispatch,
      workspace: '/repository',
      ...(item && { item }),
    };
    const judged = { digest, files: [] };
    const concluded = conclude({ ...context, judged, changed: [] }, [{ tool: 'report', args: report }]);
    if ('insufficient' in concluded) throw new Error(concluded.insufficient);
    this.#move(concluded.signal, {
      writes: concluded.writes,
      dispatch: { ...ended, id: dispatch },
    });
  }

  #decide(): void {
    if (this.#shows) this.#run.project();
    const pending = pendingDecision(this.#run);
    const [part] = pending?.question.freeText?.parts ?? [];
    if (!pending || !part) throw new Error('nothing is asked');
    answer(this.#run, pending, { decision: part.id, answer: 'fix-later', how: 'answers' });
    this.#move({ name: 'intact', data: {} });
  }

  #move(signal: Signal, record: MoveRecord = {}): void {
    const step = this.#run.move(signal, record);
    if (step.kind === 'refusal') throw new Error(`${signal.name} was refused: ${step.reason}`);
  }

  close(): void {
    this.#run.close();
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

const notAtHand = () => Promise.reject(new Error('the work tree takes no part'));
const workTreeUnknown = {
  git: noGit,
  isConfined: () => Promise.resolve(true),
  exec: notAtHand,
  treeDigest: notAtHand,
  watch: notAtHand,
  changedFiles: notAtHand,
  diff: notAtHand,
} satisfies Partial<CheckContext>;

const summary = 'One sentence about what was done and what was found.';

function tasksOf(count: number) {
  return Array.from({ length: count }, (_, index) => ({
    id: nameOf(index),
    status: 'not-started' as const,
    type: 'feature',
    title: `Make part ${index + 1}`,
    depends_on: index === 0 ? [] : [nameOf(index - 1)],
    goal: 'What this task is for, in one sentence (REQ-001)',
    non_goals: [],
    context_files: [],
    files_expected: [`src/part-${index + 1}.ts`],
    acceptance_checks: ['cmd: npm test'],
    risk_flags: [],
    done_when: ['its tests pass'],
  }));
}

function nameOf(index: number): string {
  return `T-${String(index + 1).padStart(3, '0')}`;
}

const started: Extract<Entry, { type: 'dispatch.started' }> = {
  type: 'dispatch.started',
  id: '',
  role: '',
  step: '',
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
