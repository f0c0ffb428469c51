/** What an independent trial of `feature` found, each by its number there. */

import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { levelHere } from '../sandbox/hostile-run.ts';
import {
  audit,
  documented,
  FeatureRepository,
  finding,
  folder,
  implement,
  implemented,
  produce,
  review,
  reviewCode,
  run,
  specText,
  verified,
} from './played-feature.ts';

const { level } = levelHere();
const isMissing = level === 'none' && process.env['CI'] !== 'true';

/** A program that writes files where an agent may write none; it says nothing of where it could not. */
const forging = (where: string, names: readonly string[]): Readonly<Record<string, string>> => ({
  'forge.mjs': `import { mkdirSync, writeFileSync } from 'node:fs';
for (const name of ${JSON.stringify(names)}) {
  try {
    mkdirSync('${where}', { recursive: true });
    writeFileSync('${where}/' + name, 'forged');
  } catch {}
}
`,
});

describe.skipIf(isMissing)(`in the sandbox (here: ${level})`, () => {
  test('[trial 2] the executor of the first phase writes nothing in the folder of features', async (context) => {
    const repository = FeatureRepository.for(context, { files: forging(folder, ['spec.md', '.meta.json']) });
    const env = { PAWL_SANDBOX: '' };
    await repository.feature(['create', 'Short slugs'], { env });
    repository.script([{ ...produce(), run: ['node forge.mjs'] }, review()]);
    const ran = await repository.feature(['brainstorm', run, ...repository.played], { env });
    expect(ran.code, ran.stderr).toBe(0);
    expect(existsSync(join(repository.worktree, 'forge.mjs'))).toBe(true);
    expect(existsSync(join(repository.worktree, folder, 'spec.md'))).toBe(false);
    expect(existsSync(join(repository.worktree, folder, '.meta.json'))).toBe(false);
  });
});

describe('between the question of finish and its answer', () => {
  let full: FeatureRepository;
  beforeAll(async () => {
    full = FeatureRepository.with();
    await full.begin('--mode', 'full');
    await full.phase('specify', documented(specText), '--yes');
    await full.phase('implement', implemented, '--yes');
    await full.phase('verify', verified);
    full.commit();
    expect((await full.feature(['finish', run])).code).toBe(3);
  });
  afterAll(() => full.remove());

  const answered = async (repository: FeatureRepository, answer: string) => {
    expect((await repository.pawl(['answer', run, 'finish', answer])).code).toBe(0);
    return repository.told(['resume', run]);
  };

  test.each(['merge', 'pull_request'])('[trial 4] code that verify never saw is not finished (%s)', async (answer) => {
    const repository = full.copy();
    try {
      writeFileSync(join(repository.worktree, 'late.mjs'), 'late\n');
      repository.commit('Late');
      const ran = await answered(repository, answer);
      expect([ran.code, ran.json['action']]).toEqual([4, 'not_ready']);
      expect(ran.stderr).toContain('changed since verify approved them');
      expect(existsSync(join(repository.root, 'late.mjs'))).toBe(false);
      expect((await repository.feature(['finish', run])).json['action']).toBe('not_verified');
    } finally {
      repository.remove();
    }
  });

  test.each(['merge', 'pull_request', 'discard'])('[trial 5] uncommitted work stops it (%s)', async (answer) => {
    const repository = full.copy();
    try {
      writeFileSync(join(repository.worktree, 'late.mjs'), 'late\n');
      if (answer === 'discard') {
        await repository.pawl(['answer', run, 'finish', 'discard']);
        await repository.pawl(['answer', run, 'discard', run]);
      } else await repository.pawl(['answer', run, 'finish', answer]);
      const ran = await repository.told(['resume', run]);
      expect(ran.code).toBe(4);
      expect(ran.stderr).toContain('there are uncommitted changes: late.mjs');
      expect(existsSync(join(repository.worktree, 'late.mjs'))).toBe(true);
      expect(repository.meta['status']).toBe('active');
    } finally {
      repository.remove();
    }
  });

  test('[trial 8] another command withdraws the question', async (context) => {
    const repository = full.copyFor(context);
    const ran = await repository.phase('verify', verified);
    expect([ran.code, ran.json['action']]).toEqual([0, 'completed']);
  });
});

test('[trial 8] --yes goes on where the question was open', async (context) => {
  const repository = FeatureRepository.for(context);
  await repository.begin('--mode', 'quick', '--no-worktree');
  await repository.phase('specify', documented(specText));
  expect((await repository.phase('implement', [])).code).toBe(3);
  const ran = await repository.phase('implement', implemented, '--yes');
  expect([ran.code, repository.meta['currentPhase']]).toEqual([0, 'implement']);
});

