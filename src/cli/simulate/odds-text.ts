/** Writes odds as the file `readOdds` reads, for people to go on with. */

import type { Machine } from '../../engine/machine.ts';
import type { Odds, Spread, Taking } from '../../simulation/odds.ts';
import { receivable } from '../../verifier/receivable.ts';

/** `about` says where they come from. */
export function oddsText(odds: Odds, machine: Machine, about: string): string {
  const atRest = Object.keys(machine.states).filter((state) => isRest(machine, state) && !odds.weights[state]);
  const parts = [
    comment(`Odds for pawl simulate: ${about}.`),
    comment('How often each signal of a state comes, relative to the others; one that is not named does not come.'),
    ...Object.entries(odds.weights).map(([state, weights]) => section(['steps', state], weights)),
    ...(atRest.length === 0 ? [] : [restsText(machine, atRest)]),
    comment('How many items a list is loaded with.'),
    ...Object.entries(odds.items).map(([list, { mean, most }]) => section(['items', list], { mean, most })),
    comment('With --faults: the share of dispatches that end so, from 0 to 1.'),
    section(['faults'], odds.faults),
    comment('What a dispatch takes: least, typical, most. [dispatch] holds for the roles that are not named.'),
    ...Object.entries(odds.roles).map(([role, taking]) => roleText(role, taking)),
  ];
  return `${parts.join('\n\n')}\n`;
}

function isRest(machine: Machine, state: string): boolean {
  const kind = machine.states[state]?.kind;
  return kind === 'parked' || kind === 'decide';
}

/** What people do has no default weights; these lines show what could be said. */
function restsText(machine: Machine, states: readonly string[]): string {
  const lines = states.map((state) => `# [${nameOf(['steps', state])}]  ${receivable(machine, state).join(', ')}`);
  return [
    comment('At rest, where nothing is said, the person takes the shortest way to the end. To say otherwise:'),
    ...lines,
  ].join('\n');
}

function roleText(role: string, { costUsd, ms }: Taking): string {
  const cost = costUsd ? `cost_usd = ${spreadText(costUsd, 1)}` : '# cost_usd = [0.05, 0.2, 1]   (not known)';
  const time = ms ? `seconds = ${spreadText(ms, 1_000)}` : '# seconds = [30, 120, 600]    (not known)';
  return `[${nameOf(['roles', role])}]\n${cost}\n${time}`;
}

function spreadText({ least, typical, most }: Spread, divisor: number): string {
  return `[${[least, typical, most].map((number) => String(number / divisor)).join(', ')}]`;
}

function section(path: readonly string[], values: Readonly<Record<string, number>>): string {
  const lines = Object.entries(values).map(([key, value]) => `${nameOf([key])} = ${value}`);
  return [`[${nameOf(path)}]`, ...lines].join('\n');
}

function nameOf(path: readonly string[]): string {
  return path.map((key) => (/^[\w-]+$/.test(key) ? key : JSON.stringify(key))).join('.');
}

function comment(text: string): string {
  return `# ${text}`;
}
