/**
 * The part of a file that Pawl wrote, between two lines that mark it.
 *
 * M1. A file without the marks is somebody else's, whatever its name.
 * M2. The first mark has a digest of the part, so that an edit is noticed; an edited part is never replaced or removed.
 * M3. What stands around the part is the user's.
 */

import { sha256 } from '../workspace/files.ts';

const digestChars = 12;
const markedPart =
  /^([^]*?)(?<![^\n])# pawl:begin ([0-9a-f]+)[^\n]*\n([^]*?)(?<![^\n])(?:# pawl:end|<!-- pawl:end -->)\n?([^]*)$/;

/** `head` comes before the first mark: Markdown has to begin with the line that opens its front matter. */
export function markedText(part: string, head: '' | '---\n' = '', note = 'your own text goes below pawl:end'): string {
  const end = head === '' ? '# pawl:end' : '<!-- pawl:end -->';
  return `${head}# pawl:begin ${digestOf(part)} (pawl init; ${note})\n${part}${end}\n`;
}

export type Comparison = 'same' | 'foreign' | 'edited' | { readonly updated: string };

/** A file that is there, compared with what it shall be. */
export function compareMarked(text: string, wanted: string): Comparison {
  const present = readMarked(text);
  const next = readMarked(wanted);
  if (!present || !next) return 'foreign';
  if (present.part === next.part) return 'same';
  if (digestOf(present.part) !== present.digest) return 'edited';
  const updated = `${present.head}${wanted.slice(next.head.length)}${present.tail}`;
  return { updated: text.includes('\r\n') ? updated.replaceAll('\n', '\r\n') : updated };
}

/** Whether it is as Pawl wrote it, with nothing around. */
export function ownership(text: string): 'ours' | 'foreign' | 'edited' {
  const found = readMarked(text);
  if (!found) return 'foreign';
  const { head, digest, part, tail } = found;
  return digestOf(part) === digest && (head === '' || head === '---\n') && tail === '' ? 'ours' : 'edited';
}

function readMarked(text: string) {
  const found = markedPart.exec(text.replaceAll('\r\n', '\n'));
  if (!found) return undefined;
  const [, head = '', digest = '', part = '', tail = ''] = found;
  return { head, digest, part, tail };
}

function digestOf(part: string): string {
  return sha256(part).replace('sha256:', '').slice(0, digestChars);
}
