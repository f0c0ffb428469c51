/** `cargo test`: what libtest prints for every target. */

import { countOf, linesOf, testResult, type Origin, type OutputReader, type TestResult } from './test-result.ts';

export const readCargoOutput: OutputReader = (output) => {
  const targets = splitTargets(output);
  const read = targets.map(readTarget);
  return read.length === 0 || read.includes(null) ? null : read.flatMap((each) => each ?? []);
};

interface Target {
  readonly file: string | null;
  readonly lines: string[];
}

/** From `running 3 tests` to the next one; cargo names the source above it. */
function splitTargets(output: string): Target[] {
  const targets: Target[] = [];
  let file: string | null = null;
  for (const line of linesOf(output)) {
    const [, source] = /^ +Running (?:unittests )?(\S.*) \([^()]*\)$/.exec(line) ?? [];
    if (source !== undefined || /^ +Doc-tests /.test(line)) file = source ?? null;
    else if (/^running \d+ tests?$/.test(line)) targets.push({ file, lines: [] });
    else targets.at(-1)?.lines.push(line);
  }
  return targets;
}

const statuses = { ok: 'passed', FAILED: 'failed', ignored: 'skipped' } as const;
const isStatus = (word: string | undefined): word is keyof typeof statuses => word !== undefined && word in statuses;

/** Tests cannot add lines unseen: what they print comes after `failures:`, and the last line has the numbers. */
function readTarget({ file, lines }: Target): TestResult[] | null {
  const summary = lines.findLast((line) => line.startsWith('test result: '));
  const end = lines.findIndex((line) => line === 'failures:' || line === summary);
  const panics = panicsIn(lines.slice(end));
  const results = lines.slice(0, end === -1 ? 0 : end).flatMap((line) => {
    const [, title, word] = /^test (.+) \.\.\. (ok|FAILED|ignored)(?:$|, )/.exec(line) ?? [];
    if (title === undefined || !isStatus(word)) return [];
    const name = title.replace(/ - should panic$/, '');
    return [testResult(name, statuses[word], { file, ...(word === 'FAILED' && panics.get(name)) })];
  });
  const [, passed, failed] = /(\d+) passed; (\d+) failed; /.exec(summary ?? '') ?? [];
  const isAll = countOf('passed', results) === Number(passed) && countOf('failed', results) === Number(failed);
  return isAll ? results : null;
}

type Failure = Pick<TestResult, 'message' | 'origin'>;

function panicsIn(lines: readonly string[]): Map<string, Failure> {
  const blocks = new Map<string, string[]>();
  let block: string[] | undefined;
  for (const line of lines) {
    const [, name] = /^---- (.+) stdout ----$/.exec(line) ?? [];
    if (name !== undefined && !blocks.has(name)) blocks.set(name, (block = []));
    else block?.push(line);
  }
  return new Map([...blocks].map(([name, text]) => [name, failureIn(text)]));
}

/** A stub may panic in another thread than the test. */
function failureIn(lines: readonly string[]): Failure {
  const found = lines.flatMap((line, index) => {
    const [, file, row] = /^thread .+ panicked at (.+):(\d+):\d+:$/.exec(line) ?? [];
    if (file === undefined) return [];
    const rest = lines.slice(index + 1);
    const end = rest.findIndex((each) => each === '' || /^(?:stack backtrace:|note: |thread )/.test(each));
    const origin: Origin = { file, line: Number(row) };
    return [{ message: rest.slice(0, end === -1 ? undefined : end).join('\n'), origin }];
  });
  const stub = found.find(({ message }) => /^not yet implemented\b/.test(message));
  return stub ?? found[0] ?? { message: lines.join('\n'), origin: null };
}
