/** A run as tables in Markdown: where it is, the way it took, and the ways it can take from there. */

import type { Diagram } from './diagram.ts';
import { groupedBy } from './groups.ts';
import { signalText, targetText } from './matrix.ts';
import { table, type Row } from './table.ts';
import { isOf, type Walk } from './walk.ts';

export function runMatrix(diagram: Diagram, walk: Walk): string {
  const steps = walk.taken.reduce((sum, { times }) => sum + times, 0);
  const budgets = diagram.budgets.map(({ name, limit }) => `${name} ${walk.budgets[name] ?? limit}`).join(', ');
  const sections = [
    `Run ${walk.run} of ${diagram.workflow}: at ${walk.state}${walk.outcome === null ? '' : ` (outcome ${walk.outcome})`}, after ${steps} steps.`,
    ...(budgets === '' ? [] : [`Left: ${budgets}.`]),
    section('The way it took', [pathText(walk.path)]),
    ...(steps === 0
      ? []
      : [section('Taken', table(['from', 'signal / guard', 'to', 'times'], takenRows(diagram, walk)))]),
    ...nextSections(diagram, walk),
  ];
  return `${sections.join('\n\n')}\n`;
}

function section(title: string, lines: readonly string[]): string {
  return [`## ${title}`, '', ...lines].join('\n');
}

/** `new → survey → specify ×2 → find_tasks`. */
function pathText(path: readonly string[]): string {
  const visits: { readonly state: string; readonly times: number }[] = [];
  for (const state of path) {
    const last = visits.at(-1);
    if (last?.state === state) visits[visits.length - 1] = { state, times: last.times + 1 };
    else visits.push({ state, times: 1 });
  }
  return visits.map(({ state, times }) => (times === 1 ? state : `${state} ×${times}`)).join(' → ');
}

function takenRows({ ways }: Diagram, { taken }: Walk): Row[] {
  return taken.map((one) => {
    const { from, signal, to, times } = one;
    const way = ways.find((each) => isOf(one, each));
    if (!way) return [from, signal ?? 'edited by hand', to, `×${times}`];
    return [from, signalText([way]), targetText({ ...way, to: [to] }), `×${times}`];
  });
}

/** Faults and refusals are the same everywhere; the workflow's own matrix tells them. */
function nextSections({ ways }: Diagram, { state }: Walk): string[] {
  const next = ways.filter(({ from, by, leads }) => from === state && by !== 'fault' && leads !== 'refused');
  if (next.length === 0) return [];
  const rows = groupedBy(next, (way) => `${way.conditions.join()}|${targetText(way)}`).map((same) => [
    signalText(same),
    targetText(same[0]),
  ]);
  return [section('From here', table(['signal / guard', 'to'], rows))];
}
