/** A machine's routing matrix in words: one row per state and signal. */

import { isFault, type Arm, type Guard, type Machine, type Move } from '../src/engine/machine.ts';
import { armsOf } from '../src/engine/transition.ts';

export type Row = readonly [state: string, signal: string, leadsTo: string];

/** All rows, faults of dispatches apart. `fully`: with flags, lists and return addresses. */
export function routingRows(machine: Machine, { fully }: { readonly fully: boolean } = { fully: false }): Row[] {
  return Object.entries(machine.states).flatMap(([name, state]) =>
    Object.entries(state.on)
      .filter(([signal]) => state.kind !== 'dispatch' || !isFault(signal))
      .map(([signal, route]): Row => [name, signal, routeInWords(armsOf(route), { fully })]),
  );
}

export function routeInWords(arms: readonly Arm[], { fully }: { readonly fully: boolean } = { fully: false }): string {
  return arms
    .map((arm) => {
      const guard = arm.when === undefined ? '' : guardInWords(arm.when);
      if ('refuse' in arm) return `${guard}refuse ${arm.refuse} (${arm.outcome})`;
      const spending = words([
        ['spend', arm.spend],
        ['grant', arm.grant],
      ]);
      const more = fully ? details(arm) : '';
      return `${guard}${arm.to}${spending}${more}${arm.outcome === undefined ? '' : ` (${arm.outcome})`}`;
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
