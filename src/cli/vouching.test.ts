import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { dispatchMarker } from '../runtime/dispatch-marker.ts';
import { commands } from './command-table.ts';
import { exitCodes } from './problem.ts';
import { main } from './main.ts';

/** Every flag by which a person vouches, with the command that has it and the words it needs. */
const vouching = commands('pawl').flatMap(({ path, spec }) =>
  Object.entries(spec.flags)
    .filter(([, { vouches }]) => vouches)
    .map(([name, { value, vouches }]) => {
      const flag = `--${name}`;
      const worth = vouches === true ? (value === undefined ? [] : ['x']) : (vouches ?? []);
      const use = vouches === true ? flag : [flag, ...worth].join(' ');
      return { command: path.join(' '), flag, use, args: [...path, ...wordsOf(spec.words), flag, ...worth] };
    }),
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

  test.each(vouching)('may not use $flag of $command', async ({ use, args }) => {
    expect(await main('pawl', args)).toBe(exitCodes.not_ready);
    expect(errors.join('')).toContain(`an agent may not use ${use}; only a person may`);
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
    '--accept-sandbox',
    '--accept-state',
    '--agent',
    '--answers',
    '--budget',
    '--discard',
    '--edits',
    '--force',
    '--merge',
    '--no-review',
    '--script',
    '--share-tree',
    '--trust',
    '--yes',
  ]);
});

describe('attack 1.30, audit 12.10: an agent that a person works with', () => {
  vouchesForNothing('CLAUDECODE');

  test.each(['reviewer=scripted', 'codex,reviewer=scripted', 'codex, reviewer = scripted'])(
    'may not use --agent %s',
    async (agents) => {
      expect(await main('pawl', ['change', 'impl', 'x', '--agent', agents])).toBe(exitCodes.not_ready);
      expect(errors.join('')).toContain('an agent may not use --agent');
    },
  );

  test('may not spread it over two flags', async () => {
    const args = ['change', 'impl', 'x', '--agent', 'codex', '--agent', 'reviewer=scripted'];
    expect(await main('pawl', args)).toBe(exitCodes.not_ready);
  });

  test('may choose an agent that thinks', async () => {
    vi.spyOn(process, 'cwd').mockReturnValue('/');
    await main('pawl', ['change', 'impl', 'x', '--agent', 'claude']);
    expect(errors.join('')).not.toContain('an agent may not');
  });

  // `mcp` serves until its input ends; `test/mcp.test.ts` has it started by such an agent.
  test.each(commands('pawl').filter(({ path, spec }) => spec.personOnly !== undefined && path[0] !== 'mcp'))(
    'may it $spec.personOnly ($spec.name)? Only where nothing is approved',
    async ({ path, spec }) => {
      vi.spyOn(process, 'cwd').mockReturnValue('/');
      await main('pawl', [...path, ...wordsOf(spec.words)]);
      expect(errors.join('').includes(`an agent may not`)).toBe(spec.approves === true);
    },
  );
});
