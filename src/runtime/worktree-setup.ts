/**
 * Prepares the worktree of a run, so that the project's own commands work in it.
 *
 * P1. What is to be made is journalled when the run begins; how far it has come is said by a file in the run's folder,
 *     written after each stage. Whatever cut the preparation short, the next command goes through it again, and none after that.
 * P2. Nothing is dispatched before: what preparing left in the work tree is not the run's doing.
 * P3. What copied files hold is written nowhere but into the copies.
 * P4. It is prepared again when the setup command or a lock file is another than it was then.
 */

import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { optional, table } from '../schema/compound.ts';
import { check, type Infer } from '../schema/schema.ts';
import { verbatim } from '../schema/simple.ts';
import { orElse } from '../disk/disk-error.ts';
import { readText, sha256, writeAtomically } from '../workspace/files.ts';
import { lockFilesIn, type LockFile } from '../workspace/lock-files.ts';
import { copyInside, isIgnored, isTracked, makeWorktree } from '../workspace/worktree.ts';
import type { WorktreeSettings } from '../workflows/workflow.ts';
import { endOrphans } from './dispatch-marker.ts';
import { failureOf, markedFor, runProjectCommand } from './project-command.ts';
import type { RunState } from './run-state.ts';
import type { Run } from './run.ts';
import { workspaceFiles } from './workspace-files.ts';

/** As the run's first record has it; paths are relative to the git directory, files to copy are in `source`. */
const inputSchema = table(
  { source: verbatim(), branch: verbatim(), commit: verbatim(), base: optional(verbatim()) },
  { unknownKeys: 'ignored' },
);
/** `base`: the branch that was checked out where it was begun. */
export type WorktreeInput = Infer<typeof inputSchema>;

/** P1, P4. */
export function isPrepared(run: Run): boolean {
  const input = worktreeIn(run.state.input);
  const { stage, digest } = stageOf(run);
  if (input === null) return true;
  return (
    stage === 'ready' && (digest === '' || digest === orElse(digest, () => setupDigest(run, settingsFor(run, input))))
  );
}

export async function prepareWorktree(run: Run): Promise<boolean> {
  const input = worktreeIn(run.state.input);
  if (input === null || isPrepared(run)) return true;
  const source = resolve(run.commonDir, input.source);
  // What a cut-off preparation left running would go on writing beside this one.
  await endOrphans(run, '#setup');
  run.observe({ type: 'preparing', what: `worktree ${run.workspace}` });
  if (stageOf(run).stage === '' || !existsSync(run.workspace)) {
    const { branch, commit } = input;
    await makeWorktree(source, { folder: run.workspace, branch, commit, env: markedFor(run, '#setup') });
    noteMade(run);
  }
  const settings = settingsFor(run, input);
  const notes = await copyAll(run, source, settings.copy);
  const proposal = settings.setup === null ? proposalFor(run) : null;
  const accepted = proposal && (await isAccepted(run, proposal)) ? proposal.setup : null;
  if (!(await setUp(run, { ...settings, setup: settings.setup ?? accepted }))) return false;
  writeAtomically(stageFile(run), `ready ${setupDigest(run, settings)}\n`, {}, run.disk);
  run.observe({ type: 'prepared', notes: [...notes, ...(proposal && !accepted ? [proposalNote(proposal)] : [])] });
  return true;
}

/** Of the checkout it was begun from: the worktree may not have it committed yet. */
function settingsFor(run: Run, { source }: WorktreeInput): WorktreeSettings {
  return run.workflow.settings(workspaceFiles(resolve(run.commonDir, source))).worktree;
}

/** P4. */
function setupDigest(run: Run, { setup }: WorktreeSettings): string {
  const locks = lockFilesIn(run.workspace).map(({ file }) => readText(join(run.workspace, file)) ?? '');
  return sha256(JSON.stringify([setup, locks]));
}

/** What installs the packages of a project that has no setup command. */
function proposalFor({ workspace }: Run): LockFile | null {
  return lockFilesIn(workspace).find(({ optional }) => !optional) ?? null;
}

async function isAccepted(run: Run, { file, setup }: LockFile): Promise<boolean> {
  const answer = await run.host.person?.ask({
    title: `Run ${setup.join(' ')} in the worktree?`,
    detail: `The project has ${file}, but no [worktree] setup: without its packages, tests fail in the worktree.`,
    answers: { run: 'run it for this run', skip: 'skip it' },
    paths: [],
    root: run.workspace,
  });
  return answer === 'run';
}

function proposalNote({ file, setup }: LockFile): string {
  const words = setup.map((word) => JSON.stringify(word)).join(', ');
  return `warning: the project has ${file}, but its packages are not installed in the worktree; add to pawl.toml: [worktree] setup = [${words}]`;
}

async function copyAll(run: Run, source: string, paths: readonly string[]): Promise<string[]> {
  const notes: string[] = [];
  for (const path of paths) {
    const copied = copyInside(source, run.workspace, path);
    if (copied === 'missing') notes.push(`${path} is not copied: ${source} has no such file`);
    else if (await isTracked(run.workspace, path)) notes.push(`${path} is committed: that version is used`);
    else if (!(await isIgnored(run.workspace, path)))
      notes.push(`git does not ignore ${path}: it is part of the code that is judged, though no change of this run`);
  }
  return notes.map((note) => `warning: ${note}`);
}

const shownLinesMax = 5;

async function setUp(run: Run, { setup, timeoutMs }: WorktreeSettings): Promise<boolean> {
  if (setup === null) return true;
  const words = setup.join(' ');
  const folder = join(run.folder, 'setup');
  mkdirSync(folder, { recursive: true });
  // The output of earlier tries is kept.
  const outputFile = join(folder, `output-${readdirSync(folder).length + 1}.log`);
  run.observe({ type: 'preparing', what: `worktree: ${words}` });
  const ended = await runProjectCommand(run, setup, { purpose: '#setup', outputFile, timeoutMs });
  if (ended.aborted) return false;
  const failure = failureOf(ended, `${timeoutMs / 60_000} minutes`);
  if (failure === null) return true;
  const last = (readText(outputFile) ?? '').trimEnd().split('\n').slice(-shownLinesMax);
  const message = [`the worktree's setup command (${words}) ${failure}; its output is in ${outputFile}`, ...last];
  const fix = `correct [worktree] setup in ${run.workflow.configPaths.join(' or ')}, then run pawl resume ${run.id}`;
  throw Object.assign(new Error(message.join('\n')), { code: 'SetupFailed', file: outputFile, fix });
}

/** What was copied into it and set up in it is still to be done. */
export function noteMade(run: Run): void {
  if (worktreeIn(run.state.input) !== null) writeAtomically(stageFile(run), 'made\n', {}, run.disk);
}

/** The digest is that of P4; earlier versions noted none. */
function stageOf(run: Run): { readonly stage: string; readonly digest: string } {
  const [stage = '', digest = ''] = (readText(stageFile(run), run.disk) ?? '').trim().split(' ');
  return { stage, digest };
}

function stageFile(run: Run): string {
  return join(run.folder, 'worktree-stage');
}

/** Null for a run that works in the checkout it was begun in. */
export function worktreeIn(input: RunState['input']): WorktreeInput | null {
  const read = check(inputSchema, input['worktree']);
  return 'value' in read ? read.value : null;
}
