/**
 * Checks between a task and its review: stubs that compile, tests that fail for the right reason, a suite that passes.
 *
 * T1. Nothing is taken from reports that can be seen: stubs are parsed, tests are run.
 */

import type { StubRange, TestResult } from '../../../documents/test-results.ts';
import type { Signal } from '../../../engine/transition.ts';
import { stopWith } from '../../define-workflow.ts';
import { runProjectChecks } from '../../project-checks.ts';
import { codeOf, compile, resultOf, runTests } from '../../project-tests.ts';
import type { CheckContext, CheckResult } from '../../workflow.ts';
import { readConfig } from '../config.ts';
import { taskPath, todoFolder } from '../files/ids.ts';
import { patch } from '../../data-slots.ts';
import { data, escalated, type HandedTest } from '../run-data.ts';
import { taskIn } from '../files/plan-files.ts';

export const testingChecks = {
  check_stubs: checkStubs,
  prove_red: proveRed,
  entry_check: entryCheck,
  run_suite: suite,
  reset_code: resetCode,
};

function result(name: string, notes: readonly string[], more: Signal['data'] = {}): CheckResult {
  return { signal: { name, data: more }, notes };
}

/** What somebody is to do something about, or `check` is to look into. */
function objection({ snapshot }: CheckContext, name: string, what: string, notes: readonly string[]): CheckResult {
  const why = notes.join('\n');
  const escalation = escalated(snapshot, 'escalations', { signal: what, why });
  return result(name, notes, patch(data.notes.set(`${what}:\n${why}`), escalation));
}

/** ADR-7. */
async function checkStubs(context: CheckContext): Promise<CheckResult> {
  const { files, run, git } = context;
  const { stubProblems } = await import('../../../syntax/stubs.ts');
  const symbols = taskIn(files, run, taskPath(run, 1))?.newSymbols ?? [];
  const paths = [...new Set(symbols.map(({ file }) => file))];
  const problems: string[] = [];
  const unknown: string[] = [];
  for (const path of paths) {
    const names = symbols.filter(({ file }) => file === path).map(({ name }) => name);
    const found = await stubProblems(path, files.read(path) ?? '', names);
    if (found === 'unknown') unknown.push(path);
    else problems.push(...found.map(({ symbol, line, problem }) => `${path}:${line ?? 1} ${symbol ?? ''} ${problem}`));
  }
  const compiled = problems.length === 0 ? await compile(context, minutesOf(context)) : 'compiled';
  if (typeof compiled === 'object') problems.push(compiled.failed);
  if (problems.length > 0) return objection(context, 'invalid', 'the stubs are not what they must be', problems);
  const known = { ...data.stubTree.set(await git.snapshot()), ...data.baseline.set(await testNames(context)) };
  const notes = [
    ...unknown.map((path) => `${path}: stubs in this language are not checked (not available)`),
    ...(compiled === 'not available' ? ['compiling is not available'] : []),
  ];
  return result(notes.length === 0 ? 'valid' : 'not_available', notes, known);
}

async function testNames(context: CheckContext): Promise<readonly string[]> {
  const tests = await runTests(context, minutesOf(context));
  return 'results' in tests ? tests.results.map(({ name }) => name) : [];
}

/** With stubs, every new test must fail by reaching one; without, it must fail for a reason that code can remove. */
async function proveRed(context: CheckContext): Promise<CheckResult> {
  const { snapshot } = context;
  const handed = data.tests.of(snapshot);
  const tests = await runTests(context, minutesOf(context));
  if ('unavailable' in tests)
    return result('not_available', [`RED is not shown: ${tests.unavailable} (not available)`]);
  if ('broken' in tests) return objection(context, 'structural', 'the tests do not run', [tests.broken]);
  const isStubbed = data.stubTree.of(snapshot) !== null;
  const stubs = isStubbed ? await stubsOf(context) : [];
  const known = data.baseline.of(snapshot);
  // One may be handed over by the last part of its name.
  const shown = handed.map(({ name }) => resultOf(name, tests.results));
  const isOther = (each: TestResult): boolean => !known.includes(each.name) && !shown.includes(each);
  const others = isStubbed ? tests.results.filter(isOther).map(({ name }) => name) : [];
  const names = [...new Set([...handed.map(({ name }) => name), ...others])];
  const seen: HandedTest[] = [];
  const problems = names.flatMap((name) => {
    const found = resultOf(name, tests.results);
    const code = codeOf(found, stubs);
    if (!found) return [`${name}: no such test was run`];
    if (code === null) return [`${name}: it passes, so it does not test what is missing`];
    seen.push({ name, file: handed.find((test) => test.name === name)?.file ?? found.file ?? '', code });
    return isStubbed && code !== 'MISSING_BEHAVIOR' ? [`${name}: it fails without reaching a stub (${code})`] : [];
  });
  if (problems.length > 0)
    return objection(context, 'structural', 'new tests are not RED for the right reason', problems);
  const seenData = { ...data.seen.set(seen), ...data.seenIn.set(await context.treeDigest()) };
  return result(
    'red',
    [
      `${names.length === 1 ? 'one new test fails as it should' : `${names.length} new tests fail as they should`}: ${names.join(', ')}`,
    ],
    seenData,
  );
}

