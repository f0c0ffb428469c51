/**
 * specs/<id>.md: what a part of the system must do.
 *
 * D1. Every requirement, scenario and section is known by its lines, so that a merge can keep the rest byte for byte.
 * D2. Nothing is dropped silently: a heading that should be a requirement and is none is a problem.
 */

import { ifFits } from '../schema/lenient.ts';
import { list, table, withDefault } from '../schema/compound.ts';
import { text, verbatim } from '../schema/simple.ts';
import { fieldsOf, readFields } from './yaml.ts';
import { readFences, type Fence, headingsIn, type Heading } from './markdown.ts';
import { Reporter, type Finding } from './finding.ts';
import { splitFrontMatter } from './front-matter.ts';

export { renderSpec, type SpecInput } from './render-documents.ts';

/** Lines count from 1 in the file; `endLine` is the first line that no longer belongs to it. */
interface Range {
  readonly line: number;
  readonly endLine: number;
}

export interface Requirement extends Range {
  /** `R1` or `WF-R1`. */
  readonly id: string;
  readonly title: string;
  readonly text: string;
  /** Whether it stands under "## Added Requirements" or "## Modified Requirements"; null under any other heading. */
  readonly declared: 'added' | 'modified' | null;
}

export interface Scenario extends Range {
  readonly name: string;
  readonly given: readonly string[];
  readonly when: readonly string[];
  readonly then: readonly string[];
  readonly text: string;
  /** The requirement in whose text it stands; null when it stands on its own. */
  readonly within: string | null;
}

/** A `##` section. `text` is everything below its heading, empty where its requirements and scenarios are read one by one. */
export interface Section extends Range {
  readonly name: string;
  readonly kind: 'overview' | 'requirements' | 'removed' | 'renamed' | 'criteria' | 'other';
  readonly text: string;
}

export interface Renaming {
  readonly from: string;
  readonly to: string;
  /** A new title, where one is given. */
  readonly title: string | null;
}

export interface Spec {
  readonly id: string;
  readonly title: string;
  readonly version: string;
  readonly overview: string;
  readonly requirements: readonly Requirement[];
  readonly scenarios: readonly Scenario[];
  readonly sections: readonly Section[];
  readonly headings: readonly Heading[];
  readonly codeBlocks: readonly Fence[];
  readonly removed: readonly string[];
  readonly renamed: readonly Renaming[];
  /** What the front matter says of the requirements; null when it says nothing readable. */
  readonly stated: { readonly total: string; readonly ids: readonly string[] } | null;
  readonly hasFront: boolean;
  /** High where something cannot be taken at its word, else Low. */
  readonly findings: readonly Finding[];
}

/** What else it says, and what is said otherwise, is not read. */
const frontFields = fieldsOf({
  id: ifFits(text()),
  title: ifFits(text()),
  version: ifFits(text()),
  requirements: ifFits(
    table({ total: withDefault(ifFits(text()), ''), ids: list(verbatim(), 'ids') }, { unknownKeys: 'ignored' }),
  ),
});

/** Throws a DocumentError when the front matter is not valid YAML. */
export function readSpec(text: string, file: string): Spec {
  const { front, frontLine, bodyLine } = splitFrontMatter(text);
  const fields = readFields(front, { file, line: frontLine }, frontFields);
  const lines = text.split('\n');
  const codeBlocks = readFences(lines, bodyLine - 1);
  const headings = headingsIn(lines, codeBlocks, bodyLine - 1);
  const page: Page = { lines, headings, report: new Reporter(file) };
  const sections = readSections(page);
  const requirements = readRequirements(page, sections);
  const { removed, renamed } = readRemovals(page, sections);
  return {
    id: fields.id ?? fileId(file),
    title: fields.title ?? headings.find(({ level }) => level === 1)?.text ?? fileId(file),
    version: fields.version ?? '1',
    overview: sections.find(({ kind }) => kind === 'overview')?.text ?? '',
    requirements,
    scenarios: readScenarios(page, requirements),
    sections,
    headings,
    codeBlocks,
    removed,
    renamed,
    stated: fields.requirements ?? null,
    hasFront: front !== null,
    findings: page.report.findings,
  };
}

