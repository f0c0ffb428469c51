/** `pawl verify` as people and scripts meet it. */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ScratchRepository } from '../../src/testing/scratch-repository.ts';
import { WarmRepository } from '../warm-repository.ts';
import { program } from '../change/scripts.ts';

const endless = `name: endless
about: Never ends by itself.
begin: write
roles: { writer: {} }
states:
  write: { role: writer, prompt: p.md, on: { done: write } }
  end: { ends: done }
`;

let repository: ScratchRepository;
beforeAll(() => {
  repository = WarmRepository.create(program, {
    'pawl.toml': 'workflows = ["workflows/endless.yaml"]\n[prices.planner]\ntypical = 0.1\nmost = 1\n',
    'workflows/endless.yaml': endless,
    'workflows/p.md': 'Write.\n',
  });
});
afterAll(() => repository.remove());

describe('pawl verify', () => {
  test('proves a bundled workflow, with prices also in money', async () => {
    const { code, stdout } = await repository.pawl(['verify', 'change']);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^change: proven: all \d+ states and [\d,]+ transitions explored\n/);
    expect(stdout).toContain('implement and fix require a current approval of the plan');
    expect(stdout).toMatch(/plan → impl → archive: at least 1 agent call, at most .*·specs/);
    expect(stdout).toMatch(/usually costs \$[\d.]+ to \$[\d.]+ \+ .*, at worst .*/);
  });

  test('works outside of a repository', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'pawl-nowhere-'));
    const { code, stdout } = await repository.pawl(['verify'], { cwd: folder });
    rmSync(folder, { recursive: true });
    expect([code, stdout.split('\n')[0]]).toEqual([0, expect.stringContaining('change: proven')]);
  });

  test('refutes an endless workflow with exit 1, the loop and a fix', async () => {
    const { code, stdout } = await repository.pawl(['verify', 'endless']);
    expect(code).toBe(1);
    expect(stdout).toContain('endless: refuted');
    expect(stdout).toContain('nothing leads to end');
    expect(stdout).toContain('write → write is not bounded: it spends no budget and asks no person');
    expect(stdout).toContain('then repeats without end:');
    expect(stdout).toContain('spend a budget on one of its steps');
  });

  test('exits with 1 when one of several workflows is refuted', async () => {
    const { code, stdout } = await repository.pawl(['verify']);
    expect(code).toBe(1);
    expect(stdout).toMatch(/change: proven[^]*endless: refuted/);
  });

  test('prints one document with pinned keys for --json', async () => {
    const { stdout } = await repository.pawl(['verify', 'endless', '--json']);
    const { workflows } = JSON.parse(stdout);
    expect(workflows).toHaveLength(1);
    expect(Object.keys(workflows[0])).toEqual([
      'workflow',
      'holds',
      'proofs',
      'loops',
      'worstCase',
      'space',
      'assumptions',
      'hints',
    ]);
    const refuted = workflows[0].proofs.find(({ id }: { id: string }) => id === 'terminates');
    expect(refuted).toMatchObject({
      holds: false,
      refutations: [
        {
          trace: [{ state: 'new', signal: 'start', to: 'write', by: 'person', does: [] }],
          cycle: [{ state: 'write', signal: 'done', to: 'write', by: 'writer' }],
        },
      ],
    });
  });

  test('suggests the nearest name for an unknown one', async () => {
    const { code, stderr } = await repository.pawl(['verify', 'chnage']);
    expect(code).toBe(2);
    expect(stderr).toContain('there is no workflow "chnage"; did you mean change?');
  });
});
