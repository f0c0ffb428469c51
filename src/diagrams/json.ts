/**
 * A workflow, and where a run is in it, as one JSON document for other programs.
 *
 * Its keys are those of `Diagram`; `run` is null, or has those of `Walk`. Keys are added, never renamed or removed.
 */

import type { Diagram } from './diagram.ts';
import type { Walk } from './walk.ts';

export function json(diagram: Diagram, walk: Walk | null = null): string {
  return `${JSON.stringify({ ...diagram, run: walk })}\n`;
}
