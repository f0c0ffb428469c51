/** A heading of a Markdown text: `## 1. Data Layer` is level 2, text `1. Data Layer`. */
export interface Heading {
  readonly level: number;
  readonly text: string;
  /** Counts from 1 within the given text. */
  readonly line: number;
}

/** All ATX headings in order; what stands in a code fence is code, not a heading. */
export function readHeadings(markdown: string): Heading[] {
  const headings: Heading[] = [];
  const open = fenceTracker();
  const lines = markdown.split('\n');
  for (const [index, line] of lines.entries()) {
    if (open(line)) continue;
    const heading = readHeading(line);
    if (heading) headings.push({ ...heading, line: index + 1 });
  }
  return headings;
}

const HEADING = /^ {0,3}(#{1,6})(?:[ \t]+(.*?))?(?:[ \t]+#+)?[ \t]*\r?$/;

function readHeading(line: string): { level: number; text: string } | undefined {
  if (!line.includes('#')) return undefined;
  const match = HEADING.exec(line);
  return match?.[1] === undefined ? undefined : { level: match[1].length, text: (match[2] ?? '').trim() };
}

/**
 * Fed line by line, tells whether a line belongs to a code fence (its markers included).
 * An unclosed fence runs to the end, as in CommonMark.
 */
export function fenceTracker(): (line: string) => boolean {
  let fence: { mark: string; length: number } | null = null;
  return (line) => {
    const match = FENCE.exec(line);
    const marks = match?.[1];
    if (fence === null) {
      if (marks === undefined || (marks.startsWith('`') && match?.[2]?.includes('`'))) return false;
      fence = { mark: marks.charAt(0), length: marks.length };
      return true;
    }
    const closes = marks?.startsWith(fence.mark) && marks.length >= fence.length && match?.[2]?.trim() === '';
    if (closes) fence = null;
    return true;
  };
}

const FENCE = /^ {0,3}(`{3,}|~{3,})(.*)$/s;
