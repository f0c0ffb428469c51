/**
 * Closes a dispatch that was started and has not ended.
 *
 * X1. Its processes are ended first.
 * X2. It is taken as complete only when that is provable; else it is abandoned, with what it wrote kept as a patch
 *     and the tree put back.
 * X3. What was changed after the last sign of the agent's life, or after Pawl was killed and the agent with it, is
 *     somebody else's, and so is everything that was changed while a role was at work that only reads: kept or discarded
 *     as a person says, kept where a sandbox proves it. An interruption asks nobody: it leaves the dispatch open, and the
 *     next command asks.
 * X4. A patch is durable before anything is rolled back, and is never replaced.
 * X5. After an interruption, what a role that writes may change stays, as after a failed attempt: nobody's work is lost.
 */

import { join } from 'node:path';
import { endedFile } from '../workspace/launcher.ts';
import { lastChangedAt } from '../workspace/last-changed.ts';
import { orElse } from '../disk/disk-error.ts';
import { adviceOnRecord } from './advisor.ts';
import { eventsFile, spentIn, turnIn, type Turn } from './agent-turn.ts';
import { beyondBounds, isConfinedReader, keepPatch, listed } from './bounds.ts';
import { contextFrom } from './dispatch-context.ts';
import { endOrphans } from './dispatch-marker.ts';
import { keepGitWithinBounds } from './git-bounds.ts';
import { decideFiles, filesNeedPerson, ready, type EditsDecision, type EditsChoice, type Recovery } from './recover.ts';
import { settle } from './judge.ts';
import { Reports } from './reports.ts';
import type { OpenDispatch } from './run-state.ts';
import type { Run } from './run.ts';
import { changedPaths, judgedBy } from './tree-changes.ts';

/** An agent's last write and the last sign of its life may be this far apart. */
const attributionGraceMs = 2_000;

/** After a crash: nobody watched the agent's end. */
export async function closeDispatch(run: Run, open: OpenDispatch, edits: EditsChoice | undefined): Promise<Recovery> {
  const { tree, changed, inGit } = await endAgent(run, open);
  if (changed.length === 0 && inGit === null && (await takeComplete(run, open, tree))) return ready;
  const crashed = run.disk.target(lastSignFile(run, open)) === undefined;
  const stays = crashed ? [] : await staying(run, open, { changed, tree });
  const foreign = foreignAmong(run, open, without(changed, stays));
  const what = `were changed while the ${open.started.role} was working, or after it was interrupted`;
  const decided = provenTheirs(run, open) ?? (await decideFiles(run, edits, foreign, what));
  if (decided === undefined) return filesNeedPerson(foreign);
  await abandon(run, open, { tree, changed, stays, foreign, decided, crashed });
  return ready;
}

/** X3, X5. */
export async function closeInterrupted(run: Run, open: OpenDispatch): Promise<void> {
  const { tree, changed } = await endAgent(run, open);
  const stays = await staying(run, open, { changed, tree });
  const foreign = foreignAmong(run, open, without(changed, stays));
  const decided = provenTheirs(run, open);
  if (foreign.length === 0 || decided) return abandon(run, open, { tree, changed, stays, foreign, decided });
  const what = `${foreign.join(', ')} changed while the ${open.started.role} was working, perhaps by somebody else`;
  run.tell('warning', `${what}; the next command asks whether to keep it`);
}

/** The agent was watched until it ended, for a reason of its own: nothing it wrote counts. */
export async function closeFailed(run: Run, open: OpenDispatch, why: string): Promise<void> {
  const { tree, changed } = await endAgent(run, open);
  const decided = provenTheirs(run, open);
  await abandon(run, open, { tree, changed, foreign: decided ? changed : [], decided, why });
}

/** X5. A person is there and may have worked beside the agent. */
async function staying(run: Run, open: OpenDispatch, { changed, tree: treeAfter }: Pick<Remains, 'changed' | 'tree'>) {
  if (onlyReads(run, open)) return [];
  const outside = await beyondBounds(run, open.started, { changed, treeAfter });
  return without(changed, [...outside.keys()]);
}

function without(paths: readonly string[], others: readonly string[]): readonly string[] {
  return paths.filter((path) => !others.includes(path));
}

/** X3. */
function provenTheirs(run: Run, { started }: OpenDispatch): EditsDecision | null {
  return isConfinedReader(run, started) ? { choice: 'keep', by: { who: run.host.user, how: 'engine' } } : null;
}

/** X1. */
async function endAgent(run: Run, open: OpenDispatch) {
  const { started } = open;
  for (const { id } of [started, started.beside ?? []].flat()) await endOrphans(run, id);
  const tree = await run.tree.snapshot();
  const { role: name, git } = started;
  const folder = run.dispatchFolder(started.id);
  const visitor = { name, writes: !onlyReads(run, open), folder, untilMs: untilMs(run, open) };
  const inGit = await keepGitWithinBounds(run, git, visitor);
  return { tree, changed: await changedPaths(run, started.tree, tree), inGit };
}

/** X3. That it lived on without a word proves nothing: people work on while they wait for it. */
function foreignAmong(run: Run, open: OpenDispatch, changed: readonly string[]): readonly string[] {
  if (onlyReads(run, open)) return changed;
  const lastMs = untilMs(run, open);
  return changed.filter((path) => lastChangedAt(run.workspace, path, run.disk) > lastMs);
}

/** X3. Later changes are not the agent's. */
function untilMs(run: Run, open: OpenDispatch): number {
  const endedMs = modifiedMs(run, join(run.dispatchFolder(open.started.id), endedFile));
  const noted = modifiedMs(run, lastSignFile(run, open));
  return Math.min((noted || lastSignMs(run, open)) + attributionGraceMs, endedMs || Number.POSITIVE_INFINITY);
}

