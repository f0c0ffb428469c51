import { placeName, type DocumentError } from './document-error.ts';

export const SEVERITIES = ['High', 'Medium', 'Low'] as const;
export type Severity = (typeof SEVERITIES)[number];

/** Something wrong in a document that can still be read. */
export interface Finding {
  /** Stable, kebab-case. */
  readonly code: string;
  /** Relative to the workspace. */
  readonly path: string;
  /** Counts from 1 in the file; null where no single line is to blame. */
  readonly line: number | null;
  readonly message: string;
  /** What to do about it. */
  readonly fix: string;
  /** High blocks; the others are shown. A finding without a severity blocks. */
  readonly severity?: Severity;
}

/** Collects what is found in one document, in the order in which it is found. */
export class Reporter {
  readonly findings: Finding[];
  readonly #path: string;

  constructor(path: string, findings: Finding[] = []) {
    this.#path = path;
    this.findings = findings;
  }

  high(code: string, line: number | null, message: string, fix: string): void {
    this.findings.push({ code, path: this.#path, line, message, fix, severity: 'High' });
  }

  medium(code: string, line: number | null, message: string, fix: string): void {
    this.findings.push({ code, path: this.#path, line, message, fix, severity: 'Medium' });
  }

  low(code: string, line: number | null, message: string, fix: string): void {
    this.findings.push({ code, path: this.#path, line, message, fix, severity: 'Low' });
  }
}

export function isBlocking({ severity = 'High' }: Finding): boolean {
  return severity === 'High';
}

/** A document that cannot be read. */
export function unreadable({ file, line, problem, expected, more }: DocumentError): Finding {
  return { code: 'unreadable', path: file, line, message: problem, fix: [`expected ${expected}`, ...more].join('\n') };
}

/** One line, for people and for models. */
export function findingText({ severity, path, line, message, fix }: Finding): string {
  return `${severity === undefined ? '' : `${severity}, `}${placeName({ file: path, line })}: ${message}; ${fix}`;
}
