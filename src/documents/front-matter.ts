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

/** The line end that most lines of a text have. */
export function lineEndOf(text: string): '\n' | '\r\n' {
  const [all, windows] = [text.split('\n').length - 1, text.split('\r\n').length - 1];
  return windows * 2 > all ? '\r\n' : '\n';
}

/**
 * Sets top-level fields of a document's front matter; every other byte stays as it is.
 * A value is what stands after the colon; one that starts with a line break is a nested block.
 */
export function setFrontFields(text: string, fields: Readonly<Record<string, string>>): string {
  const { front, body } = splitFrontMatter(text);
  const head = text.slice(0, text.length - body.length);
  const lineEnd = lineEndOf(text);
  const lines = front === null || front === '' ? [] : front.replace(/\n$/, '').split('\n');
  for (const [key, value] of Object.entries(fields)) setField(lines, key, value, lineEnd === '\n' ? '' : '\r');
  if (front === null)
    return `${head}---${lineEnd}${lines.join('\n')}\n---${lineEnd}${lineEnd}${body.replace(/^(?:\r?\n)+/, '')}`;
  const start = head.indexOf('\n') + 1;
  return `${head.slice(0, start)}${lines.join('\n')}\n${head.slice(start + front.length)}${body}`;
}

function setField(lines: string[], key: string, value: string, carriage: string): void {
  const field = (value.startsWith('\n') ? `${key}:${value}` : `${key}: ${value}`).split('\n');
  const written = field.map((line) => line + carriage);
  const start = lines.findIndex((line) => line.startsWith(`${key}:`));
  if (start === -1) lines.push(...written);
  else lines.splice(start, fieldEnd(lines, start) - start, ...written);
}

/** The index after the last line that belongs to the field: indented lines and list items at the margin. */
export function fieldEnd(lines: readonly string[], start: number): number {
  let end = start + 1;
  for (let at = end; at < lines.length; at++) {
    const line = (lines[at] ?? '').trimEnd();
    if (/^(?:[ \t]+[^\s#]|- |-$)/.test(line)) end = at + 1;
    else if (!/^\s*(?:#.*)?$/.test(line)) break;
  }
  return end;
}
