/**
 * What approvals are bound to: digests of what was judged.
 *
 * G1. Review blocks, task status and line ends do not change a plan's digest; anything else a reader could see does.
 * G2. Each part is labelled with its path and length, so that no text can pass for two or move between files.
 */

import { createHash } from 'node:crypto';
import { proposalWithoutReviews } from '../../documents/proposal-blocks.ts';
import { tasksWithoutStatus } from '../../documents/task-status.ts';
import type { FileView } from '../workflow.ts';
import { proposalPath, specsFolder, tasksPath } from './paths.ts';

/** Of proposal, specs and tasks together. */
export function planDigest(files: FileView, id: string): string {
  const hash = createHash('sha256');
  for (const [path, text] of canonicalDocuments(files, id)) {
    hash.update(`${JSON.stringify({ path, length: text?.length ?? null })}\n${text ?? ''}\n`);
  }
  return `sha256:${hash.digest('hex')}`;
}

/** What a judgement looks at, by path in the change's folder; null where proposal or tasks are missing. */
export function canonicalDocuments(files: FileView, id: string): ReadonlyMap<string, string | null> {
  const documents = new Map<string, string | null>();
  const add = (path: string, text: string | undefined, canonical: (text: string) => string = (same) => same) => {
    const plain = text?.replace(/^\ufeff/, '').replaceAll('\r\n', '\n');
    documents.set(path, plain === undefined ? null : canonical(plain).trimEnd());
  };
  add('proposal.md', files.read(proposalPath(id)), proposalWithoutReviews);
  const folder = specsFolder(id);
  for (const path of files.list(folder)) {
    if (path.endsWith('.md')) add(`specs/${path.slice(folder.length + 1)}`, files.read(path));
  }
  add('tasks.md', files.read(tasksPath(id)), tasksWithoutStatus);
  return documents;
}

export function textDigest(text: string): string {
  return `sha256:${createHash('sha256').update(text).digest('hex')}`;
}
