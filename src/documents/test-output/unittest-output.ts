/** `python -m unittest -v`. */

import { linesOf, testResult, type Origin, type OutputReader, type Status, type TestResult } from './test-result.ts';

export const readUnittestOutput: OutputReader = (output) => {
  const [, ran] = [...output.matchAll(/^Ran (\d+) tests? in /gm)].at(-1) ?? [];
  const [progress = '', ...blocks] = linesOf(output)
    .join('\n')
    .split(/^={70}$/m);
  const failures = blocks.flatMap(failureIn);
  const failed = new Set(failures.map(({ name }) => name));
  const others = progressIn(progress).filter(({ name }) => !failed.has(name));
  const results = [...others, ...failures];
  // Setting up a class or module is no test.
  const names = new Set(
    results.filter(({ name }) => !/\.(?:setUp|tearDown)(?:Class|Module)$/.test(name)).map(({ name }) => name),
  );
  return names.size === Number(ran) ? results : null;
};

const statuses: Readonly<Record<string, Status>> = {
  ok: 'passed',
  FAIL: 'failed',
  ERROR: 'failed',
  skipped: 'skipped',
  'expected failure': 'skipped',
  'unexpected success': 'failed',
};

/** `test_a (module.Class.test_a) ... ok`, with the test's description on a line of its own. */
function progressIn(text: string): TestResult[] {
  const ends = /^(.+?)(?:\n.*?)?? \.\.\. (ok|FAIL|ERROR|skipped|expected failure|unexpected success)(?:$| ')/gm;
  return [...text.matchAll(ends)].flatMap(([, heading = '', word = '']) => {
    const name = nameIn(heading);
    return name === null ? [] : [testResult(name, statuses[word] ?? 'failed')];
  });
}

/** Before Python 3.11 the name was not repeated. */
function nameIn(heading: string): string | null {
  const [, name, path] = /^(\S+) \(([^()]+)\)/.exec(heading.trim()) ?? [];
  if (name === undefined || path === undefined) return null;
  const [, module] = /^unittest\.loader\._FailedTest(?:\.(.+))?$/.exec(path) ?? [];
  if (path.startsWith('unittest.loader._FailedTest')) return module ?? name;
  return path.split('.').at(-1) === name ? path : `${path}.${name}`;
}

function failureIn(block: string): TestResult[] {
  const [head = '', ...body] = block.split(/^-{70}$/m);
  const [, word, heading = ''] = /^\s*(ERROR|FAIL|UNEXPECTED SUCCESS): (.+)/.exec(head) ?? [];
  const name = nameIn(heading);
  if (word === undefined || name === null) return [];
  if (word === 'UNEXPECTED SUCCESS') return [testResult(name, 'failed', { message: 'unexpected success' })];
  const [traceback = ''] = (body[0] ?? '').split(/^(?:Stdout|Stderr):$/m);
  const lines = traceback.split('\n');
  const frame = lines.findLastIndex((line) => /^ {2}File "/.test(line));
  const begin = lines.findIndex((line, index) => index > frame && /^\S/.test(line));
  const message = lines.slice(Math.max(begin, 0)).join('\n');
  const broken = /\(unittest\.loader\._FailedTest|^(?:setUp|tearDown)(?:Class|Module) /.test(heading);
  return [testResult(name, 'failed', { message, origin: originIn(lines[frame] ?? ''), broken })];
}

function originIn(frame: string): Origin {
  const [, file, line] = /^ {2}File "(.+)", line (\d+)/.exec(frame) ?? [];
  return file === undefined ? null : { file, line: Number(line) };
}
