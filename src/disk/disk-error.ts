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

export function failure(code: string, call: string, path: string): Error {
  return Object.assign(new Error(`${code}: ${call} '${path}'`), { code, syscall: call, path });
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
