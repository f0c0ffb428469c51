/** The distribution of many numbers. */

export interface Distribution {
  readonly mean: number;
  readonly least: number;
  readonly median: number;
  /** Nine of ten are no larger. */
  readonly p90: number;
  readonly most: number;
  readonly histogram: readonly Bar[];
}

/** Counts the numbers from `from` on and below `below`; the last bar has no upper end where a thin tail follows. */
export interface Bar {
  readonly from: number;
  readonly below: number | null;
  readonly count: number;
}

const barsMax = 14;
/** Numbers beyond this share go into one last bar, so that a thin tail does not flatten the rest. */
const tailShare = 0.98;

/** Sorts the numbers in place. There must be some. */
export function distributionOf(numbers: Float64Array, { whole }: { readonly whole: boolean }): Distribution {
  numbers.sort();
  const at = (share: number): number => numbers[Math.max(0, Math.ceil(share * numbers.length) - 1)] ?? 0;
  let sum = 0;
  for (const number of numbers) sum += number;
  const [least, most] = [at(0), at(1)];
  const mean = sum / numbers.length;
  return { mean, least, median: at(0.5), p90: at(0.9), most, histogram: histogramOf(numbers, at(tailShare), whole) };
}

function histogramOf(sorted: Float64Array, tailFrom: number, whole: boolean): Bar[] {
  const least = sorted[0] ?? 0;
  const most = sorted.at(-1) ?? 0;
  const width = widthOf(tailFrom - least, whole);
  const first = Math.floor(least / width);
  const last = Math.floor(tailFrom / width);
  const counts = Array.from({ length: last - first + 2 }, () => 0);
  for (const number of sorted) {
    const bar = Math.min(Math.floor(number / width), last + 1) - first;
    counts[bar] = (counts[bar] ?? 0) + 1;
  }
  const beyond = most >= (last + 1) * width;
  return counts.slice(0, beyond ? undefined : -1).map((count, index) => ({
    from: tidy((first + index) * width),
    below: index === counts.length - 1 ? null : tidy((first + index + 1) * width),
    count,
  }));
}

/** 1, 2 or 5 times a power of ten, the first that makes few enough bars. */
function widthOf(range: number, whole: boolean): number {
  let power = whole ? 1 : smallestWidth;
  for (;;) {
    for (const step of [1, 2, 5]) if (range / (step * power) < barsMax - 2) return tidy(step * power);
    power *= 10;
  }
}

/** A hundredth of a cent; in milliseconds a ten-thousandth of one. */
const smallestWidth = 0.0001;

/** Multiples of a decimal fraction without the dust of binary ones. */
function tidy(value: number): number {
  return Number(value.toPrecision(12));
}
