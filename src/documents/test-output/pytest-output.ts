/** `pytest -rA`: the summary at the end, and the traceback (`--tb=short`) of each failure. */

import { linesOf, testResult, type Origin, type OutputReader, type Status, type TestResult } from './test-result.ts';

export const readPytestOutput: OutputReader = (output) => {
  const lines = linesOf(output);
  const begin = lines.findLastIndex((line) => /^=+ short test summary info =+$/.test(line));
  const end = lines.findLastIndex((line) => /^(?:=+ )?\d+ [a-z]+[ ,].*\bin \d+(?:\.\d+)?s\b/.test(line));
  const entries = begin === -1 ? [] : entriesIn(lines.slice(begin + 1, end));
  if (entries.length === 0 || !isComplete(entries, lines[end] ?? '')) return null;
  const tracebacks = tracebacksIn(lines.slice(0, begin));
  return entries.map((entry) => resultOf(entry, tracebacks));
};

/** `= 1 failed, 2 passed in 0.12s =`, without the signs when it is quiet. */
function isComplete(entries: readonly Entry[], totals: string): boolean {
  const words = { passed: /^PASSED/, failed: /^(?:SUB)?FAILED/, error: /^ERROR/ };
  return Object.entries(words).every(([word, pattern]) => {
    const [, total = '0'] = new RegExp(`\\b(\\d+) ${word}s?\\b`).exec(totals) ?? [];
    return entries.filter((entry) => pattern.test(entry.word)).length === Number(total);
  });
}

interface Entry {
  readonly word: string;
  readonly name: string;
  readonly message: string[];
}

const summaryLine =
  /^((?:PASSED|FAILED|ERROR|SKIPPED|XFAIL|XPASS|SUBFAILED|SUBPASSED|SUBSKIPPED)(?:\(.*?\)|\[.*?\])?) (.+)$/;

/** A message may have several lines. */
function entriesIn(lines: readonly string[]): Entry[] {
  const entries: Entry[] = [];
  for (const line of lines) {
    const [, word, rest] = summaryLine.exec(line) ?? [];
    if (word !== undefined && rest !== undefined) entries.push({ word, ...splitEntry(rest) });
    else if (!line.startsWith('!!!')) entries.at(-1)?.message.push(line);
  }
  return entries;
}

/** Parameters of a test may contain what separates its name from the message. */
function splitEntry(text: string): Omit<Entry, 'word'> {
  const skipped = /^\[\d+\] (.+?:\d+): /.exec(text)?.[1];
  if (skipped !== undefined) return { name: skipped, message: [] };
  const [before = ''] = text.split(' - ', 1);
  const isOpen = before.includes('[') && !before.endsWith(']');
  const end = isOpen ? text.indexOf('] - ') + 1 || text.length : before.length;
  return { name: text.slice(0, end), message: [text.slice(end).replace(/^ - /, '')] };
}

interface Traceback {
  readonly title: string;
  readonly lines: string[];
}

/** Below `____ title ____`, up to what the test printed. */
function tracebacksIn(lines: readonly string[]): Traceback[] {
  const found: Traceback[] = [];
  let isOpen = false;
  for (const line of lines) {
    const [, title] = /^_+ (\S.*\S|\S) _+$/.exec(line) ?? [];
    if (title !== undefined) found.push({ title, lines: [] });
    isOpen = title !== undefined || (isOpen && !/^-+ Captured |^=+ /.test(line));
    if (isOpen && title === undefined) found.at(-1)?.lines.push(line);
  }
  return found;
}

const statuses: Readonly<Record<string, Status>> = {
  PASSED: 'passed',
  XPASS: 'passed',
  SUBPASSED: 'passed',
  FAILED: 'failed',
  SUBFAILED: 'failed',
  ERROR: 'failed',
};

function resultOf({ word, name, message }: Entry, tracebacks: Traceback[]): TestResult {
  const status = statuses[word.replace(/\W.*$/, '')] ?? 'skipped';
  const file = name.split(/::|:\d/, 1)[0] ?? null;
  if (status !== 'failed') return testResult(name, status, { file });
  const title = name.split('::').slice(1).join('.');
  const isTitle = (each: string) =>
    each === title || each.startsWith(`${title} (`) || (word === 'ERROR' && each.endsWith(` ${title || name}`));
  const index = tracebacks.findIndex((each) => isTitle(each.title));
  const [traceback] = index === -1 ? [] : tracebacks.splice(index, 1);
  const errors = traceback?.lines.filter((line) => /^E {3}\S/.test(line)).map((line) => line.slice(4)) ?? [];
  const text = message.join('\n').trim();
  return testResult(name, status, {
    file,
    message: text === '' ? errors.join('\n') : text,
    origin: originIn(traceback?.lines ?? []),
    broken: word === 'ERROR' && !traceback?.title.startsWith('ERROR at teardown'),
  });
}

/** The innermost frame. */
function originIn(lines: readonly string[]): Origin {
  const frame = lines.findLast((line) => /^\S.*:\d+: in /.test(line));
  const [, file, line] = /^(.+):(\d+): in /.exec(frame ?? '') ?? [];
  return file === undefined ? null : { file, line: Number(line) };
}
