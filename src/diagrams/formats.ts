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
  switch (format) {
    case 'matrix':
      return walk ? runMatrix(diagram, walk) : `# ${diagram.workflow}\n\n${matrix(diagram)}`;
    case 'mermaid':
      return mermaid(pictureOf(diagram, walk));
    case 'svg':
      return svg(pictureOf(diagram, walk));
    case 'dot':
      return dot(pictureOf(diagram, walk));
    case 'json':
      // For other programs: keys are added, never renamed or removed.
      return `${JSON.stringify({ ...diagram, run: walk })}\n`;
  }
}
