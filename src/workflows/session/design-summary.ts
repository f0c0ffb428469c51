/** What there is to approve, in the few lines a person reads before the documents themselves. */

import { DocumentError } from '../../documents/document-error.ts';
import { readHeadings } from '../../documents/headings.ts';
import type { RunView } from '../workflow.ts';
import { criteriaOf } from './documents.ts';
import { sectionUnder } from './files/content-checks.ts';
import * as paths from './files/paths.ts';
import { assumptionsOf } from './run-data.ts';

/** Scope, criteria, assumptions; modules, data flows, ADRs; layout, interactions, components. */
export function designSummary(view: RunView): string {
  const { files, run, snapshot } = view;
  const spec = files.read(paths.specPath(run)) ?? '';
  const architecture = files.read(paths.architecturePath(run)) ?? '';
  const sections: readonly (readonly [title: string, lines: readonly string[]])[] = [
    ['Scope', excerpt(sectionUnder(spec, /\bgoals?\b/i))],
    ['Acceptance criteria', criteriaLines(view)],
    ['Assumptions', assumptionsOf(snapshot).map((each) => `- ${each}`)],
    ['Modules', excerpt(sectionUnder(architecture, /\b(?:modules?|components?)\b/i))],
    ['Data flows', excerpt(sectionUnder(architecture, /\bdata[ -]flows?\b|\bflows?\b/i))],
    ['Risks', excerpt(sectionUnder(architecture, /\brisks?\b/i))],
    ['Decisions (ADR)', titles(view, paths.adrFolder(run))],
    ['User interface', interfaceLines(view)],
    ['Research', titles(view, paths.researchFolder(run))],
  ];
  return sections
    .filter(([, lines]) => lines.length > 0)
    .map(([title, lines]) => [`${title}:`, ...lines.map((line) => `  ${line}`)].join('\n'))
    .join('\n');
}

/** Layout, interactions and components of every view. */
function interfaceLines(view: RunView): readonly string[] {
  const folder = paths.designFolder(view.run);
  return view.files.list(folder).flatMap((path, index) => {
    const text = view.files.read(path) ?? '';
    const parts = [/\blayout\b/i, /\binteractions?\b/i, /\bcomponents?\b/i].flatMap((heading) =>
      excerpt(sectionUnder(text, heading)).map((line) => `  ${line}`),
    );
    return [titles(view, folder)[index] ?? path, ...parts];
  });
}

const excerptLinesMax = 6;

function excerpt(text: string): readonly string[] {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  return lines.length > excerptLinesMax ? [...lines.slice(0, excerptLinesMax), '…'] : lines;
}

function criteriaLines(view: RunView): readonly string[] {
  try {
    return criteriaOf(view).map(({ id, description }) => `${id}  ${description}`);
  } catch (error) {
    if (error instanceof DocumentError) return [error.message];
    throw error;
  }
}

/** By title, or by name where a document has none. */
function titles({ files }: RunView, folder: string): readonly string[] {
  return files.list(folder).map((path) => {
    const [title] = readHeadings(files.read(path) ?? '');
    const name = path.slice(folder.length + 1);
    return title === undefined ? `- ${name}` : `- ${title.text} (${name})`;
  });
}
