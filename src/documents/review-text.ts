/**
 * What review blocks and REVIEW.md have in common: issues, sections, and the escaping that keeps content content.
 *
 * R1. Reading what was written gives the same values, whatever the text: no line of content passes for structure.
 * R2. Content cannot open or close a `<review>` or `<proposal>` block.
 */

import { DocumentError, type Where } from './document-error.ts';
import { SEVERITIES, type Severity } from './finding.ts';
import { findWord } from '../schema/values.ts';

export interface Issue {
  readonly title: string;
  readonly severity: Severity;
  readonly category: string;
  readonly description: string;
  readonly location: string;
  readonly recommendation: string;
}

/** The form in which text is kept: LF line ends, nothing blank around it. */
export function tidy(text: string): string {
  return (text.includes('\r') ? text.replaceAll(/\r\n?/g, '\n') : text).trim();
}

export function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim();
}

/** One text as it is, several as a list. */
export function counted(count: number, one: string): string {
  return `${count} ${one}${count === 1 ? '' : 's'}`;
}

export function bullets(texts: readonly string[]): string {
  if (texts.length <= 1) return texts[0] ?? 'None.';
  return texts.map((text) => `- ${text.replaceAll('\n', '\n  ')}`).join('\n');
}

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '"': '&quot;', '<': '&lt;', '>': '&gt;' };
const CHARACTERS = Object.fromEntries(Object.entries(ENTITIES).map(([character, entity]) => [entity, character]));

