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
import { setFrontFields } from '../../documents/front-matter-edit.ts';
import { requirementCounts, versionText } from '../../documents/render-spec.ts';
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
  /** The permanent spec; undefined when there is none yet. */
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

/** Needs judgement: goes to the archivist. */
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

interface Side {
  readonly spec: Spec;
  readonly lines: readonly string[];
}

/** A spec ready for merging, or why it is not. */
function readSide(text: string, what: string): Side | string {
  const unix = text.replaceAll('\r\n', '\n');
  const spec = attempt(() => readSpec(unix, what));
  if (spec instanceof DocumentError) return spec.message;
  const twice =
    firstDouble(spec.requirements.map(({ id }) => id)) ??
    firstDouble(standing(spec).map(({ name }) => `Scenario: ${name}`));
  if (twice !== undefined) return `${what} has ${twice} twice`;
  const blocking = spec.findings.find(isBlocking);
  return blocking ? `${what}, line ${blocking.line}: ${blocking.message}` : { spec, lines: unix.split('\n') };
}

function firstDouble(names: readonly string[]): string | undefined {
  return names.find((name, index) => names.indexOf(name) !== index);
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
  const unix = input.change.replaceAll('\r\n', '\n');
  const text = setFrontFields(unix, { ...identity(spec, input.specId), ...archiveFields(input, spec.version, added) });
  return { kind: 'copied', text, added, modified: [], removed: [], renamed: [] };
}

/** What a spec without front matter needs to be found again. */
function identity(spec: Spec, specId: string): Record<string, string> {
  return spec.hasFront ? {} : { id: yamlText(specId), type: 'spec', title: yamlText(spec.title) };
}

function archiveFields(input: MergeInput, version: string, ids: readonly string[]): Record<string, string> {
  return {
    version: versionText(version),
    requirements: requirementCounts(ids),
    archived_at: JSON.stringify(input.archivedAt),
  };
}

/** Scenarios and sections that both main and the change altered since the base. */
function partConflicts(main: Spec, change: Spec, base: MergeInput['base']): string[] {
  const ours = specTexts(main);
  const reasons: string[] = [];
  for (const [key, text] of specTexts(change)) {
    const current = ours.get(key);
    if (!/^(?:Scenario|Section): /.test(key) || current === undefined || current === text) continue;
    if (base?.has(key) && base.get(key) !== current)
      reasons.push(`"${key}" was changed in the permanent spec since the change was planned`);
  }
  return reasons;
}

interface Edits {
  /** Replacements of line ranges, by index of the first line. */
  readonly ranges: Map<number, { end: number; lines: readonly string[] }>;
  /** Blocks to put in before a line. */
  readonly inserts: Map<number, (readonly string[])[]>;
}

function applyPlan(input: MergeInput, main: Side, change: Side, plan: RequirementPlan): Merged | MergeConflict {
  const edits: Edits = { ranges: new Map(), inserts: new Map() };
  editRequirements(edits, main, change, plan);
  editScenarios(edits, main, change);
  editSections(edits, main, change);
  const { added, modified, removed, renamed } = plan;
  const result = { kind: 'merged' as const, added, modified, removed, renamed };
  if (edits.ranges.size === 0 && edits.inserts.size === 0) return { ...result, text: input.main ?? '' };
  const ids = [...plan.expected.keys()];
  const fields = { ...identity(main.spec, input.specId), ...archiveFields(input, bumped(main.spec.version), ids) };
  const text = setFrontFields(edited(main.lines, edits), fields);
  return readsAs(text, plan)
    ? { ...result, text }
    : { kind: 'conflict', reasons: [`the merged text of "${input.specId}" does not read as its parts do`] };
}

function editRequirements({ ranges, inserts }: Edits, main: Side, change: Side, plan: RequirementPlan): void {
  for (const requirement of main.spec.requirements) {
    const fate = plan.fates.get(requirement.id);
    if (!fate) continue;
    const { start, end, gap } = rangeOf(main, requirement);
    if (fate.kind === 'remove') ranges.set(start, { end, lines: [] });
    else if (fate.kind === 'replace') ranges.set(start, { end, lines: [...blockOf(change, fate.by), ...gap] });
    else {
      const [heading = '', ...rest] = main.lines.slice(start, end);
      ranges.set(start, { end, lines: [renamedHeading(heading, requirement.id, fate), ...rest] });
    }
  }
  const fresh = change.spec.requirements
    .filter(({ id }) => plan.added.includes(id))
    .map((requirement) => blockOf(change, requirement));
  const section = main.spec.sections.find(({ kind }) => kind === 'requirements');
  const at = main.spec.requirements.at(-1)?.endLine ?? section?.endLine ?? main.lines.length + 1;
  if (fresh.length > 0) insert(inserts, at - 1, section ? fresh : [['## Requirements'], ...fresh]);
}

