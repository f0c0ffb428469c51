/** Columns for people: as wide as their widest cell, two spaces apart, no trailing spaces. */
export function table(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const shown = [header, ...rows].map((row) => row.map(printable));
  const widths = header.map((_, column) => shown.reduce((widest, row) => Math.max(widest, row[column]?.length ?? 0), 0));
  return shown
    .map((row) => `${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ').trimEnd()}\n`)
    .join('');
}

// oxlint-disable-next-line no-control-regex -- finding control characters is the point
const CONTROL = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g;

/** One line that cannot steer a terminal, whoever wrote it. */
export function printable(text: string): string {
  return text.replaceAll(CONTROL, ' ');
}

export function cut(text: string, charsMax: number): string {
  const line = printable(text).trim();
  return line.length > charsMax ? `${line.slice(0, charsMax - 1)}…` : line;
}
