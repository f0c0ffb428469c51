/** `pawl simulate` as it is called: figures, odds from files and from the journals of real runs, and bad input. */

import { appendFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ScratchRepository, Ran, RunOptions } from '../../src/testing/scratch-repository.ts';
import { WarmRepository } from '../warm-repository.ts';

const program = fileURLToPath(new URL('../../dist/pawl.js', import.meta.url));
const example = fileURLToPath(new URL('../../docs/guides/change-odds.toml', import.meta.url));
const demoMsMax = 250_000;

let repository: ScratchRepository;
let elsewhere = '';
beforeAll(() => {
  repository = WarmRepository.create(program, { 'README.md': 'hello\n' });
  elsewhere = mkdtempSync(join(tmpdir(), 'pawl-simulate-'));
});
afterAll(() => {
  repository.remove();
  rmSync(elsewhere, { recursive: true, force: true, maxRetries: 5 });
});

const simulate = (args: readonly string[], options: RunOptions = {}): Promise<Ran> =>
  repository.pawl(['simulate', ...args], options);
const documentOf = ({ stdout }: Ran): Record<string, any> => JSON.parse(stdout) as Record<string, unknown>;

test('with the odds of the guide every session comes to its end', async () => {
  const odds = fileURLToPath(new URL('../../docs/guides/session-odds.toml', import.meta.url));
  const ran = await simulate(['session', '--runs', '200', '--seed', '7', '--odds', odds]);
  expect(ran).toMatchObject({ code: 0, stderr: '' });
  expect(ran.stdout).toMatch(/done \(done\) .* 100 %/);
});

describe('the figures', () => {
  test('are the same, byte for byte, for the same seed', async () => {
    const args = ['change', '--runs', '500', '--seed', '7', '--faults'];
    const [one, other, further] = await Promise.all([
      simulate(args),
      simulate(args),
      simulate(['change', '--runs', '500', '--seed', '8', '--faults']),
    ]);
    expect(one).toMatchObject({ code: 0, stderr: '' });
    expect(other.stdout).toBe(one.stdout);
    expect(further.stdout).not.toBe(one.stdout);
    expect(one.stdout).toMatch(/^change: 500 simulated runs, with faults, seed 7\n/);
    expect(one.stdout.trimEnd()).toMatch(/\nRepeat: pawl simulate change --runs 500 --seed 7 --faults$/);
  });

  test('fit eighty columns, and are plain where there is no UTF-8', async () => {
    const [utf8, ascii] = await Promise.all([
      simulate(['change', '--runs', '300', '--seed', '7', '--odds', example]),
      simulate(['change', '--runs', '300', '--seed', '7', '--odds', example], { env: { LANG: 'C', LC_ALL: 'C' } }),
    ]);
    for (const line of [...utf8.stdout.split('\n'), ...ascii.stdout.split('\n')].filter(
      (each) => !each.includes(example),
    ))
      expect([...line].length, line).toBeLessThanOrEqual(80);
    expect(utf8.stdout).toContain('█');
    expect(ascii.stdout).toMatch(/^[\n -~]*$/);
    expect(ascii.stdout).toContain('####');
    expect(ascii.stdout).toContain('Cost of a run\n');
  });

  test('are one document with --json, its keys pinned', async () => {
    const ran = await simulate(['change', '--runs', '300', '--seed', '7', '--json']);
    const document = documentOf(ran);
    expect(Object.keys(document)).toEqual([
      'workflow',
      'runs',
      'seed',
      'faults',
      'odds',
      'budget',
      'dispatches',
      'costUsd',
      'agentMs',
      'commands',
      'answers',
      'roles',
      'ends',
      'rests',
      'afterPerson',
      'overBudget',
      'diagnostics',
    ]);
    expect(Object.keys(document['dispatches'])).toEqual(['mean', 'least', 'median', 'p90', 'most', 'histogram']);
    expect(document).toMatchObject({
      workflow: 'change',
      runs: 300,
      seed: 7,
      faults: false,
      odds: { from: 'nothing', file: null, journals: null },
      costUsd: null,
      agentMs: null,
      ends: [{ how: 'ended', state: 'archived', outcome: 'done', runs: 300 }],
    });
  });

  test('come with a seed that was chosen, when none is given', async () => {
    const { seed, ...rest } = documentOf(await simulate(['change', '--runs', '50', '--json']));
    const again = documentOf(await simulate(['change', '--runs', '50', '--seed', String(seed), '--json']));
    expect(again).toEqual({ seed, ...rest });
  });

  test('need no repository', async () => {
    const ran = await simulate(['change', '--runs', '20', '--seed', '1'], { cwd: elsewhere });
    expect(ran).toMatchObject({ code: 0, stderr: '' });
  });

  test("keep to the limits of the project's configuration", async () => {
    const bounds = async (): Promise<Record<string, number>> => {
      const { afterPerson } = documentOf(await simulate(['change', '--runs', '20', '--seed', '1', '--json']));
      return Object.fromEntries(
        (afterPerson as { after: string; atMost: number }[]).map(({ after, atMost }) => [after, atMost]),
      );
    };
    const usual = await bounds();
    repository.write('agentd/config.toml', '[workflow]\nplanning_iterations = 0\n');
    expect((await bounds())['plan']).toBeLessThan(usual['plan']!);
    rmSync(join(repository.root, 'agentd'), { recursive: true });
  });
});

