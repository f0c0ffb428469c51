import { splitFrontMatter } from './front-matter.ts';

/**
 * Sets top-level fields of a document's front matter; every other line, and the body, stay as they are.
 * A value is what stands after the colon; one that starts with a line break is a nested block.
 */
export function setFrontFields(text: string, fields: Readonly<Record<string, string>>): string {
  const { front, body } = splitFrontMatter(text);
  const lines = front === null || front === '' ? [] : front.replace(/\n$/, '').split('\n');
  for (const [key, value] of Object.entries(fields)) setField(lines, key, value);
  const rest = front === null ? `\n${body.replace(/^\n+/, '')}` : body;
  return `---\n${lines.join('\n')}\n---\n${rest}`;
}

function setField(lines: string[], key: string, value: string): void {
  const field = value.startsWith('\n') ? `${key}:${value}` : `${key}: ${value}`;
  const start = lines.findIndex((line) => line.startsWith(`${key}:`));
  if (start === -1) lines.push(...field.split('\n'));
  else lines.splice(start, fieldEnd(lines, start) - start, ...field.split('\n'));
}

/** The index after the last line that belongs to the field: indented lines and list items at the margin. */
export function fieldEnd(lines: readonly string[], start: number): number {
  let end = start + 1;
  for (let at = end; at < lines.length; at++) {
    const line = lines[at] ?? '';
    if (/^(?:[ \t]+[^\s#]|- |-$)/.test(line)) end = at + 1;
    else if (!/^\s*(?:#.*)?$/.test(line)) break;
  }
  return end;
}
