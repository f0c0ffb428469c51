/**
 * The three-way merge of a spec as a plan: what becomes of each element, given the permanent spec as it was when the
 * plan was approved (base), as it is (main), and the spec of the change, which names only what it alters.
 *
 * An element that one side touched becomes what that side made of it. One that both touched with different results is
 * a conflict. Without a base nobody can tell who touched it, so every difference is one.
 */

import { isBlocking } from '../../documents/finding.ts';
import { folded, type Spec } from '../../documents/spec.ts';
import { normalised, type Element, type ElementTexts, type SpecParts } from '../../documents/spec-elements.ts';

type Rename = Spec['renamed'][number];

export interface RequirementChanges extends Readonly<Record<'added' | 'modified' | 'removed', readonly string[]>> {
  readonly renamed: readonly { readonly from: string; readonly to: string }[];
}

export interface Conflict {
  /** The elements that somebody has to judge; all others are settled. */
  readonly keys: readonly string[];
  readonly reason: string;
  /** No obstacle for a spec that is new: it is copied as it is. */
  readonly ofMerge?: true;
}

export interface MergePlan extends RequirementChanges {
  /** By key in main: its replacement, its new id and title, or null where it is removed. The others stay as they are. */
  readonly edits: ReadonlyMap<string, Element | Rename | null>;
  readonly additions: readonly Element[];
  /** Every element after the merge with its text. */
  readonly expected: ElementTexts;
  readonly conflicts: readonly Conflict[];
}

interface Sides {
  readonly ours: ReadonlyMap<string, Element>;
  readonly theirs: ReadonlyMap<string, Element>;
  readonly base: ElementTexts | undefined;
  readonly conflicts: Conflict[];
}

export function planMerge(main: SpecParts, change: SpecParts, base: ElementTexts | undefined): MergePlan {
  const byKey = ({ elements }: SpecParts) => new Map(elements.map((element) => [element.key, element]));
  const conflicts = [...sideConflicts(main, 'the permanent spec'), ...sideConflicts(change, 'the spec of the change')];
  const sides: Sides = { ours: byKey(main), theirs: byKey(change), base, conflicts };
  const { renames, settled } = openRenames(change.spec, sides);
  const removed = change.spec.removed.filter((id) => !settled.has(id) && isRemovable(sides, id, settled));
  reportContradictions(change.spec, sides);
  reportStrayLines(main, change, conflicts);
  const edits = new Map<string, Element | Rename | null>();
  const expected = new Map<string, string>();
  for (const element of main.elements) {
    const rename = renames.get(element.key);
    const key = rename?.to ?? element.key;
    const edit = removed.includes(element.key) ? null : editOf(element, rename, sides);
    if (edit !== undefined) {
      edits.set(element.key, edit);
      const reason = whyJudge(element, edit, base);
      if (reason !== undefined) conflicts.push({ keys: [element.key, key], reason: `${element.label} ${reason}` });
    }
    if (edit === null) continue;
    const twice = expected.has(key) && [...renames.values()].find(({ to }) => to === key);
    if (twice)
      conflicts.push({ keys: [key, twice.from], reason: `${key} would be there twice after renaming ${twice.from}` });
    expected.set(key, edit === undefined ? element.text : 'key' in edit ? edit.text : retitled(element, edit));
  }
  const additions = change.elements.filter((element) => !expected.has(element.key) && isAdded(element, sides, edits));
  for (const { key, text } of additions) expected.set(key, text);
  const replaced = [...edits.values()].flatMap((edit) => (edit !== null && 'key' in edit ? [edit] : []));
  return {
    edits,
    additions,
    expected,
    conflicts,
    added: requirementIds(additions),
    modified: requirementIds(replaced),
    removed,
    renamed: [...renames].map(([from, { to }]) => ({ from, to })),
  };
}

function requirementIds(elements: readonly Element[]): string[] {
  return elements.filter(({ kind }) => kind === 'requirement').map(({ key }) => key);
}

/** What the change makes of an element of main; undefined where it does not touch it. */
function editOf(element: Element, rename: Rename | undefined, { theirs, base }: Sides): Element | Rename | undefined {
  const by = theirs.get(rename?.to ?? element.key);
  // What only repeats the base was not touched, whatever main made of it since.
  const isRepeated = rename === undefined && base?.get(element.key) === by?.text;
  if (by !== undefined && by.text !== element.text && !isRepeated) return by;
  return rename && { ...rename, title: by ? null : rename.title };
}

/** Why an edit of this element is not for a program to make. */
function whyJudge(element: Element, edit: Element | Rename | null, base: ElementTexts | undefined): string | undefined {
  if (base === undefined) return 'differs, and nobody recorded the permanent spec when the change was planned';
  const before = base.get(element.key);
  if (before === undefined) return 'was added to the permanent spec since the change was planned, with another text';
  if (before !== element.text) return 'was changed in the permanent spec since the change was planned';
  if (edit === null || !('key' in edit)) return undefined;
  if (edit.declared === 'added' && edit.key === element.key)
    return 'stands under "## Added Requirements", but the permanent spec has it already';
  if (edit.kind !== 'section') return undefined;
  const kept = new Set(edit.text.split('\n').map((line) => line.trim()));
  const lost = element.text.split('\n').find((line) => !kept.has(line.trim()));
  return lost === undefined ? undefined : `would lose the line "${lost.trim()}": a section is replaced as a whole`;
}

