/** From judged code to the end: what really runs, which criteria are met, and whether the session may be called done. */

import { splitCommand } from '../../../documents/command-line.ts';
import { attempt, DocumentError } from '../../../documents/document-error.ts';
import { pendingIn } from '../../../engine/decision.ts';
import type { Problem } from '../../../engine/snapshot.ts';
import type { DataPatch } from '../../data-slots.ts';
import { runProgram } from '../../run-program.ts';
import type { CheckContext, CheckResult } from '../../workflow.ts';
import { acceptanceEntries, judgeCriteria as judge, openQueries } from '../acceptance.ts';
import { readConfig } from '../config.ts';
import { commandOf, flawText, reportFlaws, shellFlaws } from '../content-checks.ts';
import { tasksOf } from '../documents.ts';
import { renderAcceptance } from '../files/acceptance-file.ts';
import { acceptancePath, reportPath, tasksPath } from '../files/paths.ts';
import type { SessionTask } from '../files/tasks-file.ts';
import { repair } from '../judgements.ts';
import { reportText } from '../report.ts';
import { data, everythingTouched, meta, type CheckOutcome } from '../run-data.ts';

/** The project's own build and every `cmd:` check, each once, as program and arguments. */
export async function integrate(context: CheckContext): Promise<CheckResult> {
  const { session } = readConfig(context.files).config;
  const commands = commandsOf(context, session);
  if ('problem' in commands) return { signal: { name: 'invalid', problem: commands.problem } };
  const left = tasksOf(context).tasks.filter(({ status }) => status !== 'implemented' && status !== 'completed');
  if (left.length > 0) return { signal: { name: 'tasks_left', problem: tasksLeft(left, context.run) } };
  const before = await context.treeDigest();
  const results: CheckOutcome[] = [];
  for (const command of commands) results.push(await ran(context, command, session.checkMinutes));
  const failed = results.filter(({ status }) => status === 'failed');
  const notes = results.map(({ entry, status }) => `${entry}: ${status}`);
  const found = {
    ...data.checks.set({ results }),
    ...data.ci.set({ result: failed.length === 0 ? 'green' : 'red', failedStep: failed[0]?.entry ?? null }),
  };
  if (before !== (await context.treeDigest())) {
    const why = 'the checks themselves changed files, which nobody has judged';
    const unseen = { ...found, ...everythingTouched, ...(failed.length > 0 && judgement(failed)) };
    return { signal: repair(context, 'fix_build', why, { name: 'changed', data: unseen }), notes: [...notes, why] };
  }
  if (failed.length === 0)
    return { signal: { name: 'green', data: { ...found, ...data.judgement.clear('integrate') } }, notes };
  const why = failed.map(({ entry, evidence }) => `${entry}: ${evidence}`).join('\n');
  const red = { name: 'red', data: { ...found, ...judgement(failed) } };
  return { signal: repair(context, 'fix_build', why, red), notes };
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
): readonly Command[] | { readonly problem: Problem } {
  const entries = attempt(() => acceptanceEntries(context));
  if (entries instanceof DocumentError) return { problem: unfit([entries.message], context.run) };
  const commands: Command[] = ci === null ? [] : [{ entry: `ci: ${ci.join(' ')}`, argv: ci }];
  const problems: string[] = [];
  for (const entry of entries.filter((each) => each.startsWith('cmd:'))) {
    const read = splitCommand(commandOf(entry) ?? '');
    const shell = allowShell ? [] : shellFlaws('acceptance', entry);
    if ('problem' in read) problems.push(`"${entry}": ${read.problem}; ${read.fix}`);
    else if (shell.length > 0) problems.push(...shell.map(flawText));
    else commands.push({ entry, argv: read.argv });
  }
  return problems.length > 0 ? { problem: unfit(problems, context.run) } : commands;
}

function unfit(problems: readonly string[], run: string): Problem {
  const fix = `mend the files, or let the step run again: pawl session resume ${run}`;
  return { code: 'invalid_documents', message: problems.join('\n'), fix };
}

async function ran(context: CheckContext, { entry, argv }: Command, minutes: number): Promise<CheckOutcome> {
  const { end, exitCode, outputFile, output } = await runProgram(context, argv, minutes);
  const evidence = {
    missing: `the check does not exist here: there is no program ${argv[0]}`,
    timed_out: `took longer than ${minutes} minutes; see ${outputFile}`,
    passed: `exit code 0, output in ${logOf(outputFile)}`,
    failed: `exit code ${exitCode}, output in ${outputFile}:\n${lastLines(output)}`,
  };
  return { entry, status: end === 'passed' ? 'passed' : 'failed', evidence: evidence[end] };
}

/** Within the run's folder: the report is read on other machines too. */
function logOf(outputFile: string): string {
  return outputFile.slice(outputFile.lastIndexOf('checks/'));
}

const shownLinesMax = 12;

function lastLines(output: string): string {
  return output.trimEnd().split('\n').slice(-shownLinesMax).join('\n');
}

function judgement(failed: readonly CheckOutcome[]): DataPatch {
  const summary = `${failed.length} checks fail: ${failed.map(({ entry }) => entry).join(', ')}`;
  return data.judgement.set('integrate', { scope: meta, summary, findings: failed });
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
    ...reportFlaws(content).map((flaw) => `${reportPath(run)}: ${flawText(flaw)}`),
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
  if (tag === null || context.snapshot.flags['pending_reviews'] === 'all') return [];
  const name = tag.replaceAll('{session}', context.run);
  const git = (...args: string[]) => context.exec(['git', ...args], { timeoutMs: gitTimeoutMs });
  const changes = await git('status', '--porcelain');
  if (changes.output.trim() !== '') return [`not tagged ${name}: there are changes that are not committed`];
  const made = await git('tag', name);
  return [made.exitCode === 0 ? `tagged ${name}` : `not tagged ${name}: ${lastLines(made.output)}`];
}
