/** A number that grows with the work: a constant and so much for each item of a list. */
export interface Formula {
  readonly constant: number;
  readonly perItem: Readonly<Record<string, number>>;
}

/**
 * Fits a formula to a measure of list sizes, and never below it: exactly where it grows evenly; where it grows less
 * and less, or begins to grow only from some size on, as it grows in the end. Undefined where it grows more and more.
 */
export function fitFormula(
  lists: readonly string[],
  measure: (sizes: Readonly<Record<string, number>>) => number,
  sizeMax: number,
): Formula | undefined {
  const all = (size: number): Record<string, number> => Object.fromEntries(lists.map((list) => [list, size]));
  const perItem: Record<string, number> = {};
  for (const list of lists) {
    const at = (size: number): number => measure({ ...all(1), [list]: size });
    const [first, last] = [at(2) - at(1), at(sizeMax) - at(sizeMax - 1)];
    // One that counts for nothing at first is only outweighed by another while both are small.
    if (last - first > dust && first > dust) return undefined;
    perItem[list] = last;
  }
  const constants = Array.from(
    { length: sizeMax },
    (_, at) => measure(all(at + 1)) - valueOf({ constant: 0, perItem }, all(at + 1)),
  );
  const [before = 0, end = before] = constants.slice(-2);
  return end - before > dust ? undefined : { constant: Math.max(...constants), perItem };
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
