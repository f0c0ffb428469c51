/** Checks of the archiving half: whether the code is what was approved, and the merge into the permanent specs. */

import { lineEndOf, splitFrontMatter } from '../../../documents/front-matter.ts';
import { lineDiff } from '../../../documents/line-diff.ts';
import { oneLine } from '../../../documents/review-text.ts';
import type { Preview } from '../../surface.ts';
import type { CheckContext, CheckResult, RunView } from '../../workflow.ts';
import { stopWith } from '../../define-workflow.ts';
import { isPlanEdited, mergeDigest, planEdited } from '../documents.ts';
import { proposalIn, specOrder } from '../read-documents.ts';
import { lossesOf, mergedByHand } from '../merged-by-hand.ts';
import { mergeSpec, type Merged } from '../merge-specs.ts';
import { mergeInput, specsToArchive } from '../spec-base.ts';
import * as paths from '../change-paths.ts';
import { data, reviewedTree } from '../run-data.ts';

/** Approvals are bound: neither code nor plan may have changed since they were given. */
export async function confirmCode(context: RunView & Pick<CheckContext, 'treeDigest'>): Promise<CheckResult> {
  if ((await context.treeDigest()) !== reviewedTree(context))
    return stopWith('changed', 'the code changed after the approving review: run impl --review');
  if (!isPlanEdited(context)) return { signal: { name: 'unchanged' } };
  const message = `${planEdited}: revert the edits, or accept them and have the code reviewed again`;
  return stopWith('changed', message, { code: 'edited' });
}

export async function confirmMerge(context: RunView & Pick<CheckContext, 'treeDigest'>): Promise<CheckResult> {
  const { signal, ...more } = await confirmCode(context);
  const isEdited = signal.name === 'unchanged' && mergeDigest(context) !== data.judgedMerge.of(context.snapshot);
  return isEdited ? { signal: { name: 'edited' } } : { signal, ...more };
}

/** Merges everything that needs no judgement. In `finish_merge` the archivist's approved texts settle the rest. */
export function merge(view: RunView): CheckResult {
  const byHand = view.snapshot.state === 'finish_merge';
  const { merged, conflicts, problems, notes: others } = mergeAll(view, byHand);
  if (problems.length > 0) return stopWith('invalid', problems.join('\n'), { notes: [...problems] });
  if (conflicts.length > 0) {
    const notes = conflicts.map(({ id, reasons }) => `${id} cannot be merged without judgement: ${reasons.join('; ')}`);
    if (byHand) return stopWith('invalid', notes.join('\n'), { notes });
    const items = conflicts.map(({ id, reasons }) => ({ id, after: [], data: { reasons } }));
    return { signal: { name: 'conflicts', items }, notes };
  }
  const name = freeArchiveName(view);
  const entry = changelogEntry(name, view.at, proposalIn(view)?.summary ?? '', merged);
  return {
    signal: { name: 'merged', data: data.archivedAs.set(name) },
    writes: [
      ...merged.map(({ id, result }) => ({ path: paths.mainSpecPath(id), content: result.text })),
      { path: paths.changelogPath, content: appendChangelog(view.files.read(paths.changelogPath), entry) },
      { path: paths.changeFolder(view.run), moveTo: paths.archiveFolder(name) },
    ],
    notes: [
      ...merged.flatMap(({ id, result }) => [
        `${paths.mainSpecPath(id)}: ${summaryOf(result)}`,
        ...mergeDiff(view, id, result),
      ]),
      ...others,
    ],
  };
}

export function previewArchive(view: RunView): Preview {
  const { merged, conflicts, notes } = mergeAll(view, false);
  const specs = merged.map(({ id, result }) => ({
    spec: paths.mainSpecPath(id),
    what: summaryOf(result),
    diff: mergeDiff(view, id, result),
  }));
  const judgement = conflicts.map(({ id, reasons }) => ({ spec: paths.mainSpecPath(id), reasons: [...reasons] }));
  return {
    details: { specs, judgement },
    lines: [
      ...specs.flatMap(({ spec, what, diff }) => [
        `would write ${spec}: ${what}`,
        ...diff.map((line) => `    ${line}`),
      ]),
      ...judgement.map(({ spec, reasons }) => `needs judgement (archivist): ${spec}: ${reasons.join('; ')}`),
      ...notes,
      `would write ${paths.changelogPath}`,
      `would move ${paths.changeFolder(view.run)} to ${paths.archiveFolder(freeArchiveName(view))}`,
    ],
  };
}

const diffLinesMax = 60;

