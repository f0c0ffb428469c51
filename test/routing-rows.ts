/** A machine's routing matrix in words: one row per state and signal. */

import { isFault, type Branch, type Guard, type Machine, type Move } from '../src/engine/machine.ts';
import { branchesOf } from '../src/engine/transition.ts';

export type Row = readonly [state: string, signal: string, leadsTo: string];

/** All rows, faults of dispatches apart. `fully`: with flags, lists and return addresses. */
export function routingRows(machine: Machine, { fully }: { readonly fully: boolean } = { fully: false }): Row[] {
  return Object.entries(machine.states).flatMap(([name, state]) =>
    Object.entries(state.on)
      .filter(([signal]) => state.kind !== 'dispatch' || !isFault(signal))
      .map(([signal, route]): Row => [name, signal, routeInWords(branchesOf(route), { fully })]),
  );
}

export function routeInWords(
  branches: readonly Branch[],
  { fully }: { readonly fully: boolean } = { fully: false },
): string {
  return branches
    .map((branch) => {
      const guard = branch.when === undefined ? '' : guardInWords(branch.when);
      if ('refuse' in branch) return `${guard}refuse ${branch.refuse} (${branch.outcome})`;
      const spending = words([
        ['spend', branch.spend],
        ['grant', branch.grant],
      ]);
      const more = fully ? details(branch) : '';
      return `${guard}${branch.to}${spending}${more}${branch.outcome === undefined ? '' : ` (${branch.outcome})`}`;
    })
    .join('; else ');
}

function guardInWords(when: Guard): string {
  if ('left' in when) return `${when.left} left: `;
  return 'more' in when ? `more ${when.more}: ` : `${when.flag} ${when.is}: `;
}

function details({ renew, set, load, finish, remember }: Move): string {
  const flags = Object.entries(set ?? {}).map(([flag, value]): [string, string] => ['set', `${flag} ${value}`]);
  return words([
    ['renew', renew],
    ['load', load],
    ['finish', finish === true ? 'the item' : undefined],
    ...flags,
    ['back to', remember === true ? 'here' : remember],
  ]);
}

function words(parts: readonly (readonly [verb: string, object: string | undefined])[]): string {
  return parts.map(([verb, object]) => (object === undefined ? '' : `, ${verb} ${object}`)).join('');
}
