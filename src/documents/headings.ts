import { readFences, type Fence } from './fences.ts';

/** A heading of a Markdown text: `## 1. Data Layer` is level 2, text `1. Data Layer`. */
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

/** The same for a text that is cut into lines and whose fences are known, from line index `from` on. */
export function headingsIn(lines: readonly string[], fences: readonly Fence[], from = 0): Heading[] {
  const headings: Heading[] = [];
  let next = 0;
  for (let index = from; index < lines.length; index++) {
    const fence = fences[next];
    if (fence?.start === index) {
      index = fence.end;
      next++;
      continue;
    }
    const line = lines[index] ?? '';
    const heading = readHeading(index === 0 ? line.replace(/^\uFEFF/, '') : line);
    if (heading) headings.push({ level: heading.level, text: heading.text, line: index + 1 });
  }
  return headings;
}

const HEADING = /^ {0,3}(#{1,6})(?:[ \t]+(.*?))?(?:[ \t]+#+)?[ \t]*\r?$/;

/** Told without being taken apart, which costs three times as much. */
const USUAL_HEADING = /^#{1,6} [^\s#]+(?: [^\s#]+)*$/;

function readHeading(line: string): { level: number; text: string } | undefined {
  if (!line.includes('#')) return undefined;
  if (USUAL_HEADING.test(line)) {
    const level = line.indexOf(' ');
    return { level, text: line.slice(level + 1) };
  }
  const match = HEADING.exec(line);
  return match?.[1] === undefined ? undefined : { level: match[1].length, text: (match[2] ?? '').trim() };
}
