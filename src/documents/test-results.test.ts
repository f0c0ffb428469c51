/** Formats that `test/languages.long.ts` does not run, and outputs that must not be believed. */

import { describe, expect, test } from 'vitest';
import { failureKind, hitsStub, readTestResults, runFailure } from './test-results.ts';
import { testResult } from './test-output/test-result.ts';

const named = (output: string, ...rest: readonly ('cargo' | 'node')[]) => {
  const results = readTestResults(output, ...rest);
  return results === 'unreadable' ? results : results.map(({ name, status }) => `${status} ${name}`);
};

/** Node 24, where this is the default. */
const spec = `✔ adds (2.3ms)
✖ wrong (1.9ms)
﹣ slow (0.1ms) # SKIP
▶ group
  ✔ inner (0.1ms)
  ▶ deep
    ✖ stub (0.8ms)
  ✖ deep (1.4ms)
✖ group (5.8ms)
▶ parent
  ✔ child (0.1ms)
✔ parent (0.6ms)
Error [ERR_MODULE_NOT_FOUND]: Cannot find module '/shop/missing.js' imported from /shop/b.test.js
    at finalizeResolution (node:internal/modules/esm/resolve:272:11)

Node.js v24.1.0
✖ b.test.js (61.6ms)
ℹ tests 8
ℹ suites 2
ℹ pass 4
ℹ fail 3
ℹ skipped 1

✖ failing tests:

test at a.test.js:5:1
✖ wrong (1.9ms)
  AssertionError [ERR_ASSERTION]: Expected values to be strictly equal:
  
  2 !== 3
  
      at TestContext.<anonymous> (file:///shop/a.test.js:5:30) {
    code: 'ERR_ASSERTION'
  }

test at a.test.js:10:147
✖ stub (0.8ms)
  Error: NotImplemented: later
      at later (file:///shop/later.js:1:33)
      at TestContext.<anonymous> (file:///shop/a.test.js:10:164)

test at b.test.js:1:1
✖ b.test.js (61.6ms)
  'test failed'
`;

test('reads what Node shows by default', () => {
  expect(named(spec)).toEqual([
    'passed adds',
    'failed wrong',
    'skipped slow',
    'passed group > inner',
    'failed group > deep > stub',
    'passed parent > child',
    'failed b.test.js',
  ]);
  const failed = readTestResults(spec);
  expect(failed === 'unreadable' ? [] : failed.filter(({ status }) => status === 'failed')).toMatchObject([
    { file: 'a.test.js', message: 'AssertionError: Expected values to be strictly equal:\n\n2 !== 3' },
    { message: 'Error: NotImplemented: later', origin: { file: '/shop/later.js', line: 1 } },
    { file: 'b.test.js', broken: true, message: expect.stringContaining("Cannot find module '/shop/missing.js'") },
  ]);
});

test('reads the report of jest among what it prints', () => {
  const tests = [
    {
      ancestorTitles: ['g'],
      title: 'stub',
      status: 'failed',
      failureMessages: [
        'Error: NotImplemented: later\n    at exports.later (/shop/later.js:1:31)\n    at Object.later (/shop/a.test.js:5:29)',
      ],
    },
    { ancestorTitles: [], title: 'adds', status: 'passed', failureMessages: [] },
    { ancestorTitles: [], title: 'slow', status: 'pending', failureMessages: [] },
  ];
  const testResults = [
    { name: '/shop/a.test.js', status: 'failed', message: '', assertionResults: tests },
    { name: '/shop/b.test.js', status: 'failed', message: 'Cannot find module', assertionResults: [] },
  ];
  const report = { numTotalTests: 3, testResults };
  const output = `FAIL ./a.test.js\n{"testResults": []\n${JSON.stringify(report)}\n`;
  expect(named(output)).toEqual(['failed g > stub', 'passed adds', 'skipped slow', 'failed /shop/b.test.js']);
  expect(readTestResults(output)).toContainEqual(
    testResult('g > stub', 'failed', {
      file: '/shop/a.test.js',
      message: 'Error: NotImplemented: later',
      origin: { file: '/shop/later.js', line: 1 },
    }),
  );
  expect(named(JSON.stringify({ ...report, numTotalTests: 4 }))).toBe('unreadable');
});

const cargo =
  'running 2 tests\ntest a ... ok\ntest b ... FAILED\n\nfailures:\n\n---- b stdout ----\nfailed\n\nfailures:\n    b\n\ntest result: FAILED. 1 passed; 1 failed; 0 ignored; 0 measured\n';

describe('does not believe', () => {
  test.each([
    ['nothing', ''],
    ['prose', 'all tests passed'],
    ['a run that was cut off', cargo.slice(0, cargo.indexOf('test result'))],
    ['a line that a child process of a test added', cargo.replace('test b', 'test c ... ok\ntest b')],
    ['a line that is missing', cargo.replace('test a ... ok\n', '')],
    ['TAP without its end', 'TAP version 13\nok 1 - a\n  ---\n  duration_ms: 1\n  ...\n'],
    ['TAP with a test too many', 'TAP version 13\nok 1 - a\nok 2 - b\n1..2\n# tests 1\n'],
    ['pytest with other totals', '=== short test summary info ===\nPASSED a.py::a\n=== 2 passed in 0.1s ===\n'],
    ['unittest with other totals', 'test_a (a.A.test_a) ... ok\n\nRan 2 tests in 0.1s\n\nOK\n'],
    ['XML with other totals', '<testsuites tests="2"><testsuite ><testcase name="a"/></testsuite></testsuites>'],
  ])('%s', (_, output) => {
    expect(readTestResults(output)).toBe('unreadable');
  });

  test('a subtest in the message of a failure', () => {
    const output = `TAP version 13
not ok 1 - a
  ---
  type: 'test'
  error: |-
    ok 1 - fake
    # tests 2
  ...
1..1
# tests 1
`;
    expect(named(output)).toEqual(['failed a']);
  });
});

