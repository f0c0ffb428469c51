/** Documents that were changed since they were validated, and the later ones that were made from them. */

import { isRecord } from '../../schema/values.ts';
import { textDigest } from '../digest.ts';
import type { FileView } from '../workflow.ts';
import { canonicalDocuments } from './documents.ts';

export type StaleDocument = {
  /** In the change's folder. */
  readonly path: string;
  readonly what: 'edited' | 'added' | 'removed';
  readonly validatedAt: string | null;
  /** Made from it, so perhaps out of date. */
  readonly later: readonly string[];
};

/** `checksums` is that of STATE.yaml: path → {hash, validated_at}. */
export function staleDocuments(checksums: unknown, files: FileView, id: string): StaleDocument[] {
  if (!isRecord(checksums) || Object.keys(checksums).length === 0) return [];
  const now = canonicalDocuments(files, id);
  const paths = [...new Set([...now.keys(), ...Object.keys(checksums)])].toSorted(
    (left, right) => rank(left) - rank(right),
  );
  return paths.flatMap((path) => {
    const validated = checksumOf(checksums[path]);
    const text = now.get(path) ?? null;
    const what = text === null ? 'removed' : validated.hash === null ? 'added' : 'edited';
    if (textDigest(text ?? '') === (validated.hash ?? textDigest(''))) return [];
    const later = paths.filter((other) => rank(other) > rank(path) && typeof now.get(other) === 'string');
    return [{ path, what, validatedAt: validated.at, later }];
  });
}

/** Specs are made from the proposal, tasks from both. */
function rank(path: string): number {
  if (path === 'proposal.md') return 0;
  return path === 'tasks.md' ? 2 : 1;
}

export function staleWords({ path, what, later }: StaleDocument): string {
  const event = { edited: 'was edited', added: 'was added', removed: 'was removed' }[what];
  const since = `${path} ${event} since the plan was validated`;
  if (later.length === 0) return since;
  const list = later.length === 1 ? later[0] : `${later.slice(0, -1).join(', ')} and ${later.at(-1)}`;
  return `${since}: ${list}, made from it, may be stale`;
}

function checksumOf(value: unknown): { hash: string | null; at: string | null } {
  if (!isRecord(value)) return { hash: null, at: null };
  const { hash, validated_at: at } = value;
  return { hash: typeof hash === 'string' ? hash : null, at: typeof at === 'string' ? at : null };
}
