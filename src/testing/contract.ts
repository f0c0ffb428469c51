/** A promise that everything behind a port keeps, in a form that every test runner takes. */
export interface Contract {
  readonly name: string;
  /** Throws, or rejects, when the promise is broken. */
  check(): void | Promise<void>;
}

/** What a failed check says. */
export function must(holds: boolean, what: string): asserts holds {
  if (!holds) throw new Error(what);
}
