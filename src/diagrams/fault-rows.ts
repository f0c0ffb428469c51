/** How a workflow treats faults, told once for all the states that treat them alike. */

import type { Diagram, Way } from './diagram.ts';
import { groupedBy } from './groups.ts';
import { either, type Row } from './table.ts';

export function faultRows(diagram: Diagram): Row[] {
  const faults = diagram.ways.filter(({ by }) => by === 'fault');
  const dispatching = diagram.states.filter(({ kind }) => kind === 'dispatch').length;
  const perState = groupedBy(faults, (way) => `${way.from}|${treatmentOf(way)}`).map((ways) => ({
    from: ways[0].from,
    text: [signalsOf(ways), targetOf(ways)] as const,
  }));
  return groupedBy(perState, ({ text }) => text.join('|')).map((same) => {
    const from = same.length === dispatching ? 'every dispatch' : same.map((row) => row.from).join(', ');
    return [from, ...same[0].text];
  });
}

/** Everything but the signal and the outcome it stands for. */
function treatmentOf({ conditions, leads, to, does, from }: Way): string {
  return JSON.stringify([conditions, leads, leads === 'again' ? [] : to, withoutName(does, from)]);
}

function signalsOf(ways: readonly [Way, ...Way[]]): string {
  return [either(ways.map(({ signal }) => signal)), ...ways[0].conditions].join(', ');
}

function targetOf(ways: readonly [Way, ...Way[]]): string {
  const [{ leads, to, does, from, refusal }] = ways;
  const target =
    leads === 'again'
      ? 'the same step again'
      : leads === 'refused'
        ? `refused: ${refusal}`
        : leads === 'back'
          ? `back to ${either(to)}`
          : either(to);
  const outcomes = [...new Set(ways.flatMap(({ outcome }) => outcome ?? []))];
  const notes = [...(outcomes.length === 0 ? [] : [`outcome ${either(outcomes)}`]), ...withoutName(does, from)];
  return notes.length === 0 ? target : `${target} (${notes.join(', ')})`;
}

/** States that differ only in their name are alike. */
function withoutName(does: readonly string[], from: string): string[] {
  return does.map((text) => (text === `remembers ${from}` ? 'remembers the step' : text));
}
