/** `gc`: lists what runs that are over leave behind, and removes it with `--yes`. */

import { collectGarbage, type Garbage, type Kept } from '../runs/collect-garbage.ts';
import { compose } from './compose.ts';
import type { CommandFunction } from './context.ts';
import { usageError } from './problem.ts';
import { print } from './show/screen.ts';
import { aligned, plainLine } from './show/text.ts';

export const gc: CommandFunction = async ({ flags }, context) => {
  const remove = flags['yes'] === true;
  const before = new Date(Date.now() - ageMs(flags['older-than'] ?? '30d')).toISOString();
  const interrupted = new AbortController().signal;
  const host = compose({ surfaces: [], person: null, observe: () => {}, interrupted });
  try {
    const { garbage, kept } = await collectGarbage(context.repository(), { host, before, remove });
    const bytes = garbage.reduce((sum, each) => sum + each.bytes, 0);
    const shown = garbage.map(({ key, ...rest }) => ({ ...key, ...rest }));
    const document = {
      action: remove ? 'removed' : 'listed',
      bytes,
      garbage: shown,
      kept: kept.map(({ key, why }) => ({ ...key, why })),
      next: remove || garbage.length === 0 ? null : 'pawl gc --yes',
    };
    return print(flags, document, linesOf(garbage, kept, { bytes, remove }).join('\n'));
  } finally {
    await host.close();
  }
};

const unitMs = { h: 3_600_000, d: 86_400_000, w: 7 * 86_400_000 } as const;

function ageMs(given: unknown): number {
  const [, number = '', unit = ''] = /^(\d{1,5})([hdw])$/.exec(String(given)) ?? [];
  if (unit === 'h' || unit === 'd' || unit === 'w') return Number(number) * unitMs[unit];
  throw usageError(
    `--older-than is "${plainLine(String(given))}"`,
    'use a number of hours, days or weeks, such as 30d',
  );
}

function linesOf(
  garbage: readonly Garbage[],
  kept: readonly Kept[],
  { bytes, remove }: { readonly bytes: number; readonly remove: boolean },
): string[] {
  const rows = garbage.map(({ kind, key, path, bytes: each }) => [kind, key.run, sizeOf(each), plainLine(path)]);
  const stays = kept.map(({ key, why }) => `  ${key.run} stays: ${plainLine(why)}`);
  if (garbage.length === 0) return ['nothing to remove', ...stays];
  const head = remove ? `removed ${sizeOf(bytes)}:` : `${sizeOf(bytes)} can be removed:`;
  return [head, ...aligned(rows, '  '), ...stays, ...(remove ? [] : ['', 'Next: pawl gc --yes'])];
}

function sizeOf(bytes: number): string {
  return bytes < 1024 ** 2 ? `${Math.ceil(bytes / 1024)} kB` : `${(bytes / 1024 ** 2).toFixed(1)} MB`;
}
