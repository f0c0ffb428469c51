/** Specs are named by their path below a folder of specs, without `.md`. */

export function specName(path: string): string {
  return path
    .trim()
    .replace(/^(?:.*\/)?specs\//, '')
    .replace(/^\.?\/+/, '')
    .replace(/\.md$/, '');
}

/** The one of these names that somebody means who may leave out its folder, or begin further up. */
export function specMeant(said: string, names: Iterable<string>): string | undefined {
  const name = specName(said);
  const close: string[] = [];
  for (const each of names) {
    if (each === name) return each;
    if (each.endsWith(`/${name}`) || name.endsWith(`/${each}`)) close.push(each);
  }
  return close.length === 1 ? close[0] : undefined;
}
