/** Documents of a plan that differ from what was validated, by the checksums of STATE.yaml. */

import { isRecord } from '../../schema/values.ts';
import { textDigest } from '../digest.ts';
import type { FileView } from '../workflow.ts';
import { changeFolder, isSkeleton } from './change-paths.ts';
import { canonicalDocuments } from './documents.ts';

/** Specs are made from the proposal, tasks from both; the base of a spec is nobody's work. */
const ranks = new Map([
  ['clarifications.md', -1],
  ['CHALLENGE.md', -1],
  ['proposal.md', 0],
  ['tasks.md', 2],
]);

/** As STATE.yaml has them. */
interface Validated {
  /** Path → {hash, validated_at}. */
  readonly checksums: unknown;
  readonly validations: unknown;
}

export type StaleDocument = ReturnType<typeof staleDocuments>[number];

/** Documents that were changed since they were validated, and the later ones that were made from them. */
export function staleDocuments({ checksums, validations }: Validated, files: FileView, run: string) {
  if (!isRecord(checksums) || Object.keys(checksums).length === 0) return [];
  const now = canonicalDocuments(files, run);
  const raw = (path: string): string | null => files.read(`${changeFolder(run)}/${path}`) ?? null;
  const isBase = (path: string) => path.startsWith('base/');
  const rank = (path: string) => ranks.get(path) ?? (isBase(path) ? 3 : 1);
  const all = new Set([...now.keys(), ...Object.keys(checksums).filter((path) => !isSkeleton(path))]);
  const paths = [...all].toSorted((left, right) => rank(left) - rank(right));
  return paths.flatMap((path) => {
    const validated = checksums[path];
    const { hash, validated_at: at } = isRecord(validated) ? validated : {};
    const [text, whole] = [now.get(path) ?? null, raw(path)];
    const isSame = [textDigest(text ?? ''), agentdDigest(whole ?? '')].includes(typeof hash === 'string' ? hash : '');
    const isThere = (text ?? whole) !== null;
    if (typeof hash === 'string' ? isSame : !isThere || !coversAll(validations)) return [];
    const what = isThere ? (typeof hash === 'string' ? 'edited' : 'added') : 'removed';
    const isPlan = now.has(path) || path.startsWith('specs/');
    const isLater = (other: string) => rank(other) > rank(path) && !isBase(other) && typeof now.get(other) === 'string';
    const later = isPlan ? paths.filter(isLater) : [];
    return [{ path, what, validatedAt: typeof at === 'string' ? at : null, later }];
  });
}

/** Pawl validates all documents at once; agentd did one at a time, so that one without a checksum says nothing. */
function coversAll(validations: unknown): boolean {
  const last: unknown = Array.isArray(validations) ? validations.at(-1) : undefined;
  return isRecord(last) && typeof last['at'] === 'string';
}

/** The rule of agentd: line ends, blanks at the end of lines and blank lines at the end do not count. */
function agentdDigest(text: string): string {
  const lines = text.replaceAll(/\r\n?/g, '\n').split('\n');
  return textDigest(
    lines
      .map((line) => line.trimEnd())
      .join('\n')
      .trimEnd(),
  );
}

export function staleText({ path, what, later }: StaleDocument): string {
  const since = `${path} was ${what} since the plan was validated`;
  const list = [...(later.length > 1 ? [later.slice(0, -1).join(', ')] : []), ...later.slice(-1)].join(' and ');
  return list === '' ? since : `${since}: ${list}, made from it, may be stale`;
}
