/**
 * Comparing two things on a machine that does other things too.
 *
 * O1. Baseline and subject take turns, so that what slows the machine slows both.
 * O2. Each round gives one ratio; the median counts, and rounds go on until the ratios agree or there were enough.
 */

export interface Compared {
  readonly baseline: number;
  readonly subject: number;
  readonly ratio: number;
  readonly spread: number;
}

const roundsMin = 5;
const roundsMax = 15;
const spreadWanted = 0.03;

/** Both return what they cost, in the same unit. */
export function compare(baseline: () => number, subject: () => number): Compared {
  baseline();
  subject();
  const baselines: number[] = [];
  const subjects: number[] = [];
  for (;;) {
    baselines.push(baseline());
    subjects.push(subject());
    const found = summarize(baselines, subjects);
    if (subjects.length >= roundsMax || (subjects.length >= roundsMin && found.spread <= spreadWanted)) return found;
  }
}

/** Of costs taken in turns. */
export function summarize(baselines: readonly number[], subjects: readonly number[]): Compared {
  const ratios = subjects.map((subject, round) => subject / (baselines[round] ?? Number.NaN));
  const ratio = median(ratios);
  const spread = (quantile(ratios, 0.75) - quantile(ratios, 0.25)) / 2 / ratio;
  return { baseline: median(baselines), subject: median(subjects), ratio, spread };
}

/** The time one call takes, as the median of several: an interrupted one does not count. */
export function medianMs(times: number, call: () => void): number {
  return median(
    Array.from({ length: times }, () => {
      const begin = performance.now();
      call();
      return performance.now() - begin;
    }),
  );
}

export function median(values: readonly number[]): number {
  return quantile(values, 0.5);
}

function quantile(values: readonly number[], part: number): number {
  const sorted = values.toSorted((left, right) => left - right);
  const at = part * (sorted.length - 1);
  const below = sorted[Math.floor(at)] ?? Number.NaN;
  const above = sorted[Math.ceil(at)] ?? Number.NaN;
  return below + (above - below) * (at - Math.floor(at));
}
