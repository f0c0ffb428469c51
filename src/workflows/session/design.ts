/**
 * The design as a person approves it: what their approval is bound to, and the few lines they read first.
 *
 * G1. Anything a reader could see changes the digest; line ends, and what Pawl adds to acceptance.json at the end, do not.
 */

import { attempt, DocumentError } from '../../documents/document-error.ts';
import { readHeadings } from '../../documents/markdown.ts';
import { digestOf, plainText } from '../digest.ts';
import type { RunView } from '../workflow.ts';
import { sectionUnder } from './content-checks.ts';
import { criteriaOf, designPaths, type SessionFiles } from './documents.ts';
import * as paths from './files/session-paths.ts';
import { data } from './run-data.ts';

export function designDigest(view: SessionFiles): string {
  return digestOf(Object.entries(designTexts(view)));
}

export function designTexts(view: SessionFiles): Readonly<Record<string, string>> {
  const folder = `${paths.sessionFolder(view.run)}/`;
  return Object.fromEntries(designPaths(view).map((path) => [path.slice(folder.length), designText(view, path)]));
}

function designText(view: SessionFiles, path: string): string {
  const criteria = path === paths.acceptancePath(view.run) ? attempt(() => criteriaOf(view)) : null;
  if (criteria === null || criteria instanceof DocumentError) return plainText(view.files.read(path) ?? '').trimEnd();
  return criteria
    .map(({ id, description, verify }) => [`${id}: ${description}`, ...verify.map((each) => `  ${each}`)].join('\n'))
    .join('\n');
}

/** Scope, criteria, assumptions; modules, data flows, ADRs; layout, interactions, components. */
export function designSummary(view: RunView): string {
  const { files, run, snapshot } = view;
  const spec = files.read(paths.specPath(run)) ?? '';
  const architecture = files.read(paths.architecturePath(run)) ?? '';
  const criteria = attempt(() => criteriaOf(view).map(({ id, description }) => `${id}  ${description}`));
  const sections: readonly (readonly [title: string, lines: readonly string[]])[] = [
    ['Scope', excerpt(spec, /\bgoals?\b/i)],
    ['Acceptance criteria', criteria instanceof DocumentError ? [criteria.message] : criteria],
    ['Assumptions', data.assumptions.of(snapshot).map((each) => `- ${each}`)],
    ['Modules', excerpt(architecture, /\b(?:modules?|components?)\b/i)],
    ['Data flows', excerpt(architecture, /\bdata[ -]flows?\b|\bflows?\b/i)],
    ['Risks', excerpt(architecture, /\brisks?\b/i)],
    ['Decisions (ADR)', titles(view, paths.adrFolder(run))],
    ['User interface', interfaceLines(view)],
    ['Research', titles(view, paths.researchFolder(run))],
  ];
  return sections
    .filter(([, lines]) => lines.length > 0)
    .map(([title, lines]) => [`${title}:`, ...lines.map((line) => `  ${line}`)].join('\n'))
    .join('\n');
}

function interfaceLines(view: RunView): readonly string[] {
  const folder = paths.designFolder(view.run);
  const shown = [/\blayout\b/i, /\binteractions?\b/i, /\bcomponents?\b/i];
  return view.files.list(folder).flatMap((path, index) => {
    const parts = shown.flatMap((heading) => excerpt(view.files.read(path) ?? '', heading));
    return [titles(view, folder)[index] ?? path, ...parts.map((line) => `  ${line}`)];
  });
}

const excerptLinesMax = 6;

function excerpt(text: string, heading: RegExp): readonly string[] {
  const lines = sectionUnder(text, heading)
    .split('\n')
    .filter((line) => line.trim() !== '');
  return lines.length > excerptLinesMax ? [...lines.slice(0, excerptLinesMax), '…'] : lines;
}

/** By title, or by name where a document has none. */
function titles({ files }: RunView, folder: string): readonly string[] {
  return files.list(folder).map((path) => {
    const [title] = readHeadings(files.read(path) ?? '');
    const name = path.slice(folder.length + 1);
    return title === undefined ? `- ${name}` : `- ${title.text} (${name})`;
  });
}
