/** `node --test` as newer versions show it by default. Tests print between these lines, so the numbers must agree. */

import { linesOf, scriptOrigin, testResult, type OutputReader, type TestResult } from './test-result.ts';

export const readSpecOutput: OutputReader = (output) => {
  const lines = linesOf(output);
  const end = lines.findLastIndex((line) => /^ℹ tests \d+$/.test(line));
  if (end === -1) return null;
  const points = pointsIn(lines.slice(0, end));
  const failures = failuresIn(lines.slice(end));
  const tests = points.filter(({ isGroup }) => !isGroup);
  // A test with tests inside counts, though it is shown as a group.
  const parents = numberOf('tests', lines.slice(end)) - tests.length;
  const isAll = parents >= 0 && parents <= points.length - tests.length;
  const isFailed = ({ status }: Point) => status === 'failed';
  if (!isAll || tests.filter(isFailed).length > numberOf('fail', lines.slice(end))) return null;
  return tests.map((point) => {
    const failure = isFailed(point) ? failures.find(({ title }) => title === point.title) : undefined;
    if (failure) failures.splice(failures.indexOf(failure), 1);
    return testResult(point.name, point.status, failure && detailsOf(failure, point));
  });
};

interface Point extends Pick<TestResult, 'name' | 'status'> {
  readonly title: string;
  readonly isGroup: boolean;
  /** The last line before it that says why a file could not be run. */
  readonly error: string | undefined;
}

const line = /^( *)([✔✖﹣⚠▶]) (.*)$/u;
const ending = / \(\d+(?:\.\d+)?ms\)(?: # (?:SKIP|TODO).*)?$/;

function pointsIn(lines: readonly string[]): Point[] {
  const points: Point[] = [];
  const around: string[] = [];
  let error: string | undefined;
  for (const text of lines) {
    if (/^(?:[A-Z]\w*)?Error\b/.test(text)) error = text;
    const [, blanks = '', sign, said = ''] = line.exec(text) ?? [];
    const depth = Math.floor(blanks.length / 2);
    if (sign === '▶') around.splice(depth, around.length, said);
    if (sign === undefined || sign === '▶' || !ending.test(said)) continue;
    const title = said.replace(ending, '');
    const isGroup = around[depth] === title;
    const name = [...around.slice(0, depth), title].join(' > ');
    const isSkipped = sign === '﹣' || sign === '⚠' || / # TODO/.test(said.slice(title.length));
    points.push({ name, title, isGroup, error, status: isSkipped ? 'skipped' : sign === '✔' ? 'passed' : 'failed' });
    error = undefined;
    around.splice(depth);
  }
  return points;
}

function numberOf(word: string, lines: readonly string[]): number {
  const found = lines.find((each) => each.startsWith(`ℹ ${word} `));
  return Number(found?.slice(word.length + 3) ?? Number.NaN);
}

interface Failure {
  readonly title: string;
  readonly file: string;
  readonly lines: string[];
}

/** At the end, each below the place of its test. */
function failuresIn(lines: readonly string[]): Failure[] {
  const failures: Failure[] = [];
  for (const [index, text] of lines.entries()) {
    const [, file] = /^test at (.+):\d+:\d+$/.exec(lines[index - 1] ?? '') ?? [];
    if (file !== undefined) failures.push({ file, title: text.replace(/^✖ /, '').replace(ending, ''), lines: [] });
    else if (!text.startsWith('test at ')) failures.at(-1)?.lines.push(text);
  }
  return failures;
}

function detailsOf({ file, title, lines }: Failure, { error }: Point): Partial<TestResult> {
  if (title === file || title.endsWith(`/${file}`)) return { file, message: error ?? 'cannot be loaded', broken: true };
  const end = lines.findIndex((each) => /^ +at /.test(each));
  const message = lines.slice(0, end === -1 ? lines.length : end).map((each) => each.trim());
  const text = message.join('\n').replace(/^(\w*Error) \[\w+\]: /, '$1: ');
  return { file, message: text, origin: scriptOrigin(lines.join('\n')) };
}