export function escapeAttribute(value: string): string {
  return oneLine(value).replaceAll(/[&"<>]/g, (character) => ENTITIES[character] ?? character);
}

export function unescapeAttribute(value: string): string {
  return value.replaceAll(/&(?:amp|quot|lt|gt);/g, (entity) => CHARACTERS[entity] ?? entity);
}

/** R2: `<review` becomes `&lt;review`, and what already looks escaped gets one more `amp;`, so that nothing is lost. */
export function escapeTags(text: string): string {
  return text.replaceAll(/(?:<|&((?:amp;)*)lt;)(?=\/?(?:review|proposal))/gi, (_, amps: string | undefined) =>
    amps === undefined ? '&lt;' : `&amp;${amps}lt;`,
  );
}

export function unescapeTags(text: string): string {
  if (!text.includes('&')) return text;
  return text.replaceAll(
    /&(amp;)?((?:amp;)*)lt;(?=\/?(?:review|proposal))/gi,
    (_, amp: string | undefined, amps: string) => (amp === undefined ? '<' : `&${amps}lt;`),
  );
}

/** A heading of ours, and the same behind the backslashes by which a line of content is kept from being one. */
const SECTION = /^(\\*)##[ \t]+(summary|test results|security|issues|verdict|next steps)[ \t]*:?[ \t]*$/i;

export function renderSection(heading: string, text: string): string {
  const lines = tidy(text).split('\n');
  return `## ${heading}\n\n${lines.map((line) => (SECTION.test(line) ? `\\${line}` : line)).join('\n')}\n`;
}

export interface Section {
  /** Lower case; the empty string for what stands before the first heading. */
  readonly name: string;
  readonly lines: readonly string[];
  /** Line of the file on which `lines` starts. */
  readonly line: number;
}

/** Deliberately blind to code fences: an unclosed one in a summary must not swallow the verdict. */
export function readSections(text: string, firstLine: number): Section[] {
  let lines: string[] = [];
  const sections: Section[] = [{ name: '', lines, line: firstLine }];
  for (const [index, line] of text.replaceAll('\r\n', '\n').split('\n').entries()) {
    const [, escape, name = ''] = SECTION.exec(line) ?? [];
    if (escape !== '') lines.push(line);
    else {
      lines = [];
      sections.push({ name: name.toLowerCase(), lines, line: firstLine + index + 1 });
    }
  }
  return sections;
}

export function sectionContent(sections: readonly Section[], name: string): string {
  const lines = sections.filter((section) => section.name === name).flatMap((section) => section.lines);
  return lines
    .map((line) => (line.startsWith('\\') && SECTION.test(line) ? line.slice(1) : line))
    .join('\n')
    .trim();
}

const FIELDS = ['severity', 'category', 'description', 'location', 'recommendation'] as const;
type Field = (typeof FIELDS)[number];

/** One bullet per field, without the severity where a heading above says it. Further lines are indented, so that none of them stands where structure does. */
export function renderIssue(heading: string, issue: Issue, fields: readonly Field[] = FIELDS): string {
  const lines = fields.map((field) => {
    const name = field.charAt(0).toUpperCase() + field.slice(1);
    const value = field === 'category' || field === 'location' ? oneLine(issue[field]) : tidy(issue[field]);
    const text = value.replaceAll(/\n(?=[^\n])/g, '\n  ');
    return `- **${name}**:${text === '' ? '' : ` ${text}`}\n`;
  });
  return `${heading} ${oneLine(issue.title)}\n\n${lines.join('')}`;
}

/** What a line among issues begins: an issue, or a group of issues of one severity; null for their text. */
export type IssueHeading = { readonly title: string } | { readonly severity: Severity } | null;

type HeadingOf = (line: string, where: Where) => IssueHeading;

export function readIssues(sections: readonly Section[], file: string, headingOf: HeadingOf): Issue[] {
  const found: { title: string; lines: string[]; severity: Severity | undefined; where: Where }[] = [];
  for (const section of sections.filter(({ name }) => name === 'issues')) {
    let severity: Severity | undefined;
    let lines: string[] = [];
    for (const [index, line] of section.lines.entries()) {
      const where = { file, line: section.line + index };
      const heading = headingOf(line, where);
      if (heading) lines = [];
      else lines.push(line);
      if (heading && 'severity' in heading) ({ severity } = heading);
      else if (heading) found.push({ title: heading.title, lines, severity, where });
    }
  }
  return found.map(({ title, lines, severity, where }) => readIssue(title, lines, severity, where));
}

const FIELD = new RegExp(
  String.raw`^(?:[-*+][ \t]+)?(?:\*\*(${FIELDS.join('|')})\*\*[ \t]*:|\*\*(${FIELDS.join('|')}):\*\*|(${FIELDS.join('|')}):)(.*)$`,
  'is',
);

/** An issue's fields from the lines below its title. Text without a label counts as description. */
function readIssue(title: string, lines: readonly string[], severity: Severity | undefined, where: Where): Issue {
  const values = new Map<Field, string>();
  let field: Field = 'description';
  for (const line of lines) {
    const [, bold, boldColon, plain, value = ''] = FIELD.exec(line) ?? [];
    const next = findWord(bold ?? boldColon ?? plain, FIELDS);
    field = next ?? field;
    values.set(field, `${values.get(field) ?? ''}\n${next === undefined ? line.replace(/^ {2}/, '') : value}`);
  }
  const text = (name: Field): string => values.get(name)?.trim() ?? '';
  return {
    title: title.trim(),
    severity: readSeverity(text('severity'), severity, where),
    category: oneLine(text('category')),
    description: text('description'),
    location: oneLine(text('location')),
    recommendation: text('recommendation'),
  };
}

function readSeverity(word: string, otherwise: Severity | undefined, where: Where): Severity {
  if (word === '' && otherwise !== undefined) return otherwise;
  const problem = word === '' ? 'the issue has no severity' : `severity is "${oneLine(word)}"`;
  return wordIn(word.replaceAll(/[*`]/g, ''), SEVERITIES, where, problem);
}

/** Throws a DocumentError with the problem when it is none of the words. */
export function wordIn<W extends string>(value: unknown, words: readonly W[], where: Where, problem: string): W {
  const word = findWord(value, words);
  if (word === undefined) throw new DocumentError(where, problem, `one of ${words.join(', ')}`);
  return word;
}

/** As conventional messages begin; a name keeps its capital. */
export function lowered(text: string): string {
  return /^[A-Z][a-z]/.test(text) ? text.charAt(0).toLowerCase() + text.slice(1) : text;
}

/** Cells in columns. */
export function rows(cells: readonly (readonly string[])[]): string[] {
  const widths = (cells[0] ?? []).map((_, column) => Math.max(...cells.map((row) => row[column]?.length ?? 0)));
  return cells.map((row) => row.map((cell, at) => cell.padEnd(at < row.length - 1 ? (widths[at] ?? 0) : 0)).join('  '));
}
