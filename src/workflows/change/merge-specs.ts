/**
 * Merges a change's spec into the permanent one, requirement by requirement.
 *
 * M1. What the change does not name survives byte for byte and in its place: requirements, scenarios, sections.
 * M2. What it names (requirement by id, scenario and section by name) is replaced in place, or appended if new.
 * M3. Merging again what is already merged changes nothing (removals and renames need `base` and distinct texts to know that).
 * M4. Nobody's work is overwritten: what main changed since `base` is a conflict, never a guess.
 *
 * Main's title and overview stay, for they introduce the whole spec and the change's only the change;
 * an empty overview is filled. The version is bumped and `archived_at` set only when something changed.
 */

import { attempt, DocumentError } from '../../documents/document-error.ts';
import { isBlocking } from '../../documents/finding.ts';
import { setFrontFields } from '../../documents/front-matter.ts';
import { requirementCounts, versionText } from '../../documents/render-documents.ts';
import {
  normalised,
  readSpec,
  requirementTexts,
  scenarioKey,
  sectionKey,
  specTexts,
  type Spec,
} from '../../documents/spec.ts';
import { yamlText } from '../../documents/yaml.ts';
import { planRequirements, type RequirementChanges, type RequirementPlan } from './merge-requirements.ts';

export interface MergeInput {
  readonly main: string | undefined;
  readonly change: string;
  /** `specTexts` of main when the change was planned; undefined when nobody knows. */
  readonly base: ReadonlyMap<string, string> | undefined;
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
  const change = readSide(input.change, `the spec "${input.specId}" of change ${input.changeId}`);
  if (typeof change === 'string') return { kind: 'conflict', reasons: [change] };
  if (input.main === undefined) return copySpec(input, change);
  const main = readSide(input.main, `the permanent spec "${input.specId}"`);
  if (typeof main === 'string') return { kind: 'conflict', reasons: [main] };
  const plan = planRequirements(main.spec, change.spec, input.base);
  const reasons = [...plan.conflicts, ...partConflicts(main.spec, change.spec, input.base)];
  if (reasons.length > 0) return { kind: 'conflict', reasons };
  return applyPlan(input, main, change, plan);
}

/** The archivist's text as a merge: what became of each requirement is counted afterwards. */
export function mergedByHand(text: string, { main, change, specId, archivedAt }: MergeInput): Merged {
  const after = requirementTexts(readSpec(unixLines(text), specId));
  // A text that cannot be read may be the very reason why this merge was made by hand.
  const readable = (side: string): Spec | undefined => {
    const spec = attempt(() => readSpec(unixLines(side), 'spec'));
    return spec instanceof DocumentError ? undefined : spec;
  };
  const mainSpec = main === undefined ? { requirements: [] } : readable(main);
  const before = mainSpec && requirementTexts(mainSpec);
  const renamed = (readable(change)?.renamed ?? [])
    .filter(({ from, to }) => before?.has(from) && !before.has(to) && after.has(to) && !after.has(from))
    .map(({ from, to }) => ({ from, to }));
  const ids = [...after.keys()];
  const fields = { requirements: requirementCounts(ids), archived_at: JSON.stringify(archivedAt) };
  return {
    kind: main === undefined ? 'copied' : 'merged',
    text: setFrontFields(unixLines(text), fields),
    added: ids.filter((id) => before && !before.has(id) && !renamed.some(({ to }) => to === id)),
    // What cannot be read before cannot have stayed the same.
    modified: ids.filter((id) => !before || (before.has(id) && before.get(id) !== after.get(id))),
    removed: [...(before?.keys() ?? [])].filter((id) => !after.has(id) && !renamed.some(({ from }) => from === id)),
    renamed,
  };
}

function unixLines(text: string): string {
  return text.replaceAll('\r\n', '\n');
}

interface Side {
  readonly spec: Spec;
  readonly lines: readonly string[];
}

