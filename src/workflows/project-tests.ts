/** The project's own tests, test by test, and what compiles it. What cannot be found out is not available, never passed. */

import {
  failureKind,
  readTestResults,
  runFailure,
  type FailureKind,
  type StubRange,
  type TestResult,
} from '../documents/test-results.ts';
import { runInstalled } from './project-checks.ts';
import { buildCommands, testRuns, type TestRun } from './toolchains.ts';
import type { CheckContext } from './workflow.ts';

export type Tests =
  | { readonly results: readonly TestResult[] }
  /** The tests do not compile, or cannot be loaded. */
  | { readonly broken: string }
  | { readonly unavailable: string };

/** `minutes`: for each command. */
export async function runTests(context: CheckContext, minutes: number): Promise<Tests> {
  const runs = testRuns(context.files);
  if (runs.length === 0) return { unavailable: 'the project has no tests that Pawl knows how to run' };
  const results: TestResult[] = [];
  for (const run of runs) {
    const found = await runTestsOf(context, run, minutes);
    if (!('results' in found)) return found;
    results.push(...found.results);
  }
  return { results };
}

async function runTestsOf(context: CheckContext, test: TestRun, minutes: number): Promise<Tests> {
  const { command, format, otherwise } = test;
  const run = await runInstalled(context, command, minutes);
  if (run.end === 'missing' && otherwise) return runTestsOf(context, otherwise, minutes);
  const words = command.join(' ');
  if (run.end === 'missing' || run.end === 'timed_out') return { unavailable: `${words} ${run.words}` };
  const results = readTestResults(run.output, format ?? undefined);
  if (results !== 'unreadable') return { results };
  if (runFailure(run) === 'TEST_BROKEN') return { broken: `${words} ${run.words}: see ${run.outputFile}` };
  return { unavailable: `${words} does not tell what became of each test (see ${run.outputFile})` };
}

/** A test by the name that was handed over: as its runner prints it, or the last part of that. */
export function resultOf(name: string, results: readonly TestResult[]): TestResult | undefined {
  const last = (text: string): string =>
    text
      .split(/::| > /)
      .at(-1)
      ?.trim() ?? text;
  return results.find((result) => result.name === name) ?? results.find((result) => last(result.name) === last(name));
}

/** What became of a test, as its code; null where it did not fail. */
export function codeOf(result: TestResult | undefined, stubs: readonly StubRange[]): FailureKind | null {
  return result?.status === 'failed' ? failureKind(result, stubs) : null;
}

/** Compiles or type-checks; the first command that fails, or what cannot be found out. */
export async function compile(
  context: CheckContext,
  minutes: number,
): Promise<{ readonly failed: string } | 'compiled' | 'not available'> {
  const commands = buildCommands(context.files);
  let isKnown = false;
  for (const command of commands) {
    const run = await runInstalled(context, command, minutes);
    if (run.end !== 'passed' && runFailure(run) === 'ENV_BROKEN') continue;
    isKnown = true;
    if (run.end !== 'passed') return { failed: `${command.join(' ')} ${run.words}: see ${run.outputFile}` };
  }
  return isKnown || commands.length === 0 ? 'compiled' : 'not available';
}