test('reads colours and line ends of Windows', () => {
  const escape = String.fromCodePoint(27);
  const coloured = cargo.replaceAll('ok', `${escape}[32mok${escape}[0m`).replaceAll('\n', '\r\n');
  expect(named(coloured, 'cargo')).toEqual(['passed a', 'failed b']);
  expect(named(cargo, 'node')).toBe('unreadable');
});

test('a test that is listed twice counts by its worst result', () => {
  const lines = 'PASSED a.py::a\nERROR a.py::a - ValueError: x\n';
  expect(named(`=== short test summary info ===\n${lines}=== 1 passed, 1 error in 0.1s ===\n`)).toEqual([
    'failed a.py::a',
  ]);
});

describe('a stub is hit', () => {
  const stubs = [{ path: 'src/later.py', first: 3, last: 5 }];
  const failed = (message: string, file: string, line: number) =>
    testResult('a', 'failed', { message, origin: { file, line } });
  test.each([
    [true, failed('NotImplementedError: later', 'src/later.py', 3)],
    [true, failed('NotImplementedError', '/home/me/shop/src/later.py', 5)],
    [true, failed('not yet implemented', './src/later.py', 4)],
    [true, failed('Error: NotImplemented: later', 'C:\\shop\\src\\later.py', 4)],
    [false, failed('NotImplementedError: later', 'src/later.py', 6)],
    [false, failed('NotImplementedError: later', 'tests/later.py', 4)],
    [false, failed('NotImplementedError: later', 'othersrc/later.py', 4)],
    [false, failed('AssertionError: 1 != 2', 'src/later.py', 4)],
    [false, { ...failed('NotImplementedError', 'src/later.py', 4), status: 'passed' as const }],
    [false, { ...failed('NotImplementedError', 'src/later.py', 4), origin: null }],
    [true, { ...failed("AssertionError: got 'NotImplemented: later'", 'tests/a.py', 4) }],
  ])('%s: %j', (hit, result) => {
    expect(hitsStub(result, stubs)).toBe(hit);
  });
});

test.each([
  ['ASSERTION_MISMATCH', 'AssertionError: 1 != 2', false],
  ['ASSERTION_MISMATCH', 'TypeError: x is not a function', false],
  ['ASSERTION_MISMATCH', 'index out of bounds: the len is 0', false],
  ['TEST_BROKEN', 'ReferenceError: latr is not defined', false],
  ['TEST_BROKEN', "NameError: name 'latr' is not defined", false],
  ['TEST_BROKEN', "Error: Cannot find module './later.js'", true],
  ['TEST_BROKEN', "ImportError: cannot import name 'later' from 'shop'", true],
  ['ENV_BROKEN', "Error [ERR_MODULE_NOT_FOUND]: Cannot find package 'left-pad' imported from /shop/a.js", true],
  ['ENV_BROKEN', "ModuleNotFoundError: No module named 'requests'", true],
])('%s: %s', (kind, message, broken) => {
  expect(failureKind(testResult('a', 'failed', { message, broken }), [])).toBe(kind);
});

test.each([
  ['ENV_BROKEN', { missing: true, exitCode: null, output: '' }],
  ['ENV_BROKEN', { missing: false, exitCode: 127, output: 'sh: 1: vitest: not found' }],
  ['ENV_BROKEN', { missing: false, exitCode: 101, output: 'error: no matching package named `serde` found\n' }],
  ['ENV_BROKEN', { missing: false, exitCode: 1, output: '/usr/bin/python3: No module named pytest\n' }],
  ['ENV_BROKEN', { missing: false, exitCode: 1, output: 'error: rustup could not choose a version of cargo to run\n' }],
  ['ENV_BROKEN', { missing: false, exitCode: 1, output: 'npm error npx canceled due to missing packages\n' }],
  [
    'TEST_BROKEN',
    { missing: false, exitCode: 101, output: 'error: could not compile `shop` (test "a") due to 1 previous error\n' },
  ],
  ['TEST_BROKEN', { missing: false, exitCode: 2, output: 'src/a.test.ts(1,2): error TS2304: Cannot find name\n' }],
  [null, { missing: false, exitCode: 1, output: 'something else' }],
])('a run without results: %s', (kind, run) => {
  expect(runFailure(run)).toBe(kind);
});

test.each([
  ['blanks', ' '],
  ['numbers', '1 a'],
  ['frames', ' (a:1:1'],
  ['signs', '= 1 passed in '],
  ['panics', ' panicked at a:1:1:'],
  ['results', ' ... ok'],
])('attack 6.9: takes time in proportion to the output: %s', (_, text) => {
  const long = text.repeat(100_000);
  const heads = [
    '',
    'test ',
    '     Running ',
    'thread ',
    'not ok 1 - ',
    '✖ ',
    '1 passed',
    '_ ',
    '  File "',
    'at ',
    ' ❯ ',
  ];
  const begin = process.cpuUsage();
  readTestResults(heads.map((head) => `${head}${long}\n`).join(''));
  expect(process.cpuUsage(begin).user / 1_000).toBeLessThan(5_000);
});
