/** From judged code to the end: what really runs, which criteria are met, and whether the session may be called done. */

import { attempt, DocumentError } from '../../documents/document-error.ts';
import { pendingIn, type Query } from '../../engine/decision.ts';
import type { Problem } from '../../engine/snapshot.ts';
import type { CheckContext, CheckResult, RunView } from '../workflow.ts';
import { gitTimeoutMs } from './checks.ts';
import { readConfig } from './config.ts';
import { acceptanceEntries, canonical, unapprovedCommands } from './commands.ts';
import { commandFlaws, flawText, problemOf, readCommand, reportFlaws } from './content-checks.ts';
import { criteriaOf, isLean, tasksOf } from './documents.ts';
import { isDesignAsApproved } from './gates.ts';
import { renderAcceptance, type Criterion } from './files/acceptance-file.ts';
import { acceptancePath, reportPath, resumeCommand, tasksPath } from './files/session-paths.ts';
import { repair } from './ask-user.ts';
import { reportText } from './final-report.ts';
import { buildData, failuresIn, openFailures, unseen, wayOfFailing, type Build } from './known-failures.ts';
import { data, everythingTouched, meta, type CheckOutcome } from './run-data.ts';
import { runProgram } from '../define-workflow.ts';

/** The project's own build and every `cmd:` check, each once, as program and arguments. */
export async function integrate(context: CheckContext): Promise<CheckResult> {
  const { run, files } = context;
  const { session } = readConfig(files).config;
  const commands = commandsOf(context, session.ci);
  if ('problem' in commands) return { signal: { name: 'invalid', problem: commands.problem } };
  const left = tasksOf(context).tasks.filter(({ status }) => status !== 'implemented' && status !== 'completed');
  if (left.length > 0) {
    // Somebody added them, or took their status back, since the tasks were scheduled.
    const tasks = left.map(({ id, status }) => `${id} (${status})`).join(', ');
    const message = `${tasksPath(run)} has tasks that are not done: ${tasks}; do them, or remove them from the plan`;
    return { signal: { name: 'tasks_left', problem: { code: 'tasks_left', message, fix: resumeCommand(run) } } };
  }
  const unapproved = await unapprovedCommands(context);
  if (unapproved) return { signal: { name: 'unapproved', data: unapproved } };
  const changes = await context.watch();
  const results: CheckOutcome[] = [];
  for (const command of commands) results.push(await ran(context, command, session.checkMinutes));
  return verdictOn({ results, rewritten: await changes(), tree: await context.treeDigest() }, context);
}

function verdictOn(build: Build, context: CheckContext): CheckResult {
  const { snapshot } = context;
  const failures = failuresIn(build);
  const failed = build.results.find(({ status }) => status === 'failed');
  const notes = build.results.map(({ entry, status }) => `${entry}: ${status}`);
  const summary = `${failures.length} checks fail: ${failures.map(({ finding }) => finding.entry).join(', ')}`;
  const findings = failures.map(({ finding }) => finding);
  const found = {
    ...buildData(build, snapshot),
    ...data.ci.set({ result: failed ? 'red' : 'green', failedStep: failed?.entry ?? null }),
    ...(failures.length > 0
      ? data.judgement.set('integrate', { scope: meta, summary, findings })
      : data.judgement.clear('integrate')),
  };
  const unjudged = unseen(build, snapshot);
  if (unjudged.length > 0) {
    const why = `the checks changed files that no role has judged: ${unjudged.join(', ')}`;
    const changed = { name: 'changed', data: { ...found, ...everythingTouched } };
    return { signal: repair(context, 'fix_build', why, changed), notes: [...notes, why] };
  }
  if (failures.length === 0) return { signal: { name: 'green', data: found }, notes };
  const open = openFailures(build, snapshot).map(({ finding }) => finding);
  if (open.length === 0) {
    const known = failures.map(({ finding }) => `${finding.entry}: accepted with known issues`);
    return { signal: { name: 'red_accepted', data: found }, notes: [...notes, ...known] };
  }
  const why = open.map(({ entry, evidence }) => `${entry}: ${evidence}`).join('\n');
  return { signal: repair(context, 'fix_build', why, { name: 'red', data: found }), notes };
}

type Command = { readonly entry: string; readonly argv: readonly string[] };

function commandsOf(context: CheckContext, ci: readonly string[] | null): readonly Command[] | { problem: Problem } {
  const all = attempt(() => acceptanceEntries(context));
  if (all instanceof DocumentError) return { problem: problemOf([all.message], context.run) };
  const entries = all.filter((each) => each.startsWith('cmd:'));
  const flaws = entries.flatMap((entry) => commandFlaws('acceptance', entry));
  if (flaws.length > 0) return { problem: problemOf(flaws.map(flawText), context.run) };
  const commands = entries.map((entry) => ({ entry, argv: [], ...readCommand(entry) }));
  return ci === null ? commands : [{ entry: `ci: ${ci.join(' ')}`, argv: ci }, ...commands];
}

async function ran(context: CheckContext, { entry, argv }: Command, minutes: number): Promise<CheckOutcome> {
  const { end, exitCode, outputFile, output } = await runProgram(context, argv, minutes);
  // Within the repository: the report is read on other machines too.
  const log = outputFile.slice(outputFile.lastIndexOf('/.git/') + 1);
  const evidence = {
    missing: `the check does not exist here: there is no program ${argv[0]}`,
    timed_out: `took longer than ${minutes} minutes; see ${outputFile}`,
    passed: `exit code 0, output in ${log}`,
    failed: `exit code ${exitCode}, output in ${outputFile}:\n${lastLines(output)}`,
  };
  const isPassed = end === 'passed';
  const how = isPassed ? '' : wayOfFailing(end, exitCode, lastLines(output));
  return { entry, status: isPassed ? 'passed' : 'failed', evidence: evidence[end], how };
}

