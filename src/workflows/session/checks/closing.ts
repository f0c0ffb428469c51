/** From judged code to the end: what really runs, which criteria are met, and whether the session may be called done. */

import { pendingIn } from '../../../engine/decision.ts';
import { DocumentError } from '../../../documents/document-error.ts';
import type { Json, Problem } from '../../../engine/snapshot.ts';
import type { CheckContext, CheckResult } from '../../workflow.ts';
import { acceptanceEntries, judgeCriteria as judge, openQueries } from '../acceptance.ts';
import { readConfig } from '../config.ts';
import { shellRefused, tasksOf, wantsShell } from '../documents.ts';
import { argumentVector } from '../files/argument-vector.ts';
import { renderAcceptance } from '../files/acceptance-file.ts';
import { reportProblems } from '../files/content-checks.ts';
import { acceptancePath, reportPath, tasksPath } from '../files/paths.ts';
import type { SessionTask } from '../files/tasks-file.ts';
import { repair } from '../judgements.ts';
import { reportText } from '../report.ts';
import { meta, type CheckOutcome } from '../run-data.ts';
import { documentsProblem } from '../stops.ts';

/** The project's own build and every `cmd:` check, each once, as program and arguments. */
export async function integrate(context: CheckContext): Promise<CheckResult> {
  const { session } = readConfig(context.files).config;
  const commands = commandsOf(context, session);
  if ('problems' in commands)
    return { signal: { name: 'invalid', problem: documentsProblem(commands.problems, context.run) } };
  const left = tasksOf(context).tasks.filter(({ status }) => status !== 'implemented' && status !== 'completed');
  if (left.length > 0) return { signal: { name: 'tasks_left', problem: tasksLeft(left, context.run) } };
  const before = await context.treeDigest();
  const results: CheckOutcome[] = [];
  for (const { entry, argv } of commands) results.push(await ran(context, { entry, argv }, session.checkMinutes));
  const failed = results.filter(({ status }) => status === 'failed');
  const ci = { result: failed.length === 0 ? 'green' : 'red', failedStep: failed[0]?.entry ?? null };
  const notes = results.map(({ entry, status }) => `${entry}: ${status}`);
  const data = { checks: { results: results.map((result) => ({ ...result })) }, ci };
  if (before !== (await context.treeDigest())) {
    const why = 'the checks themselves changed files, which nobody has judged';
    const unseen = { ...data, touched: { behaviour: true, risky: true }, ...(failed.length > 0 && judgement(failed)) };
    return { signal: repair(context, 'fix_build', why, { name: 'changed', data: unseen }), notes: [...notes, why] };
  }
  if (failed.length === 0) return { signal: { name: 'green', data: { ...data, 'judgement:integrate': null } }, notes };
  const why = failed.map(({ entry, evidence }) => `${entry}: ${evidence}`).join('\n');
  return { signal: repair(context, 'fix_build', why, { name: 'red', data: { ...data, ...judgement(failed) } }), notes };
}

/** Somebody added them, or took their status back, since the tasks were scheduled. */
function tasksLeft(left: readonly SessionTask[], run: string): Problem {
  const tasks = left.map(({ id, status }) => `${id} (${status})`).join(', ');
  const fix = `pawl session resume ${run} works on them; or take them out of the plan first`;
  return { code: 'tasks_left', message: `${tasksPath(run)} has tasks that are not done: ${tasks}`, fix };
}

interface Command {
  readonly entry: string;
  readonly argv: readonly string[];
}

function commandsOf(
  context: CheckContext,
  { ci, allowShell }: { readonly ci: readonly string[] | null; readonly allowShell: boolean },
): readonly Command[] | { readonly problems: readonly string[] } {
  try {
    const entries = acceptanceEntries(context).filter((entry) => entry.startsWith('cmd:'));
    const commands: Command[] = ci === null ? [] : [{ entry: `ci: ${ci.join(' ')}`, argv: ci }];
    const problems: string[] = [];
    for (const entry of entries) {
      const read = argumentVector(entry.slice('cmd:'.length).trim());
      if ('problem' in read) problems.push(`"${entry}": ${read.problem}`);
      else if (!allowShell && wantsShell(entry)) problems.push(shellRefused(entry));
      else commands.push({ entry, argv: read.argv });
    }
    return problems.length > 0 ? { problems } : commands;
  } catch (error) {
    if (error instanceof DocumentError) return { problems: [error.message] };
    throw error;
  }
}

