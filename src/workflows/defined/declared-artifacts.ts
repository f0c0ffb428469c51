/** Artifacts of a defined workflow: where they are, whether they keep their contract, and approvals of them. */

import { readHeadings } from '../../documents/markdown.ts';
import type { Json } from '../../engine/snapshot.ts';
import { digestOf } from '../digest.ts';
import type { FileView, RunView } from '../workflow.ts';
import type { ArtifactDefinition, WorkflowDefinition } from './definition.ts';

export function controlFolder(workflow: string): string {
  return `.pawl/${workflow}`;
}

export function artifactPath({ path }: ArtifactDefinition, run: string): string {
  return path.replaceAll('{{run}}', run);
}

/** The files an artifact consists of; a single file is named even where it is missing. */
export function filesOf(artifact: ArtifactDefinition, files: FileView, run: string): readonly string[] {
  const path = artifactPath(artifact, run);
  return path.endsWith('/') ? files.list(path.slice(0, -1)) : [path];
}

export function artifactDigest(artifact: ArtifactDefinition, files: FileView, run: string): string {
  return digestOf(filesOf(artifact, files, run).map((path) => [path, files.read(path) ?? null]));
}

export function contractProblem(artifact: ArtifactDefinition, files: FileView, run: string): string | null {
  const path = artifactPath(artifact, run);
  const texts: string[] = [];
  for (const file of filesOf(artifact, files, run)) {
    try {
      texts.push(files.read(file) ?? '');
    } catch {
      return `${file} is not text; every file of an artifact must be`;
    }
  }
  if (!texts.some((text) => text.trim() !== '')) return `${path} is missing or empty`;
  const headings = new Set(texts.flatMap((text) => readHeadings(text).map((heading) => heading.text)));
  const missing = (artifact.sections ?? []).filter((section) => !headings.has(section));
  return missing.length > 0 ? `${path} lacks the heading ${missing.map((title) => `"${title}"`).join(', ')}` : null;
}

type ArtifactView = Pick<RunView, 'files' | 'run'>;

/** What a step approves, by digest: empty for a step that passes no gate. */
export function approvals(definition: WorkflowDefinition, step: string, { files, run }: ArtifactView) {
  const { gates = {}, artifacts = {} } = definition;
  const approved: Record<string, Json> = {};
  for (const { of, passedBy } of Object.values(gates)) {
    const artifact = artifacts[of];
    if (artifact && passedBy.includes(step)) approved[`approved.${of}`] = artifactDigest(artifact, files, run);
  }
  return approved;
}

export function isUnchanged(
  { artifacts }: WorkflowDefinition,
  of: string,
  { files, run, snapshot }: ArtifactView & Pick<RunView, 'snapshot'>,
): boolean {
  const artifact = artifacts?.[of];
  return artifact !== undefined && snapshot.data[`approved.${of}`] === artifactDigest(artifact, files, run);
}