describe('odds in a file', () => {
  test('that was saved give the same figures again, and it is not written over', async () => {
    const file = join(elsewhere, 'saved.toml');
    const saved = await simulate(['change', '--runs', '200', '--seed', '7', '--save', file, '--json']);
    expect(saved.code).toBe(0);
    const { odds: _, ...figures } = documentOf(saved);
    const read = await simulate(['change', '--runs', '200', '--seed', '7', '--odds', file, '--json']);
    expect(documentOf(read)).toEqual({ ...figures, odds: { from: 'file', file, journals: null } });
    const before = readFileSync(file, 'utf8');
    const refused = await simulate(['change', '--runs', '1', '--save', file]);
    expect(refused).toMatchObject({ code: 2, stdout: '' });
    expect(refused.stderr).toContain(`the file ${file} already exists`);
    expect(readFileSync(file, 'utf8')).toBe(before);
  });

  test('as in the guide: most runs are done in a few commands, and the cost is known', async () => {
    const document = documentOf(
      await simulate(['change', '--runs', '2000', '--seed', '7', '--odds', example, '--json']),
    );
    expect(document['commands'].median).toBe(3);
    expect(document['costUsd'].mean).toBeGreaterThan(document['dispatches'].mean * 0.02);
    expect(document['agentMs'].p90).toBeGreaterThan(document['agentMs'].median);
  });
});

test('the guide shows what is printed', async () => {
  const guides = fileURLToPath(new URL('../../docs/guides/', import.meta.url));
  const name = 'docs/guides/change-odds.toml';
  repository.write(name, readFileSync(join(guides, 'change-odds.toml'), 'utf8'));
  const { stdout } = await simulate(['change', '--seed', '7', '--faults', '--odds', name]);
  const [, sample = ''] = /```\n(change: .*?)```/s.exec(readFileSync(join(guides, 'simulate.md'), 'utf8')) ?? [];
  const shown = sample.split('\n').filter((line) => line !== '…');
  expect(shown.length).toBeGreaterThan(15);
  expect(stdout.split('\n')).toEqual(expect.arrayContaining(shown));
});