function readSide(text: string, what: string): Side | string {
  const unix = unixLines(text);
  const spec = attempt(() => readSpec(unix, what));
  if (spec instanceof DocumentError) return spec.message;
  const names = [...spec.requirements.map(({ id }) => id), ...standing(spec).map(({ name }) => `Scenario: ${name}`)];
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) return `${what} has ${twice} twice`;
  const blocking = spec.findings.find(isBlocking);
  return blocking ? `${what}, line ${blocking.line}: ${blocking.message}` : { spec, lines: unix.split('\n') };
}

function copySpec(input: MergeInput, { spec }: Side): MergeResult {
  const orphans = [...spec.removed, ...spec.renamed.map(({ from }) => from)];
  const reasons = orphans.map(
    (id) => `${id} is to be removed or renamed, but there is no permanent spec "${input.specId}"`,
  );
  if (input.base && input.base.size > 0)
    reasons.push(`the permanent spec "${input.specId}" is gone since the change was planned`);
  if (reasons.length > 0) return { kind: 'conflict', reasons };
  const added = spec.requirements.map(({ id }) => id);
  const text = setFrontFields(unixLines(input.change), archiveFields(input, spec, spec.version, added));
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

/** Scenarios and sections that both main and the change altered since the base. */
function partConflicts(main: Spec, change: Spec, base: MergeInput['base']): string[] {
  const ours = specTexts(main);
  const altered = [...specTexts(change)].filter(([key, text]) => {
    const current = ours.get(key);
    if (!/^(?:Scenario|Section): /.test(key) || current === undefined || current === text) return false;
    return base?.has(key) && base.get(key) !== current;
  });
  return altered.map(([key]) => `"${key}" was changed in the permanent spec since the change was planned`);
}

/** `ranges`: new lines for lines of main, by the first; `inserts`: blocks in front of a line. */
interface Merge {
  readonly main: Side;
  readonly change: Side;
  readonly ranges: Map<number, { end: number; lines: readonly string[] }>;
  readonly inserts: Map<number, (readonly string[])[]>;
}

function applyPlan(input: MergeInput, main: Side, change: Side, plan: RequirementPlan): MergeResult {
  const merge: Merge = { main, change, ranges: new Map(), inserts: new Map() };
  editRequirements(merge, plan);
  editScenarios(merge);
  editSections(merge);
  const { added, modified, removed, renamed, expected } = plan;
  const result = { kind: 'merged' as const, added, modified, removed, renamed };
  if (merge.ranges.size === 0 && merge.inserts.size === 0) return { ...result, text: input.main ?? '' };
  const fields = archiveFields(input, main.spec, bumped(main.spec.version), [...expected.keys()]);
  const text = setFrontFields(edited(merge), fields);
  const read = requirementTexts(readSpec(text, 'merged'));
  return read.size === expected.size && [...expected].every(([id, wanted]) => read.get(id) === wanted)
    ? { ...result, text }
    : { kind: 'conflict', reasons: [`the merged text of "${input.specId}" does not read as its parts do`] };
}

function editRequirements(merge: Merge, plan: RequirementPlan): void {
  const { main, change, ranges } = merge;
  const { requirements, sections } = main.spec;
  for (const requirement of requirements) {
    const edit = plan.edits.get(requirement.id);
    if (edit === undefined) continue;
    const { start, end } = rangeOf(main, requirement);
    if (edit === null) ranges.set(start, { end, lines: [] });
    else if ('line' in edit) replace(merge, requirement, edit);
    else {
      const [heading = '', ...rest] = main.lines.slice(start, end);
      const [, lead = '', title = ''] = new RegExp(`^(.*?)\\b${edit.from}(.*)$`, 'i').exec(heading) ?? [];
      const renamed = `${lead}${edit.to}${edit.title === null ? title : `: ${edit.title}`}`;
      ranges.set(start, { end, lines: [renamed, ...rest] });
    }
  }
  const added = change.spec.requirements.filter(({ id }) => plan.added.includes(id));
  const section = sections.find(({ kind }) => kind === 'requirements');
  append(merge, requirements.at(-1) ?? section, added, section ? [] : [['## Requirements']]);
}

const standing = (spec: Spec): Spec['scenarios'] => spec.scenarios.filter(({ within }) => within === null);

function editScenarios(merge: Merge): void {
  const { spec } = merge.main;
  const last = standing(spec).at(-1) ?? spec.sections.find(({ kind }) => kind === 'criteria');
  append(merge, last, editParts(merge, standing, scenarioKey), last ? [] : [['## Acceptance Criteria']]);
}

function editSections(merge: Merge): void {
  append(merge, undefined, editParts(merge, plainSections, sectionKey), []);
  const [ours, theirs] = [merge.main, merge.change].map(({ spec }) =>
    spec.sections.find(({ kind }) => kind === 'overview'),
  );
  if (ours?.text === '' && theirs && theirs.text !== '') replace(merge, ours, theirs);
}

/** Sections that hold no requirement or scenario, which are merged one by one. */
function plainSections({ sections, requirements, scenarios }: Spec): Spec['sections'] {
  const inner = [...requirements, ...scenarios];
  return sections.filter(
    ({ kind, line, endLine }) => kind === 'other' && !inner.some((part) => line < part.line && part.line < endLine),
  );
}

type Lines = Pick<Spec['sections'][number], 'line' | 'endLine'>;
type Part = Lines & { readonly name: string; readonly text: string };

/** Replaces the parts that differ, and returns those that main does not have. */
function editParts(merge: Merge, partsOf: (spec: Spec) => readonly Part[], keyOf: (name: string) => string) {
  const ours = new Map(partsOf(merge.main.spec).map((part) => [keyOf(part.name), part]));
  return partsOf(merge.change.spec).filter((part) => {
    const current = ours.get(keyOf(part.name));
    if (current && normalised(current.text) !== normalised(part.text)) replace(merge, current, part);
    return !current;
  });
}

/** A part of main by one of the change. */
function replace({ main, change, ranges }: Merge, part: Lines, by: Lines): void {
  const { start, end, gap } = rangeOf(main, part);
  ranges.set(start, { end, lines: [...blockOf(change, by), ...gap] });
}

/** Parts of the change behind a part of main, or at its end; under a heading that main does not have. */
function append(merge: Merge, behind: Lines | undefined, parts: readonly Lines[], heading: readonly string[][]): void {
  const { main, change, inserts } = merge;
  const at = behind ? behind.endLine - 1 : main.lines.length;
  const blocks = parts.map((part) => blockOf(change, part));
  if (blocks.length > 0) inserts.set(at, [...(inserts.get(at) ?? []), ...heading, ...blocks]);
}

/** `gap`: the blank lines at its end. */
function rangeOf({ lines }: Side, { line, endLine }: Lines): { start: number; end: number; gap: readonly string[] } {
  let last = endLine - 1;
  while (last > line && lines[last - 1]?.trim() === '') last--;
  return { start: line - 1, end: endLine - 1, gap: lines.slice(last, endLine - 1) };
}

function blockOf(side: Side, part: Lines): readonly string[] {
  const { start, end, gap } = rangeOf(side, part);
  return side.lines.slice(start, end - gap.length);
}

function edited({ main: { lines }, ranges, inserts }: Merge): string {
  const out: string[] = [];
  for (let at = 0; at <= lines.length; at = ranges.get(at)?.end ?? at + 1) {
    for (const block of inserts.get(at) ?? []) {
      if (out.at(-1)?.trim() !== '') out.push('');
      out.push(...block, '');
    }
    out.push(...(ranges.get(at)?.lines ?? lines.slice(at, at + 1)));
  }
  return out.at(-1) === '' ? out.join('\n') : `${out.join('\n')}\n`;
}

function bumped(version: string): string {
  return /\d+(?=\D*$)/.test(version) ? version.replace(/\d+(?=\D*$)/, (digits) => String(Number(digits) + 1)) : '2';
}
