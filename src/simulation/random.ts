/**
 * Chance that can be repeated: xoshiro128** 1.1 (Blackman and Vigna), its state filled by SplitMix64 as they advise.
 * Integer arithmetic only, so a seed gives the same numbers on every machine.
 */

export class Random {
  #a: number;
  #b: number;
  #c: number;
  #d: number;

  /** Four words, not all zero. */
  constructor(words: readonly [number, number, number, number]) {
    [this.#a, this.#b, this.#c, this.#d] = words;
  }

  uint32(): number {
    const result = Math.imul(rotated(Math.imul(this.#b, 5), 7), 9) >>> 0;
    const shifted = this.#b << 9;
    this.#c ^= this.#a;
    this.#d ^= this.#b;
    this.#b ^= this.#c;
    this.#a ^= this.#d;
    this.#c ^= shifted;
    this.#d = rotated(this.#d, 11);
    return result;
  }

  /** From 0 up to, but not, 1. */
  fraction(): number {
    return this.uint32() / 2 ** 32;
  }
}

/** Sources of chance that do not disturb one another: what one is asked changes nothing of the next. */
export function randomsOf(seed: number, count: number): Random[] {
  const next = splitMix64(BigInt(seed));
  return Array.from({ length: count }, () => {
    const [first, second] = [next(), next()];
    return new Random([low(first), low(first >> 32n), low(second), low(second >> 32n)]);
  });
}

export function splitMix64(seed: bigint): () => bigint {
  let state = BigInt.asUintN(64, seed);
  return () => {
    state = BigInt.asUintN(64, state + 0x9e3779b97f4a7c15n);
    let mixed = BigInt.asUintN(64, (state ^ (state >> 30n)) * 0xbf58476d1ce4e5b9n);
    mixed = BigInt.asUintN(64, (mixed ^ (mixed >> 27n)) * 0x94d049bb133111ebn);
    return mixed ^ (mixed >> 31n);
  };
}

function rotated(word: number, by: number): number {
  return (word << by) | (word >>> (32 - by));
}

function low(word: bigint): number {
  return Number(BigInt.asIntN(32, word));
}