/** What the merge does to the text of a permanent spec that exists already; a new one is not shown line by line. */
function mergeDiff({ files }: RunView, id: string, { kind, text }: Merged): string[] {
  if (kind === 'copied') return [];
  const bodyOf = (whole: string): string => splitFrontMatter(whole).body.replaceAll('\r\n', '\n');
  const lines = lineDiff(bodyOf(files.read(paths.mainSpecPath(id)) ?? ''), bodyOf(text));
  const rest = lines.length - diffLinesMax;
  return rest > 0 ? [...lines.slice(0, diffLinesMax), `… ${rest} lines more`] : lines;
}

type MergedSpec = { readonly id: string; readonly result: Merged };

function mergeAll(view: RunView, byHand: boolean) {
  const { files, run } = view;
  const merged: MergedSpec[] = [];
  const conflicts: { readonly id: string; readonly reasons: readonly string[] }[] = [];
  // In the order of their dependencies; what the proposal does not name comes last.
  const order = specOrder(view);
  const rank = ({ id }: { readonly id: string }): number => {
    const at = order.indexOf(id.slice(id.lastIndexOf('/') + 1));
    return at === -1 ? order.length : at;
  };
  const { specs, problems, notes } = specsToArchive(view);
  for (const { id } of specs.toSorted((left, right) => rank(left) - rank(right))) {
    const input = mergeInput(view, id);
    const result = mergeSpec(input);
    const settled = byHand ? files.read(paths.mergedSpecPath(run, id)) : undefined;
    const losses = settled === undefined ? [] : lossesOf(settled, input);
    if (result.kind !== 'conflict') merged.push({ id, result });
    else if (settled === undefined) conflicts.push({ id, reasons: result.reasons });
    else if (losses.length > 0) conflicts.push({ id, reasons: [`the merged text loses ${losses.join(', ')}`] });
    else merged.push({ id, result: mergedByHand(settled, input) });
  }
  return { merged, conflicts, problems, notes };
}

/** The change's own id, or the first of `<id>-2`, `<id>-3`, … that is free. */
function freeArchiveName({ files, run }: RunView): string {
  let name = run;
  for (let number = 2; files.list(paths.archiveFolder(name)).length > 0; number += 1) name = `${run}-${number}`;
  return name;
}

function summaryOf({ kind, added, modified, removed, renamed }: Merged): string {
  if (kind === 'copied') return 'new';
  const parts = [
    ...added.map((id) => `+${id}`),
    ...modified.map((id) => `~${id}`),
    ...removed.map((id) => `-${id}`),
    ...renamed.map(({ from, to }) => `${from}→${to}`),
  ];
  return parts.join(' ') || 'requirements unchanged';
}

export function changelogEntry(name: string, at: string, summary: string, specs: readonly MergedSpec[]): string {
  const lines = specs.map(({ id, result }) => `- \`${id}\`: ${changelogText(result)}`);
  const parts = [`## ${name} (${at})`, oneLine(summary), lines.join('\n')];
  return `${parts.filter((part) => part !== '').join('\n\n')}\n`;
}

function changelogText({ kind, added, renamed, ...others }: Merged): string {
  if (kind === 'copied') return added.length === 0 ? 'new' : `new (${added.join(', ')})`;
  const arrows = renamed.map(({ from, to }) => `${from} → ${to}`);
  const parts = Object.entries({ added, modified: others.modified, removed: others.removed, renamed: arrows });
  const texts = parts.flatMap(([what, ids]) => (ids.length === 0 ? [] : [`${what} ${ids.join(', ')}`]));
  return texts.join('; ') || 'requirements unchanged';
}

/** Newest first. An entry that is already there is not added again, so a repeated archive does no harm. */
export function appendChangelog(text: string | undefined, entry: string): string {
  const before = text === undefined || text.trim() === '' ? '# Changelog\n' : text;
  const [heading = ''] = entry.split('\n', 1);
  const lines = before.split('\n');
  if (lines.some((line) => line.trimEnd() === heading)) return before;
  const lineEnd = lineEndOf(before);
  const first = lines.findIndex((line) => line.startsWith('## '));
  const head =
    first === -1
      ? before
      : lines
          .slice(0, first)
          .map((line) => `${line}\n`)
          .join('');
  const title = /^\uFEFF?# /m.test(head) ? head : `# Changelog\n\n${head}`;
  const gap = /\n\r?\n$/.test(title) ? '' : title.endsWith('\n') ? '\n' : '\n\n';
  const written = `${gap}${entry.trimEnd()}\n${first === -1 ? '' : '\n'}`.replaceAll('\n', lineEnd);
  return `${title}${written}${before.slice(head.length)}`;
}
