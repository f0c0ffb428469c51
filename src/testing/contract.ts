/** A promise that everything behind a port keeps, in a form that every test runner takes. */
export interface Contract {
  readonly name: string;
  /** Throws, or rejects, when the promise is broken. */
  check(): void | Promise<void>;
}

/** Throws the message of a failed check. */
export function must(holds: boolean, what: string): asserts holds {
  if (!holds) throw new Error(what);
}
