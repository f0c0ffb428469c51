/** The line of a top-level key of YAML, found without a parser; null where no line begins with it. */
export function keyLine(text: string, key: string | number | undefined, firstLine = 1): number | null {
  const index = text.split('\n').findIndex((line) => line.startsWith(`${key}:`) || line.startsWith(`"${key}":`));
  return index === -1 ? null : firstLine + index;
}
