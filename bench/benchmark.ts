/** A benchmark and what it finds. */

export interface Benchmark {
  /** As given on the command line. */
  readonly name: string;
  readonly about: string;
  measure(): Promise<readonly Measured[]>;
}

export interface Measured {
  readonly what: string;
  readonly unit: string;
  /** What it is compared with. */
  readonly baseline: number;
  readonly subject: number;
  readonly ratio: number;
  /** Half the distance between the quartiles of the rounds' ratios, as a part of the ratio. */
  readonly spread: number;
  /** Null where nothing was promised. */
  readonly ratioMax: number | null;
  /** How much more than the baseline it may be, where that was promised instead. */
  readonly moreMax?: number;
}
