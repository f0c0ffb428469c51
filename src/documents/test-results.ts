/** What a test runner reports, test by test, and what its failures mean to somebody who writes tests first. */

import { readCargoOutput } from './test-output/cargo-output.ts';
import { readJestOutput } from './test-output/jest-output.ts';
import { readJunitOutput } from './test-output/junit-output.ts';
import { readPytestOutput } from './test-output/pytest-output.ts';
import { readSpecOutput } from './test-output/spec-output.ts';
import { readTapOutput } from './test-output/tap-output.ts';
import type { OutputReader, TestResult } from './test-output/test-result.ts';
import { readUnittestOutput } from './test-output/unittest-output.ts';

export type { TestResult };

const readers = {
  cargo: [readCargoOutput],
  jest: [readJestOutput],
  junit: [readJunitOutput],
  node: [readTapOutput, readSpecOutput],
  pytest: [readPytestOutput],
  unittest: [readUnittestOutput],
} satisfies Record<string, readonly OutputReader[]>;

export type TestFormat = keyof typeof readers;

/** Every format is tried unless one is named. An output whose totals differ from its tests is unreadable. */
export function readTestResults(output: string, format?: TestFormat): TestResult[] | 'unreadable' {
  const plain = output.replaceAll(colours, '').replaceAll('\r\n', '\n');
  for (const read of format ? readers[format] : Object.values(readers).flat()) {
    const results = read(plain);
    if (results) return oncePerName(results);
  }
  return 'unreadable';
}

/** Some runners use them wherever they run. */
const colours = new RegExp(`${String.fromCodePoint(27)}\\[[\\d;]*[A-Za-z]`, 'g');

/** A test may be listed again for its clean-up or a part of it: the worst counts. */
function oncePerName(results: readonly TestResult[]): TestResult[] {
  const rank = { failed: 2, passed: 1, skipped: 0 };
  const worst = new Map<string, TestResult>();
  for (const result of results) {
    const key = `${result.file} ${result.name}`;
    const known = worst.get(key);
    if (!known || rank[result.status] > rank[known.status]) worst.set(key, result);
  }
  return [...worst.values()];
}

/** Lines from 1, both included; the path is relative to the repository. */
export interface StubRange {
  readonly path: string;
  readonly first: number;
  readonly last: number;
}

/** What the stubs of each language say; `src/syntax/stubs.ts` accepts no others. */
const stubMessage = /^(?:Error: )?NotImplemented|^NotImplementedError\b|^not yet implemented$/;
/** An assertion about errors that got the stub's instead. */
const assertedStub = /^(?:AssertionError\b|Error: (?:expect\(|promise rejected))[^]*\bNotImplemented/;

/** Whether the test failed because it reached one of these stubs, and not because it says so itself. */
export function hitsStub({ status, message, origin }: TestResult, stubs: readonly StubRange[]): boolean {
  if (status !== 'failed') return false;
  if (assertedStub.test(message)) return true;
  if (origin === null || !stubMessage.test(message)) return false;
  const file = origin.file.replaceAll('\\', '/').replace(/^\.\//, '');
  return stubs.some(
    ({ path, first, last }) =>
      (file === path || file.endsWith(`/${path}`)) && first <= origin.line && origin.line <= last,
  );
}

export type FailureKind = 'MISSING_BEHAVIOR' | 'ASSERTION_MISMATCH' | 'TEST_BROKEN' | 'ENV_BROKEN';

/** Of a test that failed. An error that is no assertion also contradicts the test, unless no run could satisfy it. */
export function failureKind(result: TestResult, stubs: readonly StubRange[]): FailureKind {
  if (hitsStub(result, stubs)) return 'MISSING_BEHAVIOR';
  if (missingDependency.test(result.message)) return 'ENV_BROKEN';
  const isBroken = result.broken || /^(?:ReferenceError|NameError|\w*SyntaxError|ImportError)\b/.test(result.message);
  return isBroken ? 'TEST_BROKEN' : 'ASSERTION_MISMATCH';
}

/** A package; a file that is missing has a path. */
const missingDependency = /Cannot find (?:package|module) ['"](?![./\\]|\w:)|ModuleNotFoundError: No module named/;

/** Why a run has no results; null when its output does not say. */
export function runFailure(run: {
  readonly missing: boolean;
  readonly exitCode: number | null;
  readonly output: string;
}) {
  // 127: the shell of npm did not find the program.
  if (run.missing || run.exitCode === 127 || brokenEnvironment.test(run.output)) return 'ENV_BROKEN';
  return brokenSource.test(run.output) ? 'TEST_BROKEN' : null;
}

const brokenEnvironment =
  /^error: (?:no matching package|failed to (?:get|download|load source|select a version|parse manifest)|linker `|toolchain |rustup could not )|npx canceled due to missing packages|: No module named (?:pytest|unittest)\b|npm error Missing script|npm error code (?:ENOENT|ENOTCACHED)|MISSING DEPENDENCY/m;
const brokenSource = /^error: could not compile |^(?:\w*SyntaxError|IndentationError|ImportError)\b|\berror TS\d+:/m;
