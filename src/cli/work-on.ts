/** Working on one run: take it, bring it into order, deliver the command, drive it to its rest, say what came of it. */

import { join, resolve } from 'node:path';
import { evolve, initialSnapshot, type Json, type Snapshot } from '../engine/snapshot.ts';
import { transition } from '../engine/transition.ts';
import { hasBegun } from '../store/journal.ts';
import { command, drive, isUnderWay, type Rest } from '../runtime/drive.ts';
import type { EditsChoice } from '../runtime/edits.ts';
import { rememberedOutput } from '../runtime/own-output.ts';
import { recover } from '../runtime/recover.ts';
import { Run, type RunPlace } from '../runtime/run.ts';
import { adopting } from '../runtime/state-edits.ts';
import type { PreparedAnswers, Surroundings } from '../runtime/surroundings.ts';
import { workspaceFiles } from '../runtime/workspace-files.ts';
import { GitFailed } from '../workspace/git.ts';
import { WorkTree } from '../workspace/tree.ts';
import type { Choice } from '../store/record.ts';
import type { RunView, Workflow } from '../workflows/workflow.ts';
import { isAttended } from './attended.ts';
import { compose, storeOf } from './compose.ts';
import { exitCodes } from './exit-codes.ts';
import { watchInterrupts } from './interrupts.ts';
import type { Given } from './options.ts';
import { Problem } from './problem.ts';
import { runFolder, stateIn } from './run-folders.ts';
import { presenterFor, type Presenter } from './show/presenter.ts';
import { showOpening, showResult } from './show/result.ts';
import { plainLine } from './show/text.ts';
import { editsChoice, personNeeded, refuseOther, stateWithoutJournal } from './stops.ts';
import { terminalPerson } from './terminal-person.ts';
import { isBundled, surfaceNamed } from './workflows.ts';
import type { PlannedWorktree } from './worktree.ts';

export interface Work {
  readonly workflow: Workflow;
  readonly run: string;
  /** Where a new run works; an existing one knows its own place. */
  readonly workspace: string;
  /** For a new run: the worktree it shall have instead, if any. */
  readonly worktree?: () => Promise<PlannedWorktree | null>;
  readonly commonDir: string;
  /** For a new run: what its first record keeps. */
  readonly input?: Readonly<Record<string, Json>>;
  /** Null goes on without a new command. */
  readonly command: string | null;
  readonly args: Readonly<Record<string, Json>>;
  readonly given: Given;
  readonly hint?: string;
  /** Run budgets that a person raises. */
  readonly raised?: Readonly<Record<string, number>>;
}

export async function workOn(work: Work): Promise<number> {
  const json = work.given.flags['json'] === true;
  const presenter = presenterFor({ json });
  const folder = runFolder(work.commonDir, work.workflow.name, work.run);
  const proof = isBundled(work.workflow.name) ? {} : await proofOf(work, folder);
  const edits = editsChoice(work.given.flags['edits']);
  const prepared = await preparedFor(work.given);
  const interrupts = watchInterrupts();
  const person = isAttended(work.given)
    ? terminalPerson(presenter, { root: () => run?.workspace ?? work.workspace, interrupted: interrupts.signal })
    : null;
  const { script } = work.given.flags;
  const surroundings = compose({
    person,
    prepared,
    observe: (event) => presenter.observe(event),
    rehearsal: () => surfaceNamed(work.workflow.name)?.rehearsal?.(run?.state.snapshot.flags ?? {}),
    script: () => (typeof script === 'string' ? resolve(script) : (run?.state.choice.script ?? null)),
    interrupted: interrupts.signal,
  });
  let run: Run | undefined;
  try {
    // A script that cannot be played is the caller's mistake: found before anything is written.
    if (typeof script === 'string') await surroundings.agent('scripted', plainly);
    run = await openRun(work, folder, { surroundings, presenter });
    // Messages that nobody was there to read are stale when a new command begins.
    run.held.drop();
    interrupts.listen(run.held);
    const rest = await carryOut(run, { ...work, edits, proof }, presenter);
    return showResult(run, rest, { json, presenter });
  } catch (error) {
    throw interrupts.signal.aborted && error instanceof GitFailed ? cutShort(work.run, error) : error;
  } finally {
    run?.close();
    interrupts.close();
    presenter.close();
    await surroundings.close();
  }
}