test('[trial 10] what an executor writes in the main work tree is put back', async (context) => {
  const files = forging(`../repo/${folder}`, ['.review-history.md']);
  const repository = FeatureRepository.for(context, { files });
  await repository.begin();
  await repository.phase('brainstorm', documented());
  const before = repository.history;
  const forged = { ...produce(), run: ['node forge.mjs'] };
  const ran = await repository.phase('specify', [forged, produce(specText), review()]);
  expect(ran.steps.slice(2)).toEqual(['produce:out_of_bounds', 'produce:made', 'review:approved']);
  expect(repository.history.startsWith(before)).toBe(true);
});

describe('[trial 11] the final review', () => {
  let ready: FeatureRepository;
  beforeAll(async () => {
    ready = FeatureRepository.with();
    await ready.begin('--mode', 'quick', '--no-worktree');
    await ready.phase('specify', documented(specText));
  });
  afterAll(() => ready.remove());

  test('drops findings on requirements that the spec does not have', async (context) => {
    const repository = ready.copyFor(context);
    const code = implement({ 'limit.mjs': 'export const limit = 60;\n' });
    const dropped = [{ ...finding, requirement: 'R99' }];
    const shown = audit(dropped, { evidence: [{ requirement: 'R1', place: 'limit.mjs:1' }] });
    const ran = await repository.phase('implement', [code, reviewCode(), audit(dropped), shown], '--yes');
    // [trial 2 2] What is left after dropping is an approval, and needs its evidence.
    expect([ran.code, ran.steps.slice(-2)]).toEqual([0, ['final_review:unparseable', 'final_review:approved']]);
    expect(repository.history).toContain('- evidence for R1: limit.mjs:1');
    expect(repository.history).toContain('- [out of scope] [blocker] [missing] R99');
  });

  test.each(['nofile.mjs:1', 'limit.mjs:999', 'limit.mjs'])('takes no evidence from %s', async (place) => {
    const repository = ready.copy();
    try {
      const code = implement({ 'limit.mjs': 'export const limit = 60;\n' });
      const invented = audit([], { evidence: [{ requirement: 'R1', place }] });
      const ran = await repository.phase('implement', [code, reviewCode(), invented, audit()], '--yes');
      expect(ran.steps.slice(-2)).toEqual(['final_review:unparseable', 'final_review:approved']);
    } finally {
      repository.remove();
    }
  });
});

test('[trial 13] a refused create uses no number up', async (context) => {
  const repository = FeatureRepository.for(context);
  expect((await repository.begin('--mode', 'quick')).code).toBe(3);
  expect(readdirSync(join(repository.root, '.git/pawl-claims/feature'))).toEqual([]);
  expect((await repository.begin('--mode', 'hotfix')).json['run']).toBe(run);
});

test('[trial 14] after a verify that was not approved, the next command is verify', async (context) => {
  const repository = FeatureRepository.for(context);
  await repository.begin('--mode', 'full');
  await repository.phase('specify', documented(specText), '--yes');
  await repository.phase('implement', implemented, '--yes');
  const ran = await repository.phase('verify', [produce()], '--no-review');
  expect([ran.code, ran.json['next']]).toEqual([0, expect.stringContaining(`pawl feature verify ${run}`)]);
});

test('[trial 16] [trial 17] a feature that is over says so, and is nowhere', async (context) => {
  const repository = FeatureRepository.for(context);
  await repository.begin();
  await repository.phase('brainstorm', documented());
  repository.commit();
  const answers = repository.answers({ finish: 'merge' });
  expect((await repository.feature(['finish', run, ...answers])).code).toBe(0);
  const again = await repository.feature(['design', run]);
  expect([again.code, again.json['action']]).toEqual([4, 'over']);
  expect(again.stderr).toContain(`${run} is completed`);
  const [listed] = (await repository.told(['feature', 'list'])).json['features'];
  expect(listed).toMatchObject({ workspace: null, phase: 'completed' });
});

test('[trial 28] in a worktree its own feature is meant', async (context) => {
  const repository = FeatureRepository.for(context);
  await repository.begin();
  await repository.feature(['create', 'Another one']);
  repository.script(documented());
  const ran = await repository.feature(['brainstorm', ...repository.played], { cwd: repository.worktree });
  expect([ran.code, ran.json['run']]).toEqual([0, run]);
  expect((await repository.feature(['specify', ...repository.played])).code).toBe(2);
});
