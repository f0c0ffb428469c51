/** What prompts say about the spec at hand: where it is, what it conflicts with, what an earlier merge lost. */

import type { DispatchContext } from '../workflow.ts';
import * as paths from './change-paths.ts';
import { lossesOf } from './merged-by-hand.ts';
import { affectedSpecName, proposalIn, specsIn } from './read-documents.ts';
import { itemOf } from './run-data.ts';
import { mergeInput } from './spec-base.ts';

export const specValues: Readonly<Record<string, (context: DispatchContext) => string>> = {
  spec: itemId,
  main_spec: (context) => paths.mainSpecPath(specName(context)),
  change_spec: (context) => paths.specPath(context.run, specName(context)),
  base_spec: (context) => {
    const path = paths.baseSpecPath(context.run, specName(context));
    const text = context.files.read(path);
    if (text === undefined) return 'not known';
    return text === '' ? 'there was none' : `\`${path}\``;
  },
  reasons: ({ item }) => bulletList(itemOf(item).reasons) || '- The two texts disagree.',
  earlier_merge: (context) => {
    const { files, run } = context;
    const earlier = {
      'An earlier attempt at this merge': paths.mergedSpecPath(run, itemId(context)),
      "The reviewer's findings about it": paths.mergeReviewPath(run),
    };
    const found = Object.entries(earlier).filter(([, path]) => files.read(path) !== undefined);
    const lost = lossesOfItem(context).map((each) => `  - it lost ${each}\n`);
    const lines = found.map(([what, path]) => `- ${what}: \`${path}\`\n`);
    return [...lines.slice(0, 1), ...lost, ...lines.slice(1)].join('');
  },
  merges: ({ files, run }) => {
    const lines = specsIn(files, paths.mergedFolder(run)).map(
      ({ id, path }) => `merged \`${path}\`, main \`${paths.mainSpecPath(id)}\`, change \`${paths.specPath(run, id)}\``,
    );
    return bulletList(lines) || '- There is no merged spec: report that as a High finding.';
  },
};

export function bulletList(lines: readonly string[]): string {
  return lines.map((line) => `- ${line}`).join('\n');
}

export function itemId({ item, step }: DispatchContext): string {
  if (!item) throw new Error(`step "${step}" works through a list, but there is no item`);
  return item.id;
}

/** A spec that is to be written is called as the proposal calls it, one that is merged as its file. */
function specName(context: DispatchContext): string {
  const id = itemId(context);
  const affected = proposalIn(context)?.affectedSpecs.find((spec) => spec.id === id);
  return (context.step === 'specify' && affected && affectedSpecName(affected, context.run)) || id;
}

/** What the archivist's text of this item has lost. */
export function lossesOfItem(context: DispatchContext): readonly string[] {
  const id = itemId(context);
  const text = context.files.read(paths.mergedSpecPath(context.run, id));
  return text === undefined ? [] : lossesOf(text, mergeInput(context, id));
}