/** A name as names are compared. */
export function folded(name: string): string {
  return name.toLowerCase().replaceAll(/\s+/g, ' ').trim();
}

interface Page {
  readonly lines: readonly string[];
  readonly headings: readonly Heading[];
  readonly report: Reporter;
}

export function fileId(file: string): string {
  return file.slice(file.lastIndexOf('/') + 1).replace(/\.md$/, '');
}

function readSections(page: Page): Section[] {
  const sections: Section[] = [];
  for (const [index, { level: own, text: name, line }] of page.headings.entries()) {
    if (own !== 2) continue;
    const endLine = endOf(page, index, ({ level }) => level <= 2);
    const kind = kindOf(name);
    const text = kind === 'overview' || kind === 'other' ? between(page, line, endLine) : '';
    sections.push({ name, kind, line, endLine, text });
  }
  return sections;
}

/** `## Added Requirements` and the like hold requirements too. */
function kindOf(name: string): Section['kind'] {
  const word = folded(name);
  if (word === 'overview') return 'overview';
  if (word === 'acceptance criteria') return 'criteria';
  if (!word.endsWith('requirements')) return 'other';
  if (word.startsWith('removed')) return 'removed';
  return word.startsWith('renamed') ? 'renamed' : 'requirements';
}

function declaredBy(section: string): Requirement['declared'] {
  const [, word = ''] = /^(added|new|modified|changed) requirements$/.exec(folded(section)) ?? [];
  return word === '' ? null : word === 'added' || word === 'new' ? 'added' : 'modified';
}

function endOf({ headings, lines }: Page, index: number, ends: (heading: Heading) => boolean): number {
  for (let next = index + 1; next < headings.length; next++) {
    const heading = headings[next];
    if (heading && ends(heading)) return heading.line;
  }
  return lines.length + 1;
}

function between({ lines }: Page, line: number, endLine: number): string {
  return lines
    .slice(line, endLine - 1)
    .join('\n')
    .trim();
}

const REQUIREMENT = /^(?:requirement:?\s+)?((?:[A-Z][A-Z0-9]*-)*R\d+)(?:\s*[:–—-]\s*|\.\s+|\s+|$)(.*)$/i;

function requirementHeading(text: string): { id: string; title: string } | undefined {
  const [, id, title = ''] = REQUIREMENT.exec(text) ?? [];
  return id === undefined ? undefined : { id: id.toUpperCase(), title: title.trim() };
}

function readRequirements(page: Page, sections: readonly Section[]): Requirement[] {
  const requirements: Requirement[] = [];
  let section = -1;
  for (const [index, { level, text, line }] of page.headings.entries()) {
    while ((sections[section + 1]?.line ?? Infinity) <= line) section++;
    const kind = sections[section]?.kind;
    if (level < 3 || kind === 'removed' || kind === 'renamed') continue;
    const found = requirementHeading(text);
    if (found) {
      const endLine = endOf(page, index, (next) => next.level <= level || requirementHeading(next.text) !== undefined);
      const { id, title } = found;
      const declared = declaredBy(sections[section]?.name ?? '');
      requirements.push({ id, title, line, endLine, text: between(page, line, endLine), declared });
      if (kind !== 'requirements') {
        const message = `requirement ${id} is not under "## Requirements"`;
        page.report.low('spec-structure', line, message, 'move it under "## Requirements"');
      }
    } else if (level === 3 && kind === 'requirements' && !SCENARIO.test(text)) {
      const message = `"${text}" stands under "## Requirements" but has no requirement id`;
      page.report.high('requirement-without-id', line, message, 'write it as "### R1: title"');
    }
  }
  return requirements;
}

