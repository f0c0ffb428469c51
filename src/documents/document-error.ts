/** A place in a document. `line` counts from 1; null where no single line is to blame. */
export interface Where {
  readonly file: string;
  readonly line: number | null;
}

/** A document that cannot be read as what it should be. Trying again is pointless: a person or the author mends the file. */
export class DocumentError extends Error {
  override readonly name = 'DocumentError';
  readonly code = 'document';
  readonly file: string;
  readonly line: number | null;
  readonly expected: string;

  constructor(where: Where, problem: string, expected: string, options?: { readonly cause?: unknown }) {
    const place = where.line === null ? where.file : `${where.file}:${where.line}`;
    super(`${place}: ${problem}; expected ${expected}`, options);
    this.file = where.file;
    this.line = where.line;
    this.expected = expected;
  }
}
