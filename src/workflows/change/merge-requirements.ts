/** What becomes of each requirement of a permanent spec when a change is merged into it. */

import { normalised, requirementTexts, type Requirement, type Spec } from '../../documents/spec.ts';

export type Fate =
  | { readonly kind: 'remove' }
  | { readonly kind: 'replace'; readonly by: Requirement }
  | { readonly kind: 'rename'; readonly to: string; readonly title: string | null };

export interface RequirementPlan {
  /** By id in main; requirements without a fate stay as they are. */
  readonly fates: ReadonlyMap<string, Fate>;
  readonly added: readonly string[];
  readonly modified: readonly string[];
  readonly removed: readonly string[];
  readonly renamed: readonly { readonly from: string; readonly to: string }[];
  /** Every requirement after the merge, in order, with its text. */
  readonly expected: ReadonlyMap<string, string>;
  readonly conflicts: readonly string[];
}

export function planRequirements(
  main: Spec,
  change: Spec,
  base: ReadonlyMap<string, string> | undefined,
): RequirementPlan {
  const sides: Sides = { ours: requirementTexts(main), theirs: requirementTexts(change), base, conflicts: [] };
  const { renames, settled } = openRenames(change, sides);
  const removals = new Set(change.removed.filter((id) => !settled.has(id) && isThere(sides, id, 'removed')));
  reportContradictions(change, sides);
  const fates = new Map<string, Fate>();
  const expected = new Map<string, string>();
  const modified: string[] = [];
  for (const requirement of main.requirements) {
    const rename = renames.get(requirement.id);
    const id = rename?.to ?? requirement.id;
    const fate = fateOf(requirement, {
      removed: removals.has(requirement.id),
      rename,
      by: change.requirements.find((one) => one.id === id),
    });
    if (fate) {
      fates.set(requirement.id, fate);
      reportStale(sides, requirement.id);
    }
    if (fate?.kind === 'remove') continue;
    if (fate?.kind === 'replace') modified.push(id);
    if (expected.has(id)) sides.conflicts.push(`${id} would be there twice after renaming ${requirement.id}`);
    expected.set(id, textAfter(requirement, fate));
  }
  const added = change.requirements.map(({ id }) => id).filter((id) => !expected.has(id));
  for (const id of added) {
    if (base?.has(id) && !sides.ours.has(id))
      sides.conflicts.push(`${id} is modified, but was removed from the permanent spec since the change was planned`);
    expected.set(id, sides.theirs.get(id) ?? '');
  }
  const renamed = [...renames].map(([from, { to }]) => ({ from, to }));
  return { fates, added, modified, removed: [...removals], renamed, expected, conflicts: sides.conflicts };
}

interface Sides {
  readonly ours: ReadonlyMap<string, string>;
  readonly theirs: ReadonlyMap<string, string>;
  readonly base: ReadonlyMap<string, string> | undefined;
  readonly conflicts: string[];
}

/** What main no longer has but had when the change was planned is already gone: both sides agree. */
function isThere({ ours, base, conflicts }: Sides, id: string, what: string): boolean {
  if (ours.has(id)) return true;
  if (!base?.has(id)) conflicts.push(`${id} is to be ${what}, but the permanent spec has no ${id}`);
  return false;
}

type Rename = Spec['renamed'][number];

/** `settled`: the new ids of renames that main already has. */
function openRenames(change: Spec, sides: Sides): { renames: Map<string, Rename>; settled: Set<string> } {
  const renames = new Map<string, Rename>();
  const settled = new Set<string>();
  for (const rename of change.renamed) {
    if (isRenamed(rename, sides)) settled.add(rename.to);
    else if (isThere(sides, rename.from, 'renamed')) renames.set(rename.from, rename);
    else if (sides.base?.has(rename.from)) {
      sides.conflicts.push(
        `${rename.from} is to be renamed, but was removed from the permanent spec since the change was planned`,
      );
    }
  }
  return { renames, settled };
}

/** Whether main already has the outcome of this rename: the old text under the new id, and no longer under the old one. */
function isRenamed({ from, to, title }: Rename, { ours, theirs, base }: Sides): boolean {
  const before = base?.get(from);
  if (before === undefined || ours.get(from) === before) return false;
  const retitled = title === null ? before : normalised(`${title}\n${before.split('\n').slice(1).join('\n')}`);
  return ours.get(to) === (theirs.get(to) ?? retitled);
}

function reportContradictions({ removed, renamed }: Spec, { theirs, conflicts }: Sides): void {
  const sources = renamed.map(({ from }) => from);
  for (const id of [...removed, ...sources]) {
    if (theirs.has(id)) conflicts.push(`${id} is removed or renamed, and defined in the same change`);
  }
  for (const { from, to } of renamed) if (from === to) conflicts.push(`${from} is renamed to itself`);
  for (const [index, id] of sources.entries()) {
    if (removed.includes(id) || sources.indexOf(id) !== index)
      conflicts.push(`${id} is renamed, and renamed again or removed in the same change`);
  }
}

function fateOf(
  requirement: Requirement,
  { removed, rename, by }: { removed: boolean; rename: Rename | undefined; by: Requirement | undefined },
): Fate | undefined {
  if (removed) return { kind: 'remove' };
  if (by && contentOf(by) !== contentOf(requirement)) return { kind: 'replace', by };
  return rename && { kind: 'rename', to: rename.to, title: by ? null : rename.title };
}

function contentOf({ title, text }: Requirement): string {
  return normalised(`${title}\n${text}`);
}

function textAfter(requirement: Requirement, fate: Fate | undefined): string {
  if (fate?.kind === 'replace') return contentOf(fate.by);
  if (fate?.kind === 'rename' && fate.title !== null) return contentOf({ ...requirement, title: fate.title });
  return contentOf(requirement);
}

/** Whoever changed the requirement meanwhile did not know of this change. */
function reportStale({ ours, base, conflicts }: Sides, id: string): void {
  if (base && base.get(id) !== ours.get(id))
    conflicts.push(`${id} was changed in the permanent spec since the change was planned`);
}
