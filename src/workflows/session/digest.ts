/**
 * What a person's approval of a design is bound to.
 *
 * G1. Anything a reader could see changes it; line ends, and what Pawl adds to acceptance.json at the end, do not.
 * G2. Each part is labelled with its path and length, so that no text can pass for two or move between files.
 */

import { createHash } from 'node:crypto';
import { DocumentError } from '../../documents/document-error.ts';
import type { RunView } from '../workflow.ts';
import { criteriaOf, designPaths } from './documents.ts';
import { acceptancePath, sessionFolder } from './files/paths.ts';

type Place = Pick<RunView, 'files' | 'run'>;

export function designDigest(place: Place): string {
  const hash = createHash('sha256');
  for (const [path, text] of Object.entries(designTexts(place)))
    hash.update(`${JSON.stringify({ path, length: text.length })}\n${text}\n`);
  return `sha256:${hash.digest('hex')}`;
}

/** What there is to approve, by path in the session's folder. */
export function designTexts(place: Place): Readonly<Record<string, string>> {
  const folder = `${sessionFolder(place.run)}/`;
  return Object.fromEntries(
    designPaths(place).map((path) => [
      path.slice(folder.length),
      path === acceptancePath(place.run) ? criteriaText(place, path) : plain(place.files.read(path) ?? ''),
    ]),
  );
}

function criteriaText(place: Place, path: string): string {
  try {
    return criteriaOf(place)
      .map(({ id, description, verify }) => [`${id}: ${description}`, ...verify.map((each) => `  ${each}`)].join('\n'))
      .join('\n');
  } catch (error) {
    if (error instanceof DocumentError) return plain(place.files.read(path) ?? '');
    throw error;
  }
}

function plain(text: string): string {
  return text
    .replace(/^\ufeff/, '')
    .replaceAll('\r\n', '\n')
    .trimEnd();
}
