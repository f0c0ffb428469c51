/** A workflow as tables in Markdown that read like a specification: from, signal and guard, to. */

import { isRest, type Diagram, type DiagramState, type Way } from './diagram.ts';
import { faultRows } from './fault-rows.ts';
import { groupedBy } from './groups.ts';
import { either, table, type Row } from './table.ts';

export function matrix(diagram: Diagram): string {
  const { states, commands } = diagram;
  const areas = commands.filter((command) => states.some(({ area }) => area === command));
  const one = areas.length === 1;
  const sections = [
    section(
      'States',
      table(
        ['state', 'kind', 'who or what', 'notes'],
        states.map((state) => stateRow(diagram, state)),
      ),
    ),
    section('At rest', routes(diagram, states.filter(isRest))),
    ...areas.map((area) =>
      section(
        one ? 'At work' : `What \`${area}\` sets off`,
        routes(
          diagram,
          states.filter((state) => state.area === area),
        ),
      ),
    ),
    section('Faults', table(['from', 'fault / guard', 'to'], faultRows(diagram))),
    section('Refused', table(['at', 'signal / guard', 'with', 'outcome'], refusalRows(diagram))),
    section('Budgets', table(['budget', 'limit', 'renewed'], budgetRows(diagram))),
    section(
      'Gates',
      table(['gate', 'approved', 'guards', 'passed by', 'still counts after', 'ends with'], gateRows(diagram)),
    ),
  ];
  return `${sections.filter((text) => text !== '').join('\n\n')}\n`;
}

function section(title: string, lines: readonly string[]): string {
  const headLines = 2;
  return lines.length > headLines ? [`## ${title}`, '', ...lines].join('\n') : '';
}

function stateRow({ initial, ways }: Diagram, { name, kind, what, each, makes, outcome, gates }: DiagramState): Row {
  const isQuick = kind === 'check' && what === name;
  const who = [...(isQuick || what === null ? [] : [what]), ...(each === null ? [] : [`for each of ${each}`])].join(
    ', ',
  );
  const approves = [...new Set(ways.filter(({ from }) => from === name).flatMap(({ passes }) => passes))];
  const notes = [
    ...(name === initial ? ['the start'] : []),
    ...(outcome === null ? [] : [`outcome ${outcome}`]),
    ...(makes === null ? [] : [`makes ${makes}`]),
    ...gates.map((gate) => `guarded by ${gate}`),
    ...approves.map((gate) => `can pass ${gate}`),
  ];
  return [name, kind, who, notes.join('; ')];
}

function routes({ ways }: Diagram, states: readonly DiagramState[]): string[] {
  const rows = states.flatMap(({ name }) =>
    routeRows(ways.filter(({ from, by, leads }) => from === name && by !== 'fault' && leads !== 'refused')),
  );
  return table(['from', 'signal / guard', 'to'], rows);
}

/** Ways of one state; signals that lead to the same share a row. */
function routeRows(ways: readonly Way[]): Row[] {
  return groupedBy(ways, (way) => `${way.conditions.join()}|${targetText(way)}`).map((same) => [
    same[0].from,
    signalText(same),
    targetText(same[0]),
  ]);
}

/** `needs_revision or needs_minor_revision, planning left`. */
export function signalText(ways: readonly [Way, ...Way[]]): string {
  return [either(ways.map(({ signal }) => signal)), ...ways[0].conditions].join(', ');
}

/** `revise (spends planning)`. */
export function targetText({ leads, to, does, outcome }: Way): string {
  const target = leads === 'again' ? `${either(to)} again` : leads === 'back' ? `back to ${either(to)}` : either(to);
  const notes = [...(outcome === null ? [] : [`outcome ${outcome}`]), ...does];
  return notes.length === 0 ? target : `${target} (${notes.join(', ')})`;
}

/** One row for each reason: where a command or answer is refused, nothing changes. */
function refusalRows({ ways }: Diagram): Row[] {
  const refused = ways.filter(({ leads }) => leads === 'refused');
  const perState = groupedBy(refused, ({ from, refusal, conditions, outcome }) =>
    [from, refusal, outcome, ...conditions].join('|'),
  );
  const rows = perState.map((ways) => ({ from: ways[0].from, signals: signalText(ways), way: ways[0] }));
  return groupedBy(rows, ({ signals, way }) => [way.refusal, way.outcome, signals].join('|'))
    .toSorted(([one], [other]) => order(refused, one.way) - order(refused, other.way))
    .map((same) => {
      const [{ signals, way }] = same;
      return [same.map(({ from }) => from).join(', '), signals, way.refusal ?? '', way.outcome ?? ''];
    });
}

function order(refused: readonly Way[], { refusal }: Way): number {
  return refused.findIndex((way) => way.refusal === refusal);
}

function budgetRows({ budgets }: Diagram): Row[] {
  const renewed = {
    run: 'never',
    command: 'by every command',
    item: 'with every item of a list',
    visit: 'whenever a state is entered',
  };
  return budgets.map(({ name, limit, scope }) => [name, String(limit), renewed[scope]]);
}

function gateRows({ gates }: Diagram): Row[] {
  return gates.map(({ name, of, guards, passedBy, confirmedBy = [], voidedBy = [] }) => [
    name,
    of,
    guards.join(', '),
    passedBy.join(', '),
    confirmedBy.join(', '),
    [`new ${of}`, ...voidedBy].join(', '),
  ]);
}
