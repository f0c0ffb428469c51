/** What a second independent trial of `feature` found, each by its number there. */

import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Turn } from '../change/scripts.ts';
import {
  audit,
  documented,
  FeatureRepository,
  finding,
  folder,
  implement,
  implemented,
  reviewCode,
  run,
  specText,
  tasksText,
  verified,
} from './played-feature.ts';

const limited: Turn = { role: 'executor', step: 'implement_task', fault: 'rate_limited:0' };

describe('[trial 2 1] a phase that is continued without its input', () => {
  let stopped: FeatureRepository;
  beforeAll(async () => {
    stopped = FeatureRepository.with();
    await stopped.begin('--mode', 'quick', '--no-worktree');
    await stopped.phase('specify', documented(specText));
    expect((await stopped.phase('implement', [limited], '--yes')).code).toBe(75);
  });
  afterAll(() => stopped.remove());

  const withoutSpec: Readonly<Record<string, (spec: string) => void>> = {
    removed: (spec) => rmSync(spec),
    emptied: (spec) => writeFileSync(spec, ' \n'),
    'a folder in its place': (spec) => {
      rmSync(spec);
      mkdirSync(spec);
    },
  };
  for (const [how, lose] of Object.entries(withoutSpec)) {
    test.each(['implement', 'retry', 'resume'])(`is blocked, with the spec ${how} (%s)`, async (command) => {
      const repository = stopped.copy();
      try {
        const spec = join(repository.root, folder, 'spec.md');
        lose(spec);
        repository.script(implemented);
        const go = (): Promise<{ code: number | null; stderr: string; steps: readonly string[] }> =>
          command === 'implement'
            ? repository.feature(['implement', run, ...repository.played])
            : repository.told([command, run, ...repository.played]);
        const blocked = await go();
        expect(blocked.code, blocked.stderr).toBeGreaterThan(0);
        expect(blocked.steps.filter((step) => step === 'implement_task:made')).toEqual([]);
        rmSync(spec, { recursive: true, force: true });
        writeFileSync(spec, specText);
        const ran = await repository.told(['retry', run, ...repository.played]);
        expect([ran.code, ran.steps.at(-1)], ran.stderr).toEqual([0, 'final_review:approved']);
      } finally {
        repository.remove();
      }
    });
  }
});

describe('[trial 2 2] [trial 2 11] the final review', () => {
  let ready: FeatureRepository;
  beforeAll(async () => {
    ready = FeatureRepository.with();
    await ready.begin('--mode', 'quick', '--no-worktree');
    await ready.phase('specify', documented('# Spec\n\n- R1: Short.\n- R10: Cut between words.\n'));
  });
  afterAll(() => ready.remove());

  const at = (requirement: string, place = 'limit.mjs:1') => ({ requirement, place });
  const whole = audit([], { evidence: [at('R1'), at('R10')] });
  test.each<readonly [string, Turn]>([
    ['evidence for R10 is none for R1', audit([], { evidence: [at('R10')] })],
    ['a document of the feature is no evidence', audit([], { evidence: [at('R1', `${folder}/spec.md:3`), at('R10')] })],
    ['a finding has a place', audit([{ ...finding, place: undefined }])],
    ['a finding has a place that is there', audit([{ ...finding, place: 'nowhere.mjs:1' }])],
  ])('%s', async (_, refused) => {
    const repository = ready.copy();
    try {
      const code = implement({ 'limit.mjs': 'export const limit = 60;\n' });
      const ran = await repository.phase('implement', [code, reviewCode(), refused, whole], '--yes');
      expect(ran.steps.slice(-2), ran.stderr).toEqual(['final_review:unparseable', 'final_review:approved']);
    } finally {
      repository.remove();
    }
  });
});

