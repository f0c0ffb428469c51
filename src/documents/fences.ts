/** A fenced code block. `start` and `end` are the indices of its two marker lines. */
export interface Fence {
  /** The first word after the marker, in lower case; empty when there is none. */
  readonly language: string;
  readonly start: number;
  /** The number of lines when the fence is never closed, as in CommonMark. */
  readonly end: number;
}

/** All fences from line index `from` on, in order. */
export function readFences(lines: readonly string[], from = 0): Fence[] {
  const fences: Fence[] = [];
  for (let start = from; start < lines.length; start++) {
    const line = lines[start] ?? '';
    if (!mayBeFence(line)) continue;
    const [, marks = '', info = ''] = FENCE.exec(line) ?? [];
    if (marks === '' || (marks.startsWith('`') && info.includes('`'))) continue;
    const end = closingLine(lines, start + 1, marks);
    fences.push({ language: /^[^\s{]*/.exec(info.trim())?.[0].toLowerCase() ?? '', start, end });
    start = end;
  }
  return fences;
}

const FENCE = /^ {0,3}(`{3,}|~{3,})(.*)$/s;

const SPACE = 32;
const BACKTICK = 96;
const TILDE = 126;

/** Most lines are told apart by one look at their first character, without the regular expression. */
function mayBeFence(line: string): boolean {
  let at = 0;
  while (at < 3 && line.charCodeAt(at) === SPACE) at++;
  const first = line.charCodeAt(at);
  return first === BACKTICK || first === TILDE;
}

function closingLine(lines: readonly string[], from: number, opened: string): number {
  for (let at = from; at < lines.length; at++) {
    const line = lines[at] ?? '';
    if (!mayBeFence(line)) continue;
    const [, marks = '', info = ''] = FENCE.exec(line) ?? [];
    if (marks.startsWith(opened.charAt(0)) && marks.length >= opened.length && info.trim() === '') return at;
  }
  return lines.length;
}
