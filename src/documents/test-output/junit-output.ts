/** The XML of JUnit as vitest writes it, anywhere in the output: its JSON leaves out the errors that an assertion got. */

import { linesOf, testResult, type Origin, type OutputReader, type TestResult } from './test-result.ts';

export const readJunitOutput: OutputReader = (output) => {
  const begin = output.lastIndexOf('<testsuites');
  const end = output.lastIndexOf('</testsuites>');
  if (begin === -1 || end < begin) return null;
  const [head = '', ...suites] = output.slice(begin, end).split('<testsuite ');
  const results = suites.flatMap((suite) => suite.split('<testcase ').slice(1).map(resultOf));
  return results.length === Number(attribute(head, 'tests')) ? results : null;
};

/** Special characters are escaped everywhere, so that the first `>` ends a tag. */
function resultOf(text: string): TestResult {
  const tag = tagAt(text);
  const name = attribute(tag, 'name');
  const file = attribute(tag, 'classname');
  const failure = /<(?:failure|error)\b/.exec(text);
  if (!failure) return testResult(name, /<skipped\b/.test(text) ? 'skipped' : 'passed', { file });
  const begin = text.indexOf('>', failure.index) + 1;
  const body = linesOf(unescaped(text.slice(begin, text.indexOf(`</${failure[0].slice(1)}>`, begin))));
  const message = body.filter((line) => frameIn(line) === null).join('\n');
  return testResult(name, 'failed', { file, message, origin: originIn(body), broken: name === file });
}

const tagAt = (text: string): string => text.slice(0, text.indexOf('>'));

function attribute(tag: string, name: string): string {
  return unescaped(new RegExp(`(?:^|\\s)${name}="([^"]*)"`).exec(tag)?.[1] ?? '');
}

const entities: Readonly<Record<string, string>> = { lt: '<', gt: '>', quot: '"', apos: "'", amp: '&' };

function unescaped(text: string): string {
  return text.replaceAll(/&(lt|gt|quot|apos|amp);/g, (_, name: string) => entities[name] ?? '');
}

/** The innermost frame of the error, or of its cause. */
function originIn(lines: readonly string[]): Origin {
  const cause = lines.findLastIndex((line) => line.startsWith('Caused by: '));
  for (const line of lines.slice(Math.max(cause, 0))) {
    const frame = frameIn(line);
    if (frame && !frame.file.includes('node_modules/')) return frame;
  }
  return null;
}

function frameIn(line: string): Origin {
  const [, file, row] = /^ ❯ (?:.* )?(\S+):(\d+):\d+$/.exec(line) ?? [];
  return file === undefined ? null : { file, line: Number(row) };
}
