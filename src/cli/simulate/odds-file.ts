/** Reads odds from a TOML file: what it does not mention stays as nobody knows better. */

import { faults, type Machine } from '../../engine/machine.ts';
import { DocumentError } from '../../documents/document-error.ts';
import { isRecord } from '../../documents/fields.ts';
import { nearest } from '../../documents/nearest.ts';
import { amount, whole, wrong, type Path, type Source } from '../../documents/settings-fields.ts';
import { lineInToml, parseToml } from '../../documents/toml.ts';
import {
  equalOdds,
  rolesOf,
  usualItems,
  type ItemOdds,
  type Odds,
  type Spread,
  type Taking,
} from '../../simulation/odds.ts';
import { receivable } from '../../verifier/receivable.ts';

const weightMax = 1_000_000_000;
export const itemsMost = 100;
const dollarsMax = 10_000;
const secondsMax = 7 * 24 * 3_600;
const sections = ['steps', 'items', 'faults', 'dispatch', 'roles'];

export function readOdds(text: string, file: string, machine: Machine): Odds {
  const source: Source = { file, lineOf: (path) => lineInToml(text, path) };
  const document = tableOf(parseToml(text, file), [], source);
  for (const name of Object.keys(document)) known('section', name, sections, { path: [], source });
  const usual = equalOdds(machine);
  const every = takingOf(document['dispatch'], ['dispatch'], source);
  const lists: Record<string, ItemOdds> = { ...usual.items };
  for (const [list, table] of entriesOf(document['items'], ['items'], source)) {
    known('list', list, machine.lists, { path: ['items'], source });
    lists[list] = itemsOf(table, ['items', list], source);
  }
  const roles: Record<string, Taking> = Object.fromEntries(rolesOf(machine).map((role) => [role, every]));
  for (const [role, table] of entriesOf(document['roles'], ['roles'], source)) {
    known('role', role, rolesOf(machine), { path: ['roles'], source });
    roles[role] = takingOf(table, ['roles', role], source, every);
  }
  return {
    weights: { ...usual.weights, ...weightsOf(document['steps'], machine, source) },
    items: lists,
    faults: document['faults'] === undefined ? usual.faults : faultsOf(document['faults'], source),
    roles,
  };
}

function weightsOf(table: unknown, machine: Machine, source: Source): Record<string, Record<string, number>> {
  const weights: Record<string, Record<string, number>> = {};
  for (const [state, signals] of entriesOf(table, ['steps'], source)) {
    known('state', state, Object.keys(machine.states), { path: ['steps'], source });
    weights[state] = stateWeights(signals, state, machine, source);
  }
  return weights;
}

function stateWeights(table: unknown, state: string, machine: Machine, source: Source): Record<string, number> {
  const path = ['steps', state];
  const kind = machine.states[state]?.kind;
  const line = source.lineOf(path);
  if (kind === 'final') {
    throw new DocumentError({ file: source.file, line }, `${state} is final: nothing follows`, 'another state');
  }
  const signals = kind === 'dispatch' ? (machine.signals[state] ?? []) : receivable(machine, state);
  const weights: Record<string, number> = {};
  for (const [signal, weight] of entriesOf(table, path, source)) {
    if (kind === 'dispatch' && isFaultName(signal)) {
      throw new DocumentError(
        { file: source.file, line: source.lineOf([...path, signal]) },
        `${signal} is a fault`,
        'it in the section [faults]',
      );
    }
    known('signal', signal, signals, { path, source });
    weights[signal] = amount(0, weightMax)(weight, [...path, signal], source);
  }
  if (Object.values(weights).every((weight) => weight === 0)) {
    throw new DocumentError({ file: source.file, line }, `every weight of ${state} is 0`, 'one above 0');
  }
  return weights;
}

function itemsOf(table: unknown, path: Path, source: Source): ItemOdds {
  const given = tableOf(table, path, source);
  for (const key of Object.keys(given)) known('key', key, ['mean', 'most'], { path, source });
  const mean = amount(usualItems.mean, itemsMost)(given['mean'], [...path, 'mean'], source);
  const most = whole(Math.max(usualItems.most, Math.ceil(mean)), { min: 0, max: itemsMost })(
    given['most'],
    [...path, 'most'],
    source,
  );
  if (mean > most) throw wrong(mean, `no more than most, which is ${most}`, [...path, 'mean'], source);
  return { mean, most };
}

function faultsOf(table: unknown, source: Source): Record<string, number> {
  const shares: Record<string, number> = {};
  for (const [fault, share] of entriesOf(table, ['faults'], source)) {
    known('fault', fault, faults, { path: ['faults'], source });
    shares[fault] = amount(0, 1)(share, ['faults', fault], source);
  }
  const sum = Object.values(shares).reduce((total, share) => total + share, 0);
  if (sum > 1) {
    const line = source.lineOf(['faults']);
    throw new DocumentError({ file: source.file, line }, `the faults add up to ${sum}`, 'no more than 1 in all');
  }
  return shares;
}

const unknownTaking: Taking = { costUsd: null, ms: null };

function takingOf(table: unknown, path: Path, source: Source, otherwise: Taking = unknownTaking): Taking {
  if (table === undefined) return otherwise;
  const given = tableOf(table, path, source);
  for (const key of Object.keys(given)) known('key', key, ['cost_usd', 'seconds'], { path, source });
  const seconds = spreadOf(given['seconds'], [...path, 'seconds'], source, secondsMax);
  return {
    costUsd: spreadOf(given['cost_usd'], [...path, 'cost_usd'], source, dollarsMax) ?? otherwise.costUsd,
    ms: seconds ? { least: ms(seconds.least), typical: ms(seconds.typical), most: ms(seconds.most) } : otherwise.ms,
  };
}

/** Three numbers, or one that is all of them. */
function spreadOf(value: unknown, path: Path, source: Source, max: number): Spread | null {
  if (value === undefined) return null;
  const numbers: readonly unknown[] = Array.isArray(value) ? value : [value, value, value];
  const [least, typical, most] = numbers.filter((number) => typeof number === 'number');
  const rising =
    least !== undefined && typical !== undefined && most !== undefined && least <= typical && typical <= most;
  if (numbers.length === 3 && rising && least >= 0 && most <= max) return { least, typical, most };
  throw wrong(value, `least, typical and most, such as [1, 2, 5], from 0 to ${max}, or one number`, path, source);
}

/** Without the dust of binary fractions: 0.201 seconds are 201 ms. */
function ms(seconds: number): number {
  return Number((seconds * 1_000).toPrecision(12));
}

function entriesOf(table: unknown, path: Path, source: Source): [string, unknown][] {
  return table === undefined ? [] : Object.entries(tableOf(table, path, source));
}

function tableOf(table: unknown, path: Path, source: Source): Record<string, unknown> {
  if (isRecord(table)) return table;
  throw wrong(table, 'a table', path, source);
}

function known(
  what: string,
  name: string,
  names: readonly string[],
  { path, source }: { readonly path: Path; readonly source: Source },
): void {
  if (names.includes(name)) return;
  const near = nearest(name, names);
  const expected = near === undefined ? `one of ${names.join(', ')}` : `"${near}", perhaps`;
  const line = source.lineOf([...path, name]);
  throw new DocumentError({ file: source.file, line }, `there is no ${what} "${name}"${whereOf(what, path)}`, expected);
}

function whereOf(what: string, path: Path): string {
  return what === 'signal' || what === 'key' ? ` in ${path.join('.')}` : '';
}

function isFaultName(name: string): boolean {
  return faults.some((fault) => fault === name);
}
