/**
 * Works through several runs, each in a process and a worktree of its own; their commits are gathered on one branch.
 *
 * W1. One batch of a workflow in a repository at a time. Processes of one that was killed are ended before anything begins.
 * W2. A run belongs to the batch when it was begun from the branch that gathers the work, or on a branch of the name that
 *     such a run has: the recovery of a failed one makes it by hand.
 */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { relative, resolve } from 'node:path';
import { phaseOf } from '../engine/phase.ts';
import { stateOf } from '../engine/transition.ts';
import { workThrough, type BatchEnd, type BatchStop, type BatchWork } from '../runs/batch.ts';
import { listRuns } from '../runs/catalog.ts';
import { refusal } from '../runs/refusal.ts';
import { SharedBudget } from '../runs/shared-budget.ts';
import type { RunRepository } from '../runs/work-order.ts';
import { thisComputer } from '../runtime/host.ts';
import { readRunState } from '../runtime/run-state.ts';
import type { Spent } from '../runtime/spending.ts';
import { workspaceFiles } from '../runtime/workspace-files.ts';
import { worktreeIn } from '../runtime/worktree-setup.ts';
import { isRecord } from '../schema/values.ts';
import type { Lock } from '../store/run-store.ts';
import type { BatchIntent, CommandInput, WorkflowSurface } from '../workflows/surface.ts';
import type { Workflow } from '../workflows/workflow.ts';
import { gather, isGathered, openGathering, type Gathering } from '../workspace/gathering.ts';
import { mainWorkTree } from '../workspace/git.ts';
import { guard } from '../workspace/guardian.ts';
import { branchAt } from '../workspace/worktree.ts';
import { readScript } from './compose.ts';
import { parseScript } from '../agents/scripted/scripted.ts';
import { budgetText, raisedBudgets } from './budgets.ts';
import { exitCodes, Problem } from './problem.ts';
import { shellWord } from '../documents/shell-word.ts';
import { sayProgress, showBatch } from './show/batch-report.ts';
import { refusedUntrusted } from './trusting.ts';

const marker = 'PAWL_BATCH';
const orphanGraceMs = 5_000;

export async function workThroughAll(
  intent: BatchIntent,
  surface: WorkflowSurface,
  given: CommandInput,
  repository: RunRepository,
): Promise<number> {
  const { root } = repository;
  const untrusted = await refusedUntrusted(repository, null);
  if (untrusted) throw new Problem(untrusted);
  const { script } = given.flags;
  if (typeof script === 'string') parseScript(readScript(script), script);
  const base = branchAt(root);
  if (base === null) {
    const fix = 'git switch <branch>';
    throw new Problem(refusal('DetachedHead', 'HEAD is detached: there is no branch to begin from', { fix }));
  }
  const hopeless = intent.problem?.(workspaceFiles(root)) ?? null;
  if (hopeless) {
    const { message, fix, path } = hopeless;
    throw new Problem(refusal('NothingCanBegin', message, { fix, target: path }));
  }
  const folder = `${mainWorkTree(repository)}-${surface.name}-all`;
  const branch = `${surface.name}/all`;
  const gathering = {
    folder,
    branch,
    env: { [marker]: folder },
    resolve: (...conflict: Parameters<Gathering['resolve']>) => intent.merge(...conflict),
  };
  const lock = takeLock(repository, surface);
  try {
    await thisComputer.endMarked({ name: marker, value: folder }, orphanGraceMs);
    const problem = await openGathering(root, gathering);
    if (problem !== null) {
      const place = shellWord(folder);
      const fix = `git -C ${place} merge ${base}`;
      throw new Problem(refusal('GatheringConflict', `${branch} cannot take in ${base}: ${problem}`, { fix }));
    }
    const workflow = await surface.load();
    const batch = new Batch({ intent, surface, workflow, given, repository, gathering });
    const report = await workThrough(batch, intent).finally(() => batch.close());
    const { entries, stopped } = report;
    const left = stopped === null ? batch.left(entries.map(({ run }) => run)) : [];
    const problems = intent.problems?.(workspaceFiles(folder)) ?? [];
    const shown = { left, problems, gathering, worktreeOf: batch.worktreeOf, spentBy: batch.spentBy };
    showBatch({ ...report, ...shown }, given.flags);
    if (stopped !== null) return exitCodes[stopped === 'limit' ? 'over_budget' : stopped];
    const isWhole = entries.every(({ result, apart }) => result === 'done' && apart === null);
    return isWhole ? exitCodes.done : exitCodes.failed;
  } finally {
    lock.release();
  }
}

