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
import { planRequirements, type RequirementPlan } from './merge-requirements.ts';

export interface MergeInput {
  readonly main: string | undefined;
  readonly change: string;
  /** `specTexts` of main when the change was planned; undefined when nobody knows. */
  readonly base: ReadonlyMap<string, string> | undefined;
  readonly specId: string;
  readonly archivedAt: string;
  readonly changeId: string;
}

export interface Merged {
  readonly kind: 'copied' | 'merged';
  readonly text: string;
  readonly added: readonly string[];
  readonly modified: readonly string[];
  readonly removed: readonly string[];
  readonly renamed: readonly { readonly from: string; readonly to: string }[];
}

export interface MergeConflict {
  readonly kind: 'conflict';
  readonly reasons: readonly string[];
}

export function mergeSpec(input: MergeInput): Merged | MergeConflict {
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

function copySpec(input: MergeInput, { spec }: Side): Merged | MergeConflict {
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

interface Edits {
  readonly ranges: Map<number, { end: number; lines: readonly string[] }>;
  readonly inserts: Map<number, (readonly string[])[]>;
}

function applyPlan(input: MergeInput, main: Side, change: Side, plan: RequirementPlan): Merged | MergeConflict {
  const edits: Edits = { ranges: new Map(), inserts: new Map() };
  editRequirements(edits, main, change, plan);
  editScenarios(edits, main, change);
  editSections(edits, main, change);
  const { added, modified, removed, renamed, expected } = plan;
  const result = { kind: 'merged' as const, added, modified, removed, renamed };
  if (edits.ranges.size === 0 && edits.inserts.size === 0) return { ...result, text: input.main ?? '' };
  const fields = archiveFields(input, main.spec, bumped(main.spec.version), [...expected.keys()]);
  const text = setFrontFields(edited(main.lines, edits), fields);
  const read = requirementTexts(readSpec(text, 'merged'));
  return read.size === expected.size && [...expected].every(([id, wanted]) => read.get(id) === wanted)
    ? { ...result, text }
    : { kind: 'conflict', reasons: [`the merged text of "${input.specId}" does not read as its parts do`] };
}

function editRequirements(edits: Edits, main: Side, change: Side, plan: RequirementPlan): void {
  for (const requirement of main.spec.requirements) {
    const edit = plan.edits.get(requirement.id);
    if (edit === undefined) continue;
    const { start, end } = rangeOf(main, requirement);
    if (edit === null) edits.ranges.set(start, { end, lines: [] });
    else if ('line' in edit) replace(edits, main, requirement, blockOf(change, edit));
    else {
      const [heading = '', ...rest] = main.lines.slice(start, end);
      const [, lead = '', title = ''] = new RegExp(`^(.*?)\\b${edit.from}(.*)$`, 'i').exec(heading) ?? [];
      const renamed = `${lead}${edit.to}${edit.title === null ? title : `: ${edit.title}`}`;
      edits.ranges.set(start, { end, lines: [renamed, ...rest] });
    }
  }
  const { requirements, sections } = main.spec;
  const fresh = change.spec.requirements.filter(({ id }) => plan.added.includes(id));
  const section = sections.find(({ kind }) => kind === 'requirements');
  const blocks = fresh.map((requirement) => blockOf(change, requirement));
  append(
    edits,
    main,
    requirements.at(-1) ?? section,
    section || fresh.length === 0 ? blocks : [['## Requirements'], ...blocks],
  );
}

const standing = (spec: Spec): Spec['scenarios'] => spec.scenarios.filter(({ within }) => within === null);

function editScenarios(edits: Edits, main: Side, change: Side): void {
  const blocks = editParts(edits, main, change, (spec) => keyed(standing(spec), scenarioKey));
  const last = standing(main.spec).at(-1) ?? main.spec.sections.find(({ kind }) => kind === 'criteria');
  append(edits, main, last, last || blocks.length === 0 ? blocks : [['## Acceptance Criteria'], ...blocks]);
}

function editSections(edits: Edits, main: Side, change: Side): void {
  append(
    edits,
    main,
    undefined,
    editParts(edits, main, change, (spec) => keyed(plainSections(spec), sectionKey)),
  );
  const [ours, theirs] = [main, change].map(({ spec }) => spec.sections.find(({ kind }) => kind === 'overview'));
  if (ours?.text === '' && theirs && theirs.text !== '') replace(edits, main, ours, blockOf(change, theirs));
}

/** Sections that hold no requirement or scenario, which are merged one by one. */
function plainSections({ sections, requirements, scenarios }: Spec): Spec['sections'] {
  const inner = [...requirements, ...scenarios];
  return sections.filter(
    ({ kind, line, endLine }) => kind === 'other' && !inner.some((part) => line < part.line && part.line < endLine),
  );
}

interface Part {
  readonly line: number;
  readonly endLine: number;
  readonly name: string;
  readonly text: string;
}

type Lines = Pick<Part, 'line' | 'endLine'>;

type KeyedParts = readonly (readonly [key: string, part: Part])[];

function keyed(parts: readonly Part[], keyOf: (name: string) => string): KeyedParts {
  return parts.map((part) => [keyOf(part.name), part]);
}

/** Replaces the parts that differ, and returns the blocks of those that main does not have. */
function editParts(edits: Edits, main: Side, change: Side, partsOf: (spec: Spec) => KeyedParts) {
  const ours = new Map(partsOf(main.spec));
  return partsOf(change.spec).flatMap(([key, part]) => {
    const current = ours.get(key);
    const block = blockOf(change, part);
    if (!current) return [block];
    if (normalised(current.text) !== normalised(part.text)) replace(edits, main, current, block);
    return [];
  });
}

function replace({ ranges }: Edits, main: Side, part: Lines, lines: readonly string[]): void {
  const { start, end, gap } = rangeOf(main, part);
  ranges.set(start, { end, lines: [...lines, ...gap] });
}

function append({ inserts }: Edits, main: Side, part: Lines | undefined, blocks: readonly (readonly string[])[]): void {
  const at = part ? part.endLine - 1 : main.lines.length;
  if (blocks.length > 0) inserts.set(at, [...(inserts.get(at) ?? []), ...blocks]);
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

function edited(lines: readonly string[], { ranges, inserts }: Edits): string {
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
