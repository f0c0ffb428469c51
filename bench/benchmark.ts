/** A benchmark and what it finds. */

export interface Benchmark {
  /** As given on the command line. */
  readonly name: string;
  readonly about: string;
  measure(): Promise<readonly Measured[]>;
}

export interface Measured {
  readonly what: string;
  /** The figure with its unit. */
  readonly measured: string;
  /** What it is compared with, in the same unit. */
  readonly baseline: string;
  readonly ratio: number;
  /** Half the distance between the quartiles of the rounds' ratios, as a part of the ratio. */
  readonly spread: number;
  readonly ratioMax: number;
}
