/** A workflow, and a run of it, as tables in Markdown that read like a specification: from, signal and guard, to. */

import { isRest } from '../engine/machine.ts';
import type { Diagram, DiagramState, Transition } from './diagram.ts';
import { isOf, type Walk } from './run-walk.ts';
import { either, groupedBy, table, type Row } from './table.ts';

/** Transitions that are alike, at least one. */
type Alike = readonly [Transition, ...Transition[]];

export function matrix(diagram: Diagram): string {
  const { states, commands, budgets, gates } = diagram;
  const areas = commands.filter((command) => states.some(({ area }) => area === command));
  const routes = ['from', 'signal / guard', 'to'];
  const stateRows = states.map((state) => stateRow(diagram, state));
  const budgetRows = budgets.map(({ name, limit, scope }) => [name, String(limit), renewed[scope]]);
  const undone = diagram.transitions.filter(({ signal, leads }) => signal === 'undo' && leads !== 'refused');
  const gateRows = gates.map((gate) => {
    const { name, of, guards, passedBy, waivedBy = [], confirmedBy = [], voidedBy = [], keptBy = [] } = gate;
    const passed = [...passedBy, ...waivedBy.map((step) => `${step} (waived)`)];
    const undos = undone.map(({ from }) => `${from}.undo`).filter((step) => !keptBy.includes(step));
    const ends = [`new ${of}`, ...voidedBy, ...undos];
    return [[name], [of], guards, passed, confirmedBy, ends].map((cell) => cell.join(', '));
  });
  const sections = [
    ...section('States', ['state', 'kind', 'who or what', 'notes'], stateRows),
    ...section('At rest', routes, routeRows(diagram, isRest)),
    ...areas.flatMap((area) =>
      section(
        areas.length === 1 ? 'At work' : `After \`${area}\``,
        routes,
        routeRows(diagram, (state) => state.area === area),
      ),
    ),
    ...section('Faults', ['from', 'fault / guard', 'to'], faultRows(diagram)),
    ...section('Refusals', ['at', 'signal / guard', 'with', 'outcome'], refusalRows(diagram)),
    ...section('Budgets', ['budget', 'limit', 'renewed'], budgetRows),
    ...section('Gates', ['gate', 'approved', 'guards', 'passed by', 'stays valid after', 'ends with'], gateRows),
  ];
  return `${sections.join('\n\n')}\n`;
}

/** A run: its state, its path, and its next transitions. */
export function runMatrix(diagram: Diagram, walk: Walk): string {
  const { run, state, outcome, path, taken } = walk;
  const steps = taken.reduce((sum, { times }) => sum + times, 0);
  const budgets = diagram.budgets.map(({ name, limit }) => `${name} ${walk.budgets[name] ?? limit}`).join(', ');
  const takenRows = taken.map((one) => {
    const transition = diagram.transitions.find((each) => isOf(one, each));
    const signal = transition ? signalText([transition]) : (one.signal ?? 'edited by hand');
    return [one.from, signal, transition ? targetText({ ...transition, to: [one.to] }) : one.to, `×${one.times}`];
  });
  const nextRows = routeRows(diagram, ({ name }) => name === state).map((row) => row.slice(1));
  const sections = [
    `Run ${run} of ${diagram.workflow}: at ${state}${outcome === null ? '' : ` (outcome ${outcome})`}, after ${steps} steps.`,
    ...(budgets === '' ? [] : [`Left: ${budgets}.`]),
    `## Path\n\n${pathText(path)}`,
    ...section('Transitions taken', ['from', 'signal / guard', 'to', 'times'], takenRows),
    ...section('Next transitions', ['signal / guard', 'to'], nextRows),
  ];
  return `${sections.join('\n\n')}\n`;
}

/** Nothing where there is nothing to tell. */
function section(title: string, head: Row, rows: readonly Row[]): string[] {
  return rows.length === 0 ? [] : [[`## ${title}`, '', ...table(head, rows)].join('\n')];
}

const renewed = {
  run: 'never',
  command: 'by every command',
  item: 'with every item of a list',
  visit: 'whenever a state is entered',
};