const shownLinesMax = 12;

const lastLines = (output: string): string => output.trimEnd().split('\n').slice(-shownLinesMax).join('\n');

/** Met by what ran, by what a person saw, or waived with a reason; what is none of these is asked about. */
export function judgeCriteria(context: CheckContext): CheckResult {
  const parts = openQueries(context);
  if (parts.length > 0) {
    const title = 'Are these acceptance checks met?';
    const detail =
      'No check can decide this. "not met: <why>" sends the work back; "waive: <reason>" drops the criterion.';
    return { signal: { name: 'open', asks: { title, detail, parts } } };
  }
  const criteria = judgedCriteria(context);
  const path = acceptancePath(context.run);
  return {
    signal: { name: 'settled' },
    writes: [{ path, content: renderAcceptance(criteria, context.files.read(path)) }],
    notes: criteria.map(({ id, status = 'open' }) => `${id}: ${status}`),
  };
}

/** What only a person can say: manual checks, and criteria that nothing else vouches for. */
export function openQueries(view: RunView): readonly Query[] {
  const manual = acceptanceEntries(view).filter((entry) => !entry.startsWith('cmd:'));
  const undecided = manual.filter((entry) => settledBy(view, entry) === null);
  const criteria = criteriaOf(view).filter((criterion) => {
    const relies = criterion.verify.some((entry) => undecided.includes(canonical(entry)));
    return !relies && judged(view, criterion).status === undefined;
  });
  const suggestions = ['met', 'not met: <why>', 'waive: <reason>'];
  const query = (about: string, question: string): Query => ({ question, about, suggestions, binding: true });
  return [
    ...undecided.map((entry) => query(entry, `${usersOf(view, entry)}: ${entry.replace(/^manual:\s*/, '')}`)),
    ...criteria.map(({ id, description }) => query(id, `${id}: ${description}`)),
  ];
}

/** The criteria and tasks that rely on a check, in words. */
function usersOf(view: RunView, entry: string): string {
  const has = (entries: readonly string[]): boolean => entries.some((each) => canonical(each) === entry);
  const criteria = criteriaOf(view).filter(({ verify }) => has(verify));
  const tasks = tasksOf(view).tasks.filter(({ acceptance_checks: checks }) => has(checks));
  const users = [
    ...criteria.map(({ id, description }) => `${id} (${description})`),
    ...tasks.map(({ id, title }) => `${id} (${title})`),
  ];
  return users.join(', ');
}

export function judgedCriteria(view: RunView): readonly Criterion[] {
  return criteriaOf(view).map((criterion) => judged(view, criterion));
}

function judged(view: RunView, criterion: Criterion): Criterion {
  const { status: _, evidence: __, ...open } = criterion;
  const said = settledBy(view, criterion.id);
  if (said) return { ...open, ...said };
  const found = criterion.verify.map((entry) => evidenceOf(view, canonical(entry)));
  if (found.length === 0 || found.some((each) => each === null)) return open;
  const waived = found.some((each) => each?.status === 'waived');
  return { ...open, status: waived ? 'waived' : 'met', evidence: found.map((each) => each?.evidence).join('; ') };
}

type Settled = Required<Pick<Criterion, 'status' | 'evidence'>>;

function evidenceOf(view: RunView, entry: string): Settled | null {
  const said = settledBy(view, entry);
  if (said) return { ...said, evidence: `${entry}: ${said.evidence}` };
  const outcome = data.checks.of(view.snapshot).results.find((each) => each.entry === entry);
  if (outcome?.status === 'passed') return { status: 'met', evidence: `${entry} passed (${outcome.evidence})` };
  const known = outcome && data.knownFailure.get(view.snapshot, entry);
  return known ? { status: 'waived', evidence: `${entry} fails, which was accepted (${known.reason})` } : null;
}

function settledBy({ snapshot }: RunView, about: string): Settled | null {
  const { status, words } = data.verdict.get(snapshot, about) ?? { status: 'unmet', words: '' };
  if (status === 'unmet') return null;
  const by = status === 'waived' ? 'waived by a person' : 'a person saw it';
  return { status, evidence: words === '' ? by : `${by}: ${words}` };
}

/** The final report is written from what is on record; nothing is called done that is not. */
export async function finish(context: CheckContext): Promise<CheckResult> {
  const { run, snapshot } = context;
  const criteria = judgedCriteria(context);
  const content = reportText(context, criteria);
  const open = criteria.filter(({ status }) => status === undefined);
  const problems = [
    ...(isLean(snapshot) || isDesignAsApproved(context) ? [] : ['the design is not what was approved last']),
    ...pendingIn(snapshot).map(({ id }) => `the decision ${id} is pending`),
    ...open.map(({ id }) => `the criterion ${id} is neither met nor waived`),
    ...reportFlaws(content).map((flaw) => `${reportPath(run)}: ${flawText(flaw)}`),
  ];
  const writes = [{ path: reportPath(run), content }];
  if (problems.length === 0) return { signal: { name: 'complete' }, writes, notes: await tagged(context) };
  const problem = { code: 'not_done', message: problems.join('\n'), fix: resumeCommand(run) };
  return { signal: { name: 'incomplete', problem }, writes, notes: problems };
}

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
