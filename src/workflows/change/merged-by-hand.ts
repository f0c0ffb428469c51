import { attempt, DocumentError } from '../../documents/document-error.ts';
import { setFrontFields } from '../../documents/front-matter.ts';
import { requirementCounts } from '../../documents/render-documents.ts';
import { readSpec, requirementTexts, type Spec } from '../../documents/spec.ts';
import type { Merged, MergeInput } from './merge-specs.ts';

/** The archivist's text as a merge: what became of each requirement is counted afterwards. */
export function mergedByHand(text: string, { main, change, specId, archivedAt }: MergeInput): Merged {
  const unix = text.replaceAll('\r\n', '\n');
  const after = requirementTexts(readSpec(unix, specId));
  const mainSpec = main === undefined ? { requirements: [] } : readable(main);
  const before = mainSpec && requirementTexts(mainSpec);
  const renamed = (readable(change)?.renamed ?? [])
    .filter(({ from, to }) => before?.has(from) && !before.has(to) && after.has(to) && !after.has(from))
    .map(({ from, to }) => ({ from, to }));
  const ids = [...after.keys()];
  return {
    kind: main === undefined ? 'copied' : 'merged',
    text: setFrontFields(unix, { requirements: requirementCounts(ids), archived_at: JSON.stringify(archivedAt) }),
    added: ids.filter((id) => before && !before.has(id) && !renamed.some(({ to }) => to === id)),
    // What cannot be read before cannot have stayed the same.
    modified: ids.filter((id) => !before || (before.has(id) && before.get(id) !== after.get(id))),
    removed: [...(before?.keys() ?? [])].filter((id) => !after.has(id) && !renamed.some(({ from }) => from === id)),
    renamed,
  };
}

/** A text that cannot be read may be the very reason why this merge was made by hand. */
function readable(text: string): Spec | undefined {
  const spec = attempt(() => readSpec(text.replaceAll('\r\n', '\n'), 'spec'));
  return spec instanceof DocumentError ? undefined : spec;
}
