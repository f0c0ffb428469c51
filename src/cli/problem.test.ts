import { expect, test } from 'vitest';
import { refusal } from '../runs/refusal.ts';
import { StateNotWritten } from '../runtime/state-writing.ts';
import { FileProblem } from '../workspace/files.ts';
import { Problem, problemText, toProblem } from './problem.ts';
import { styleOf } from './show/screen.ts';

test('a state file that cannot be written is one clear message with what to do, and exit code 1', () => {
  const cause = new FileProblem('write', '/w/a/STATE.yaml', Object.assign(new Error('no'), { code: 'EROFS' }));
  const problem = toProblem(new StateNotWritten('x', 'a/STATE.yaml', cause));
  expect(problem.exitCode).toBe(1);
  expect(problem.diagnostic).toMatchObject({ code: 'StateNotWritten', target: 'a/STATE.yaml' });
  expect(problemText(problem)).toBe(
    'error: the state file a/STATE.yaml could not be written (tried 3 times; the journal has everything): ' +
      'cannot write /w/a/STATE.yaml: the file system is read-only (EROFS)\n' +
      '  fix: make the file system writable, then run pawl resume x\n',
  );
});

const plain = styleOf({}, {});

test('what is wrong, and what to do', () => {
  const problem = new Problem(refusal('UsageError', 'unknown flag "--agnet"', { fix: 'pawl change plan --help' }));
  expect(problemText(problem, plain)).toBe('error: unknown flag "--agnet"\n  fix: pawl change plan --help\n');
});

test('where, unless the message says so', () => {
  const at = (message: string) =>
    problemText(new Problem(refusal('InvalidDocument', message, { target: 'agentd/config.toml', fix: 'do' })), plain);
  expect(at('line 3 is not TOML')).toBe('error: line 3 is not TOML\n  in: agentd/config.toml\n  fix: do\n');
  expect(at('agentd/config.toml:3: not TOML')).toBe('error: agentd/config.toml:3: not TOML\n  fix: do\n');
});

test('further lines are indented, and nothing in them steers the terminal', () => {
  const problem = new Problem(refusal('InvalidDocument', 'two\n\u001B[2Jlines', { fix: 'one\ntwo' }));
  expect(problemText(problem, plain)).toBe('error: two\n  lines\n  fix: one\n  two\n');
});

test.each([new TypeError('x is not a function'), Object.assign(new Error('bad'), { code: 'ERR_INVALID_ARG_TYPE' })])(
  'a defect brings its stack along: %s',
  (error) => {
    const text = problemText(toProblem(error), plain);
    expect(text).toContain(error.message);
    expect(text).toMatch(/\n {2}fix: report this, .*\n {2}.*\n {6}at .*problem\.test\.ts/);
  },
);

test('an expected failure shows no stack', () => {
  const error = Object.assign(new Error('no space left on device'), { code: 'ENOSPC' });
  expect(problemText(toProblem(error), plain)).toBe(
    'error: no space left on device\n  fix: remove the cause, then run the same command again\n',
  );
});

test('on a terminal the key words stand out', () => {
  const style = styleOf({ isTTY: true }, { TERM: 'xterm' });
  expect(problemText(new Problem(refusal('UsageError', 'what', { fix: 'do' })), style)).toBe(
    '\u001B[31merror:\u001B[39m what\n  \u001B[1mfix:\u001B[22m do\n',
  );
});
