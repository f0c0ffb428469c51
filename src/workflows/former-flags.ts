/** Flags that machines of earlier versions named otherwise, by workflow: their journals stay readable. */
export const formerFlags: Readonly<Record<string, Readonly<Record<string, FormerFlag>>>> = {
  session: { course: { name: 'mode' }, owed: { name: 'pending_reviews', values: { nothing: 'none' } } },
};

interface FormerFlag {
  readonly name: string;
  /** Former value → value, where they differ. */
  readonly values?: Readonly<Record<string, string>>;
}