function stateRow(diagram: Diagram, { name, kind, what, each, makes, outcome, gates }: DiagramState): Row {
  const isQuick = kind === 'check' && what === name;
  const who = [...(isQuick || what === null ? [] : [what]), ...(each === null ? [] : [`for each of ${each}`])];
  const own = diagram.transitions.filter(({ from }) => from === name);
  const notes = [
    ...(name === diagram.initial ? ['the start'] : []),
    ...(outcome === null ? [] : [`outcome ${outcome}`]),
    ...(makes === null ? [] : [`makes ${makes}`]),
    ...gates.map((gate) => `guarded by ${gate}`),
    ...[...new Set(own.flatMap(({ passes }) => passes))].map((gate) => `can pass ${gate}`),
  ];
  return [name, kind, who.join(', '), notes.join('; ')];
}

/** By state; signals that lead to the same share a row. Faults and refusals have tables of their own. */
function routeRows({ states, transitions }: Diagram, isShown: (state: DiagramState) => boolean): Row[] {
  return states.filter(isShown).flatMap(({ name }) => {
    const own = transitions.filter(({ from, by, leads }) => from === name && by !== 'fault' && leads !== 'refused');
    return groupedBy(own, (each) => `${each.conditions.join()}|${targetText(each)}`).map((alike) => [
      name,
      signalText(alike),
      targetText(alike[0]),
    ]);
  });
}

/** `needs_revision or needs_minor_revision, planning left`. */
function signalText(alike: Alike): string {
  return [either(alike.map(({ signal }) => signal)), ...alike[0].conditions].join(', ');
}

/** `revise (spends planning)`. */
function targetText({ leads, to, does, outcome }: Transition): string {
  const target = leads === 'again' ? `${either(to)} again` : leads === 'back' ? `back to ${either(to)}` : either(to);
  return withNotes(target, [...(outcome === null ? [] : [`outcome ${outcome}`]), ...does]);
}

function withNotes(target: string, notes: readonly string[]): string {
  return notes.length === 0 ? target : `${target} (${notes.join(', ')})`;
}

/** Routes of faults, once for all the states that treat them alike. */
function faultRows({ states, transitions }: Diagram): Row[] {
  const dispatching = states.filter(({ kind }) => kind === 'dispatch').length;
  const faults = transitions.filter(({ by }) => by === 'fault');
  // Everything but the signal and the outcome it stands for.
  const perState = groupedBy(faults, ({ from, conditions, leads, to, does }) =>
    JSON.stringify([from, conditions, leads, leads === 'again' ? [] : to, does]),
  ).map((alike) => ({ from: alike[0].from, cells: [signalText(alike), faultTarget(alike)] }));
  return groupedBy(perState, ({ cells }) => cells.join('|')).map((same) => {
    const from = same.length === dispatching ? 'every dispatch' : same.map((row) => row.from).join(', ');
    return [from, ...same[0].cells];
  });
}

function faultTarget(alike: Alike): string {
  const [{ leads, to, does, from, refusal }] = alike;
  const targets = { again: 'the same step again', refused: `refused: ${refusal}`, back: `back to ${either(to)}` };
  const outcomes = [...new Set(alike.flatMap(({ outcome }) => outcome ?? []))];
  // States that differ only in their name are alike.
  const effects = does.map((text) => (text === `remembers ${from}` ? 'remembers the step' : text));
  const notes = [...(outcomes.length === 0 ? [] : [`outcome ${either(outcomes)}`]), ...effects];
  return withNotes(leads === 'on' ? either(to) : targets[leads], notes);
}

/** One row for each reason: where a command or answer is refused, nothing changes. */
function refusalRows({ transitions }: Diagram): Row[] {
  const refused = transitions.filter(({ leads }) => leads === 'refused');
  const perState = groupedBy(refused, ({ from, refusal, conditions, outcome }) =>
    [from, refusal, outcome, ...conditions].join('|'),
  ).map((alike) => ({ signals: signalText(alike), ...alike[0] }));
  const order = (reason: string | null): number => refused.findIndex(({ refusal }) => refusal === reason);
  return groupedBy(perState, ({ signals, refusal, outcome }) => [refusal, outcome, signals].join('|'))
    .toSorted(([one], [other]) => order(one.refusal) - order(other.refusal))
    .map((same) => {
      const [{ signals, refusal, outcome }] = same;
      return [same.map(({ from }) => from).join(', '), signals, refusal ?? '', outcome ?? ''];
    });
}

/** `new → survey → specify ×2 → find_tasks`. */
function pathText(path: readonly string[]): string {
  const visits: { readonly state: string; times: number }[] = [];
  for (const state of path) {
    const last = visits.at(-1);
    if (last?.state === state) last.times += 1;
    else visits.push({ state, times: 1 });
  }
  return visits.map(({ state, times }) => (times === 1 ? state : `${state} ×${times}`)).join(' → ');
}
