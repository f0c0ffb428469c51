/**
 * Merges a change's spec into the permanent one, element by element.
 *
 * M1. What the change does not name survives byte for byte and in its place: requirements, scenarios, sections.
 * M2. What it names (requirement by id, scenario and section by name) is replaced in place, or appended if new.
 * M3. Merging again what is already merged changes nothing (removals and renames need `base` and distinct texts to know that).
 * M4. Nobody's work is overwritten: what main changed since `base` is a conflict, never a guess.
 *
 * Main's title and overview stay, for they introduce the whole spec and the change's only the change;
 * an empty overview is filled. The version is bumped and `archived_at` set only when something changed.
 */

import { setFrontFields } from '../../documents/front-matter.ts';
import { requirementCounts, versionText } from '../../documents/render-documents.ts';
import type { Spec } from '../../documents/spec.ts';
import {
  elementTexts,
  takeApart,
  type Element,
  type ElementTexts,
  type SpecParts,
} from '../../documents/spec-elements.ts';
import { yamlText } from '../../documents/yaml.ts';
import { planMerge, type MergePlan, type RequirementChanges } from './merge-plan.ts';

export interface MergeInput {
  /** Undefined or empty for a spec that does not exist. */
  readonly main: string | undefined;
  readonly change: string;
  /** The elements of main when the plan was approved; undefined when nobody knows. */
  readonly base: ElementTexts | undefined;
  readonly specId: string;
  readonly archivedAt: string;
  readonly changeId: string;
}

export interface Merged extends RequirementChanges {
  readonly kind: 'copied' | 'merged';
  readonly text: string;
}

export type MergeResult = Merged | { readonly kind: 'conflict'; readonly reasons: readonly string[] };

export function mergeSpec(input: MergeInput): MergeResult {
  const { main, change, plan } = planOf(input);
  if (plan.conflicts.length > 0) return { kind: 'conflict', reasons: plan.conflicts.map(({ reason }) => reason) };
  return isMissing(input) ? copied(input, change) : applied(input, { main, change, ...plan });
}

/** Both sides taken apart, and the plan to merge them. A new spec is copied, so nothing in it needs to be told apart. */
export function planOf(input: MergeInput): { main: SpecParts; change: SpecParts; plan: MergePlan } {
  const change = takeApart(input.change, `the spec "${input.specId}" of change ${input.changeId}`);
  const main = takeApart(input.main ?? '', `the permanent spec "${input.specId}"`);
  const plan = planMerge(main, change, input.base);
  if (!isMissing(input)) return { main, change, plan };
  const reason = `the permanent spec "${input.specId}" is gone since the change was planned`;
  const conflicts = [
    ...plan.conflicts.filter(({ ofMerge }) => ofMerge !== true),
    ...(input.base?.size ? [{ keys: [], reason }] : []),
  ];
  return { main, change, plan: { ...plan, conflicts } };
}

function isMissing({ main = '' }: MergeInput): boolean {
  return main.trim() === '';
}

function copied(input: MergeInput, { spec }: SpecParts): Merged {
  const added = spec.requirements.map(({ id }) => id);
  const text = setFrontFields(input.change, archiveFields(input, spec, spec.version, added));
  return { kind: 'copied', text, added, modified: [], removed: [], renamed: [] };
}

function archiveFields({ specId, archivedAt }: MergeInput, spec: Spec, version: string, ids: readonly string[]) {
  return {
    // What a spec without front matter needs to be found again.
    ...(!spec.hasFront && { id: yamlText(specId), type: 'spec', title: yamlText(spec.title) }),
    version: versionText(version),
    requirements: requirementCounts(ids),
    archived_at: JSON.stringify(archivedAt),
  };
}

/** `ranges`: new lines for lines of main, by the first; `inserts`: blocks in front of a line. */
interface Merge extends MergePlan {
  readonly main: SpecParts;
  readonly change: SpecParts;
  readonly ranges: Map<number, { end: number; lines: readonly string[] }>;
  readonly inserts: Map<number, (readonly string[])[]>;
}

function applied(input: MergeInput, sides: Omit<Merge, 'ranges' | 'inserts'>): MergeResult {
  const merge: Merge = { ...sides, ranges: new Map(), inserts: new Map() };
  for (const element of merge.main.elements) editElement(merge, element);
  insertAdditions(merge);
  fillOverview(merge);
  const { main, added, modified, removed, renamed, expected } = merge;
  const result = { kind: 'merged' as const, added, modified, removed, renamed };
  if (merge.ranges.size === 0 && merge.inserts.size === 0) return { ...result, text: input.main ?? '' };
  const ids = takeApart(edited(merge), 'merged').spec.requirements.map(({ id }) => id);
  const text = setFrontFields(edited(merge), archiveFields(input, main.spec, bumped(main.spec.version), ids));
  const read = elementTexts(takeApart(text, 'merged'));
  return read.size === expected.size && [...expected].every(([key, wanted]) => read.get(key) === wanted)
    ? { ...result, text }
    : { kind: 'conflict', reasons: [`the merged text of "${input.specId}" does not read as its parts do`] };
}

