/**
 * A spec taken apart for merging: its elements, and the frame of lines around them.
 *
 * E1. Elements are requirements, free-standing scenarios, sections, and headings among requirements that have no id.
 * E2. A spec whose front matter is not valid YAML is taken apart all the same; `unreadable` says why it cannot be trusted.
 */

import { attempt, DocumentError } from './document-error.ts';
import { lineEndOf, splitFrontMatter } from './front-matter.ts';
import { folded, readSpec, type Requirement, type Spec } from './spec.ts';

export interface Element {
  /** `R1`, `Scenario: name`, `Section: name` or `Heading: name`; names in lower case. */
  readonly key: string;
  /** The same as people wrote it. */
  readonly label: string;
  readonly kind: 'requirement' | 'scenario' | 'section' | 'heading';
  readonly title: string;
  /** Its heading and text, without what does not show: white space at the ends of lines, blank lines. */
  readonly text: string;
  readonly declared: Requirement['declared'];
  /** Lines count from 1 in the file; `endLine` is the first line that no longer belongs to it. */
  readonly line: number;
  readonly endLine: number;
}

export interface SpecParts {
  readonly spec: Spec;
  /** Each with a `\r` where it has one. */
  readonly lines: readonly string[];
  /** Whether the last of them has a line end. */
  readonly isEnded: boolean;
  readonly lineEnd: '\n' | '\r\n';
  readonly elements: readonly Element[];
  /** Numbers of the lines below the front matter that are not blank and belong to no element. */
  readonly frame: readonly number[];
  readonly unreadable: string | null;
}

export type ElementTexts = ReadonlyMap<string, string>;

export function takeApart(text: string, what: string): SpecParts {
  const unix = text.replaceAll('\r\n', '\n');
  const isEnded = text.endsWith('\n');
  const lines = (isEnded ? text.slice(0, -1) : text).split('\n');
  const { bodyLine } = splitFrontMatter(unix);
  const read = attempt(() => readSpec(unix, what));
  const isUnreadable = read instanceof DocumentError;
  // Without its front matter, line by line where it was.
  const body = (): string =>
    unix
      .split('\n')
      .fill('', 0, bodyLine - 1)
      .join('\n');
  const spec = isUnreadable ? readSpec(body(), what) : read;
  const elements = elementsOf({ ...spec, lines: unix.split('\n') });
  const covered = new Uint8Array(lines.length + 3);
  for (const { line, endLine } of elements) covered.fill(1, line, endLine);
  const frame = lines.flatMap((line, index) =>
    index + 1 >= bodyLine && line.trim() !== '' && !covered[index + 1] ? [index + 1] : [],
  );
  const unreadable = isUnreadable ? read.message : null;
  return { spec, lines, isEnded, lineEnd: lineEndOf(text), elements, frame, unreadable };
}

export function elementTexts({ elements }: Pick<SpecParts, 'elements'>): ElementTexts {
  return new Map(elements.map(({ key, text }) => [key, text]));
}

export function normalised(text: string): string {
  return text
    .split('\n')
    .map((line) => line.trimEnd())
    .filter((line) => line !== '')
    .join('\n')
    .trim();
}

type Range = Pick<Element, 'line' | 'endLine'>;

function elementsOf(spec: Spec & Pick<SpecParts, 'lines'>): readonly Element[] {
  const requirements = spec.requirements.map(({ id, title, text, line, endLine, declared }) =>
    element('requirement', [id, id], { title, text: `${title}\n${text}`, line, endLine }, declared),
  );
  const scenarios = spec.scenarios
    .filter(({ within }) => within === null)
    .map((scenario) => named('scenario', 'Scenario', scenario.name, scenario));
  const inner: readonly Range[] = [...spec.requirements, ...spec.scenarios];
  const holdsNone = ({ line, endLine }: Range): boolean =>
    !inner.some((part) => line <= part.line && part.line < endLine);
  const sections = spec.sections
    .filter((section) => section.kind === 'other' && holdsNone(section))
    .map((section) => named('section', 'Section', section.name, section));
  const headings = looseHeadings(spec)
    .filter(holdsNone)
    .map((heading) => named('heading', 'Heading', heading.name, heading));
  return [...requirements, ...scenarios, ...sections, ...headings].toSorted((left, right) => left.line - right.line);
}

type Block = Range & { readonly text: string };

function element(
  kind: Element['kind'],
  [key, label]: readonly [key: string, label: string],
  { title, text, line, endLine }: Block & { readonly title: string },
  declared: Element['declared'] = null,
): Element {
  return { kind, key, label, title, text: normalised(text), declared, line, endLine };
}

function named(kind: Element['kind'], word: string, name: string, block: Block): Element {
  return element(kind, [`${word}: ${folded(name)}`, `${word}: ${name}`], { ...block, title: name });
}

/** What stands among requirements or scenarios under a heading of its own. */
function looseHeadings({ headings, sections, requirements, scenarios, lines }: Spec & Pick<SpecParts, 'lines'>) {
  const known = new Set([...requirements, ...scenarios].map(({ line }) => line));
  return headings.flatMap(({ level, text: name, line }, index) => {
    const section = sections.find((each) => each.line < line && line < each.endLine);
    const isListed = section?.kind === 'requirements' || section?.kind === 'criteria';
    if (level !== 3 || !isListed || known.has(line)) return [];
    const endLine = headings.slice(index + 1).find((next) => next.level <= 3)?.line ?? lines.length + 1;
    return [{ name, line, endLine, text: lines.slice(line, endLine - 1).join('\n') }];
  });
}
