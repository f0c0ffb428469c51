/**
 * Taking a run for work, and beginning one that is new.
 *
 * B1. What would be refused leaves nothing behind: a run is created only for a command that its workflow takes.
 * B2. A state file without a journal is taken over only when a person vouches for it.
 */

import { join } from 'node:path';
import { evolve, initialSnapshot, type Json, type Snapshot } from '../engine/snapshot.ts';
import type { Signal } from '../engine/transition.ts';
import { rememberedOutput } from '../runtime/tree-changes.ts';
import { Run } from '../runtime/run.ts';
import { adopting } from '../runtime/edits.ts';
import { workspaceFiles } from '../runtime/workspace-files.ts';
import type { RunSettings, RunView } from '../workflows/workflow.ts';
import { firstCommandInput } from './first-command.ts';
import { keyOf, type Job } from './job.ts';
import { planWorktree, type PlannedWorktree } from './plan-worktree.ts';
import { isRefusal, refusal, usageRefusal, type Refusal } from './refusal.ts';
import { castOf } from './work-choices.ts';

export interface OpenedRun {
  readonly run: Run;
  /** For a new run: what the command came to that begins it. */
  readonly begin: Signal | null;
}

export async function openRun(job: Job): Promise<OpenedRun | Refusal> {
  const { repository, workflow, run, choices, caller } = job;
  const { store, root, commonDir } = repository;
  const creation = store.has(keyOf(job)) ? existing : await creationOf(job);
  if (isRefusal(creation)) return creation;
  const workspace = creation.worktree?.workspace ?? root;
  const input = { ...creation.input, ...(creation.worktree && { worktree: creation.worktree.input }) };
  const { snapshot, limits, begin } = creation;
  const opened = Run.open(
    { workflow, run, store, workspace, commonDir },
    caller.host,
    { input, limits, ...(snapshot && { snapshot }) },
    { force: choices.force === true },
  );
  return { run: opened, begin };
}

interface Creation {
  readonly input: Readonly<Record<string, Json>>;
  readonly limits: Readonly<Record<string, number>>;
  readonly snapshot?: Snapshot;
  readonly worktree: PlannedWorktree | null;
  readonly begin: Signal | null;
}

const existing: Creation = { input: {}, limits: {}, worktree: null, begin: null };

/** A run without a journal: either new, which needs a command that may begin one, or known only by its state file. */
async function creationOf(job: Job): Promise<Creation | Refusal> {
  const { workflow, run, repository, caller, intent, choices } = job;
  const files = workspaceFiles(repository.root, caller.host.disk);
  const settings = workflow.settings(files);
  const snapshot = initialSnapshot(workflow.machine, settings.limits);
  const at = new Date(caller.host.now()).toISOString();
  const view: RunView = { run, snapshot, files, at, history: [] };
  const text = files.read(workflow.stateFile(run).path(view));
  if (text !== undefined) return takenOver(job, view, { text, settings });
  if (intent.kind === 'continue') return usageRefusal(job.surface.notFound(run, { near: undefined, none: false }));
  const begin = workflow.enter(intent.command, intent.args, view);
  if ('fix' in begin) return usageRefusal(begin);
  const worktree = await worktreeFor(job, settings);
  if (isRefusal(worktree)) return worktree;
  const input = firstCommandInput({ command: intent.command, args: intent.args, flags: castOf(choices) });
  return { input, limits: settings.limits, snapshot, worktree, begin };
}

function worktreeFor({ repository, workflow, run, intent }: Job, settings: RunSettings) {
  const begins = intent.kind === 'command' ? intent.begins : undefined;
  const wanted = begins === 'in-worktree' || (begins === 'anywhere' && settings.ownWorktree === true);
  if (!wanted) return Promise.resolve(null);
  return planWorktree(repository, { workflow: workflow.name, run }, settings.worktree);
}

/** B2. */
async function takenOver(
  job: Job,
  view: RunView,
  { text, settings }: { readonly text: string; readonly settings: RunSettings },
): Promise<Creation | Refusal> {
  const { workflow, run, caller } = job;
  const stateFile = workflow.stateFile(run);
  const { phase, updatedAt } = stateFile.identify(text);
  const path = stateFile.path(view);
  // Once for what it finds, so that a person knows what they vouch for; where it cannot be taken over, nobody is asked.
  const { notes = [] } = stateFile.adopt(phase, view, '');
  if (notes.length > 0) caller.notify({ kind: 'foreign_state', path, notes });
  if (!(await isVouchedFor(job, path, phase))) return stateWithoutJournal(path, phase);
  const adoption = stateFile.adopt(phase, view, await treeDigest(job));
  const worktree = await worktreeFor(job, settings);
  if (isRefusal(worktree)) return worktree;
  return {
    snapshot: evolve(view.snapshot, adopting(workflow.machine, adoption)),
    input: {
      acceptedState: phase,
      acceptedAt: updatedAt,
      by: caller.host.user,
      ...(notes.length > 0 && { repairs: notes }),
    },
    limits: settings.limits,
    worktree,
    begin: null,
  };
}

async function isVouchedFor({ choices, caller, repository }: Job, path: string, phase: string): Promise<boolean> {
  if (choices.acceptState) return true;
  const answer = await caller.host.person?.ask({
    title: `${path} has no journal in this repository`,
    detail: `It says phase ${phase}. It may come from a colleague's work: taking it over means that you vouch for what was approved.`,
    answers: { accept: 'take it over', stop: 'leave everything as it is' },
    paths: [path],
    root: repository.root,
  });
  return answer === 'accept';
}

export function stateWithoutJournal(path: string, phase: string): Refusal {
  return refusal('state_without_journal', `${path} says phase ${phase}, but this repository has no journal of it`, {
    target: path,
    fix: 'run the command again with --accept-state if you vouch for it',
    outcome: 'needs_person',
  });
}

/** Whoever takes over a state vouches for the files that are there now. */
async function treeDigest(job: Job): Promise<string> {
  const { root: workspace, commonDir, store } = job.repository;
  const { host } = job.caller;
  const folder = store.folder(keyOf(job));
  const tree = host.workTree({ root: workspace, shadowDir: join(folder, 'shadow'), commonDir });
  const unjudged = [job.workflow.controlFolder, ...rememberedOutput({ workspace, folder, disk: host.disk })];
  return tree.digest(await tree.snapshot(), unjudged);
}