function editElement(merge: Merge, element: Element): void {
  const { main, ranges } = merge;
  const edit = merge.edits.get(element.key);
  if (edit === undefined) return;
  const { start, end } = rangeOf(main, element);
  if (edit === null) ranges.set(start, { end, lines: [] });
  else if ('key' in edit) replace(merge, element, edit);
  else {
    const [heading = '', ...rest] = main.lines.slice(start, end);
    const [, lead = '', title = '', lineEnd = ''] =
      new RegExp(`^(.*?)\\b${edit.from}(.*?)(\\r?)$`, 'i').exec(heading) ?? [];
    const renamed = `${lead}${edit.to}${edit.title === null ? title : `: ${edit.title}`}${lineEnd}`;
    ranges.set(start, { end, lines: [renamed, ...rest] });
  }
}

const places = [
  { kinds: ['requirement', 'heading'], section: 'requirements', heading: '## Requirements' },
  { kinds: ['scenario'], section: 'criteria', heading: '## Acceptance Criteria' },
] as const;

/** Behind the last of their kind in main, or under a heading that main does not have; sections at the end. */
function insertAdditions(merge: Merge): void {
  const { elements, spec } = merge.main;
  for (const { kinds, section, heading } of places) {
    const isKind = ({ kind }: Element) => kinds.some((each) => each === kind);
    const last = elements.findLast(isKind) ?? spec.sections.find(({ kind }) => kind === section);
    const isHeaded = spec.sections.some(({ kind }) => kind === section) || (last && section === 'criteria');
    append(merge, last, merge.additions.filter(isKind), isHeaded ? [] : [[heading]]);
  }
  append(
    merge,
    undefined,
    merge.additions.filter(({ kind }) => kind === 'section'),
    [],
  );
}

function fillOverview(merge: Merge): void {
  const [ours, theirs] = [merge.main, merge.change].map(({ spec }) =>
    spec.sections.find(({ kind }) => kind === 'overview'),
  );
  if (ours?.text === '' && theirs && theirs.text !== '') replace(merge, ours, theirs);
}

type Lines = Pick<Element, 'line' | 'endLine'>;

/** A part of main by one of the change. */
function replace({ main, change, ranges }: Merge, part: Lines, by: Lines): void {
  const { start, end, gap } = rangeOf(main, part);
  ranges.set(start, { end, lines: [...blockOf(change, by, main), ...gap] });
}

/** Parts of the change behind a part of main, or at its end; under a heading that main does not have. */
function append(merge: Merge, behind: Lines | undefined, parts: readonly Lines[], heading: readonly string[][]): void {
  const { main, change, inserts } = merge;
  const at = Math.min(behind ? behind.endLine - 1 : Infinity, main.lines.length);
  const blocks = [...heading, ...parts.map((part) => blockOf(change, part, main))];
  if (parts.length > 0) inserts.set(at, [...(inserts.get(at) ?? []), ...blocks]);
}

/** `gap`: the blank lines at its end. */
export function rangeOf({ lines }: SpecParts, { line, endLine }: Lines) {
  const end = Math.min(endLine - 1, lines.length);
  let last = end;
  while (last > line && lines[last - 1]?.trim() === '') last--;
  return { start: line - 1, end, gap: lines.slice(last, end) };
}

/** A part's own lines, with the line ends of the text they are for. */
function blockOf(side: SpecParts, part: Lines, { lineEnd }: Pick<SpecParts, 'lineEnd'>): readonly string[] {
  const { start, end, gap } = rangeOf(side, part);
  const own = side.lines.slice(start, end - gap.length).map((line) => line.replace(/\r$/, ''));
  return lineEnd === '\n' ? own : own.map((line) => `${line}\r`);
}

function edited({ main: { lines, lineEnd, isEnded }, ranges, inserts }: Merge): string {
  const carriage = lineEnd === '\n' ? '' : '\r';
  const out: string[] = [];
  for (let at = 0; at <= lines.length; at = ranges.get(at)?.end ?? at + 1) {
    const blocks = inserts.get(at) ?? [];
    if (blocks.length > 0 && at === lines.length && !isEnded) out.push(`${out.pop() ?? ''}${carriage}`);
    for (const block of blocks) {
      if (out.at(-1)?.trim() !== '') out.push(carriage);
      out.push(...block);
      if (at < lines.length) out.push(carriage);
    }
    out.push(...(ranges.get(at)?.lines ?? lines.slice(at, at + 1)));
  }
  // What was removed from the end leaves no blank lines behind.
  if (lines.at(-1)?.trim() !== '') while (out.at(-1)?.trim() === '') out.pop();
  return out.join('\n') + (isEnded || out.at(-1) !== lines.at(-1) ? '\n' : '');
}

export function bumped(version: string): string {
  return /\d+(?=\D*$)/.test(version) ? version.replace(/\d+(?=\D*$)/, (digits) => String(Number(digits) + 1)) : '2';
}
