/** Checks of the archiving half: whether the code is what was approved, and the merge into the permanent specs. */

import { splitFrontMatter } from '../../../documents/front-matter.ts';
import { lineDiff } from '../../../documents/line-diff.ts';
import type { CheckContext, CheckResult, RunView, Write } from '../../workflow.ts';
import { stopWith } from '../../define-workflow.ts';
import { appendChangelog, changelogEntry } from '../changelog.ts';
import { planDigest } from '../documents.ts';
import { proposalIn, specOrder, specsIn } from '../read-documents.ts';
import { mergeSpec, type Merged } from '../merge-specs.ts';
import { mergedByHand } from '../merged-by-hand.ts';
import {
  archiveFolder,
  changeFolder,
  changelogPath,
  mainSpecPath,
  mergedSpecPath,
  specPath,
  specsFolder,
} from '../paths.ts';
import { data, reviewedTree } from '../run-data.ts';
import { planEdited } from './implementing.ts';

/** Approvals are bound: neither code nor plan may have changed since they were given. */
export async function confirmCode(context: RunView & Pick<CheckContext, 'treeDigest'>): Promise<CheckResult> {
  if ((await context.treeDigest()) !== reviewedTree(context))
    return stopWith('changed', 'the code changed after the approving review: run impl --review');
  if (planDigest(context.files, context.run) !== data.approvedPlan.of(context.snapshot)?.digest) {
    const ways = 'take the edits back, or set the phase to proposed and run plan';
    return stopWith('changed', `${planEdited}: ${ways}`, { code: 'edited' });
  }
  return { signal: { name: 'unchanged' } };
}

/** Merges everything that needs no judgement. In `finish_merge` the archivist's approved texts settle the rest. */
export function merge(view: RunView): CheckResult {
  const byHand = view.snapshot.state === 'finish_merge';
  const { merged, conflicts } = mergeAll(view, byHand);
  if (conflicts.length > 0) {
    const notes = conflicts.map(inWords);
    if (byHand) return stopWith('invalid', notes.join('\n'), { notes });
    const items = conflicts.map(({ id, reasons }) => ({ id, after: [], data: { reasons } }));
    return { signal: { name: 'conflicts', items }, notes };
  }
  const name = freeArchiveName(view);
  return {
    signal: { name: 'merged', data: data.archivedAs.set(name) },
    writes: archiveWrites(view, merged, name),
    notes: merged.flatMap(({ id, result }) => [
      `${mainSpecPath(id)}: ${summaryOf(result)}`,
      ...mergeDiff(view, id, result),
    ]),
  };
}

const diffLinesMax = 60;

/** What the merge does to the text of a permanent spec that exists already; a new one is not shown line by line. */
export function mergeDiff(view: Pick<RunView, 'files'>, id: string, { kind, text }: Merged): string[] {
  if (kind === 'copied') return [];
  const bodyOf = (whole: string): string => splitFrontMatter(whole).body;
  const lines = lineDiff(bodyOf(view.files.read(mainSpecPath(id)) ?? ''), bodyOf(text));
  const rest = lines.length - diffLinesMax;
  return rest > 0 ? [...lines.slice(0, diffLinesMax), `… ${rest} lines more`] : lines;
}

export interface MergedSpec {
  readonly id: string;
  readonly result: Merged;
}

export interface SpecConflict {
  readonly id: string;
  readonly reasons: readonly string[];
}

export function mergeAll(view: RunView, byHand: boolean): { merged: MergedSpec[]; conflicts: SpecConflict[] } {
  const merged: MergedSpec[] = [];
  const conflicts: SpecConflict[] = [];
  for (const id of specsToMerge(view)) {
    const input = {
      main: view.files.read(mainSpecPath(id)),
      change: view.files.read(specPath(view.run, id)) ?? '',
      base: baseOf(view, id),
      specId: id,
      archivedAt: view.at,
      changeId: view.run,
    };
    const result = mergeSpec(input);
    const settled = byHand ? view.files.read(mergedSpecPath(view.run, id)) : undefined;
    if (result.kind !== 'conflict') merged.push({ id, result });
    else if (settled !== undefined) merged.push({ id, result: mergedByHand(settled, input) });
    else conflicts.push({ id, reasons: result.reasons });
  }
  return { merged, conflicts };
}

/** The permanent spec as it was when the change was planned; undefined when nobody recorded it. */
function baseOf({ snapshot }: RunView, spec: string): ReadonlyMap<string, string> | undefined {
  const bases = data.baseSpecs.of(snapshot);
  return Object.hasOwn(bases, spec) ? new Map(Object.entries(bases[spec] ?? {})) : undefined;
}

/** In the order of their dependencies; what the proposal does not name comes last. */
function specsToMerge(view: RunView): string[] {
  const order = specOrder(view);
  const rank = (id: string): number => (order.includes(id) ? order.indexOf(id) : order.length);
  const ids = specsIn(view.files, specsFolder(view.run)).map(({ id }) => id);
  return ids.toSorted((left, right) => rank(left) - rank(right));
}

function archiveWrites(view: RunView, merged: readonly MergedSpec[], name: string): Write[] {
  const summary = proposalIn(view)?.summary ?? '';
  const entry = changelogEntry({ changeId: name, at: view.at, summary, specs: merged });
  return [
    ...merged.map(({ id, result }) => ({ path: mainSpecPath(id), content: result.text })),
    { path: changelogPath, content: appendChangelog(view.files.read(changelogPath), entry) },
    { path: changeFolder(view.run), moveTo: archiveFolder(name) },
  ];
}

/** The change's own id, or the first of `<id>-2`, `<id>-3`, … that is free. */
export function freeArchiveName(view: RunView): string {
  const taken = (name: string) => view.files.list(archiveFolder(name)).length > 0;
  let name = view.run;
  for (let number = 2; taken(name); number += 1) name = `${view.run}-${number}`;
  return name;
}

function inWords({ id, reasons }: SpecConflict): string {
  return `${id} cannot be merged without judgement: ${reasons.join('; ')}`;
}

export function summaryOf({ kind, added, modified, removed, renamed }: Merged): string {
  if (kind === 'copied') return 'new';
  const parts = [
    ...added.map((id) => `+${id}`),
    ...modified.map((id) => `~${id}`),
    ...removed.map((id) => `-${id}`),
    ...renamed.map(({ from, to }) => `${from}→${to}`),
  ];
  return parts.length > 0 ? parts.join(' ') : 'requirements unchanged';
}
