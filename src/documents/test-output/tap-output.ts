/** `node --test` in TAP, where everything that tests print is a comment. */

import { linesOf, scriptOrigin, testResult, type OutputReader, type TestResult } from './test-result.ts';

export const readTapOutput: OutputReader = (output) => {
  const points = pointsIn(linesOf(output));
  const [, tests] = [...output.matchAll(/^# tests (\d+)$/gm)].at(-1) ?? [];
  const isAll = points.filter(({ details }) => details.get('type') !== 'suite').length === Number(tests);
  return isAll ? points.filter(isTest).map(resultOf) : null;
};

interface TestPoint {
  readonly name: string;
  readonly ok: boolean;
  readonly skipped: boolean;
  readonly details: ReadonlyMap<string, string>;
  /** What the tests printed before it. */
  readonly comments: readonly string[];
}

const indent = 4;

function pointsIn(lines: readonly string[]): TestPoint[] {
  const points: TestPoint[] = [];
  const around: string[] = [];
  let comments: string[] = [];
  for (let index = 0; index < lines.length; index += 1) {
    const line = lines[index] ?? '';
    const text = line.trimStart();
    const depth = Math.floor((line.length - text.length) / indent);
    const [, opened] = /^# Subtest: (.*)$/.exec(text) ?? [];
    const [, not, title, directive] = /^(not )?ok \d+ - (.*?)(?: # (SKIP|TODO)\b.*)?$/.exec(text) ?? [];
    if (opened !== undefined) around.splice(depth, around.length, unescaped(opened));
    else if (text.startsWith('# ')) comments.push(unescaped(text.slice(2)));
    if (title === undefined) continue;
    const block = blockAfter(lines, index);
    const name = [...around.slice(0, depth), unescaped(title)].join(' > ');
    points.push({ name, ok: not === undefined, skipped: directive !== undefined, details: detailsIn(block), comments });
    index += block.length;
    comments = [];
  }
  return points;
}

const unescaped = (text: string): string => text.replaceAll(/\\([\\#])/g, '$1');

/** The lines from `---` to `...`; those between are indented deeper. */
function blockAfter(lines: readonly string[], index: number): readonly string[] {
  const first = lines[index + 1];
  if (first === undefined || first.trim() !== '---') return [];
  const end = lines.indexOf(first.replace('---', '...'), index + 1);
  return end === -1 ? [] : lines.slice(index + 1, end + 1);
}

/** The scalars of the block, those of several lines included. The error that an assertion got has the same keys. */
function detailsIn([first = '', ...lines]: readonly string[]): Map<string, string> {
  const blanks = first.length - first.trimStart().length;
  const details = new Map<string, string>();
  let key = '';
  let isOpen = false;
  for (const line of lines) {
    const text = line.slice(blanks);
    const [, begun, value = ''] = /^(\w+): ?(.*)$/.exec(text) ?? [];
    key = begun ?? key;
    if (begun !== undefined) isOpen = value === '|-';
    const known = details.get(key);
    if (begun === undefined && isOpen) details.set(key, `${known ?? ''}${text.slice(2)}\n`);
    else if (begun !== undefined && !isOpen) details.set(key, joined(known, value.replace(/^(['"`])(.*)\1$/, '$2')));
  }
  return details;
}

const joined = (known: string | undefined, value: string): string =>
  known === undefined ? value : `${known}\n${value}`;

/** Not groups, nor tests that failed only because of others inside; but a group that failed by itself. */
function isTest({ ok, details }: TestPoint): boolean {
  if (details.get('failureType') === 'subtestsFailed') return false;
  return !ok || details.get('type') !== 'suite';
}

function resultOf({ name, ok, skipped, details, comments }: TestPoint): TestResult {
  const file = details.get('location')?.replace(/:\d+:\d+$/, '') ?? null;
  if (skipped || ok) return testResult(name, skipped ? 'skipped' : 'passed', { file });
  // A whole file: its process says why on stderr.
  const printed = details.has('exitCode') ? comments.findLast((line) => /^(?:[A-Z]\w*)?Error\b/.test(line)) : undefined;
  const [kind] = details.get('name')?.split('\n') ?? [];
  const error = details.get('error') ?? '';
  const message = printed ?? (kind === undefined ? error : `${kind}: ${error}`);
  const broken = details.has('exitCode') || details.get('type') === 'suite';
  return testResult(name, 'failed', { file, message, origin: scriptOrigin(details.get('stack') ?? ''), broken });
}
