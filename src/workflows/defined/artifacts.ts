/** Where artifacts are, and whether they are what they should be. */

import { readHeadings } from '../../documents/markdown.ts';
import { digestOf } from '../digest.ts';
import type { FileView } from '../workflow.ts';
import type { ArtifactDefinition } from './definition.ts';

export function artifactPath({ path }: ArtifactDefinition, run: string): string {
  return path.replaceAll('{{run}}', run);
}

/** The files an artifact consists of; a single file is named even where it is missing. */
export function filesOf(artifact: ArtifactDefinition, files: FileView, run: string): readonly string[] {
  const path = artifactPath(artifact, run);
  return path.endsWith('/') ? files.list(path.slice(0, -1)) : [path];
}

/** What approvals of it are bound to. */
export function artifactDigest(artifact: ArtifactDefinition, files: FileView, run: string): string {
  return digestOf(filesOf(artifact, files, run).map((path) => [path, files.read(path) ?? null]));
}

/** Why the artifact is not what its contract says; null when it is. */
export function contractProblem(artifact: ArtifactDefinition, files: FileView, run: string): string | null {
  const path = artifactPath(artifact, run);
  const texts: string[] = [];
  for (const file of filesOf(artifact, files, run)) {
    const text = textOf(file, files);
    if (text === null) return `${file} is no text, as everything in an artifact must be`;
    texts.push(text);
  }
  if (!texts.some((text) => text.trim() !== '')) return `${path} is missing or empty`;
  const headings = new Set(texts.flatMap((text) => readHeadings(text).map((heading) => heading.text)));
  const missing = (artifact.sections ?? []).filter((section) => !headings.has(section));
  return missing.length > 0 ? `${path} lacks the heading ${missing.map((title) => `"${title}"`).join(', ')}` : null;
}

/** Null for what is there and cannot be read as text, such as an image. */
function textOf(file: string, files: FileView): string | null {
  try {
    return files.read(file) ?? '';
  } catch {
    return null;
  }
}
