import { expect, test } from 'vitest';
import { StateNotWritten } from '../runtime/state-writing.ts';
import { FileProblem } from '../workspace/files.ts';
import { toProblem } from './problem.ts';
import { problemText } from './show/problem-text.ts';

test('a state file that cannot be written is one clear message with what to do, and exit code 1', () => {
  const cause = new FileProblem('write', '/w/a/STATE.yaml', Object.assign(new Error('no'), { code: 'EROFS' }));
  const problem = toProblem(new StateNotWritten('x', 'a/STATE.yaml', cause));
  expect(problem.exitCode).toBe(1);
  expect(problem.diagnostic).toMatchObject({ code: 'state_not_written', target: 'a/STATE.yaml' });
  expect(problemText(problem)).toBe(
    'error: the state file a/STATE.yaml could not be written, tried 3 times: ' +
      'cannot write /w/a/STATE.yaml: the file system is read-only (EROFS); make it writable or work in another folder\n' +
      '  fix: clear the way for a/STATE.yaml, then run pawl resume x; nothing is lost\n',
  );
});
