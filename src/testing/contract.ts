/** A promise that everything behind a port keeps, in a form that every test runner takes. */
export interface Contract {
  readonly name: string;
  /** Throws, or rejects, when the promise is broken. */
  check(): void | Promise<void>;
}

/** The checks of a subject, by what each of them promises. */
export type Promises<S> = Readonly<Record<string, (subject: S) => void | Promise<void>>>;

export function contractsOf<S>(name: string, promises: Promises<S>, subject: () => S): readonly Contract[] {
  return Object.entries(promises).map(([what, check]) => ({ name: `${name}: ${what}`, check: () => check(subject()) }));
}

/** Throws the message of a failed check. */
export function must(holds: boolean, what: string): asserts holds {
  if (!holds) throw new Error(what);
}
