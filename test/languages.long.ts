/** Real projects: their runners are found, asked for every test, and understood; stubs are told from other failures. */

import { spawnSync } from 'node:child_process';
import {
  closeSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { failureKind, hitsStub, readTestResults, runFailure, type TestResult } from '../src/documents/test-results.ts';
import { stubProblems, stubRanges } from '../src/syntax/stubs.ts';
import { buildCommands, testRuns, type TestRun } from '../src/workflows/toolchains.ts';
import type { FileView } from '../src/workflows/workflow.ts';
import { root } from './source-tree.ts';

const scratch = mkdtempSync(join(tmpdir(), 'pawl-languages-'));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

interface Project {
  readonly files: Readonly<Record<string, string>>;
  /** The file with the stub `later`, and the tests by what becomes of them. */
  readonly stubs: string;
  readonly expected: Readonly<Record<string, string>>;
  /** A test file that cannot be loaded. */
  readonly broken: Readonly<Record<string, string>>;
}

const rust: Project = {
  files: {
    'Cargo.toml': '[package]\nname = "shop"\nversion = "0.1.0"\nedition = "2021"\n',
    'src/lib.rs': `pub fn add(a: u8, b: u8) -> u8 { a + b }
pub fn later(_: u8) -> u8 {
    todo!()
}
#[cfg(test)]
mod tests {
    use super::*;
    #[test] fn adds() { println!("test tests::fake ... FAILED"); assert_eq!(add(1, 1), 2); }
    #[test] fn wrong() { println!("test result: ok. 9 passed; 0 failed; 0 ignored"); assert_eq!(add(1, 1), 3); }
    #[test] fn reaches() { assert_eq!(later(1), 3); }
    #[test] fn pretends() { todo!() }
    #[test] #[should_panic(expected = "negative")] fn reaches_instead_of_panic() { later(1); }
    #[test] #[ignore] fn slow() {}
}
`,
    'tests/whole.rs':
      '#[test] fn reaches() { shop::later(1); }\n#[test] fn adds() { assert_eq!(shop::add(1, 2), 3); }\n',
  },
  stubs: 'src/lib.rs',
  expected: {
    'tests::adds': 'passed',
    'tests::wrong': 'ASSERTION_MISMATCH',
    'tests::reaches': 'MISSING_BEHAVIOR',
    'tests::pretends': 'ASSERTION_MISMATCH',
    'tests::reaches_instead_of_panic': 'MISSING_BEHAVIOR',
    'tests::slow': 'skipped',
    reaches: 'MISSING_BEHAVIOR',
    adds: 'passed',
  },
  broken: { 'tests/whole.rs': '#[test] fn a() { shop::nothing(); }\n' },
};

const later = "export function later() {\n  throw new Error('NotImplemented: later');\n}\n";

const node: Project = {
  files: {
    'package.json': JSON.stringify({ type: 'module', scripts: { test: 'node --test' } }),
    'later.js': later,
    'shop.test.js': `import { describe, it, test } from 'node:test';
import assert from 'node:assert/strict';
import { later } from './later.js';
test('adds', () => { console.log('not ok 1 - fake\\n# tests 9'); assert.equal(1 + 1, 2); });
test('wrong # 1', () => assert.equal(1 + 1, 3));
test('reaches', () => assert.equal(later(), 3));
test('pretends', () => { throw new Error('NotImplemented'); });
test('reaches instead of an error', () => assert.throws(() => later(), RangeError));
test('typo', () => latr());
test.skip('slow', () => {});
describe('group', () => { it('adds', () => {}); it('reaches', async () => { await null; later(); }); });
`,
  },
  stubs: 'later.js',
  expected: {
    adds: 'passed',
    'wrong # 1': 'ASSERTION_MISMATCH',
    reaches: 'MISSING_BEHAVIOR',
    pretends: 'ASSERTION_MISMATCH',
    'reaches instead of an error': 'MISSING_BEHAVIOR',
    typo: 'TEST_BROKEN',
    slow: 'skipped',
    'group > adds': 'passed',
    'group > reaches': 'MISSING_BEHAVIOR',
  },
  broken: { 'other.test.js': "import { no } from './nothing.js';\nno();\n" },
};

const vitest: Project = {
  files: {
    'package.json': JSON.stringify({ type: 'module', scripts: { test: 'vitest' } }),
    'src/later.ts': later,
    'src/shop.test.ts': `import { describe, expect, test } from 'vitest';
import { later } from './later.ts';
test('adds', () => { console.log('</testcase><testcase name="fake">'); expect(1 + 1).toBe(2); });
test('wrong', () => expect(1 + 1).toBe(3));
test('reaches', () => expect(later()).toBe(3));
test('pretends', () => { throw new Error('NotImplemented'); });
test('reaches instead of an error', () => expect(() => later()).toThrow(RangeError));
test.todo('slow');
describe('group', () => test('reaches', async () => expect(Promise.resolve().then(later)).resolves.toBe(1)));
`,
  },
  stubs: 'src/later.ts',
  expected: {
    adds: 'passed',
    wrong: 'ASSERTION_MISMATCH',
    reaches: 'MISSING_BEHAVIOR',
    pretends: 'ASSERTION_MISMATCH',
    'reaches instead of an error': 'MISSING_BEHAVIOR',
    slow: 'skipped',
    'group > reaches': 'MISSING_BEHAVIOR',
  },
  broken: { 'src/other.test.ts': "import { no } from './nothing.ts';\nno();\n" },
};

const python = {
  'pyproject.toml': '',
  'shop/__init__.py': '',
  'shop/sums.py': 'def later(a):\n    """Adds later."""\n    raise NotImplementedError("later")\n',
  'tests/__init__.py': '',
};

const pytest: Project = {
  files: {
    ...python,
    'tests/test_sums.py': `import pytest
from shop.sums import later
def test_adds():
    print("=== short test summary info ===\\nFAILED tests/test_sums.py::test_fake - x\\n= 9 failed in 1s =")
@pytest.mark.parametrize("a", ["a - b"])
def test_wrong(a): assert [a] == ["b"]
def test_reaches(): assert later(1) == 3
def test_pretends(): raise NotImplementedError("later")
def test_reaches_instead_of_an_error():
    with pytest.raises(ValueError): later(1)
def test_typo(): latr(1)
@pytest.mark.skip
def test_slow(): pass
@pytest.fixture
def made(): return later(1)
class TestGroup:
    def test_reaches(self, made): pass
`,
  },
  stubs: 'shop/sums.py',
  expected: {
    'tests/test_sums.py::test_adds': 'passed',
    'tests/test_sums.py::test_wrong[a - b]': 'ASSERTION_MISMATCH',
    'tests/test_sums.py::test_reaches': 'MISSING_BEHAVIOR',
    'tests/test_sums.py::test_pretends': 'ASSERTION_MISMATCH',
    'tests/test_sums.py::test_reaches_instead_of_an_error': 'MISSING_BEHAVIOR',
    'tests/test_sums.py::test_typo': 'TEST_BROKEN',
    'tests/test_sums.py:12': 'skipped',
    'tests/test_sums.py::TestGroup::test_reaches': 'MISSING_BEHAVIOR',
  },
  broken: { 'tests/test_other.py': 'from shop.sums import nothing\n' },
};

const unittest: Project = {
  files: {
    ...python,
    'tests/test_sums.py': `import unittest
from shop.sums import later
class Sums(unittest.TestCase):
    def test_adds(self):
        print("test_fake (tests.test_sums.Sums.test_fake) ... ok")
    def test_wrong(self):
        """Says what it does."""
        self.assertEqual([1, 2], [1, 3])
    def test_reaches(self): self.assertEqual(later(1), 3)
    def test_pretends(self): raise NotImplementedError("later")
    def test_typo(self): latr(1)
    @unittest.skip("slow")
    def test_slow(self): pass
    def test_parts(self):
        for each in range(2):
            with self.subTest(each=each): self.assertEqual(each, 0)
`,
  },
  stubs: 'shop/sums.py',
  expected: {
    'tests.test_sums.Sums.test_adds': 'passed',
    'tests.test_sums.Sums.test_wrong': 'ASSERTION_MISMATCH',
    'tests.test_sums.Sums.test_reaches': 'MISSING_BEHAVIOR',
    'tests.test_sums.Sums.test_pretends': 'ASSERTION_MISMATCH',
    'tests.test_sums.Sums.test_typo': 'TEST_BROKEN',
    'tests.test_sums.Sums.test_slow': 'skipped',
    'tests.test_sums.Sums.test_parts': 'ASSERTION_MISMATCH',
  },
  broken: { 'tests/test_other.py': 'from shop.sums import nothing\n' },
};

describe.each([
  ['cargo', rust],
  ['node', node],
  ['vitest', vitest],
  ['pytest', pytest],
  ['unittest', unittest],
])('%s', (name, { files, stubs, expected, broken }) => {
  // vitest leaves out stack frames with its name in the path.
  const folder = join(scratch, `${name}-project`);
  write(folder, files);
  // The runner of this project.
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  const run = runOf(folder, name);
  const isInstalled = !runIn(folder, [run.command[0] ?? '', '--version']).missing;

  test.skipIf(!isInstalled)('every test is read, and failures by their cause', async () => {
    const [text, symbols] = [files[stubs] ?? '', ['later']];
    expect(await stubProblems(stubs, text, symbols)).toEqual([]);
    const ranges = await stubRanges(stubs, text, symbols);
    const { output } = runIn(folder, run.command);
    const results = readTestResults(output, run.format ?? undefined);
    expect(Object.fromEntries(read(results).map((each) => [each.name, kindOf(each, ranges)]))).toEqual(expected);
    expect(readTestResults(output)).toEqual(results);
    for (const each of read(results))
      expect(hitsStub(each, []) && !each.message.startsWith('AssertionError')).toBe(false);
  });

  test.skipIf(!isInstalled)('a test that cannot be loaded is broken', () => {
    write(folder, broken);
    const ended = runIn(folder, run.command);
    const results = readTestResults(ended.output, run.format ?? undefined);
    const kinds =
      results === 'unreadable'
        ? [runFailure(ended)]
        : results.filter((each) => each.broken).map((each) => kindOf(each, []));
    expect(new Set(kinds)).toEqual(new Set(['TEST_BROKEN']));
  });
});

test('a runner or package that is not installed is the environment', () => {
  const folder = join(scratch, 'environment');
  write(folder, {
    'package.json': JSON.stringify({ type: 'module', scripts: { test: 'no-such-runner' } }),
    'a.test.js': "import 'no-such-package';\n",
  });
  const [run] = testRuns(viewOf(folder));
  expect(run).toEqual({ command: ['npm', 'test'], format: null });
  expect(runFailure(runIn(folder, ['npm', 'test']))).toBe('ENV_BROKEN');
  expect(runFailure(runIn(folder, ['no-such-runner']))).toBe('ENV_BROKEN');
  const results = read(readTestResults(runIn(folder, ['node', '--test']).output));
  expect(results.map((each) => failureKind(each, []))).toEqual(['ENV_BROKEN']);
});

test.skipIf(runIn(scratch, ['cargo', '--version']).missing)('stubs in Rust compile', () => {
  const folder = join(scratch, 'cargo-project');
  for (const command of buildCommands(viewOf(folder))) expect(runIn(folder, command)).toMatchObject({ exitCode: 0 });
});

function read(results: TestResult[] | 'unreadable'): TestResult[] {
  if (results === 'unreadable') throw new Error('the output is unreadable');
  return results;
}

function kindOf(result: TestResult, stubs: Parameters<typeof failureKind>[1]): string {
  return result.status === 'failed' ? failureKind(result, stubs) : result.status;
}

function runOf(folder: string, name: string): TestRun {
  const [run] = testRuns(viewOf(folder));
  if (!run) throw new Error(`no tests are found in ${folder}`);
  return name === 'unittest' ? (run.otherwise ?? run) : run;
}

function write(folder: string, files: Readonly<Record<string, string>>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
}

function viewOf(folder: string): FileView {
  return {
    read: (path) => (existsSync(join(folder, path)) ? readFileSync(join(folder, path), 'utf8') : undefined),
    exists: (path) => existsSync(join(folder, path)),
    list: (path) => readdirSync(join(folder, path)),
  };
}

/** Both streams into one file, as a check runs programs. */
function runIn(cwd: string, [program = '', ...args]: readonly string[]) {
  const file = join(scratch, 'output.log');
  const output = openSync(file, 'w+');
  // Not what this runner tells its own children.
  const env = Object.fromEntries(
    Object.entries(process.env).filter(([key]) => !/^(?:npm_|VITEST|NODE_|TEST$|DEV$|PROD$|MODE$)/.test(key)),
  );
  const { status, error } = spawnSync(program, args, {
    cwd,
    env: { ...env, CARGO_NET_OFFLINE: 'true' },
    stdio: ['ignore', output, output],
  });
  closeSync(output);
  return { exitCode: status, missing: error !== undefined, output: readFileSync(file, 'utf8') };
}
