/** A number that grows with the work: a constant and so much for each item of a list. */
export interface Formula {
  readonly constant: number;
  readonly perItem: Readonly<Record<string, number>>;
}

type Sizes = Readonly<Record<string, number>>;

/** As a fitter does, once. */
export function fitFormula(
  lists: readonly string[],
  measure: (sizes: Sizes) => number,
  sizeMax: number,
): Formula | undefined {
  return formulaFitter(lists, sizeMax)(measure);
}

/**
 * Fits a formula to a measure of list sizes, and never below it: exactly where it grows evenly; where it grows less
 * and less, or begins to grow only from some size on, as it grows in the end. Undefined where it grows more and more.
 * Whatever is measured, it is asked for the same few sizes.
 */
export function formulaFitter(
  lists: readonly string[],
  sizeMax: number,
): (measure: (sizes: Sizes) => number) => Formula | undefined {
  const known = new Map<string, Sizes>();
  const once = (sizes: Sizes): Sizes => {
    const key = Object.values(sizes).join();
    known.set(key, known.get(key) ?? sizes);
    return known.get(key) ?? sizes;
  };
  const all = Array.from({ length: sizeMax }, (_, at) => once(Object.fromEntries(lists.map((list) => [list, at + 1]))));
  const alone = lists.map((list) => [1, 2, sizeMax - 1, sizeMax].map((size) => once({ ...all[0], [list]: size })));
  return (measure) => {
    const perItem: Record<string, number> = {};
    for (const [at, list] of lists.entries()) {
      const [one = 0, two = 0, before = 0, end = 0] = (alone[at] ?? []).map(measure);
      // One that counts for nothing at first is only outweighed by another while both are small.
      if (end - before - (two - one) > dust && two - one > dust) return undefined;
      perItem[list] = end - before;
    }
    const constants = all.map((sizes) => measure(sizes) - valueOf({ constant: 0, perItem }, sizes));
    const [before = 0, end = before] = constants.slice(-2);
    return end - before > dust ? undefined : { constant: Math.max(...constants), perItem };
  };
}

/** Of binary fractions that should be the same. */
const dust = 1e-9;

export function valueOf({ constant, perItem }: Formula, sizes: Readonly<Record<string, number>>): number {
  return constant + sumOf(Object.entries(perItem).map(([list, each]) => each * (sizes[list] ?? 0)));
}

export function addFormulas(formulas: readonly Formula[]): Formula {
  const perItem: Record<string, number> = {};
  for (const formula of formulas)
    for (const [list, each] of Object.entries(formula.perItem)) perItem[list] = (perItem[list] ?? 0) + each;
  return { constant: sumOf(formulas.map(({ constant }) => constant)), perItem };
}

/** `11 + 2·specs`. */
export function formulaText({ constant, perItem }: Formula, show: (amount: number) => string = String): string {
  const parts = Object.entries(perItem)
    .filter(([, each]) => each !== 0)
    .map(([list, each]) => (each === 1 && show(1) === '1' ? list : `${show(each)}·${list}`));
  const whole = constant !== 0 || parts.length === 0 ? [show(constant), ...parts] : parts;
  return whole.join(' + ').replaceAll('+ -', '- ');
}

function sumOf(numbers: readonly number[]): number {
  return numbers.reduce((sum, number) => sum + number, 0);
}
