/** What becomes of each requirement of a permanent spec when a change is merged into it. */

import { normalised, requirementTexts, type Requirement, type Spec } from '../../documents/spec.ts';

type Rename = Spec['renamed'][number];

export interface RequirementChanges extends Readonly<Record<'added' | 'modified' | 'removed', readonly string[]>> {
  readonly renamed: readonly { readonly from: string; readonly to: string }[];
}

export interface RequirementPlan extends RequirementChanges {
  /** By id in main: its replacement, its new id and title, or null where it is removed. The others stay as they are. */
  readonly edits: ReadonlyMap<string, Requirement | Rename | null>;
  /** Every requirement after the merge, in order, with its text. */
  readonly expected: ReadonlyMap<string, string>;
  readonly conflicts: readonly string[];
}

export function planRequirements(main: Spec, change: Spec, base: Sides['base']): RequirementPlan {
  const sides: Sides = { ours: requirementTexts(main), theirs: requirementTexts(change), base, conflicts: [] };
  const { ours, theirs, conflicts } = sides;
  const { renames, settled } = openRenames(change, sides);
  const removals = new Set(change.removed.filter((id) => !settled.has(id) && isThere(sides, id, 'removed')));
  reportContradictions(change, sides);
  const edits = new Map<string, Requirement | Rename | null>();
  const expected = new Map<string, string>();
  const modified: string[] = [];
  for (const { id: from, text } of main.requirements) {
    const rename = renames.get(from);
    const id = rename?.to ?? from;
    const by = change.requirements.find((one) => one.id === id);
    const isModified = by !== undefined && theirs.get(id) !== ours.get(from);
    const renamed = rename && { ...rename, title: by ? null : rename.title };
    const edit = removals.has(from) ? null : isModified ? by : renamed;
    if (edit !== undefined) {
      edits.set(from, edit);
      // Whoever changed the requirement meanwhile did not know of this change.
      if (base && base.get(from) !== ours.get(from))
        conflicts.push(`${from} was changed in the permanent spec since the change was planned`);
    }
    if (edit === null) continue;
    if (isModified) modified.push(id);
    if (expected.has(id)) conflicts.push(`${id} would be there twice after renaming ${from}`);
    const title = renamed?.title ?? null;
    const kept = title === null ? ours.get(from) : normalised(`${title}\n${text}`);
    expected.set(id, (isModified ? theirs.get(id) : kept) ?? '');
  }
  const added = [...theirs.keys()].filter((id) => !expected.has(id));
  for (const id of added) {
    if (base?.has(id) && !ours.has(id))
      conflicts.push(`${id} is modified, but was removed from the permanent spec since the change was planned`);
    expected.set(id, theirs.get(id) ?? '');
  }
  const renamed = [...renames].map(([from, { to }]) => ({ from, to }));
  return { edits, added, modified, removed: [...removals], renamed, expected, conflicts };
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

/** `settled`: the new ids of renames that main already has. */
function openRenames(change: Spec, sides: Sides): { renames: Map<string, Rename>; settled: Set<string> } {
  const renames = new Map<string, Rename>();
  const settled = new Set<string>();
  for (const rename of change.renamed) {
    const { from, to } = rename;
    if (isRenamed(rename, sides)) settled.add(to);
    else if (isThere(sides, from, 'renamed')) renames.set(from, rename);
    else if (sides.base?.has(from))
      sides.conflicts.push(
        `${from} is to be renamed, but was removed from the permanent spec since the change was planned`,
      );
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
  for (const id of [...removed, ...sources])
    if (theirs.has(id)) conflicts.push(`${id} is removed or renamed, and defined in the same change`);
  for (const [index, { from, to }] of renamed.entries()) {
    if (from === to) conflicts.push(`${from} is renamed to itself`);
    if (removed.includes(from) || sources.indexOf(from) !== index)
      conflicts.push(`${from} is renamed, and renamed again or removed in the same change`);
  }
}
