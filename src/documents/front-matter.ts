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
