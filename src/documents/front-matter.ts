/** A Markdown document cut at its front matter. Lines count from 1 in the whole text. */
export interface FrontMatter {
  /** The YAML between the two `---` lines; null when there is none or it is never closed. */
  readonly front: string | null;
  readonly frontLine: number;
  readonly body: string;
  readonly bodyLine: number;
}

/** Splits without interpreting: a BOM is dropped, CRLF is tolerated, the body is the rest of the text as it is. */
export function splitFrontMatter(text: string): FrontMatter {
  const start = text.charCodeAt(0) === 0xfeff ? 1 : 0;
  const whole = { front: null, frontLine: 1, body: text.slice(start), bodyLine: 1 };
  const open = lineEnd(text, start);
  if (!isFence(text, start, open)) return whole;
  let line = 2;
  for (let at = open + 1; at < text.length; line++) {
    const end = lineEnd(text, at);
    if (isFence(text, at, end)) {
      return { front: text.slice(open + 1, at), frontLine: 2, body: text.slice(end + 1), bodyLine: line + 1 };
    }
    at = end + 1;
  }
  return whole;
}

function lineEnd(text: string, from: number): number {
  const end = text.indexOf('\n', from);
  return end === -1 ? text.length : end;
}

function isFence(text: string, from: number, to: number): boolean {
  return text.startsWith('---', from) && text.slice(from + 3, to).trim() === '' && to >= from + 3;
}

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
