/** Checks of the implementing half: what is to be done next, and what the project's own tools say. */

import { attempt, DocumentError } from '../../../documents/document-error.ts';
import { readCodeReview } from '../../../documents/review.ts';
import { findingText, isBlocking } from '../../../documents/finding.ts';
import type { Task } from '../../../documents/tasks.ts';
import { isRecord } from '../../../schema/values.ts';
import { runProgram, stopWith } from '../../define-workflow.ts';
import type { CheckContext, CheckResult, FileView, RunView } from '../../workflow.ts';
import { checkNames, readConfig, type CheckName } from '../config.ts';
import { planDigest } from '../documents.ts';
import { specOrder, taskGroups, tasksIn } from '../read-documents.ts';
import { changeFolder, reviewPath, tasksPath } from '../change-paths.ts';
import { blockedText, data, reviewedTree, type CheckRun } from '../run-data.ts';

export const implementingChecks = {
  confirm_plan: confirmPlan,
  select_tasks: selectTasks,
  tally,
  run_checks: runChecks,
};

export const planEdited = 'the plan was edited after it was approved';

/** The approval is bound to what was approved: an edited plan is implemented only when a person accepts the edit. */
function confirmPlan(view: RunView): CheckResult {
  const digest = planDigest(view.files, view.run);
  const accepts = data.acceptEdits.of(view.snapshot);
  // What a person accepts is the edit there is, not a later one.
  const used = accepts ? data.acceptEdits.set(false) : {};
  if (digest === data.approvedPlan.of(view.snapshot)?.digest) return { signal: { name: 'unchanged', data: used } };
  if (accepts) {
    const approved = data.approvedPlan.set({ digest, by: 'person' });
    return { signal: { name: 'accepted', data: { ...approved, ...used } } };
  }
  return stopWith('edited', `${planEdited}${missingDocuments(view)}`);
}

/** Documents that were there when the plan was validated. */
function missingDocuments({ snapshot, files, run }: RunView): string {
  const names = Object.keys(data.checksums.of(snapshot)).filter(
    (name) => !files.exists(`${changeFolder(run)}/${name}`),
  );
  return names.length === 0 ? '' : `: ${names.join(', ')} is missing (pawl restore ${run} brings it back)`;
}

async function selectTasks(context: CheckContext): Promise<CheckResult> {
  const { files, snapshot } = context;
  const work = attempt(() => ({ ...readWork(context), order: specOrder(context), ...readConfig(files).config.change }));
  if (work instanceof DocumentError) return stopWith('invalid', work.message);
  const { tasks, notes, order, sequentialImplementation } = work;
  const only = data.tasksOnly.of(snapshot);
  const selected = only === null ? tasks : tasks.filter(({ id }) => only.includes(id));
  const blocked = blockedResult(selected, context);
  if (blocked) return blocked;
  const groups = taskGroups(selected, order, sequentialImplementation);
  if (groups.length > 0) {
    const items = groups.map((group) => ({ id: group.id, after: [], data: { tasks: group.tasks } }));
    return { signal: { name: 'work', items }, notes };
  }
  if (!areCompleted(tasks)) return { signal: { name: 'subset_done' } };
  const { next, note } = await afterTasks(context);
  return { signal: { name: next }, notes: [...notes, ...note] };
}

function readWork(view: RunView) {
  const file = tasksPath(view.run);
  const list = tasksIn(view);
  if (!list) throw new DocumentError({ file, line: null }, 'there is no task list', 'tasks.md as written by plan');
  const { tasks, findings } = list;
  const blocking = findings.find(isBlocking);
  if (blocking) throw new DocumentError({ file, line: blocking.line }, blocking.message, blocking.fix);
  if (tasks.length === 0) throw new DocumentError({ file, line: null }, 'there is no task in it', 'at least one task');
  return { tasks, notes: findings.map(findingText) };
}

/** All tasks are done: what the last review of this code says comes next, unless a person wants another one. */
async function afterTasks(context: CheckContext): Promise<{ next: string; note: readonly string[] }> {
  const { files, run, snapshot } = context;
  const path = reviewPath(run);
  const text = files.read(path);
  const review =
    data.codeReview.of(snapshot) ?? (text === undefined ? null : attempt(() => readCodeReview(text, path)));
  if (review instanceof DocumentError) return { next: 'to_review', note: [`${review.message}: reviewed again`] };
  if (review === null || data.freshReview.of(snapshot)) return { next: 'to_review', note: [] };
  if (review.verdict !== 'APPROVED') return { next: 'to_fix', note: [] };
  return { next: (await context.treeDigest()) === reviewedTree(context) ? 'approved' : 'to_review', note: [] };
}

