/** Lists of runs, as tables and as documents. */

import type { ListedRun } from '../../runs/catalog.ts';
import type { WorkflowSurface } from '../../workflows/surface.ts';

import { age } from './figures.ts';
import { aligned, plainLine } from './text.ts';

/** All runs of all workflows; `begin` is a way to begin one. */
export function runsText(runs: readonly ListedRun[], begin: string, nowMs: number): string {
  if (runs.length === 0) return `There are no runs. Begin one: ${begin}\n`;
  const rows = runs.map((listed) => [
    plainLine(listed.run),
    listed.workflow,
    phaseOf(listed),
    age(listed.updatedAt, nowMs),
    listed.owner ? `pid ${listed.owner.pid}` : '-',
    lastCell(listed, true),
  ]);
  return table([['RUN', 'WORKFLOW', 'PHASE', 'UPDATED', 'AT WORK', 'NEXT'], ...rows]);
}

/** What `--json` prints of each. */
export function runDocument(listed: ListedRun): Readonly<Record<string, unknown>> {
  const { workflow, run, phase, outcome, updatedAt, owner, next, workspace, problem } = listed;
  return { workflow, run, phase, outcome, updatedAt, owner, next, workspace, problem };
}

export interface Listing {
  readonly surface: WorkflowSurface;
  /** Whether it is those that were filed away. */
  readonly archived: boolean;
  readonly nowMs: number;
}

export function listText(runs: readonly ListedRun[], { surface, archived, nowMs }: Listing): string {
  const { titles, plural, showsNext } = surface.list;
  if (runs.length === 0)
    return archived ? 'Nothing is archived.\n' : `There are no ${plural}. Begin one: ${surface.begin}\n`;
  const rows = runs.map((listed) => [
    plainLine(listed.run),
    phaseOf(listed),
    ...titles.slice(2).map((_, index) => plainLine(surface.list.cells(listed.details)[index] ?? '-')),
    age(listed.updatedAt, nowMs),
    lastCell(listed, showsNext),
  ]);
  return table([[...titles, 'UPDATED', ...(showsNext && !archived ? ['NEXT'] : [])], ...rows]);
}

/** The same runs as one document, each with the keys of its workflow. */
export function listDocument(runs: readonly ListedRun[], { list }: WorkflowSurface): Readonly<Record<string, unknown>> {
  const { plural, nameKey, blank } = list;
  return {
    [plural]: runs.map(({ run, phase, updatedAt, next, workspace, problem, journal, details }) => ({
      [nameKey]: run,
      phase,
      ...blank,
      ...details,
      updatedAt,
      problem,
      workspace,
      journal,
      next,
    })),
  };
}

function phaseOf({ phase, problem }: ListedRun): string {
  return problem === null ? (phase ?? 'new') : 'broken';
}

function lastCell({ problem, next, workspace }: ListedRun, showsNext: boolean): string {
  const place = workspace === null ? '' : ` (in ${workspace})`;
  return plainLine(problem ?? `${showsNext ? (next ?? '') : ''}${place}`);
}

function table(rows: readonly (readonly string[])[]): string {
  return `${aligned(rows).join('\n')}\n`;
}
