/** Text as a terminal shows it: how wide it is, cut and padded to a width, and free of what could steer the terminal. */

import { stripVTControlCharacters } from 'node:util';

const colour = new RegExp(String.raw`(\u001B\[[0-9;]*m)`, 'g');
// As \p{Cc}, which takes a millisecond or two to look up.
/* oxlint-disable no-control-regex -- finding control characters is the point */
const steering = /[\0-\u001F\u007F-\u009F\u200E\u200F\u202A-\u202E\u2066-\u2069]/g;
const steeringButNewline = /[\0-\u0009\u000B-\u001F\u007F-\u009F\u200E\u200F\u202A-\u202E\u2066-\u2069]/g;
/** Those that `styleOf` and git use. Others could hide what is shown. */
const ownColour = /(\u001B\[(?:|0|1|2|22|31|32|33|36|39|41)m)/;
const steeringButLayout = /[\0-\u0008\u000B-\u001F\u007F-\u009F\u200E\u200F\u202A-\u202E\u2066-\u2069]/;
/* oxlint-enable no-control-regex */
const zeroWidth = /^[\p{Mn}\p{Me}\p{Cf}]$/u;
const doubleWidth =
  /^[\p{Emoji_Presentation}\p{Script=Han}\p{Script=Hangul}\p{Script=Hiragana}\p{Script=Katakana}\u3000-\u303E\u30FC\uFF01-\uFF60\uFFE0-\uFFE6]$/u;

/** One line of foreign text (an agent's, a file's): nothing in it can move the cursor, colour or reorder the screen. */
export function plainLine(text: string): string {
  return stripVTControlCharacters(text).replaceAll(/\s+/g, ' ').replaceAll(steering, '').trim();
}

export function plainText(text: string): string {
  return stripVTControlCharacters(text)
    .replaceAll(/\r\n?/g, '\n')
    .replaceAll('\t', '    ')
    .replaceAll(steeringButNewline, '')
    .trimEnd();
}

/**
 * A text with foreign parts as it may reach a terminal: of all that could steer it, our colours, line ends and tabs stay.
 * Everything a command shows goes through it, so that nobody has to think of it.
 */
export function screenSafe(text: string): string {
  if (!steeringButLayout.test(text)) return text;
  return text
    .split(ownColour)
    .map((part, index) => (index % 2 === 1 ? part : withoutSteering(part)))
    .join('');
}

function withoutSteering(text: string): string {
  return stripVTControlCharacters(text).replaceAll(new RegExp(steeringButLayout, 'g'), '');
}

/** On one line unless `indent` is given; valid JSON for the same value, without characters that could steer a terminal. */
export function jsonText(value: unknown, indent?: number): string {
  return JSON.stringify(value, null, indent).replaceAll(
    /[\u007F-\u009F\u200E\u200F\u202A-\u202E\u2066-\u2069]/g,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** Columns a text takes; colour takes none. Sequences that terminals join into one glyph are counted too wide, never too narrow. */
export function widthOf(text: string): number {
  let width = 0;
  for (const char of text.replaceAll(colour, '')) width += charWidth(char);
  return width;
}

function charWidth(char: string): number {
  if (char < '\u0300') return 1;
  if (zeroWidth.test(char)) return 0;
  return doubleWidth.test(char) ? 2 : 1;
}

/** At most `width` columns, with `ellipsis` where something is missing; colour stays closed. */
export function cut(text: string, width: number, ellipsis: string): string {
  if (widthOf(text) <= width) return text;
  const room = width - widthOf(ellipsis);
  if (room < 0) return '';
  const painted = text.includes('\u001B');
  return `${firstColumns(text, room)}${ellipsis}${painted ? '\u001B[0m' : ''}`;
}

function firstColumns(text: string, room: number): string {
  let kept = '';
  let width = 0;
  for (const [index, part] of text.split(colour).entries()) {
    const isColour = index % 2 === 1;
    for (const char of isColour ? [] : part) {
      width += charWidth(char);
      if (width > room) return kept;
      kept += char;
    }
    if (isColour) kept += part;
  }
  return kept;
}

/**
 * Lines of at most `width` columns, broken at spaces where there are any. The indentation of the text is kept;
 * further lines of an item (`- …`, `N1  …`) stand below its words.
 */
export function wrapped(text: string, width: number): string[] {
  // No character takes more than two columns.
  if (text.length * 2 <= width || widthOf(text) <= width) return [text];
  const [lead = ''] = /^ *(?:- |\d+\. |[\w-]+ {2,})?/.exec(text) ?? [];
  const indent = ' '.repeat(widthOf(lead));
  const lines: string[] = [];
  let line = lead;
  let isEmpty = true;
  for (const word of text.slice(lead.length).trim().split(' ')) {
    if (!isEmpty && widthOf(line) + 1 + widthOf(word) > width) {
      lines.push(line);
      line = indent + word;
    } else {
      line += (isEmpty ? '' : ' ') + word;
    }
    isEmpty = false;
  }
  return [...lines, line];
}

export function padEnd(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - widthOf(text)));
}

export function padStart(text: string, width: number): string {
  return ' '.repeat(Math.max(0, width - widthOf(text))) + text;
}

/** Columns of left-aligned cells, two spaces apart, each as wide as its widest cell. */
export function aligned(rows: readonly (readonly string[])[], indent = ''): string[] {
  const widths: number[] = [];
  for (const row of rows) for (const [at, cell] of row.entries()) widths[at] = Math.max(widths[at] ?? 0, widthOf(cell));
  return rows.map((row) => (indent + row.map((cell, at) => padEnd(cell, widths[at] ?? 0)).join('  ')).trimEnd());
}

/** The same with the last cell broken at words, so that a line fits where it can. */
export function alignedWithin(rows: readonly (readonly string[])[], width: number, indent = ''): string[] {
  const heads = aligned(
    rows.map((row) => row.slice(0, -1)),
    indent,
  );
  const room = Math.max(0, ...heads.map(widthOf)) + 2;
  const isNarrow = width - room < narrow;
  return rows.flatMap((row, index) => {
    const [head = '', last = ''] = [heads[index], row.at(-1)];
    if (last === '') return [head];
    const lines = wrapped(last, isNarrow ? width - narrow : width - room);
    if (isNarrow) return [head, ...lines.map((line) => `${indent}      ${line}`)];
    return lines.map((line, at) => `${padEnd(at === 0 ? head : '', room)}${line}`);
  });
}

/** A table whose last cell is a command or a sentence: below its row where it does not fit, and broken at words only. */
export function tableWithin(rows: readonly (readonly string[])[], width: number): string[] {
  const whole = aligned(rows);
  if (whole.every((line) => widthOf(line) <= width)) return whole;
  const heads = aligned(rows.map((row) => row.slice(0, -1)));
  const isWide = heads.some((line) => widthOf(line) > width);
  const rests = aligned(rows.map((row) => row.slice(1, -1)));
  return rows.flatMap((row, index) => [
    ...(isWide ? [row[0] ?? '', `  ${rests[index]}`] : [heads[index] ?? '']),
    // Its title says nothing below the others.
    ...(index === 0 || row.at(-1) === '' ? [] : wrapped(`    ${row.at(-1)}`, width)),
  ]);
}

/** A column of words that is narrower cannot be read. */
const narrow = 20;

/** `#5`: within one run, the number of a dispatch names it. */
export function dispatchNumber(id: string): string {
  return id.slice(Math.max(0, id.lastIndexOf('#')));
}
