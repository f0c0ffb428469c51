/**
 * Prepares the worktree of a run, so that the project's own commands work in it.
 *
 * P1. What is to be made is journalled when the run begins; how far it has come is said by a file in the run's folder,
 *     written after each stage. Whatever cut the preparation short, the next command goes through it again, and none after that.
 * P2. Nothing is dispatched before: what preparing left in the work tree is not the run's doing.
 * P3. What copied files hold is written nowhere but into the copies.
 */

import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { table } from '../schema/compound.ts';
import { check, type Infer } from '../schema/schema.ts';
import { verbatim } from '../schema/simple.ts';
import { readText, writeAtomically } from '../workspace/files.ts';
import { copyInside, isIgnored, isTracked, makeWorktree } from '../workspace/worktree.ts';
import type { WorktreeSettings } from '../workflows/workflow.ts';
import { endOrphans } from './dispatch-marker.ts';
import { failureOf, markedFor, runProjectCommand } from './project-command.ts';
import type { RunState } from './run-state.ts';
import type { Run } from './run.ts';
import { workspaceFiles } from './workspace-files.ts';

/** As the run's first record has it; paths are relative to the git directory, files to copy are in `source`. */
const inputSchema = table({ source: verbatim(), branch: verbatim(), commit: verbatim() }, { unknownKeys: 'ignored' });
export type WorktreeInput = Infer<typeof inputSchema>;

/** P1. */
export function isPrepared(run: Run): boolean {
  return worktreeIn(run.state.input) === null || stageOf(run) === 'ready';
}

export async function prepareWorktree(run: Run): Promise<boolean> {
  const input = worktreeIn(run.state.input);
  if (input === null || isPrepared(run)) return true;
  const source = resolve(run.commonDir, input.source);
  // What a cut-off preparation left running would go on writing beside this one.
  await endOrphans(run, '#setup');
  run.observe({ type: 'preparing', what: `worktree ${run.workspace}` });
  if (stageOf(run) !== 'made' || !existsSync(run.workspace)) {
    const { branch, commit } = input;
    await makeWorktree(source, { folder: run.workspace, branch, commit, env: markedFor(run, '#setup') });
    writeAtomically(stageFile(run), 'made\n', {}, run.disk);
  }
  // Of the checkout it was begun from: the worktree may not have it committed yet.
  const { worktree } = run.workflow.settings(workspaceFiles(source));
  const notes = worktree ? await copyAll(run, source, worktree.copy) : [];
  if (worktree && !(await setUp(run, worktree))) return false;
  writeAtomically(stageFile(run), 'ready\n', {}, run.disk);
  run.observe({ type: 'prepared', notes });
  return true;
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
  const message = `the worktree's setup command (${words}) ${failure}; its output is in ${outputFile}`;
  const fix = `correct [worktree] setup in ${run.workflow.configPaths.join(' or ')}, then run pawl resume ${run.id}`;
  throw Object.assign(new Error(message), { code: 'SetupFailed', file: outputFile, fix });
}

function stageOf(run: Run): string {
  return (readText(stageFile(run), run.disk) ?? '').trim();
}

function stageFile(run: Run): string {
  return join(run.folder, 'worktree-stage');
}

/** Null for a run that works in the checkout it was begun in. */
export function worktreeIn(input: RunState['input']): WorktreeInput | null {
  const read = check(inputSchema, input['worktree']);
  return 'value' in read ? read.value : null;
}
