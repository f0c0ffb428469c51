/** `--since`: a date, a time, or how long ago. */

import { usageError } from './problem.ts';

const unitMs: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 };

/** Null where it is not given. */
export function sinceMs(since: string | true | undefined, nowMs: number): number | null {
  if (typeof since !== 'string') return null;
  const [, amount, unit = ''] = /^(\d{1,5})([mhdw])$/.exec(since) ?? [];
  if (amount !== undefined) return nowMs - Number(amount) * (unitMs[unit] ?? 0);
  const isDate = /^\d{4}-\d{2}-\d{2}$/.test(since);
  const isTime = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}/.test(since);
  // A date begins where the person is.
  const ms = isDate || isTime ? Date.parse(isDate ? `${since}T00:00` : since) : Number.NaN;
  if (!Number.isNaN(ms)) return ms;
  throw usageError(`--since is ${JSON.stringify(since)}`, 'use a date such as 2026-05-01, or 30m, 12h, 3d or 2w');
}