/** W1. */
function takeLock({ store }: RunRepository, { name }: WorkflowSurface): Lock {
  const lock = store.lock(name);
  if (lock) return lock;
  const message = `another process works through all ${name}s of this repository already`;
  const fix = 'wait for it, or stop it with Ctrl-C';
  throw new Problem(refusal('BatchLocked', message, { fix, outcome: 'locked' }));
}

interface BatchPlace {
  readonly intent: BatchIntent;
  readonly surface: WorkflowSurface;
  readonly workflow: Workflow;
  readonly given: CommandInput;
  readonly repository: RunRepository;
  readonly gathering: Gathering;
}

const endingSignals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

class Batch implements BatchWork {
  readonly #place: BatchPlace;
  readonly #budget: SharedBudget;
  readonly #ownLimits: Readonly<Record<string, number>>;
  readonly #children = new Set<ReturnType<typeof spawn>>();
  #stop: BatchStop | null = null;

  constructor(place: BatchPlace) {
    this.#place = place;
    const { budget } = place.given.flags;
    const { crashes, ...shared } = typeof budget === 'string' ? raisedBudgets(budget) : {};
    // How often a run may crash is about each of them.
    this.#ownLimits = crashes === undefined ? {} : { crashes };
    const { spending } = place.workflow.settings(workspaceFiles(place.gathering.folder));
    this.#budget = new SharedBudget(shared, spending, (run) => this.#state(run)?.spent);
    for (const signal of endingSignals) process.on(signal, this.#interrupt);
  }

  close(): void {
    for (const signal of endingSignals) process.off(signal, this.#interrupt);
  }

  async untaken(): Promise<readonly string[]> {
    const done = (await this.#runs()).filter(({ finished, outcome }) => finished && outcome === 'done');
    const checked = done.map(async ({ run }) =>
      (await isGathered(this.#place.gathering, this.#branchOf(run))) ? [] : [run],
    );
    return (await Promise.all(checked)).flat();
  }

  async unfinished(): Promise<readonly string[]> {
    return (await this.#runs()).filter(({ finished, owner }) => !finished && owner === null).map(({ run }) => run);
  }

  ready(): readonly string[] {
    return this.#openRuns().filter((run) => this.#state(run) === undefined);
  }

  /** What was not tried, and why. */
  left(tried: readonly string[]): readonly { readonly run: string; readonly why: string }[] {
    const { intent, gathering, surface, repository } = this.#place;
    const again = this.#openRuns().map((run) => ({ run, why: `ran before: pawl ${surface.name} status ${run}` }));
    const waiting = intent.waiting(workspaceFiles(gathering.folder));
    const known = new Set([...again, ...waiting].map(({ run }) => run));
    // Work begins from commits: what only the checkout has cannot be begun.
    const uncommitted = intent
      .ready(workspaceFiles(repository.root))
      .filter((run) => !known.has(run) && this.#state(run) === undefined)
      .map((run) => ({ run, why: 'its file is not committed: git add it, and commit' }));
    return [...again, ...waiting, ...uncommitted].filter(({ run }) => !tried.includes(run));
  }

  async work(run: string, how: 'begin' | 'resume'): Promise<BatchEnd> {
    const { intent, gathering } = this.#place;
    sayProgress(run, how === 'begin' ? 'begun' : 'continued');
    const words = how === 'begin' ? intent.begin(run, gathering.branch) : intent.resume(run);
    const { exitCode, signal, said } = await this.#runPawl(run, words);
    const result = exitCode === exitCodes.done ? 'done' : exitCode === exitCodes.failed ? 'failed' : 'stopped';
    if (exitCode === exitCodes.unavailable) this.#stop ??= 'unavailable';
    const message = signal === null ? said : `its process was killed (${signal})`;
    sayProgress(run, result);
    return { result, message: result === 'done' ? '' : message };
  }

  async takeOver(run: string): Promise<string | null> {
    const { gathering } = this.#place;
    const branch = this.#branchOf(run);
    const problem = await gather(gathering, branch);
    if (problem === null) return null;
    return `${branch} does not fit into ${gathering.branch}: git -C ${shellWord(gathering.folder)} merge ${branch}`;
  }

  stopped(): BatchStop | null {
    return this.#stop ?? (this.#budget.isSpent() ? 'over_budget' : null);
  }

  readonly worktreeOf = (run: string): string | null => {
    const state = this.#state(run);
    return state ? resolve(this.#place.repository.commonDir, state.workspace) : null;
  };

  readonly spentBy = (run: string): Spent | null => this.#state(run)?.spent ?? null;

  /** W2. */
  async #runs() {
    const { repository, surface, gathering } = this.#place;
    const source = relative(repository.commonDir, gathering.folder);
    const isOurs = (run: string): boolean => {
      const state = this.#state(run);
      const worktree = worktreeIn(state?.input ?? {});
      return worktree ? worktree.source === source : state?.choice.branch === this.#branchOf(run);
    };
    return (await listRuns(repository, surface)).filter(({ run, journal }) => journal && isOurs(run));
  }

  #openRuns(): readonly string[] {
    const { intent, gathering } = this.#place;
    return intent.ready(workspaceFiles(gathering.folder));
  }

  #state(run: string) {
    const { repository, surface } = this.#place;
    return readRunState(repository.store, { workflow: surface.name, run });
  }

  #branchOf(run: string): string {
    return `${this.#place.surface.name}/${run}`;
  }

  readonly #interrupt = (): void => {
    this.#stop = 'interrupted';
    for (const child of this.#children) child.kill('SIGINT');
  };

  /** In a process group of its own, so that Ctrl-C reaches it once, through us. */
  async #runPawl(run: string, words: readonly string[]) {
    const { surface, gathering, intent } = this.#place;
    const limits = { ...this.#budget.begin(run, intent.jobs - this.#children.size), ...this.#ownLimits };
    const budget = budgetText(limits);
    const options = [...this.#options(), ...(budget === '' ? [] : ['--budget', budget]), '--wait', '--json'];
    const guarded = guard();
    const child = spawn(process.execPath, [process.argv[1] ?? '', surface.name, ...words, ...options], {
      cwd: gathering.folder,
      env: { ...process.env, ...gathering.env },
      stdio: ['ignore', 'pipe', 'ignore'],
      detached: true,
    });
    if (child.pid !== undefined) guarded.started(child.pid);
    this.#children.add(child);
    if (this.#stop !== null) child.kill('SIGINT');
    const ended = new AbortController();
    const followed = this.#follow(run, ended.signal);
    let text = '';
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
    await once(child, 'close');
    guarded.release();
    ended.abort();
    await followed;
    this.#children.delete(child);
    this.#budget.end(run);
    return { exitCode: child.exitCode, signal: child.signalCode, said: messageIn(text) };
  }

  #options(): readonly string[] {
    const { agent, model, script, edits, trust } = this.#place.given.flags;
    const values = { agent, model, edits, script: typeof script === 'string' && resolve(script) };
    const named = Object.entries(values).flatMap(([name, value]) => (value ? [`--${name}`, String(value)] : []));
    return trust ? [...named, '--trust'] : named;
  }

  /** One line for each phase. */
  async #follow(run: string, signal: AbortSignal): Promise<void> {
    const { repository, surface, workflow } = this.#place;
    const key = { workflow: surface.name, run };
    const after = repository.store.records(key)?.length ?? 0;
    let shown: string | null = null;
    for await (const record of repository.store.follow(key, { after, signal })) {
      const snapshot = record.type === 'moved' ? this.#state(run)?.snapshot : undefined;
      const isOver = snapshot && stateOf(workflow.machine, snapshot.state).kind === 'final';
      const phase = snapshot && !isOver ? phaseOf(workflow.machine, snapshot) : null;
      if (phase !== null && phase !== shown) sayProgress(run, phase);
      shown = phase ?? shown;
    }
  }
}

/** Of the document that a command prints: why it is not done. */
function messageIn(text: string): string {
  const document = parsed(text);
  const diagnostics: unknown = isRecord(document) ? document['diagnostics'] : null;
  const last: unknown = Array.isArray(diagnostics) ? diagnostics.at(-1) : null;
  const message = isRecord(last) ? last['message'] : null;
  const [first = ''] = typeof message === 'string' ? message.split('\n') : [];
  return first;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