describe('odds of real runs', () => {
  let sample = '';
  beforeAll(async () => {
    sample = join(elsewhere, 'sample');
    const played = await repository.pawl(['demo', sample], { cwd: elsewhere });
    expect(played.code, played.stderr).toBe(0);
  }, demoMsMax);

  test('come from the journals, with costs and times', async () => {
    const args = ['change', '--runs', '500', '--seed', '7', '--from-journals'];
    const document = documentOf(await simulate([...args, '--json'], { cwd: sample }));
    expect(document['odds']).toEqual({
      from: 'journals',
      file: null,
      journals: { runs: 1, steps: expect.any(Number), dispatches: 12, foreignSteps: 0 },
    });
    expect(document['costUsd'].mean).toBeGreaterThan(0);
    expect(document['agentMs'].mean).toBeGreaterThan(0);
    const ran = await simulate(args, { cwd: sample });
    expect(ran.stdout).toMatch(/odds: from the journals of 1 run: \d+ steps, 12 agent calls\n/);
  });

  test('that were saved give the same figures again', async () => {
    const file = join(elsewhere, 'journals.toml');
    const args = ['change', '--runs', '200', '--seed', '7', '--faults', '--json'];
    const { odds: _, ...figures } = documentOf(
      await simulate([...args, '--from-journals', '--save', file], { cwd: sample }),
    );
    const { odds: __, ...again } = documentOf(await simulate([...args, '--odds', file], { cwd: sample }));
    expect(again).toEqual(figures);
  });

  test('leave out a journal that cannot be read, and say so', async () => {
    const broken = join(sample, '.git', 'pawl', 'change', 'broken');
    mkdirSync(broken);
    appendFileSync(join(broken, 'journal.jsonl'), '{"type":"created"}\n{}\n');
    const ran = await simulate(['change', '--runs', '20', '--seed', '7', '--from-journals', '--json'], { cwd: sample });
    expect(ran.code).toBe(0);
    const document = documentOf(ran);
    expect(document['odds'].journals.runs).toBe(1);
    expect(document['diagnostics']).toEqual([
      expect.objectContaining({
        severity: 'warning',
        code: 'JournalCorrupt',
        message: expect.stringContaining('the journal of broken is left out: ') as unknown,
      }),
    ]);
    rmSync(broken, { recursive: true });
  });
});

describe('bad input ends with code 2 and says what to do', () => {
  test.each([
    [['change', '--runs', '0'], '--runs is "0"', 'give a whole number from 1 to 1000000'],
    [['change', '--runs', 'many'], '--runs is "many"', 'give a whole number from 1 to 1000000'],
    [['change', '--runs', '1000001'], '--runs is "1000001"', 'give a whole number from 1 to 1000000'],
    [['change', '--runs', '1e3'], '--runs is "1e3"', 'give a whole number'],
    [['change', '--runs=-5'], '--runs is "-5"', 'give a whole number'],
    [['change', '--seed', '1.5'], '--seed is "1.5"', 'give a whole number from 0 to 9007199254740991'],
    [['chnage'], 'there is no workflow "chnage"; did you mean change?', 'fix: pawl show'],
    [[], 'pawl simulate needs <workflow>', 'pawl simulate <workflow>'],
    [['change', '--odds', 'none.toml'], 'there is no file none.toml', '--save none.toml'],
    [['change', '--from-journals'], 'there is no run of change here to learn from', 'give --odds <file>'],
    [
      ['change', '--from-journals', '--odds', 'x.toml'],
      '--odds and --from-journals exclude each other',
      'leave one of them out',
    ],
    [['change', '--fautls'], 'unknown flag "--fautls"; did you mean --faults?', '--help'],
  ])('%j', async (args, message, fix) => {
    const ran = await simulate(args);
    expect(ran).toMatchObject({ code: 2, stdout: '' });
    expect(ran.stderr).toContain(`error: ${message}`);
    expect(ran.stderr).toContain(fix);
  });

  test('a wrong name in the odds is named with its line', async () => {
    repository.write('odds.toml', '[steps.chalenge]\napproved = 1\n');
    const ran = await simulate(['change', '--odds', 'odds.toml', '--json']);
    expect(ran.code).toBe(2);
    expect(documentOf(ran)).toMatchObject({
      outcome: 'error',
      exitCode: 2,
      diagnostics: [{ message: 'odds.toml:1: there is no state "chalenge"; expected "challenge", perhaps' }],
    });
    expect(existsSync(join(repository.root, '.git', 'pawl'))).toBe(false);
  });
});
