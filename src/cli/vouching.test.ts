import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { dispatchMarker } from '../runtime/dispatch-marker.ts';
import { commands } from './command-table.ts';
import { exitCodes } from './problem.ts';
import { main } from './main.ts';

/** Every flag by which a person vouches, with the command that has it and the words it needs. */
const vouching = commands('pawl').flatMap(({ path, spec }) =>
  Object.entries(spec.flags)
    .filter(([, { vouches }]) => vouches)
    .map(([flag, { value }]) => ({
      command: path.join(' '),
      flag: `--${flag}`,
      args: [...path, ...wordsOf(spec.words), `--${flag}`, ...(value === undefined ? [] : ['x'])],
    })),
);

function wordsOf(words: readonly string[]): string[] {
  return words.filter((word) => !word.endsWith('?')).map(() => 'x');
}

let errors: string[] = [];

/** An agent vouches for nothing, whoever started it: `variable` is what gives it away. */
function vouchesForNothing(variable: string): void {
  beforeEach(() => {
    errors = [];
    vi.stubEnv(variable, '1');
    vi.spyOn(process.stderr, 'write').mockImplementation((text) => errors.push(String(text)) > 0);
  });
  afterEach(() => {
    vi.unstubAllEnvs();
    vi.restoreAllMocks();
  });

  test.each(vouching)('may not use $flag of $command', async ({ flag, args }) => {
    expect(await main('pawl', args)).toBe(exitCodes.not_ready);
    expect(errors.join('')).toContain(`an agent may not use ${flag}; only a person may`);
  });
}

describe('a process that was started for a dispatch', () => {
  vouchesForNothing(dispatchMarker);

  test.each(commands('pawl').filter(({ spec }) => spec.personOnly !== undefined))(
    'may not $spec.personOnly',
    async ({ path, spec }) => {
      expect(await main('pawl', [...path, ...wordsOf(spec.words)])).toBe(exitCodes.not_ready);
      expect(errors.join('')).toContain(`an agent may not ${spec.personOnly}; only a person may`);
    },
  );
});

test('these flags are among them', () => {
  const known = new Set(vouching.map(({ flag }) => flag));
  expect([...known].toSorted()).toEqual([
    '--accept-edits',
    '--accept-state',
    '--answers',
    '--budget',
    '--edits',
    '--force',
    '--share-tree',
    '--trust',
  ]);
});

describe('attack 1.30: an agent that a person works with', () => {
  vouchesForNothing('CLAUDECODE');

  test.each(commands('pawl').filter(({ spec }) => spec.personOnly !== undefined))(
    'may it $spec.personOnly ($spec.name)? Only where nothing is approved',
    async ({ path, spec }) => {
      vi.spyOn(process, 'cwd').mockReturnValue('/');
      await main('pawl', [...path, ...wordsOf(spec.words)]);
      expect(errors.join('').includes(`an agent may not`)).toBe(spec.approves === true);
    },
  );
});
