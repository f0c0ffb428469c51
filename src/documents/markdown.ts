/** The two things of Markdown that all documents here are read by: headings and code fences. */

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
    const [marks, info] = marksOf(lines[start]);
    if (marks === '' || (marks.startsWith('`') && info.includes('`'))) continue;
    let end = start + 1;
    while (end < lines.length && !closes(lines[end], marks)) end++;
    fences.push({ language: /^[^\s{]*/.exec(info.trim())?.[0].toLowerCase() ?? '', start, end });
    start = end;
  }
  return fences;
}

function closes(line: string | undefined, opened: string): boolean {
  const [marks, info] = marksOf(line);
  return marks.startsWith(opened) && info.trim() === '';
}

const FENCE = /^ {0,3}(`{3,}|~{3,})(.*)$/s;

const noMarks: readonly [marks: string, info: string] = ['', ''];

/** The marks of a fence and what stands behind them; empty for any other line. */
function marksOf(line = ''): typeof noMarks {
  // Nearly all lines are told apart without the regular expression.
  let at = 0;
  while (at < 3 && line.startsWith(' ', at)) at++;
  if (!line.startsWith('```', at) && !line.startsWith('~~~', at)) return noMarks;
  const [, marks = '', info = ''] = FENCE.exec(line) ?? [];
  return [marks, info];
}

/** A heading: `## 1. Data Layer` is level 2, text `1. Data Layer`. */
export interface Heading {
  readonly level: number;
  readonly text: string;
  /** Counts from 1 within the given text. */
  readonly line: number;
}

/** All ATX headings in order; what stands in a code fence is code, not a heading. */
export function readHeadings(markdown: string): Heading[] {
  const lines = markdown.split('\n');
  return headingsIn(lines, readFences(lines));
}

const HEADING = /^\uFEFF? {0,3}(#{1,6})(?=[ \t\r]|$)([^\r\u2028\u2029]*)\r?$/;

/** Told without being taken apart, which costs three times as much. */
const USUAL_HEADING = /^#{1,6} [^\s#]+(?: [^\s#]+)*$/;

/** The same for a text that is cut into lines and whose fences are known, from line index `from` on. */
export function headingsIn(lines: readonly string[], fences: readonly Fence[], from = 0): Heading[] {
  const headings: Heading[] = [];
  let next = 0;
  for (let index = from; index < lines.length; index++) {
    const fence = fences[next];
    const line = lines[index] ?? '';
    if (fence?.start === index) {
      index = fence.end;
      next++;
    } else if (line.startsWith('#') && USUAL_HEADING.test(line)) {
      const level = line.indexOf(' ');
      headings.push({ level, text: line.slice(level + 1), line: index + 1 });
    } else if (line.includes('#')) {
      const [, marks, text = ''] = HEADING.exec(line) ?? [];
      if (marks !== undefined) headings.push({ level: marks.length, text: withoutClosing(text), line: index + 1 });
    }
  }
  return headings;
}

/** The text of a heading without the marks that may close it: `Title ##` is `Title`. Spelled out, to be linear. */
function withoutClosing(text: string): string {
  const isBlank = (at: number): boolean => text.charAt(at) === ' ' || text.charAt(at) === '\t';
  let [start, end] = [0, text.length];
  while (start < end && isBlank(start)) start++;
  while (end > start && isBlank(end - 1)) end--;
  let open = end;
  while (open > start && text.charAt(open - 1) === '#') open--;
  return text.slice(start, open < end && open > start && isBlank(open - 1) ? open : end).trim();
}