async function ran(context: CheckContext, { entry, argv }: Command, minutes: number): Promise<CheckOutcome> {
  const run = await context.exec(argv, { timeoutMs: minutes * 60_000 });
  if (run.missing)
    return { entry, status: 'failed', evidence: `the check does not exist here: there is no program ${argv[0]}` };
  if (run.timedOut)
    return { entry, status: 'failed', evidence: `took longer than ${minutes} minutes; see ${run.outputFile}` };
  if (run.exitCode === 0)
    return { entry, status: 'passed', evidence: `exit code 0, output in ${logOf(run.outputFile)}` };
  const evidence = `exit code ${run.exitCode}, output in ${run.outputFile}:\n${lastLines(run.output)}`;
  return { entry, status: 'failed', evidence };
}

/** Within the run's folder: the report is read on other machines too. */
function logOf(outputFile: string): string {
  return outputFile.slice(outputFile.lastIndexOf('checks/'));
}

const shownLinesMax = 12;

function lastLines(output: string): string {
  return output.trimEnd().split('\n').slice(-shownLinesMax).join('\n');
}

function judgement(failed: readonly CheckOutcome[]): Readonly<Record<string, Json>> {
  const summary = `${failed.length} checks fail: ${failed.map(({ entry }) => entry).join(', ')}`;
  return { 'judgement:integrate': { scope: meta, summary, findings: failed.map((each) => ({ ...each })) } };
}

/** Met by what ran, by what a person saw, or waived with a reason; what is none of these is asked about. */
export function judgeCriteria(context: CheckContext): CheckResult {
  const parts = openQueries(context);
  if (parts.length > 0) {
    const title = 'Are these acceptance checks met?';
    const detail = 'Nothing that ran can tell. "not met: <why>" sends the work back; "waive: <reason>" goes without.';
    return { signal: { name: 'open', asks: { title, detail, parts } } };
  }
  const criteria = judge(context);
  return {
    signal: { name: 'settled' },
    writes: [{ path: acceptancePath(context.run), content: renderAcceptance(criteria) }],
    notes: criteria.map(({ id, status = 'open' }) => `${id}: ${status}`),
  };
}

/** The report is written from what is on record; nothing is called done that is not. */
export async function finish(context: CheckContext): Promise<CheckResult> {
  const { run, snapshot } = context;
  const content = reportText(context);
  const open = judge(context).filter(({ status }) => status === undefined);
  const problems = [
    ...pendingIn(snapshot).map(({ id }) => `the decision ${id} is pending`),
    ...open.map(({ id }) => `the criterion ${id} is neither met nor waived`),
    ...reportProblems(content).map((problem) => `${reportPath(run)}: ${problem}`),
  ];
  const writes = [{ path: reportPath(run), content }];
  if (problems.length === 0) return { signal: { name: 'complete' }, writes, notes: await tagged(context) };
  const fix = `pawl session resume ${run} asks for what is open`;
  const problem = { code: 'not_done', message: problems.join('\n'), fix };
  return { signal: { name: 'incomplete', problem }, writes, notes: problems };
}

const gitTimeoutMs = 30_000;

/** Only what is committed can be tagged; a tag that is there already is left where it is. */
async function tagged(context: CheckContext): Promise<readonly string[]> {
  const { tag } = readConfig(context.files).config.session;
  if (tag === null || context.snapshot.flags['owed'] === 'all') return [];
  const name = tag.replaceAll('{session}', context.run);
  const git = (...args: string[]) => context.exec(['git', ...args], { timeoutMs: gitTimeoutMs });
  const changes = await git('status', '--porcelain');
  if (changes.output.trim() !== '') return [`not tagged ${name}: there are changes that are not committed`];
  const made = await git('tag', name);
  return [made.exitCode === 0 ? `tagged ${name}` : `not tagged ${name}: ${lastLines(made.output)}`];
}