test('[trial 2 3] starting fresh takes back what the agents made, and nothing of the person', async (context) => {
  const repository = FeatureRepository.for(context);
  await repository.begin('--mode', 'quick', '--no-worktree');
  await repository.phase('specify', documented(specText));
  await repository.phase('create-tasks', documented(tasksText));
  const first = implement({ 'limit.mjs': 'export const limit = 59;\n', 'both.mjs': 'of the agent\n' });
  const fails: Turn = { role: 'executor', step: 'implement_task', fault: 'crash' };
  expect((await repository.phase('implement', [first, fails, fails, fails])).code).toBe(1);
  repository.write('mine.txt', 'mine, committed\n');
  repository.git('add', 'mine.txt');
  repository.git('commit', '--quiet', '--message=mine');
  repository.write('later.txt', 'mine, not committed\n');
  repository.write('both.mjs', 'of both\n');
  const code = implement({ 'limit.mjs': 'export const limit = 60;\n' });
  const again = [code, implement({}), reviewCode(), audit()];
  const ran = await repository.phase('implement', again, ...repository.answers({ partial: 'fresh' }));
  expect(ran.code, ran.stderr).toBe(0);
  expect(ran.stderr).toMatch(/left as they are, because somebody else changed them too: both\.mjs/);
  expect(['mine.txt', 'later.txt', 'both.mjs', 'limit.mjs'].map((path) => repository.read(path))).toEqual([
    'mine, committed\n',
    'mine, not committed\n',
    'of both\n',
    'export const limit = 60;\n',
  ]);
});

test('[trial 2 4] a worktree that is gone before the first phase is named, and made anew', async (context) => {
  const repository = FeatureRepository.for(context);
  await repository.begin();
  rmSync(repository.worktree, { recursive: true });
  const journal = join(repository.runFolder('feature', run), 'journal.jsonl');
  const before = readFileSync(journal, 'utf8');
  const missing = await repository.phase('brainstorm', documented());
  expect([missing.code, missing.json['next']], missing.stderr).toEqual([4, `pawl restore ${run}`]);
  expect(readFileSync(journal, 'utf8')).toBe(before);
  expect((await repository.told(['status', run])).json['message']).toContain('is missing');
  expect((await repository.told(['restore', run])).code).toBe(0);
  expect(existsSync(repository.worktree)).toBe(true);
  expect((await repository.phase('brainstorm', [])).json['phase']).toBe('brainstorm');
});

test('[trial 2 5] finish goes on after --no-review, too', async (context) => {
  const repository = FeatureRepository.for(context);
  await repository.begin('--mode', 'quick', '--no-worktree');
  await repository.phase('specify', documented(specText).slice(0, 1), '--no-review');
  repository.commit();
  expect((await repository.feature(['finish', run])).code).toBe(3);
  await repository.pawl(['answer', run, 'finish', 'merge']);
  const ran = await repository.feature(['finish', run]);
  expect([ran.code, repository.meta['status']], ran.stderr).toEqual([0, 'completed']);
});

test('[trial 2 9] [trial 2 10] an edit of .meta.json that cannot be read changes nothing, and what is dropped is told', async (context) => {
  const repository = FeatureRepository.for(context);
  await repository.begin('--mode', 'full');
  await repository.phase('brainstorm', documented());
  await repository.phase('specify', documented(specText));
  const edit = (values: Readonly<Record<string, unknown>>): void =>
    repository.write(`${folder}/.meta.json`, `${JSON.stringify({ ...repository.meta, ...values }, null, 2)}\n`);
  edit({ currentPhase: 'bogus' });
  expect((await repository.phase('design', documented())).code).toBe(0);
  expect(repository.meta['currentPhase']).toBe('design');

  edit({
    currentPhase: 'specify',
    mode: 'quick',
    phases: { ...repository.meta['phases'], verify: { verified: true } },
  });
  const ran = await repository.phase('design', documented(), '--edits', 'keep', '--yes');
  expect(ran.stderr).toMatch(/only the phase is adopted, not mode/);
  expect([repository.meta['mode'], repository.meta['phases'].verify.verified]).toEqual(['full', false]);
});

test('[trial 2 10] a verification that does not hold any more is not shown as one', async (context) => {
  const repository = FeatureRepository.for(context);
  await repository.begin('--mode', 'full');
  await repository.phase('specify', documented(specText), '--yes');
  await repository.phase('implement', implemented, '--yes');
  await repository.phase('verify', verified);
  expect(repository.meta['phases'].verify.verified).toBe(true);
  writeFileSync(join(repository.worktree, 'late.mjs'), 'late\n');
  repository.commit('Late');
  expect((await repository.feature(['finish', run])).code).toBe(4);
  expect(repository.meta['phases'].verify).toMatchObject({ verified: false, stale: true });
});
