/**
 * Closes a dispatch that was started and has not ended.
 *
 * X1. Its processes are ended first.
 * X2. It is taken as complete only when that is provable; else it is abandoned, with what it wrote kept as a patch
 *     and the tree put back.
 * X3. What was changed after the last sign of the agent's life is somebody else's, and so is everything that was
 *     changed while a role was at work that only reads: kept or discarded as a person says.
 * X4. A patch is durable before anything is rolled back, and is never replaced.
 */

import { join, relative } from 'node:path';
import { lastChangedAt } from '../workspace/tree.ts';
import { orElse } from '../disk/disk-error.ts';
import { eventsFile, turnIn, type Turn } from './agent-turn.ts';
import { contextOf, dispatchFolder } from './dispatch.ts';
import { endOrphans } from './dispatch-marker.ts';
import { decideFiles, filesNeedPerson, ready, type EditsDecision, type EditsChoice, type Recovery } from './recover.ts';
import { settle } from './judge.ts';
import { Reports } from './reports.ts';
import type { OpenDispatch } from './run-state.ts';
import type { Run } from './run.ts';
import { changedPaths } from './tree-changes.ts';

/** An agent's last write and the last sign of its life may be this far apart. */
const attributionGraceMs = 2_000;

/** After a crash: nobody watched the agent's end. */
export async function closeDispatch(run: Run, open: OpenDispatch, edits: EditsChoice | undefined): Promise<Recovery> {
  const { tree, changed } = await endAgent(run, open);
  if (changed.length === 0 && (await takeComplete(run, open, tree))) return ready;
  const lastSignMs = lastSignOf(run, open);
  const isForeign = (path: string): boolean => lastChangedAt(run.workspace, path, run.disk) > lastSignMs;
  const foreign = onlyReads(run, open) ? changed : changed.filter(isForeign);
  const what = `were changed while the ${open.started.role} was at work, or after it was interrupted`;
  const decided = await decideFiles(run, edits, foreign, what);
  if (decided === undefined) return filesNeedPerson(foreign);
  await abandon(run, open, { tree, changed, foreign, decided, crashed: true });
  return ready;
}

/** After an interruption: the agent was watched until its end, so what changed meanwhile is a writer's own work. */
export async function closeInterrupted(run: Run, open: OpenDispatch, why?: string): Promise<void> {
  const { tree, changed } = await endAgent(run, open);
  const foreign = onlyReads(run, open) ? changed : [];
  const decided: EditsDecision = { choice: 'keep', by: { who: run.host.user, how: 'engine' } };
  await abandon(run, open, { tree, changed, foreign, decided, why });
}

/** X1. */
async function endAgent(run: Run, { started }: OpenDispatch) {
  await endOrphans(run, started.id);
  const tree = await run.tree.snapshot();
  return { tree, changed: await changedPaths(run, started.tree, tree) };
}

/** X3. That it lived on without a word proves nothing: people work on while they wait for it. */
function lastSignOf(run: Run, { started }: OpenDispatch): number {
  const folder = dispatchFolder(run, started.id);
  const signs = ['stdout.log', 'stderr.log'].map((name) => modifiedMs(run, join(folder, name)));
  return Math.max(Date.parse(started.at), ...signs) + attributionGraceMs;
}

function onlyReads(run: Run, { started }: OpenDispatch): boolean {
  return run.workflow.roles[started.role]?.writesTree === false;
}

/** A read-only role's dispatch whose one report is filed has nothing left to do: its result counts. */
async function takeComplete(run: Run, open: OpenDispatch, tree: string): Promise<boolean> {
  const { started, reports: filed } = open;
  if (!onlyReads(run, open)) return false;
  const { id: dispatch, at, role, step, item } = started;
  const effect = { type: 'dispatch', role, step, ...(item && { item }) } as const;
  const context = { ...contextOf(run, effect, started.agent, started.hint), dispatch, at };
  const dispatching = await run.workflow.dispatching();
  const brief = dispatching.brief(context);
  if ('signal' in brief || !filed.some(({ tool }) => tool === brief.closedBy)) return false;
  const reports = Reports.restage(dispatching.tools, context, filed);
  if ('insufficient' in dispatching.conclude({ ...reports.context, changed: [] }, reports.filed)) return false;
  const ms = Math.max(0, modifiedMs(run, join(dispatchFolder(run, dispatch), 'stdout.log')) - Date.parse(at));
  run.tell('recovered', `${step} had filed its report before the interruption; it counts`);
  const turn = turnOf(run, started.id);
  await settle(run, { ms, turn, fault: null, reports, treeBefore: started.tree, treeAfter: tree });
  return true;
}

interface Remains {
  readonly tree: string;
  readonly changed: readonly string[];
  /** Of those, what the agent did not change. */
  readonly foreign: readonly string[];
  readonly decided: EditsDecision | null;
  readonly why?: string | undefined;
  readonly crashed?: true;
}

/** X2. */
async function abandon(run: Run, { started }: OpenDispatch, remains: Remains): Promise<void> {
  const { tree, changed, foreign, decided, why = 'interrupted before it ended', crashed } = remains;
  const kept = decided?.choice === 'keep' ? foreign : [];
  const rolledBack = changed.filter((path) => !kept.includes(path));
  const patch = rolledBack.length > 0 ? await keepPatch(run, started.id, started.tree, tree) : null;
  await run.tree.restore(tree, started.tree, { paths: rolledBack });
  run.sync(rolledBack);
  if (decided && kept.length > 0) run.append({ type: 'edits.kept', paths: kept, by: decided.by });
  run.append({
    type: 'dispatch.abandoned',
    id: started.id,
    why,
    patch,
    ...consumed(run, started, crashed === true),
    ...(crashed && { crashed }),
  });
  const copy = patch === null ? '' : `; what it had written is kept in ${join(run.folder, patch)}`;
  run.tell('recovered', `${started.step} was interrupted; it restarts when the run resumes${copy}`);
}

/** What its events say, which were kept as they came. */
function turnOf(run: Run, dispatch: string): Turn {
  return turnIn(orElse('', () => run.disk.readFile(join(dispatchFolder(run, dispatch), eventsFile)).toString()));
}

function consumed(run: Run, { id, at, agent, model }: OpenDispatch['started'], crashed: boolean) {
  const folder = dispatchFolder(run, id);
  const turn = turnOf(run, id);
  const signs = ['stdout.log', 'stderr.log', eventsFile].map((name) => modifiedMs(run, join(folder, name)));
  // Nobody knows how long one lived on that was left alone.
  const endMs = crashed ? Math.max(...signs) : run.host.now();
  const ms = Math.round(Math.max(0, endMs - Date.parse(at)));
  return { usage: run.settings.priced(agent, turn.model ?? model, turn.usage), ms };
}

/** X4: an earlier one is of a recovery that was itself cut off, and holds what that one took back. */
async function keepPatch(run: Run, dispatch: string, from: string, to: string): Promise<string> {
  const folder = dispatchFolder(run, dispatch);
  const patch = await run.tree.patch(from, to);
  let file = join(folder, 'abandoned.patch');
  for (let number = 2; run.disk.exists(file); number += 1) file = join(folder, `abandoned-${number}.patch`);
  run.keepFile(file, patch);
  return relative(run.folder, file);
}

function modifiedMs(run: Run, file: string): number {
  return run.disk.target(file)?.mtimeMs ?? 0;
}
