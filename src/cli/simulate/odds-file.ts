/** Odds as a TOML file. A key that the file does not mention keeps its default. */

import { inFile, readDocument } from '../../documents/read-document.ts';
import { lineInToml, parseToml } from '../../documents/toml.ts';
import { faults, isFault, type Machine } from '../../engine/machine.ts';
import { mapped, optional, record, refine, table, withDefault } from '../../schema/compound.ts';
import { nearest } from '../../schema/nearest.ts';
import { leaf, nameOf, refuse, schema, snakeCase, wrong, type Schema } from '../../schema/schema.ts';
import { amount, whole } from '../../schema/simple.ts';
import { equalOdds, unknownTaking, usualItems } from '../../simulation/odds.ts';
import type { Odds, Spread, Taking } from '../../simulation/odds.ts';
import { receivable, rolesOf } from '../../verifier/receivable.ts';

const weightMax = 1_000_000_000;
export const itemsMost = 100;
const dollarsMax = 10_000;
const secondsMax = 7 * 24 * 3_600;

export function readOdds(text: string, file: string, machine: Machine): Odds {
  const locate = inFile(file, (path) => lineInToml(text, path));
  const given = readDocument(oddsSchema(machine), parseToml(text, file), locate, { spell: snakeCase });
  const usual = equalOdds(machine);
  const every: Taking = { ...unknownTaking, ...given.dispatch };
  return {
    weights: { ...usual.weights, ...given.steps },
    items: { ...usual.items, ...given.items },
    faults: given.faults ?? usual.faults,
    roles: Object.fromEntries(rolesOf(machine).map((role) => [role, { ...every, ...given.roles[role] }])),
  };
}

function oddsSchema(machine: Machine) {
  return table({
    steps: record(stateWeights(machine), { key: known('state', Object.keys(machine.states)) }),
    items: record(itemOdds, { key: known('list', machine.lists) }),
    faults: optional(faultShares),
    dispatch: withDefault(taking, {}),
    roles: record(taking, { key: known('role', rolesOf(machine)) }),
  });
}

function stateWeights(machine: Machine): Schema<Readonly<Record<string, number>>> {
  return schema((value, at) => {
    const state = String(at.path.at(-1));
    const kind = machine.states[state]?.kind;
    if (kind === 'final') return refuse(at, value, 'another state', `${state} is final: nothing follows`);
    const signals = kind === 'dispatch' ? (machine.signals[state] ?? []) : receivable(machine, state);
    const key = schema<string>((signal, spot) =>
      kind === 'dispatch' && isFault(String(signal))
        ? refuse(spot, signal, 'it in the section [faults]', `${String(signal)} is a fault`)
        : known('signal', signals).read(signal, spot),
    );
    const weights = record(amount(weightMax), { key }).read(value, at);
    if (weights === wrong || Object.values(weights).some((weight) => weight > 0)) return weights;
    return refuse(at, value, 'one above 0', `every weight of ${state} is 0`);
  });
}

const itemOdds = refine(
  mapped(
    table({ mean: withDefault(amount(itemsMost), usualItems.mean), most: optional(whole(0, itemsMost)) }),
    ({ mean, most = Math.max(usualItems.most, Math.ceil(mean)) }) => ({ mean, most }),
  ),
  ({ mean, most }) =>
    mean > most ? { at: ['mean'], found: mean, expected: `no more than most, which is ${most}` } : undefined,
);

const faultShares = refine(record(amount(1), { key: known('fault', faults) }), (shares) => {
  const sum = Object.values(shares).reduce((total, share) => total + share, 0);
  return sum > 1 ? { problem: `the faults add up to ${sum}`, expected: 'no more than 1 in all' } : undefined;
});

const taking = mapped(
  table({ costUsd: optional(spread(dollarsMax)), seconds: optional(spread(secondsMax)) }),
  ({ seconds, ...cost }) => ({
    ...cost,
    ...(seconds && { ms: { least: ms(seconds.least), typical: ms(seconds.typical), most: ms(seconds.most) } }),
  }),
);

/** Three numbers, or one that is all of them. */
function spread(max: number): Schema<Spread> {
  return leaf(`least, typical and most, such as [1, 2, 5], from 0 to ${max}, or one number`, (value) => {
    const numbers: readonly unknown[] = Array.isArray(value) ? value : [value, value, value];
    const [least, typical, most] = numbers.filter((number) => typeof number === 'number');
    const rising =
      least !== undefined && typical !== undefined && most !== undefined && least <= typical && typical <= most;
    return numbers.length === 3 && rising && least >= 0 && most <= max ? { least, typical, most } : undefined;
  });
}

/** Without the dust of binary fractions: 0.201 seconds are 201 ms. */
function ms(seconds: number): number {
  return Number((seconds * 1_000).toPrecision(12));
}

function known(what: string, names: readonly string[]): Schema<string> {
  return schema((name, at) => {
    const word = String(name);
    if (names.includes(word)) return word;
    const near = nearest(word, names);
    const expected = near === undefined ? `one of ${names.join(', ')}` : `"${near}", perhaps`;
    const inside = what === 'signal' ? ` in ${nameOf(at.path.slice(0, -1))}` : '';
    return refuse(at, name, expected, `there is no ${what} "${word}"${inside}`);
  });
}

export function oddsText(odds: Odds, machine: Machine, about: string): string {
  // People have no default weights; these lines show what a file could say about them.
  const rests = Object.entries(machine.states)
    .filter(([state, { kind }]) => (kind === 'parked' || kind === 'decide') && !odds.weights[state])
    .map(([state]) => `# [${tomlKey(['steps', state])}]  ${receivable(machine, state).join(', ')}`);
  const otherwise = '# At rest, without weights, the person takes the shortest path to the end. To change that:';
  const parts = [
    `# Odds for pawl simulate: ${about}.`,
    '# Relative frequency of each signal of a state; a signal that is not listed never occurs.',
    ...Object.entries(odds.weights).map(([state, weights]) => section(['steps', state], weights)),
    ...(rests.length === 0 ? [] : [[otherwise, ...rests].join('\n')]),
    '# How many items a list is loaded with.',
    ...Object.entries(odds.items).map(([list, { mean, most }]) => section(['items', list], { mean, most })),
    '# With --faults: share of agent calls that end this way, from 0 to 1.',
    section(['faults'], odds.faults),
    '# Per agent call: minimum, typical, maximum. [dispatch] applies to roles without their own table.',
    ...Object.entries(odds.roles).map(([role, taking]) => roleText(role, taking)),
  ];
  return `${parts.join('\n\n')}\n`;
}

function roleText(role: string, { costUsd, ms }: Taking): string {
  const cost = costUsd ? `cost_usd = ${spreadText(costUsd, 1)}` : '# cost_usd = [0.05, 0.2, 1]   (not known)';
  const time = ms ? `seconds = ${spreadText(ms, 1_000)}` : '# seconds = [30, 120, 600]    (not known)';
  return `[${tomlKey(['roles', role])}]\n${cost}\n${time}`;
}

function spreadText({ least, typical, most }: Spread, divisor: number): string {
  return `[${[least, typical, most].map((number) => String(number / divisor)).join(', ')}]`;
}

function section(path: readonly string[], values: Readonly<Record<string, number>>): string {
  const lines = Object.entries(values).map(([key, value]) => `${tomlKey([key])} = ${value}`);
  return [`[${tomlKey(path)}]`, ...lines].join('\n');
}

function tomlKey(path: readonly string[]): string {
  return path.map((key) => (/^[\w-]+$/.test(key) ? key : JSON.stringify(key))).join('.');
}
