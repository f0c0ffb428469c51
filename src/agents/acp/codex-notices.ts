/**
 * What Codex tells beside the protocol. It ends a turn that failed as if all were well, and it waits for the end of a
 * limit for as long as its model's interface says, be it hours: only here it can be seen.
 */

import { inner, numbers, texts } from '../json-line.ts';

export interface Notice {
  /** What went wrong, in its words. */
  readonly problem: string | null;
  /** It has given the turn up. */
  readonly failed: boolean;
  /** It is waiting for the end of a limit. */
  readonly limited: boolean;
}

const tooManyRequests = 429;

/** Null for an update of any other agent. */
export function codexNotice(update: Readonly<Record<string, unknown>>): Notice | null {
  const told = inner(update, '_meta', 'codex');
  const error = inner(told, 'error');
  const problem = texts(error['additionalDetails']) ?? texts(error['message']);
  const failed = inner(told, 'threadStatus')['type'] === 'systemError';
  if (problem === null && !failed) return null;
  const statuses = Object.values(inner(error, 'codexErrorInfo')).map((info) => numbers(inner(info)['httpStatusCode']));
  return { problem, failed, limited: statuses.includes(tooManyRequests) };
}