function renamedHeading(
  heading: string,
  from: string,
  { to, title }: { readonly to: string; readonly title: string | null },
): string {
  const [, lead = '', rest = ''] = new RegExp(`^(.*?)\\b${from}(.*)$`, 'i').exec(heading) ?? [];
  return title === null ? `${lead}${to}${rest}` : `${lead}${to}: ${title}`;
}

const standing = (spec: Spec): Spec['scenarios'] => spec.scenarios.filter(({ within }) => within === null);

function editScenarios({ ranges, inserts }: Edits, main: Side, change: Side): void {
  const ours = new Map(standing(main.spec).map((scenario) => [scenarioKey(scenario.name), scenario]));
  const fresh: (readonly string[])[] = [];
  for (const scenario of standing(change.spec)) {
    const current = ours.get(scenarioKey(scenario.name));
    if (!current) fresh.push(blockOf(change, scenario));
    else if (normalised(current.text) !== normalised(scenario.text))
      replace(ranges, main, current, blockOf(change, scenario));
  }
  const criteria = main.spec.sections.find(({ kind }) => kind === 'criteria');
  const at = standing(main.spec).at(-1)?.endLine ?? criteria?.endLine;
  if (fresh.length > 0)
    insert(
      inserts,
      (at ?? main.lines.length + 1) - 1,
      at === undefined ? [['## Acceptance Criteria'], ...fresh] : fresh,
    );
}

function editSections({ ranges, inserts }: Edits, main: Side, change: Side): void {
  const ours = new Map(plainSections(main.spec).map((section) => [sectionKey(section.name), section]));
  for (const section of plainSections(change.spec)) {
    const current = ours.get(sectionKey(section.name));
    if (!current) insert(inserts, main.lines.length, [blockOf(change, section)]);
    else if (normalised(current.text) !== normalised(section.text))
      replace(ranges, main, current, blockOf(change, section));
  }
  const overview = main.spec.sections.find(({ kind }) => kind === 'overview');
  const theirs = change.spec.sections.find(({ kind }) => kind === 'overview');
  if (overview?.text === '' && theirs && theirs.text !== '') replace(ranges, main, overview, blockOf(change, theirs));
}

/** Sections that hold no requirement or scenario, which are merged one by one. */
function plainSections({ sections, requirements, scenarios }: Spec): Spec['sections'] {
  const inner = [...requirements, ...scenarios];
  return sections.filter(
    ({ kind, line, endLine }) => kind === 'other' && !inner.some((part) => line < part.line && part.line < endLine),
  );
}

interface Lines {
  readonly line: number;
  readonly endLine: number;
}

function replace(ranges: Edits['ranges'], main: Side, part: Lines, lines: readonly string[]): void {
  const { start, end, gap } = rangeOf(main, part);
  ranges.set(start, { end, lines: [...lines, ...gap] });
}

function insert(inserts: Edits['inserts'], at: number, blocks: readonly (readonly string[])[]): void {
  inserts.set(at, [...(inserts.get(at) ?? []), ...blocks]);
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
  for (let at = 0; at <= lines.length; at++) {
    for (const block of inserts.get(at) ?? []) {
      if (out.at(-1)?.trim() !== '') out.push('');
      out.push(...block, '');
    }
    const range = ranges.get(at);
    if (range) out.push(...range.lines);
    else if (at < lines.length) out.push(lines[at] ?? '');
    if (range) at = range.end - 1;
  }
  return out.at(-1) === '' ? out.join('\n') : `${out.join('\n')}\n`;
}

function readsAs(text: string, { expected }: RequirementPlan): boolean {
  const read = requirementTexts(readSpec(text, 'merged'));
  return read.size === expected.size && [...expected].every(([id, wanted]) => read.get(id) === wanted);
}

/** The last number of a version goes up by one. */
function bumped(version: string): string {
  return /\d+(?=\D*$)/.test(version) ? version.replace(/\d+(?=\D*$)/, (digits) => String(Number(digits) + 1)) : '2';
}
