/** The rest of all symbolic budgets as one number, a code: each budget is a digit, the last one the lowest. */

import type { PathGraph, StepKind } from './path-graph.ts';

export const closed = -1;
export const endless = -2;

export interface Codes {
  readonly size: number;
  readonly start: number;
  /** By kind and code as one number: the code after it, `closed` or `endless`. */
  readonly after: Int32Array;
  /** By class: where in `reduced` its codes begin, each with none left of the budgets that make no difference there. */
  readonly rowOf: Int32Array;
  readonly reduced: Int32Array;
}

export function codesOf({ kinds, classes }: PathGraph, limits: readonly number[], left: readonly number[]): Codes {
  // A person may add one where the limit is none, and one more to what there is.
  const above = limits.map((limit, at) => Math.max(limit, left[at] ?? 0, 1) + 2);
  const size = above.reduce((product, each) => product * each, 1);
  const after = new Int32Array(kinds.length * size);
  for (const [at, kind] of kinds.entries())
    for (let code = 0; code < size; code += 1) after[at * size + code] = codeAfter(kind, code, limits, above);
  const all = [...new Set(classes.reads)];
  const rowOf = classes.reads.map((reads) => all.indexOf(reads) * size);
  const reduced = new Int32Array(all.length * size);
  for (const [row, reads] of all.entries())
    for (let code = 0; code < size; code += 1) reduced[row * size + code] = reducedCode(code, above, reads);
  return { size, start: above.reduce((code, each, at) => code * each + (left[at] ?? 0), 0), after, rowOf, reduced };
}

/** A class and a code as one number, with as little in the code as makes a difference there. */
export function placeOf({ size, rowOf, reduced }: Codes, at: number, code: number): number {
  return at * size + (reduced[(rowOf[at] ?? 0) + code] ?? code);
}

function codeAfter(kind: StepKind, code: number, limits: readonly number[], above: readonly number[]): number {
  let rest = code;
  let after = 0;
  let isEndless = false;
  for (let at = above.length - 1, unit = 1; at >= 0; at -= 1) {
    const radix = above[at] ?? 1;
    const limit = limits[at] ?? 0;
    const count = rest % radix;
    const need = kind.needs[at] ?? null;
    if (need !== null && need !== count > 0) return closed;
    const { renewed = false, filled = false, plus = 0 } = kind.effects[at] ?? {};
    const before = renewed ? limit : count;
    const next = Math.max(0, (filled ? Math.max(before, limit, 1) : before) + plus);
    isEndless ||= next >= radix;
    after += next * unit;
    unit *= radix;
    rest = Math.floor(rest / radix);
  }
  return isEndless ? endless : after;
}

function reducedCode(code: number, above: readonly number[], reads: number): number {
  let rest = code;
  let reduced = 0;
  for (let at = above.length - 1, unit = 1; at >= 0; at -= 1) {
    const radix = above[at] ?? 1;
    if ((reads >> at) & 1) reduced += (rest % radix) * unit;
    unit *= radix;
    rest = Math.floor(rest / radix);
  }
  return reduced;
}