const SCENARIO = /^scenario\b[\s:–—-]*(?:\d+\s*[:.–—-]\s*)?(.*)$/i;

function readScenarios(page: Page, requirements: readonly Requirement[]): Scenario[] {
  const scenarios: Scenario[] = [];
  for (const [index, { level, text, line }] of page.headings.entries()) {
    const name = level < 3 ? undefined : SCENARIO.exec(text)?.[1]?.trim();
    if (name === undefined) continue;
    const endLine = endOf(page, index, (next) => next.level <= level || SCENARIO.test(next.text));
    const around = requirements.find((requirement) => requirement.line < line && line < requirement.endLine);
    const { given, when, then } = readSteps(page.lines, line, endLine - 1);
    const within = around?.id ?? null;
    // oxlint-disable-next-line unicorn/no-thenable -- as in `readSteps`
    scenarios.push({ name, given, when, then, line, endLine, text: between(page, line, endLine), within });
  }
  return scenarios;
}

/** Reads `- **GIVEN** …` lines, with or without bullet, bold and colon; AND and BUT go on with the step before. */
function readSteps(lines: readonly string[], from: number, to: number): Pick<Scenario, 'given' | 'when' | 'then'> {
  // oxlint-disable-next-line unicorn/no-thenable -- the word of the format; an array is never called
  const steps = { given: [] as string[], when: [] as string[], then: [] as string[] };
  let current: string[] | null = null;
  for (let at = from; at < to; at++) {
    const line = lines[at] ?? '';
    if (line === '') continue;
    const [, word = '', rest = ''] = STEP.exec(line) ?? [];
    const keyword = word.toLowerCase();
    if (keyword === 'given' || keyword === 'when' || keyword === 'then') current = steps[keyword];
    const last = current?.at(-1);
    if (word !== '') current?.push(rest.trimEnd());
    // An indented line belongs to the step above it.
    else if (current && last !== undefined && /^\s+\S/.test(line))
      current[current.length - 1] = `${last} ${line.trim()}`.trim();
  }
  return steps;
}

const STEP = /^\s*(?:[-*+]\s+)?(?:\*\*|__)?(given|when|then|and|but)\b(?::?(?:\*\*|__))?:?\s*(.*)$/is;

function readRemovals(page: Page, sections: readonly Section[]): Pick<Spec, 'removed' | 'renamed'> {
  const removed: string[] = [];
  const renamed: Renaming[] = [];
  for (const { kind, line, endLine } of sections) {
    if (kind !== 'removed' && kind !== 'renamed') continue;
    for (let at = line; at < endLine - 1; at++) {
      const [, text] = ENTRY.exec(page.lines[at] ?? '') ?? [];
      if (text === undefined) continue;
      const entry = text.trimEnd().replace(/`$/, '');
      const renaming = kind === 'renamed' ? readRenaming(entry) : undefined;
      const removal = kind === 'removed' ? requirementHeading(entry)?.id : undefined;
      if (renaming) renamed.push(renaming);
      else if (removal !== undefined) removed.push(removal);
      else page.report.high(`unreadable-${kind}`, at + 1, `"${entry}" names no requirement`, examples[kind]);
    }
  }
  return { removed, renamed };
}

/** A list item or heading; other lines are explanation. */
const ENTRY = /^ {0,3}(?:#{3,6}|[-*+])\s+`?(.*)$/s;
const RENAMING = /^`?([\w-]*R\d+)`?\s*(?:->|→|=>)\s*`?([\w-]*R\d+)`?\s*(?::\s*(.*))?$/i;

function readRenaming(entry: string): Renaming | undefined {
  const [, from, to, title = ''] = RENAMING.exec(entry) ?? [];
  if (from === undefined || to === undefined) return undefined;
  return { from: from.toUpperCase(), to: to.toUpperCase(), title: title.trim() === '' ? null : title.trim() };
}

const examples = { removed: 'write it as "- R3"', renamed: 'write it as "- R2 -> R7"' };