function tally(view: RunView): CheckResult {
  const { tasks } = readWork(view);
  return blockedResult(tasks, view) ?? { signal: { name: areCompleted(tasks) ? 'all_done' : 'subset_done' } };
}

function areCompleted(tasks: readonly Task[]): boolean {
  return tasks.every(({ status }) => status === 'completed');
}

function blockedResult(tasks: readonly Task[], { snapshot }: RunView): CheckResult | undefined {
  const blocked = tasks.filter(({ status }) => status === 'blocked');
  if (blocked.length === 0) return undefined;
  return stopWith('blocked', blockedText(blocked, data.blockedBy.of(snapshot)));
}

/** The project's own tests, type check, linter and audit; their output goes to files the reviewer is pointed to. */
async function runChecks(context: CheckContext): Promise<CheckResult> {
  const { config } = readConfig(context.files);
  const results: CheckRun[] = [];
  for (const check of localChecks(context.files, config.checks.commands)) {
    const { end, outputFile } = await runProgram(context, check.command, config.checks.timeoutMinutes);
    const status = end === 'missing' ? 'not available' : end === 'passed' ? 'passed' : 'failed';
    results.push({ name: check.name, status, required: check.required, log: end === 'missing' ? null : outputFile });
  }
  const changed = data.changedFiles.set(await context.changedFiles());
  return {
    signal: { name: 'ran', data: { ...data.checks.set({ results }), ...changed } },
    notes: results.map(({ name, status }) => `${name}: ${status}`),
  };
}

type Commands = Partial<Record<CheckName, readonly string[]>>;
type Configured = Readonly<Record<CheckName, readonly string[] | false | null>>;

/**
 * The project's own tools, found by the files that mark a toolchain; several in one repository are all used.
 * Configured commands win, `false` switches a check off. A failed audit forbids no approval: it also fails without a network.
 */
export function localChecks(files: FileView, configured: Configured) {
  const detected = Object.entries(toolchains).flatMap(([marker, commands]) =>
    files.read(marker) === undefined ? [] : [commands(files)],
  );
  return checkNames.flatMap((name) => {
    const own = configured[name];
    if (own === false) return [];
    const commands = own ? [own] : detected.flatMap((toolchain) => (toolchain[name] ? [toolchain[name]] : []));
    return commands.map((command) => ({ name, command, required: name !== 'audit' }));
  });
}

const toolchains: Readonly<Record<string, (files: FileView) => Commands>> = {
  'package.json': (files) => {
    const scripts = scriptsOf(files.read('package.json') ?? '');
    return {
      ...(scripts.has('test') && { test: ['npm', 'test'] }),
      ...(files.read('package-lock.json') !== undefined && { audit: ['npm', 'audit'] }),
      ...(scripts.has('typecheck') && { typecheck: ['npm', 'run', 'typecheck'] }),
      ...(scripts.has('lint') && { lint: ['npm', 'run', 'lint'] }),
    };
  },
  'pyproject.toml': (files) => ({
    test: ['pytest', '-q'],
    audit: ['pip-audit'],
    lint: ['ruff', 'check', '.'],
    ...(files.read('pyproject.toml')?.includes('[tool.mypy') && { typecheck: ['mypy', '.'] }),
  }),
  'Cargo.toml': () => ({ test: ['cargo', 'test'], audit: ['cargo-audit', 'audit'], typecheck: ['cargo', 'check'] }),
  'go.mod': () => ({
    test: ['go', 'test', './...'],
    audit: ['govulncheck', './...'],
    typecheck: ['go', 'vet', './...'],
  }),
  'pom.xml': () => ({ test: ['mvn', '-q', 'test'] }),
  gradlew: () => ({ test: ['./gradlew', 'test'] }),
};

/** A package.json that cannot be read has no scripts; its own tools will say so. */
function scriptsOf(text: string): ReadonlySet<string> {
  try {
    const value: unknown = JSON.parse(text);
    return new Set(isRecord(value) && isRecord(value['scripts']) ? Object.keys(value['scripts']) : []);
  } catch {
    return new Set();
  }
}
