/** Errors of a file system. */

/** Nothing is there, or nothing can be below it. */
export function isMissing(error: unknown): boolean {
  const code = codeOf(error);
  return code === 'ENOENT' || code === 'ENOTDIR';
}

/** The code of an error, or a word for those that have none. */
export function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : 'unknown';
}

/** Without a stack, as Node's own: looking for a file that is not there is common, and a stack costs more than the look. */
export function failure(code: string, call: string, path: string): Error {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 0;
  const error = new Error(`${code}: ${call} '${path}'`);
  Error.stackTraceLimit = stackTraceLimit;
  return Object.assign(error, { code, syscall: call, path });
}

/** Undefined when nothing is there. */
export function unlessMissing<T>(look: () => T): T | undefined {
  try {
    return look();
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

/** For what may fail and does no harm then. */
export function orElse<T, U>(otherwise: U, attempt: () => T): T | U {
  try {
    return attempt();
  } catch {
    return otherwise;
  }
}
