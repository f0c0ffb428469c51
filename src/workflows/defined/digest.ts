/** What approvals are bound to: a digest of an artifact as it is in the work tree. */

import { createHash } from 'node:crypto';
import type { FileView } from '../workflow.ts';
import { filesOf } from './artifacts.ts';
import type { ArtifactDefinition } from './definition.ts';

/** Each file is labelled with its path and length, so that no text can pass for two or move between files. */
export function artifactDigest(artifact: ArtifactDefinition, files: FileView, run: string): string {
  const hash = createHash('sha256');
  for (const path of filesOf(artifact, files, run)) {
    const text = files.read(path) ?? null;
    hash.update(`${JSON.stringify({ path, length: text?.length ?? null })}\n${text ?? ''}\n`);
  }
  return `sha256:${hash.digest('hex')}`;
}
