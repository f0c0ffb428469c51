/** A place in a document. `line` counts from 1; null where no single line is to blame. */
export interface Where {
  readonly file: string;
  readonly line: number | null;
}

/** A document that cannot be read as what it should be. Trying again is pointless: a person or the author mends the file. */
export class DocumentError extends Error {
  override readonly name = 'DocumentError';
  readonly code = 'InvalidDocument';
  readonly file: string;
  readonly line: number | null;
  readonly problem: string;
  readonly expected: string;
  readonly more: readonly string[];
  readonly fix: string;

  /** `more`: what else is wrong in it, a line each. */
  constructor(
    where: Where,
    problem: string,
    expected: string,
    { more = [], fix, ...options }: { cause?: unknown; more?: readonly string[]; fix?: string } = {},
  ) {
    super([sentence(where, problem, expected), ...more].join('\n'), options);
    this.file = where.file;
    this.line = where.line;
    this.problem = problem;
    this.expected = expected;
    this.more = more;
    this.fix = fix ?? `edit ${where.file}${where.line === null ? '' : `, line ${where.line}`}`;
  }
}

export function sentence(where: Where, problem: string, expected: string): string {
  return `${placeName(where)}: ${problem}; expected ${expected}`;
}

export function placeName({ file, line }: Where): string {
  return line === null ? file : `${file}:${line}`;
}

/** The line of an offset in a text, counted from 1. */
export function lineAt(text: string, offset: number): number {
  let line = 1;
  for (let at = text.indexOf('\n'); at !== -1 && at < offset; at = text.indexOf('\n', at + 1)) line++;
  return line;
}

/** What is read, or the error that says why it cannot be: for callers who know what to do then. */
export function attempt<T>(read: () => T): T | DocumentError {
  try {
    return read();
  } catch (error) {
    if (error instanceof DocumentError) return error;
    throw error;
  }
}