/** Phase 7: RED, with the codes that were handed over. */
async function entryCheck(context: CheckContext): Promise<CheckResult> {
  const { snapshot, git } = context;
  const earlier = data.readyTree.of(snapshot);
  const ready = data.readyTree.set(earlier ?? (await git.snapshot()));
  if (data.manifest.of(snapshot).length > 0) return result('untested', ['without tests, as signed off'], ready);
  if (data.entryWaived.of(snapshot) || earlier !== null) return result('resumed', [], ready);
  const handed = data.tests.of(snapshot);
  const isSeen = data.seenIn.of(snapshot) === (await context.treeDigest());
  const seen = isSeen ? data.seen.of(snapshot) : await seenNow(context, handed);
  if (typeof seen === 'string') return result('not_available', [`RED is not shown: ${seen} (not available)`], ready);
  const problems = handed.flatMap(({ name, code }) => {
    const found = seen.find((test) => test.name === name)?.code ?? null;
    if (found === code) return [];
    return [found === null ? `${name} does not fail` : `${name} fails with ${found}, not with ${code} as handed over`];
  });
  if (problems.length === 0) return result('red', [], ready);
  return objection(context, 'unexpected', 'the tests are not as they were handed over', problems);
}

async function seenNow(context: CheckContext, handed: readonly HandedTest[]): Promise<readonly HandedTest[] | string> {
  const tests = await runTests(context, minutesOf(context));
  if ('unavailable' in tests) return tests.unavailable;
  if ('broken' in tests) return handed.map((test) => ({ ...test, code: 'TEST_BROKEN' as const }));
  const stubs = data.stubTree.of(context.snapshot) === null ? [] : await stubsOf(context);
  return handed.flatMap((test) => {
    const code = codeOf(resultOf(test.name, tests.results), stubs);
    return code === null ? [] : [{ ...test, code }];
  });
}

async function suite(context: CheckContext): Promise<CheckResult> {
  if (await context.git.movedFrom(data.head.of(context.snapshot))) return moved();
  const unseen = await notPassing(context);
  if (unseen.length > 0) return objection(context, 'failing', 'tests that were handed over do not pass', unseen);
  const { results, notes } = await runProjectChecks(context, readConfig(context.files).config.checks);
  const kept = data.suite.set(results.map(({ name, status, log }) => ({ name, status, log })));
  const failed = results.filter(({ required, status }) => required && (status === 'failed' || status === 'timed out'));
  if (failed.length > 0) {
    const why = failed.map(({ name, status, log }) => `${name} ${status}: see ${log}`);
    const { signal } = objection(context, 'failing', "the project's own checks fail", why);
    return { signal: { ...signal, data: { ...signal.data, ...kept } }, notes };
  }
  if (results.some(({ status }) => status === 'passed')) return result('green', notes, kept);
  return result('not_available', notes.length > 0 ? notes : ['the project has no checks (not available)'], kept);
}

/** Nothing is committed but by Pawl: what is in the history is what was reviewed. */
export function moved(): CheckResult {
  return stopWith('moved', 'somebody committed or reset on the branch during the run: what it holds was not reviewed');
}

/** What was seen to fail must be seen to pass: tests that are gone, or a runner that tells nothing any more, do not. */
async function notPassing(context: CheckContext): Promise<readonly string[]> {
  const { snapshot } = context;
  if (data.seen.of(snapshot).length === 0) return [];
  const tests = await runTests(context, minutesOf(context));
  if (!('results' in tests)) return ['broken' in tests ? tests.broken : tests.unavailable];
  return data.tests.of(snapshot).flatMap(({ name }) => {
    const { status = 'missing' } = resultOf(name, tests.results) ?? {};
    return status === 'passed' ? [] : [`${name}: ${status}`];
  });
}

/** The code is as it was when the task was handed to `make`; tests are designed anew. */
async function resetCode(context: CheckContext): Promise<CheckResult> {
  const { snapshot, git } = context;
  const ready = data.readyTree.of(snapshot);
  const paths = ready === null ? [] : await git.rewind(ready, { except: [todoFolder] });
  return result('reset', paths, patch(data.readyTree.set(null), data.entryWaived.set(false)));
}

/** Where the stubs of the task are. */
async function stubsOf({ files, run }: CheckContext): Promise<readonly StubRange[]> {
  const { stubRanges } = await import('../../../syntax/stubs.ts');
  const task = taskIn(files, run, taskPath(run, 1));
  const symbols = task?.newSymbols ?? [];
  const paths = [...new Set(symbols.map(({ file }) => file))];
  const namesIn = (path: string) => symbols.filter(({ file }) => file === path).map(({ name }) => name);
  const found = await Promise.all(paths.map((path) => stubRanges(path, files.read(path) ?? '', namesIn(path))));
  return found.flat();
}

function minutesOf({ files }: CheckContext): number {
  return readConfig(files).config.checks.timeoutMinutes;
}
