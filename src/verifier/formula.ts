import { remembered } from './pairs.ts';

/** A number that grows with the work: a constant and so much for each item of a list. */
export interface Formula {
  readonly constant: number;
  readonly perItem: Readonly<Record<string, number>>;
}

export type Sizes = Readonly<Record<string, number>>;

/**
 * Fits formulas to measures of list sizes, and never below them: exactly where one grows evenly; where it grows less
 * and less, or begins to grow only from some size on, as it grows in the end. Undefined where it grows more and more.
 * Everything that has a label is measured together, for the same few sizes.
 */
export function fitFormulas(
  lists: readonly string[],
  sizeMax: number,
  measure: (sizes: Sizes) => (label: string) => number,
): (label: string) => Formula | undefined {
  const known = new Map<string, (label: string) => number>();
  const at = (sizes: Sizes): ((label: string) => number) =>
    remembered(known, Object.values(sizes).join(), () => measure(sizes));
  const all = Array.from({ length: sizeMax }, (_, index) => Object.fromEntries(lists.map((list) => [list, index + 1])));
  return (label) => {
    const perItem: Record<string, number> = {};
    for (const list of lists) {
      const alone = [1, 2, sizeMax - 1, sizeMax].map((size) => at({ ...all[0], [list]: size })(label));
      const [one = 0, two = 0, before = 0, end = 0] = alone;
      // One that counts for nothing at first is only outweighed by another while both are small.
      if (end - before - (two - one) > dust && two - one > dust) return undefined;
      perItem[list] = end - before;
    }
    const constants = all.map((sizes) => at(sizes)(label) - valueOf({ constant: 0, perItem }, sizes));
    const [before = 0, end = before] = constants.slice(-2);
    return end - before > dust ? undefined : { constant: Math.max(...constants), perItem };
  };
}

/** Of binary fractions that should be the same. */
const dust = 1e-9;

export function valueOf({ constant, perItem }: Formula, sizes: Sizes): number {
  return Object.entries(perItem).reduce((sum, [list, each]) => sum + each * (sizes[list] ?? 0), constant);
}

/** The same where the sizes of some lists are known. */
export function withSizes({ constant, perItem }: Formula, sizes: Sizes): Formula {
  const [known, open] = [true, false].map((isKnown) =>
    Object.fromEntries(Object.entries(perItem).filter(([list]) => Object.hasOwn(sizes, list) === isKnown)),
  );
  return { constant: valueOf({ constant, perItem: known ?? {} }, sizes), perItem: open ?? {} };
}

/** The sum of formulas, each so many times. */
export function addFormulas(terms: readonly (readonly [times: number, formula: Formula])[]): Formula {
  const perItem: Record<string, number> = {};
  let constant = 0;
  for (const [times, formula] of terms) {
    constant += times * formula.constant;
    for (const [list, each] of Object.entries(formula.perItem)) perItem[list] = (perItem[list] ?? 0) + times * each;
  }
  return { constant, perItem };
}

/** `11 + 2·specs`. */
export function formulaText({ constant, perItem }: Formula, show: (amount: number) => string = String): string {
  const parts = Object.entries(perItem)
    .filter(([, each]) => each !== 0)
    .map(([list, each]) => (each === 1 && show(1) === '1' ? list : `${show(each)}·${list}`));
  const whole = constant !== 0 || parts.length === 0 ? [show(constant), ...parts] : parts;
  return whole.join(' + ').replaceAll('+ -', '- ');
}
