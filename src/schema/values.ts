/** Helpers for reading values of unknown type. */

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Reads any case, `-` and space for `_`; returns the word as the list spells it. */
export function findWord<W extends string>(value: unknown, words: readonly W[]): W | undefined {
  if (typeof value !== 'string') return undefined;
  const asSpelled = words.find((word) => word === value);
  if (asSpelled !== undefined) return asSpelled;
  const folded = fold(value);
  return words.find((word) => fold(word) === folded);
}

function fold(word: string): string {
  return word
    .trim()
    .toLowerCase()
    .replaceAll(/[\s-]+/g, '_');
}

/** Without the characters at its end that fit. A regular expression would try again at each of them: quadratic. */
export function withoutEnd(text: string, character: RegExp): string {
  let end = text.length;
  while (end > 0 && character.test(text.charAt(end - 1))) end -= 1;
  return text.slice(0, end);
}

const shownCharsMax = 60;

/** A value in a message: as JSON, cut where it is long. */
export function shown(value: unknown): string {
  if (value === undefined) return 'missing';
  const text = typeof value === 'number' ? String(value) : (JSON.stringify(value) ?? typeof value);
  if (text.length <= shownCharsMax) return text;
  return `${text.slice(0, shownCharsMax)}…${typeof value === 'string' ? '"' : ''}`;
}

/** Whether two plain values are equal, whatever the order of keys. */
export function sameValue(a: unknown, b: unknown): boolean {
  if (Array.isArray(a))
    return Array.isArray(b) && a.length === b.length && a.every((item, index) => sameValue(item, b[index]));
  if (!isRecord(a) || !isRecord(b)) return Object.is(a, b);
  const keys = Object.keys(a);
  return (
    keys.length === Object.keys(b).length && keys.every((key) => Object.hasOwn(b, key) && sameValue(a[key], b[key]))
  );
}