/** Whether the change adds this element, which main does not have. */
function isAdded(element: Element, { ours, base, conflicts }: Sides, edits: MergePlan['edits']): boolean {
  const { key, label, title, kind, text, declared } = element;
  // Main dropped it, and the change only repeats it.
  if (base?.get(key) === text) return false;
  const judge = (reason: string, ...others: readonly string[]) =>
    conflicts.push({ keys: [key, ...others], reason: `${label} ${reason}` });
  if (base?.has(key)) judge('is modified, but was removed from the permanent spec since the change was planned');
  else if (declared === 'modified')
    judge(`stands under "## Modified Requirements", but the permanent spec has no ${label}`);
  const twin = [...ours.values()].find(
    (one) => one.kind === kind && edits.get(one.key) === undefined && folded(one.title) === folded(title),
  );
  if (twin && title !== '')
    judge(`has the title of ${twin.label}, "${title}": it may replace it, or both are meant`, twin.key);
  return true;
}

/** What a side says that cannot be taken at its word. */
function sideConflicts({ spec, elements, unreadable }: SpecParts, what: string): Conflict[] {
  const keys = elements.map(({ key }) => key);
  const twice = elements.filter(({ key }, index) => keys.indexOf(key) !== index);
  const blocking = spec.findings.find((finding) => isBlocking(finding) && finding.code !== 'requirement-without-id');
  return [
    ...(unreadable === null ? [] : [{ keys: [], reason: unreadable }]),
    ...twice.map(({ key, label }) => ({ keys: [key], reason: `${what} has ${label} twice`, ofMerge: true as const })),
    ...(blocking ? [{ keys: [], reason: `${what}, line ${blocking.line}: ${blocking.message}` }] : []),
  ];
}

/** Lines of the change that belong to no element would be lost; its title and overview speak of the change only. */
function reportStrayLines(main: SpecParts, change: SpecParts, conflicts: Conflict[]): void {
  const known = new Set(main.frame.map((line) => main.lines[line - 1]?.trim()));
  const { sections } = change.spec;
  const stray = change.frame.find((line) => {
    const section = sections.find((each) => each.line <= line && line < each.endLine);
    const isIntroduction = section === undefined || section.line === line;
    if (isIntroduction || ['overview', 'removed', 'renamed'].includes(section.kind)) return false;
    return !known.has(change.lines[line - 1]?.trim());
  });
  if (stray === undefined) return;
  const text = change.lines[stray - 1]?.trim() ?? '';
  const reason = `line ${stray} of the spec of the change belongs to no requirement, scenario or section: "${text}"`;
  conflicts.push({ keys: [], reason, ofMerge: true });
}

/** What main no longer has but had when the change was planned is already gone: both sides agree. */
function isThere({ ours, base, conflicts }: Sides, id: string, what: string): boolean {
  if (!ours.has(id) && !base?.has(id))
    conflicts.push({ keys: [id], reason: `${id} is to be ${what}, but the permanent spec has no ${id}` });
  return ours.has(id);
}

/** What others renamed since is not gone, although it is not there. `own`: new ids by the change's own renames. */
function isRemovable(sides: Sides, id: string, own: ReadonlySet<string>): boolean {
  const { ours, theirs, base, conflicts } = sides;
  const bodyOf = (text: string): string => text.split('\n').slice(1).join('\n');
  const body = bodyOf(base?.get(id) ?? '');
  const others = [...ours.values()].filter(({ key }) => !base?.has(key) && !theirs.has(key) && !own.has(key));
  const moved = ours.has(id) || body === '' ? undefined : others.find(({ text }) => bodyOf(text) === body);
  const reason = `${id} is to be removed, but became ${moved?.label} since the change was planned`;
  if (moved) conflicts.push({ keys: [id, moved.key], reason });
  return isThere(sides, id, 'removed');
}

/** `settled`: the new ids of renames that main already has. */
function openRenames(change: Spec, sides: Sides): { renames: Map<string, Rename>; settled: Set<string> } {
  const renames = new Map<string, Rename>();
  const settled = new Set<string>();
  for (const rename of change.renamed) {
    const { from, to } = rename;
    if (isRenamed(rename, sides)) settled.add(to);
    else if (isThere(sides, from, 'renamed')) renames.set(from, rename);
    else if (sides.base?.has(from)) {
      const reason = `${from} is to be renamed, but was removed from the permanent spec since the change was planned`;
      sides.conflicts.push({ keys: [from, to], reason });
    }
  }
  return { renames, settled };
}

/** Whether main already has the outcome of this rename: the old text under the new id, and no longer under the old one. */
function isRenamed({ from, to, title }: Rename, { ours, theirs, base }: Sides): boolean {
  const before = base?.get(from);
  if (before === undefined || ours.get(from)?.text === before) return false;
  const after = title === null ? before : normalised(`${title}\n${before.split('\n').slice(1).join('\n')}`);
  return ours.get(to)?.text === (theirs.get(to)?.text ?? after);
}

function retitled({ text, title: before }: Element, { title }: Rename): string {
  if (title === null) return text;
  return normalised(`${title}\n${before === '' ? text : text.split('\n').slice(1).join('\n')}`);
}

function reportContradictions({ removed, renamed }: Spec, { theirs, conflicts }: Sides): void {
  const sources = renamed.map(({ from }) => from);
  const contradict = (id: string, reason: string) => conflicts.push({ keys: [id], reason: `${id} ${reason}` });
  for (const id of [...removed, ...sources])
    if (theirs.has(id)) contradict(id, 'is removed or renamed, and defined in the same change');
  for (const [index, { from, to }] of renamed.entries()) {
    if (from === to) contradict(from, 'is renamed to itself');
    if (removed.includes(from) || sources.indexOf(from) !== index)
      contradict(from, 'is renamed, and renamed again or removed in the same change');
  }
}
