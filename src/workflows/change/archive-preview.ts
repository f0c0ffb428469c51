/** What archiving a change would write and move. */

import type { Preview } from '../surface.ts';
import type { RunView } from '../workflow.ts';
import { freeArchiveName, mergeAll, mergeDiff, summaryOf } from './checks/archiving.ts';
import { archiveFolder, changeFolder, changelogPath, mainSpecPath } from './paths.ts';

export function previewArchive(view: RunView): Preview {
  const { merged, conflicts } = mergeAll(view, false);
  const specs = merged.map(({ id, result }) => ({
    spec: mainSpecPath(id),
    what: summaryOf(result),
    diff: mergeDiff(view, id, result),
  }));
  const judgement = conflicts.map(({ id, reasons }) => ({ spec: mainSpecPath(id), reasons: [...reasons] }));
  return {
    details: { specs, judgement },
    lines: [
      ...specs.flatMap(({ spec, what, diff }) => [
        `would write ${spec}: ${what}`,
        ...diff.map((line) => `    ${line}`),
      ]),
      ...judgement.map(({ spec, reasons }) => `needs judgement (archivist): ${spec}: ${reasons.join('; ')}`),
      `would write ${changelogPath}`,
      `would move ${changeFolder(view.run)} to ${archiveFolder(freeArchiveName(view))}`,
    ],
  };
}