/** Read before anything is written: a file that cannot be used is the caller's mistake. */
async function preparedFor({ flags: { answers } }: Given): Promise<PreparedAnswers | undefined> {
  if (typeof answers !== 'string') return undefined;
  return (await import('./answers-file.ts')).readAnswersFile(answers);
}

/** A run that was let pass unproven goes on so: asking again at every command would say nothing new. */
async function proofOf({ workflow, given, command: verb }: Work, folder: string): Promise<Pick<Choice, 'unproven'>> {
  const { requireProof } = await import('./own/proof.ts');
  const passed = (stateIn(folder)?.choice.unproven.length ?? 0) > 0;
  return requireProof(workflow, passed ? { ...given.flags, unproven: true } : given.flags, verb);
}

/** Ctrl-C reaches git as well, which is in the same process group: what it left undone is done when the run goes on. */
function cutShort(run: string, cause: GitFailed): Problem {
  const fix = `pawl resume ${run}`;
  return new Problem('interrupted', 'stopped; everything finished so far is kept', {
    fix,
    exitCode: exitCodes.interrupted,
    cause,
  });
}

/** Few runs have a worktree of their own: the others need not load what preparing one takes. */
async function hasUnpreparedWorktree(run: Run): Promise<boolean> {
  if (run.state.input['worktree'] === undefined) return false;
  const { isPrepared } = await import('../runtime/worktree.ts');
  return !isPrepared(run);
}

async function prepare(run: Run): Promise<void> {
  const { prepareWorktree } = await import('../runtime/worktree.ts');
  if (!(await prepareWorktree(run))) throw interruptedWhilePreparing();
}

function interruptedWhilePreparing(): Problem {
  return new Problem('interrupted', 'stopped while the worktree was being prepared', {
    fix: 'run the same command again',
    exitCode: exitCodes.interrupted,
  });
}

const plainly = { command: null, driver: null, mcp: [] };

interface Around {
  readonly surroundings: Surroundings;
  readonly presenter: Presenter;
}

async function openRun(work: Work, folder: string, around: Around): Promise<Run> {
  const { workflow, run, commonDir } = work;
  const { surroundings } = around;
  const { limits } = workflow.settings(workspaceFiles(work.workspace).read(workflow.configPath));
  const begun = hasBegun(folder) ? null : await beginning(work, folder, { ...around, limits });
  const worktree = (begun && (await work.worktree?.())) ?? null;
  const store = storeOf(commonDir);
  const place: RunPlace = { workflow, run, store, workspace: worktree?.workspace ?? work.workspace, commonDir };
  const input = { ...work.input, ...begun?.input, ...(worktree && { worktree: worktree.input }) };
  const force = work.given.flags['force'] === true;
  return Run.open(place, surroundings, { limits, ...begun, input }, { force });
}

/** A run without a journal: either new, which needs a command that may begin one, or known only by its state file. */
async function beginning(
  work: Work,
  folder: string,
  { surroundings, presenter, limits }: Around & { readonly limits: Readonly<Record<string, number>> },
): Promise<{ snapshot: Snapshot; input?: Readonly<Record<string, Json>> }> {
  const { workflow, run } = work;
  const files = workspaceFiles(work.workspace);
  const initial = initialSnapshot(workflow.machine, limits);
  const at = new Date(surroundings.now()).toISOString();
  const view: RunView = { run, snapshot: initial, files, config: files.read(workflow.configPath), at, history: [] };
  const stateFile = workflow.stateFile(run);
  const text = files.read(stateFile.path(view));
  if (text === undefined) {
    const signal = workflow.enter(work.command ?? 'resume', work.args, view);
    if ('fix' in signal) throw new Problem(signal.code, signal.message, { fix: signal.fix });
    return { snapshot: initial };
  }
  const { phase, updatedAt } = stateFile.identify(text);
  const path = stateFile.path(view);
  // Once for what it finds, so that a person knows what they vouch for; where it cannot be taken over, nobody is asked.
  const { notes = [] } = stateFile.adopt(phase, view, '');
  if (notes.length > 0) presenter.say(`warning: ${path} is not as Pawl writes it:`);
  for (const note of notes) presenter.say(`  ${plainLine(note)}`);
  await confirmState(work, surroundings, { path, phase });
  const adoption = stateFile.adopt(phase, view, await treeDigest(work, folder));
  return {
    snapshot: evolve(initial, adopting(workflow.machine, adoption)),
    input: {
      acceptedState: phase,
      acceptedAt: updatedAt,
      by: surroundings.user,
      ...(notes.length > 0 && { putRight: notes }),
    },
  };
}