/** X3: at the moment of an interruption, because an agent that is ended has last words. */
export function noteLastSign(run: Run): void {
  const { open } = run.state;
  if (!open) return;
  const file = lastSignFile(run, open);
  run.disk.writeFile(file, '');
  run.disk.utimes(file, new Date(lastSignMs(run, open)));
}

function lastSignFile(run: Run, { started }: OpenDispatch): string {
  return join(run.dispatchFolder(started.id), 'interrupted');
}

function lastSignMs(run: Run, { started }: OpenDispatch): number {
  const folder = run.dispatchFolder(started.id);
  const signs = ['stdout.log', 'stderr.log'].map((name) => modifiedMs(run, join(folder, name)));
  return Math.max(Date.parse(started.at), ...signs);
}

function onlyReads(run: Run, { started }: OpenDispatch): boolean {
  return !run.workflow.writers.includes(started.role);
}

/** A read-only role's dispatch whose one report is filed has nothing left to do: its result counts. */
async function takeComplete(run: Run, open: OpenDispatch, tree: string): Promise<boolean> {
  const { started, reports: filed } = open;
  if (!onlyReads(run, open)) return false;
  const { id: dispatch, at, step, beside } = started;
  // Nothing has changed since it began: this is the tree that it judged.
  const judged = await judgedBy(run, [started.role, beside?.role ?? []].flat());
  const context = { ...contextFrom(run, started), ...judged };
  const dispatching = await run.workflow.dispatching();
  const brief = dispatching.brief(context);
  if ('signal' in brief || !filed.some(({ tool }) => tool === brief.closedBy)) return false;
  const reports = Reports.restage(dispatching.tools, context, filed);
  if (reports.contradiction !== null) return false;
  const msOf = (id: string) =>
    Math.max(0, modifiedMs(run, join(run.dispatchFolder(id), 'stdout.log')) - Date.parse(at));
  const advice = beside
    ? adviceOnRecord(run, open, dispatching, { ms: msOf(beside.id), turn: turnOf(run, beside.id) })
    : null;
  if (beside && !advice) return false;
  const advised = advice && { advice: advice.reports?.filed ?? [] };
  const ended = { ...reports.context, changed: [], ...advised };
  if ('insufficient' in dispatching.conclude(ended, reports.filed)) return false;
  run.tell('recovered', `${step} had filed its report before the interruption; it counts`);
  const turn = turnOf(run, started.id);
  const trees = { treeBefore: started.tree, treeAfter: tree };
  await settle(run, { ms: msOf(dispatch), turn, fault: null, inGit: null, reports, advice, ...trees });
  return true;
}

interface Remains {
  readonly tree: string;
  readonly changed: readonly string[];
  /** Of those, what is not put back, whoever wrote it. */
  readonly stays?: readonly string[];
  /** Of those, what the agent did not change. */
  readonly foreign?: readonly string[];
  readonly decided?: EditsDecision | null;
  readonly why?: string;
  readonly crashed?: boolean;
}

/** X2. */
async function abandon(run: Run, { started }: OpenDispatch, remains: Remains): Promise<void> {
  const { tree, changed, stays = [], foreign = [], decided } = remains;
  const { why = 'interrupted before it ended', crashed = false } = remains;
  const kept = decided?.choice === 'keep' ? foreign : [];
  const rolledBack = without(changed, [...kept, ...stays]);
  const trees = { treeBefore: started.tree, treeAfter: tree };
  const patch =
    rolledBack.length + stays.length > 0
      ? await keepPatch(run, run.dispatchFolder(started.id), 'abandoned', trees)
      : null;
  await run.tree.restore(tree, started.tree, { paths: rolledBack });
  run.sync(rolledBack);
  if (decided && kept.length > 0) run.append({ type: 'edits.kept', paths: kept, by: decided.by });
  run.append({
    type: 'dispatch.abandoned',
    id: started.id,
    why,
    patch,
    ...(stays.length > 0 && { tree: await run.tree.snapshot() }),
    ...consumed(run, started, { at: started.at, crashed }),
    ...(started.beside && { beside: consumed(run, started.beside, { at: started.at, crashed }) }),
    ...(crashed && { crashed }),
  });
  // By name: somebody may have worked on one of them, and finds it in the copy.
  const fate = [
    ...(rolledBack.length > 0 ? [`put back as before it: ${listed(rolledBack)}`] : []),
    ...(stays.length > 0 ? ['the files that it may change stay as they are'] : []),
    ...(patch === null ? [] : [`a copy of what changed is kept in ${join(run.folder, patch)}`]),
  ];
  run.tell('recovered', [`${started.step} was interrupted; it restarts when the run resumes`, ...fate].join('; '));
}

/** What its events say, which were kept as they came. */
function turnOf(run: Run, dispatch: string): Turn {
  return turnIn(orElse('', () => run.disk.readFile(join(run.dispatchFolder(dispatch), eventsFile)).toString()));
}

type AgentCall = Pick<OpenDispatch['started'], 'id' | 'agent' | 'model'>;

function consumed(run: Run, { id, agent, model }: AgentCall, { at, crashed }: { at: string; crashed: boolean }) {
  const folder = run.dispatchFolder(id);
  const turn = turnOf(run, id);
  const signs = ['stdout.log', 'stderr.log', eventsFile].map((name) => modifiedMs(run, join(folder, name)));
  // Nobody knows how long one lived on that was left alone.
  const endMs = crashed ? Math.max(...signs) : run.host.now();
  const ms = Math.round(Math.max(0, endMs - Date.parse(at)));
  return { usage: spentIn(run, agent, model, turn).usage, ms };
}

function modifiedMs(run: Run, file: string): number {
  return run.disk.target(file)?.mtimeMs ?? 0;
}
