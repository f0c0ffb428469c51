/** Every format a workflow can be shown in, and a run in its workflow. */

import type { Diagram } from './diagram.ts';
import { dot } from './dot.ts';
import { matrix, runMatrix } from './matrix.ts';
import { mermaid } from './mermaid.ts';
import { pictureOf } from './picture.ts';
import type { Walk } from './run-walk.ts';
import { svg } from './svg.ts';

export type Format = (typeof formats)[number];
export const formats = ['matrix', 'mermaid', 'svg', 'dot', 'json'] as const;

export function render(format: Format, diagram: Diagram, walk: Walk | null = null): string | Promise<string> {
  return renderers[format](diagram, walk);
}

const renderers: Readonly<Record<Format, (diagram: Diagram, walk: Walk | null) => string | Promise<string>>> = {
  matrix: (diagram, walk) => (walk ? runMatrix(diagram, walk) : `# ${diagram.workflow}\n\n${matrix(diagram)}`),
  mermaid: (diagram, walk) => mermaid(pictureOf(diagram, walk)),
  svg: (diagram, walk) => svg(pictureOf(diagram, walk)),
  dot: (diagram, walk) => dot(pictureOf(diagram, walk)),
  // For other programs: keys are added, never renamed or removed.
  json: (diagram, walk) => `${JSON.stringify({ ...diagram, run: walk })}\n`,
};