/** Whoever takes over a state vouches for the files that are there now. */
async function treeDigest({ workspace, commonDir, workflow }: Work, folder: string): Promise<string> {
  const tree = new WorkTree({ root: workspace, shadowDir: join(folder, 'shadow'), commonDir });
  return tree.digest(await tree.snapshot(), [workflow.controlFolder, ...rememberedOutput({ workspace, folder })]);
}

async function confirmState(
  work: Work,
  { person }: Surroundings,
  { path, phase }: { path: string; phase: string },
): Promise<void> {
  if (work.given.flags['accept-state']) return;
  const answer = await person?.ask({
    title: `${path} has no journal in this repository`,
    detail: `It says phase ${phase}. It may come from a colleague's work: taking it over means that you vouch for what was approved.`,
    answers: { accept: 'take it over', stop: 'leave everything as it is' },
    paths: [path],
  });
  if (answer !== 'accept') throw stateWithoutJournal(path, phase);
}

async function carryOut(
  run: Run,
  work: Work & { readonly edits: EditsChoice | undefined; readonly proof: Pick<Choice, 'unproven'> },
  presenter: Presenter,
): Promise<Rest> {
  const { flags } = work.given;
  run.observe({ type: 'opened', phase: run.phase });
  const warn = (): void => run.settings.warnings.forEach((warning) => presenter.say(`warning: ${warning}`));
  const unprepared = await hasUnpreparedWorktree(run);
  if (!unprepared) warn();
  // Recovering may take an interrupted command to its end; it is that command all the same.
  const interrupted = isUnderWay(run);
  const recovery = await recover(run, work.edits);
  if (recovery.kind !== 'ready') throw personNeeded(recovery);
  const edited = run.records.at(-1)?.type === 'state.edited';
  const underWay = edited ? isUnderWay(run) : interrupted;
  const continues = underWay || work.command === null || work.command === 'retry';
  const given = typeof flags['agent'] === 'string' ? flags['agent'] : null;
  const agent = given ?? (continues ? run.state.choice.agent : null);
  const choice = {
    ...(agent !== null && { agent }),
    ...(work.hint !== undefined && { hint: work.hint }),
    chosen: { ...chosen(work), ...work.proof },
    beforeFirst: () => showOpening(run, { agent, presenter }),
  };
  const waited = async (rest: Rest): Promise<Rest> =>
    flags['wait'] && rest.outcome === 'temporary'
      ? (await import('./wait.ts')).waitOut(run, rest, choice, presenter)
      : rest;
  if (underWay) {
    refuseOther(run, work.command);
    return waited(await drive(run, choice));
  }
  if (work.command === null) return waited(await drive(run, choice));
  const signal = run.workflow.enter(work.command, work.args, run.view());
  if ('fix' in signal) throw new Problem(signal.code, signal.message, { fix: signal.fix });
  if (unprepared && transition(run.workflow.machine, run.state.snapshot, signal).kind === 'step') {
    await prepare(run);
    warn();
  }
  return waited(await command(run, { ...signal, limits: run.settings.limits }, choice));
}

/** Which agent and script were chosen is remembered; `retry` keeps what the command it repeats was given. */
function chosen({ command: name, raised, given: { flags } }: Work): Choice {
  const { agent, script } = flags;
  return {
    ...(name !== 'retry' && {
      agent: typeof agent === 'string' ? agent : null,
      script: typeof script === 'string' ? resolve(script) : null,
    }),
    ...(raised && { raised }),
  };
}
