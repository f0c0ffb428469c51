/** What a test runner said of one test. */

export interface TestResult {
  /** Titles or modules around it included. */
  readonly name: string;
  /** As the runner names it; null where it does not. */
  readonly file: string | null;
  readonly status: 'passed' | 'failed' | 'skipped';
  /** Of a failure: the error's class and message. */
  readonly message: string;
  /** Of a failure: the place that raised the error, a path as the runner shows it. */
  readonly origin: { readonly file: string; readonly line: number } | null;
  /** A file or group of tests that could not be loaded or set up. */
  readonly broken: boolean;
}

export type Status = TestResult['status'];
export type Origin = TestResult['origin'];

/** Null: the output is not in this format, or not all of it is there. */
export type OutputReader = (output: string) => TestResult[] | null;

export function testResult(name: string, status: Status, details: Partial<TestResult> = {}): TestResult {
  const { message = '', ...others } = details;
  const text = message.trim().slice(0, messageCharsMax);
  return { name, status, file: null, origin: null, broken: false, ...others, message: text };
}

const messageCharsMax = 2_000;

/** Long lines are cut: they are no runner's own, and reading one may take time in proportion to its square. */
export function linesOf(output: string): string[] {
  return output.split('\n').map((line) => line.slice(0, lineCharsMax));
}

const lineCharsMax = 1_000;

/** The innermost frame of a JavaScript stack that is neither Node's nor a package's. */
export function scriptOrigin(stack: string): Origin {
  for (const line of linesOf(stack)) {
    const [, file, row] = /^(?:at )?(?:[^(]*\()?([^()]+):(\d+):\d+\)?$/.exec(line.trim()) ?? [];
    if (file === undefined || /^node:|[\\/]node_modules[\\/]|^internal[\\/]/.test(file)) continue;
    return { file: file.replace(/^async /, '').replace(/^file:\/\//, ''), line: Number(row) };
  }
  return null;
}

export function countOf(status: Status, results: readonly TestResult[]): number {
  return results.filter((each) => each.status === status).length;
}
