/** A merge that the archivist made: what it lost, and what became of each requirement. */

import { fieldEnd, lineEndOf, setFrontFields, splitFrontMatter } from '../../documents/front-matter.ts';
import { requirementCounts, versionText } from '../../documents/render-documents.ts';
import { elementTexts, takeApart, type Element, type SpecParts } from '../../documents/spec-elements.ts';
import { bumped, planOf, rangeOf, type Merged, type MergeInput } from './merge-specs.ts';

const shownMax = 20;

/**
 * What the archivist had no say in and changed all the same; empty where nothing is lost. Everything that needs no
 * judgement must be there: main's own text byte for byte, and what the change alone added or modified.
 */
export function lossesOf(text: string, input: MergeInput): readonly string[] {
  const { main, plan } = planOf(input);
  const merged = takeApart(text.replaceAll('\r\n', '\n'), 'merged');
  const judged = new Set(plan.conflicts.flatMap(({ keys }) => keys));
  const kept = main.elements.filter(({ key }) => !judged.has(key) && !plan.edits.has(key));
  const texts = elementTexts(merged);
  const blocks = new Set(merged.elements.map((element) => blockText(merged, element)));
  const taken = [...plan.additions, ...plan.edits.values()].flatMap((edit) =>
    edit !== null && 'key' in edit && !judged.has(edit.key) && texts.get(edit.key) !== edit.text ? [edit.label] : [],
  );
  const renamed = plan.renamed.filter(({ from, to }) => !judged.has(from) && texts.get(to) !== plan.expected.get(to));
  const lost = [
    ...lostFields(input.main ?? '', text, main),
    ...lostFrame(main, merged),
    ...kept.filter((element) => !blocks.has(blockText(main, element))).map(({ label }) => label),
    ...taken.map((label) => `${label} as the change has it`),
    ...renamed.map(({ from, to }) => `${to}, renamed from ${from}`),
  ];
  const rest = lost.length - shownMax;
  return rest > 0 ? [...lost.slice(0, shownMax), `${rest} more`] : lost;
}

function blockText(side: SpecParts, element: Element): string {
  const { start, end, gap } = rangeOf(side, element);
  const lines = side.lines.slice(start, end - gap.length).map((line) => line.replace(/\r$/, ''));
  return `${element.key}\n${lines.join('\n')}`;
}

/** Lines outside of all elements, which have to be there in their order. */
function lostFrame(main: SpecParts, merged: SpecParts): string[] {
  const linesOf = ({ frame, lines }: SpecParts): string[] =>
    frame.map((line) => (lines[line - 1] ?? '').replace(/\r$/, ''));
  const there = linesOf(merged);
  let at = 0;
  return linesOf(main).flatMap((line) => {
    const found = there.indexOf(line, at);
    if (found !== -1) at = found + 1;
    return found === -1 ? [`the line "${line.trim()}"`] : [];
  });
}

/** Fields of the front matter; those that archiving sets itself aside. */
function lostFields(before: string, after: string, main: SpecParts): string[] {
  if (main.unreadable !== null) return [];
  const there = fieldsOf(after);
  const lost = [...fieldsOf(before)].filter(([key, text]) => !setByArchive.has(key) && there.get(key) !== text);
  const [had, has] = [main.spec.version, takeApart(after, 'merged').spec.version];
  const names = lost.map(([key]) => `the front matter's ${key}`);
  return isLower(has, had) ? [...names, `version ${had}, which ${has} is lower than`] : names;
}

const setByArchive = new Set(['version', 'requirements', 'archived_at']);

function fieldsOf(text: string): ReadonlyMap<string, string> {
  const lines = (splitFrontMatter(text).front ?? '').split('\n').map((line) => line.trimEnd());
  const fields = new Map<string, string>();
  for (const [at, line] of lines.entries()) {
    const [, key] = /^([^\s#:-][^:]*):/.exec(line) ?? [];
    if (key !== undefined) fields.set(key, lines.slice(at, fieldEnd(lines, at)).join('\n'));
  }
  return fields;
}

/** By their numbers, from left to right. */
function isLower(version: string, than: string): boolean {
  const [left, right] = [version, than].map((text) => (text.match(/\d+/g) ?? []).map(Number));
  for (const [at, number] of (right ?? []).entries()) {
    const other = left?.[at] ?? 0;
    if (other !== number) return other < number;
  }
  return false;
}

/** The archivist's text as a merge: what became of each requirement is counted afterwards. */
export function mergedByHand(text: string, input: MergeInput): Merged {
  const { main, change } = planOf(input);
  const lineEnd = lineEndOf(input.main ?? '');
  const merged = takeApart(text.replaceAll('\r\n', '\n'), input.specId);
  const [before, after] = [requirementTexts(main), requirementTexts(merged)];
  const renamed = change.spec.renamed
    .filter(({ from, to }) => before.has(from) && !before.has(to) && after.has(to) && !after.has(from))
    .map(({ from, to }) => ({ from, to }));
  const ids = [...after.keys()];
  const isNew = (input.main ?? '').trim() === '';
  const { version } = merged.spec;
  const fields = {
    ...(!isNew && { version: versionText(isLower(main.spec.version, version) ? version : bumped(main.spec.version)) }),
    requirements: requirementCounts(ids),
    archived_at: JSON.stringify(input.archivedAt),
  };
  const written = setFrontFields(text.replaceAll('\r\n', '\n'), fields);
  return {
    kind: isNew ? 'copied' : 'merged',
    text: lineEnd === '\n' ? written : written.replaceAll('\n', lineEnd),
    added: ids.filter((id) => !before.has(id) && !renamed.some(({ to }) => to === id)),
    modified: ids.filter((id) => before.has(id) && before.get(id) !== after.get(id)),
    removed: [...before.keys()].filter((id) => !after.has(id) && !renamed.some(({ from }) => from === id)),
    renamed,
  };
}

function requirementTexts({ elements }: SpecParts): ReadonlyMap<string, string> {
  return elementTexts({ elements: elements.filter(({ kind }) => kind === 'requirement') });
}
