/**
 * Taking a run for work, and beginning one that is new.
 *
 * B1. What would be refused leaves nothing behind: a run is created only for a command that its workflow takes.
 * B2. A state file without a journal is adopted only when a person vouches for it.
 */

import { existsSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { orElse } from '../disk/disk-error.ts';
import { evolve, initialSnapshot, type Json, type Snapshot } from '../engine/snapshot.ts';
import type { Signal } from '../engine/transition.ts';
import { rememberedOutput } from '../runtime/tree-changes.ts';
import { readRunState } from '../runtime/run-state.ts';
import { Run } from '../runtime/run.ts';
import { adopting } from '../runtime/recover.ts';
import { approvable, approvedTexts } from '../runtime/texts-on-record.ts';
import { rootsOf, workspaceFiles } from '../runtime/workspace-files.ts';
import type { WorktreeInput } from '../runtime/worktree-setup.ts';
import type { RecordedText } from '../store/record.ts';
import type { RunKey } from '../store/run-store.ts';
import type { RunSettings, RunView, Workflow } from '../workflows/workflow.ts';
import { findRepository, mainWorkTree } from '../workspace/git.ts';
import { barredBy } from '../workspace/safe-paths.ts';
import { branchAt, branchTip, fileInside, headCommit } from '../workspace/worktree.ts';
import { missingAgent } from './cast-check.ts';
import { isRefusal, refusal, usageRefusal, type Refusal } from './refusal.ts';
import { castOf, type WorkOrder } from './work-order.ts';

export interface Job extends WorkOrder {
  readonly workflow: Workflow;
  /** Proofs of the workflow that fail and were let pass. */
  readonly unproven: readonly string[];
  /** What an earlier run of that name left does not count. */
  readonly anew?: boolean;
}

/** `begin`: for a new run, the signal of the command that begins it. */
export async function openRun(job: Job): Promise<{ readonly run: Run; readonly begin: Signal | null } | Refusal> {
  const { repository, workflow, run, choices, caller } = job;
  const { store, root, commonDir } = repository;
  const key = { workflow: workflow.name, run };
  const creation = store.has(key) && !job.anew ? null : await creationOf(job);
  if (isRefusal(creation)) return creation;
  const worktree = creation && (await worktreeFor(job, creation.settings));
  if (isRefusal(worktree)) return worktree;
  if (job.anew && store.has(key)) store.retire(key);
  const input = { ...creation?.input, ...(worktree && { worktree: worktree.input }) };
  const opened = Run.open(
    { workflow, run, store, workspace: worktree?.workspace ?? creation?.workspace ?? root, commonDir },
    caller.host,
    { ...creation, input, limits: creation?.settings.limits ?? {} },
    { force: choices.force === true, acceptChanged: choices.acceptState === true },
  );
  return { run: opened, begin: creation?.begin ?? null };
}

interface Creation {
  readonly input: Readonly<Record<string, Json>>;
  readonly snapshot: Snapshot;
  readonly texts?: readonly RecordedText[];
  readonly settings: RunSettings;
  readonly begin: Signal | null;
  /** Of a run that is adopted, where it is not the checkout. */
  readonly workspace?: string;
}

/** A run without a journal: either new, which needs a command that may begin one, or known only by its state file. */
async function creationOf(job: Job): Promise<Creation | Refusal> {
  const { workflow, run, repository, caller, intent, choices } = job;
  const rootOf = rootsOf(workflow, repository.root, repository.commonDir);
  const files = workspaceFiles(rootOf, caller.host.disk);
  const settings = workflow.settings(files);
  const snapshot = initialSnapshot(workflow.machine, settings.limits);
  const at = new Date(caller.host.now()).toISOString();
  const view: RunView = { run, snapshot, files, at, history: [] };
  const statePath = workflow.stateFile(run).path(view);
  const text = files.read(statePath);
  if (text !== undefined && !job.anew)
    return (await missingAgent(job, settings)) ?? adoption(job, view, { text, settings });
  if (intent.kind === 'continue') return usageRefusal(job.surface.notFound(run, { near: undefined, none: false }));
  const { command, args } = intent;
  const begin = workflow.enter(command, args, view);
  if ('fix' in begin) return usageRefusal(begin);
  const barred = barredBy(rootOf(statePath), statePath, caller.host.disk);
  if (barred !== null)
    return refusal('NoPlaceForState', `${statePath} cannot be written: ${barred.why}`, {
      target: barred.path,
      fix: `move ${barred.path} away, or make it a folder of this repository`,
    });
  const missing = await missingAgent(job, settings);
  if (missing) return missing;
  return { input: { begin: { command, args, flags: { ...castOf(choices) } } }, snapshot, settings, begin };
}

/** Beside the main checkout, on a branch of its own, from the current commit. It is made when the run has begun. */
async function worktreeFor(
  job: Job,
  settings: RunSettings,
): Promise<{ readonly workspace: string; readonly input: WorktreeInput } | Refusal | null> {
  const { repository, surface, workflow, run, intent } = job;
  const { root, commonDir } = repository;
  const begins = intent.kind === 'command' ? intent.begins : undefined;
  const isWanted = begins === 'asked' ? await asksForWorktree(job) : begins === 'in-worktree';
  if (isRefusal(isWanted)) return isWanted;
  if (!isWanted && !(begins === 'anywhere' && settings.ownWorktree === true)) return null;
  const main = mainWorkTree(repository);
  const workspace = surface.worktreeFolder?.(main, run) ?? `${main}-${workflow.name}-${run}`;
  const branch = `${workflow.name}/${run}`;
  if (existsSync(workspace)) {
    const fix = `move it away${begins === 'in-worktree' ? '' : ', or begin without --worktree'}`;
    return refusal('WorktreeExists', `${workspace} already exists`, { target: workspace, fix });
  }
  if ((await branchTip(root, branch)) !== null) {
    const message = `the branch ${branch} already exists; rename it, or choose another name for the run`;
    return refusal('BranchExists', message, { target: branch, fix: `git branch --move ${branch} ${branch}-old` });
  }
  const commit = await headCommit(root);
  if (commit === null) {
    const fix = 'git commit --allow-empty --message "Initial commit"';
    return refusal('NoCommit', 'a worktree needs a commit to begin from', { fix });
  }
  for (const path of settings.worktree?.copy ?? []) fileInside(root, path);
  const base = branchAt(root);
  return { workspace, input: { source: relative(commonDir, root), branch, commit, ...(base !== null && { base }) } };
}

async function asksForWorktree({ run, repository, caller }: Job): Promise<boolean | Refusal> {
  const { person } = caller.host;
  const answer = await person?.ask({
    title: `Give ${run} a git worktree of its own?`,
    detail: 'In a worktree, your checkout stays as it is while agents work.',
    answers: { yes: 'make a worktree', no: 'work in this checkout' },
    paths: [],
    root: repository.root,
  });
  if (answer === 'yes' || answer === 'no') return answer === 'yes';
  const message = `nobody is there to say whether ${run} gets a worktree of its own`;
  const fix = 'run the command again with --worktree or --no-worktree';
  return refusal('PersonNeeded', message, { fix, outcome: 'needs_person' });
}

/** B2. */
async function adoption(
  job: Job,
  view: RunView,
  { text, settings }: { readonly text: string; readonly settings: RunSettings },
): Promise<Creation | Refusal> {
  const { workflow, run, caller } = job;
  const stateFile = workflow.stateFile(run);
  const { phase, updatedAt: acceptedAt } = stateFile.identify(text);
  const path = stateFile.path(view);
  // Once for its notes, so that a person knows what they vouch for; where it cannot be adopted, nobody is asked.
  const { notes = [] } = stateFile.adopt(phase, view, '');
  if (notes.length > 0) caller.notify({ kind: 'foreign_state', path, notes });
  if (!(await isVouchedFor(job, path, phase)))
    return refusal('StateWithoutJournal', `${path} says phase ${phase}, but this repository has no journal of it`, {
      target: path,
      fix: 'run the command again with --accept-state if you vouch for it',
      outcome: 'needs_person',
    });
  const adopted = stateFile.adopt(phase, view, await treeDigest(job));
  const snapshot = evolve(view.snapshot, adopting(workflow.machine, adopted));
  const repairs = notes.length > 0 && { repairs: notes };
  const spent = adopted.spent && { spentBefore: { ...adopted.spent } };
  const input = { acceptedState: phase, acceptedAt, by: caller.host.user, ...repairs, ...spent };
  const texts = adopted.gate === null ? [] : approvedTexts(workflow, approvable(workflow.machine), view, () => []);
  const workspace = worktreeAt(job, adopted.worktree ?? null);
  return { input, snapshot, texts, settings, begin: null, ...(workspace !== null && { workspace }) };
}

/** Null unless it is a worktree of this repository. */
function worktreeAt({ repository }: Job, path: string | null): string | null {
  if (path === null) return null;
  const place = resolve(mainWorkTree(repository), path);
  const found = orElse(null, () => findRepository(place));
  return found?.root === place && found.commonDir === repository.commonDir ? place : null;
}

async function isVouchedFor({ choices, caller, repository }: Job, path: string, phase: string): Promise<boolean> {
  if (choices.acceptState) return true;
  const answer = await caller.host.person?.ask({
    title: `${path} has no journal in this repository`,
    detail: `It says phase ${phase}. It may come from a colleague's work: with it you vouch for its approvals.`,
    answers: { accept: 'adopt it', stop: 'leave everything as it is' },
    paths: [path],
    root: repository.root,
  });
  return answer === 'accept';
}

/** With a state a person vouches for the files that are there now. */
async function treeDigest(job: Job): Promise<string> {
  const { root: workspace, commonDir, store } = job.repository;
  const { host } = job.caller;
  const folder = store.folder({ workflow: job.workflow.name, run: job.run });
  const tree = host.workTree({ root: workspace, shadowDir: join(folder, 'shadow'), commonDir });
  const unjudged = [job.workflow.controlFolder, ...rememberedOutput({ workspace, folder, disk: host.disk })];
  return tree.digest(await tree.snapshot(), unjudged);
}

/** Answers that were prepared for questions there are not. */
export async function unknownAnswer(
  { caller: { host }, repository, workflow, intent }: Job,
  key: RunKey,
): Promise<Refusal | null> {
  // A run that only its files tell of may have decisions of any name.
  if (!host.prepared || (intent.kind !== 'command' && !repository.store.has(key))) return null;
  const { unknownDecision } = await import('./answers-file.ts');
  const asked = Object.keys(readRunState(repository.store, key)?.snapshot.decisions ?? {});
  return unknownDecision(host.prepared, workflow, asked) ?? null;
}
