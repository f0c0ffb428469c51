/** `implement`: tasks, the project's checks, the final reviewer, and what a person decides. */

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  audit,
  blocker,
  documented,
  FeatureRepository,
  finding,
  folder,
  implement,
  implemented,
  inOrder,
  issue,
  reviewCode,
  run,
  specText,
  tasksText,
  work,
  type Turn,
} from './played-feature.ts';

/** Quick, in the checkout, with spec and two tasks; the check `test` passes where limit.mjs is there. */
let ready: FeatureRepository;
let before = 0;
beforeAll(async () => {
  const config = 'retry_delay_secs = 0\n[checks]\ntest = ["sh", "-c", "grep -q 60 limit.mjs"]\n';
  ready = FeatureRepository.with({ config });
  await ready.begin('--mode', 'quick', '--no-worktree');
  await ready.phase('specify', documented(specText));
  before = (await ready.phase('create-tasks', documented(tasksText))).steps.length;
});
afterAll(() => ready.remove());

const right = { 'limit.mjs': 'export const limit = 60;\n' };
const both: readonly Turn[] = [implement(right), implement({ 'limit.test.mjs': '// tested\n' })];

test('[feature/implement/tasks] [feature/final/runs] [feature/final/evidence] each task is carried out and ticked, then code and spec are compared', async (context) => {
  const repository = ready.copyFor(context);
  const ran = await repository.phase('implement', [...both, reviewCode(), audit()]);
  expect(ran.steps.slice(before)).toEqual(
    inOrder('implement_task:made implement_task:made review_code:approved final_review:approved'),
  );
  expect([ran.code, ran.json['action']]).toEqual([0, 'completed']);
  expect(repository.read(`${folder}/tasks.md`)).toBe(tasksText.replaceAll('[ ]', '[x]'));
  const [first = '', second = ''] = repository.prompts('implement_task', ran);
  expect(first).toContain('Carry out this task, and nothing else:\n\nWrite the limit\n');
  expect(second).toContain('\n\nTest the limit\n');
  const [final = ''] = repository.prompts('final_review', ran);
  expect(final).toContain(
    `Compare the implementation with ${repository.root}/${folder}/spec.md, and with nothing else.`,
  );
  expect(final).toContain('Requirements: R1\n');
  expect(repository.meta['phases'].implement).toMatchObject({ iterations: 1, reviewerNotes: [] });
  expect(repository.history).toMatch(/### Iteration 1 [^]*### Iteration 1 [^]*Final review: Compared\./);
});

test('[feature/implement/tasks] tasks that are ticked already are not done again', async (context) => {
  const repository = ready.copyFor(context);
  repository.write(`${folder}/tasks.md`, tasksText.replace('[ ]', '[x]'));
  const one = await repository.phase('implement', [implement(right), reviewCode(), audit()]);
  expect(one.steps.slice(before)).toEqual(inOrder('implement_task:made review_code:approved final_review:approved'));
  expect(repository.prompts('implement_task', one)[0]).toContain('Test the limit');
  const none = await repository.phase('implement', [reviewCode(), audit()]);
  expect(none.steps.slice(one.steps.length)).toEqual(inOrder('review_code:approved final_review:approved'));
});

test('[feature/implement/checks] a failing check is a blocker that costs no reviewer, and its name reaches the executor', async (context) => {
  const repository = ready.copyFor(context);
  const wrong = [implement({ 'limit.mjs': 'none\n' }), implement()];
  const ran = await repository.phase('implement', [...wrong, work('revise', right), reviewCode(), audit()]);
  expect(ran.steps.slice(before)).toEqual(
    inOrder('implement_task:made implement_task:made revise:made review_code:approved final_review:approved'),
  );
  expect(repository.history).toContain('- [blocker] the check "test" failed');
  expect(repository.prompts('revise', ran)[0]).toContain('the check "test" failed');
  expect(repository.meta['phases'].implement.iterations).toBe(2);
});

test('[feature/implement/checks] checks that fail at the limit stop the phase, not completed', async (context) => {
  const repository = ready.copyFor(context);
  const ran = await repository.phase('implement', [implement(), implement(), work('revise')]);
  expect([ran.code, ran.json['state'], repository.meta['currentPhase']]).toEqual([1, 'stopped', 'create-tasks']);
  expect(ran.stderr).toContain('the check "test" failed');
});

test('[feature/loop/limit] code at the limit is compared with the spec, and completed with notes', async (context) => {
  const repository = ready.copyFor(context);
  const turns = [...both, reviewCode([blocker]), work('revise', { 'more.mjs': '1\n' }), reviewCode([blocker]), audit()];
  const ran = await repository.phase('implement', turns);
  expect(ran.steps.slice(before + 2)).toEqual(
    inOrder('review_code:changes revise:made review_code:changes final_review:approved'),
  );
  expect(ran.stderr).toContain('Implement complete. Reviewer concerns:');
  expect(repository.meta['phases'].implement).toMatchObject({
    iterations: 2,
    reviewerNotes: ['[blocker] A blocker. [E1]'],
  });
  expect(repository.history).toContain('**Changes Made:**\n- more.mjs (+1 −0)\n');
});

describe('[feature/final/findings] findings of the final reviewer', () => {
  const found: readonly Turn[] = [...both, reviewCode(), audit([finding])];

  test('[feature/final/no-person] without a person: exit 3, with category, requirement and place', async (context) => {
    const repository = ready.copyFor(context);
    const ran = await repository.phase('implement', found);
    expect([ran.code, ran.json['decisions'][0].id]).toEqual([3, 'findings']);
    expect(ran.stderr).toContain('  [missing] R1, limit.mjs:1: Not cut.');
    expect(repository.meta['currentPhase']).toBe('create-tasks');
    expect(repository.history).toContain('[missing] R1, limit.mjs:1: Not cut.');
  });

  test('[feature/final/proceed] proceed is recorded', async (context) => {
    const repository = ready.copyFor(context);
    const ran = await repository.phase('implement', found, ...repository.answers({ findings: 'proceed' }));
    expect([ran.code, ran.json['action']]).toEqual([0, 'completed_with_concerns']);
    expect(repository.meta['phases'].implement.reviewerNotes).toEqual(['[missing] R1, limit.mjs:1: Not cut.']);
  });

  test('[feature/final/address] address goes back into the loop, as often as the mode allows, then only proceed is left', async (context) => {
    const repository = ready.copyFor(context);
    const round = (number: number): readonly Turn[] => [
      work('revise', { 'limit.mjs': `export const limit = 60; // ${number}\n` }),
      reviewCode(),
      audit([finding]),
    ];
    const answers = repository.answers({ findings: ['address', 'address', 'address'] });
    const ran = await repository.phase('implement', [...found, ...round(1), ...round(2)], ...answers);
    expect(ran.steps.slice(before + 2)).toEqual(
      inOrder(`review_code:approved final_review:findings
        revise:made review_code:approved final_review:findings
        revise:made review_code:approved final_review:findings`),
    );
    expect(repository.prompts('revise', ran)[0]).toContain('[missing] R1, limit.mjs:1: Not cut.');
    expect([ran.code, repository.meta['currentPhase']]).toEqual([3, 'create-tasks']);
    expect(ran.stderr).not.toContain('findings address');
    const done = await repository.told(['answer', run, 'findings', 'proceed']);
    expect(done.code).toBe(0);
    const end = await repository.told(['resume', run, ...repository.played]);
    expect([end.code, repository.meta['phases'].implement.iterations]).toEqual([0, 3]);
  });

  test('[feature/final/evidence] an approval without evidence for each requirement is not accepted', async (context) => {
    const repository = ready.copyFor(context);
    const unproven = audit([], { evidence: [] });
    const ran = await repository.phase('implement', [...both, reviewCode(), unproven, audit()]);
    expect(ran.steps.slice(-2)).toEqual([
      expect.stringMatching(/^final_review:(?!approved)/) as unknown,
      'final_review:approved',
    ]);
    expect(ran.code).toBe(0);
  });

  test('what is extra counts, though it has no requirement to cite', async (context) => {
    const repository = ready.copyFor(context);
    const extra = { category: 'extra', requirement: 'none', place: 'limit.mjs:1', description: 'Nobody asked.' };
    const ran = await repository.phase('implement', [...both, reviewCode(), audit([extra])]);
    expect([ran.code, ran.json['decisions'][0].id]).toEqual([3, 'findings']);
    expect(repository.history).toContain('- [blocker] [extra] none, limit.mjs:1: Nobody asked.');
  });

  test('a claim that the findings contradict is corrected, on record', async (context) => {
    const repository = ready.copyFor(context);
    const claimed = [...both, reviewCode(), audit([finding], { approved: true })];
    const ran = await repository.phase('implement', claimed);
    expect(ran.code).toBe(3);
    expect(repository.history).toContain('**Corrected:** the report claimed approved: true; it has findings');
  });
});

test('code that changes between review and final review is reviewed again', async (context) => {
  const repository = ready.copyFor(context);
  // The file is changed by somebody else after the reviewer ended, which the state file's rewrite stands for.
  const editing = { ...audit([finding]), run: [] };
  await repository.phase('implement', [...both, reviewCode(), editing]);
  repository.write('limit.mjs', 'export const limit = 60; // by hand\n');
  repository.script([work('revise'), reviewCode([issue('note', 'E3')]), audit()]);
  await repository.told(['answer', run, 'findings', 'address']);
  const ran = await repository.told(['resume', run, ...repository.played, '--edits', 'keep']);
  expect(ran.code).toBe(0);
  expect(repository.history).toContain('- limit.mjs (+1 −1)');
});

describe('[feature/mode/hotfix] [feature/final/hotfix] a hotfix', () => {
  test('is implemented from its description, reviewed once, and compared with the description', async (context) => {
    const repository = FeatureRepository.for(context);
    const created = await repository.begin('--mode', 'hotfix');
    expect(created.stderr).toContain('in hotfix mode, in this checkout');
    expect(repository.meta['worktree']).toBeNull();
    const ran = await repository.phase('implement', [implement(right), reviewCode([blocker]), audit()]);
    expect(ran.steps).toEqual(inOrder('implement_task:made review_code:changes final_review:approved'));
    expect([ran.code, ran.json['action']]).toEqual([0, 'completed_with_concerns']);
    expect(repository.prompts('implement_task', ran)[0]).toContain('nothing else:\n\nShort slugs\n');
    expect(repository.prompts('final_review', ran)[0]).toContain(
      'Compare the implementation with the description above: there is no spec.md',
    );
    expect(ran.json['next']).toBe(`pawl feature finish ${run}`);
  });

  test('addresses findings once', async (context) => {
    const repository = FeatureRepository.for(context);
    await repository.begin('--mode', 'hotfix');
    const turns = [implement(right), reviewCode(), audit([finding]), work('revise'), reviewCode(), audit([finding])];
    const ran = await repository.phase('implement', turns, ...repository.answers({ findings: ['address', 'address'] }));
    expect(ran.steps.filter((step) => step === 'revise:made')).toHaveLength(1);
    expect(ran.code).toBe(3);
  });
});

test('[feature/loop/partial] implement that was left starts fresh from the code as it was', async (context) => {
  const repository = ready.copyFor(context);
  const silent: Turn = { role: 'executor', step: 'implement_task', fault: 'no_report' };
  const left = await repository.phase('implement', [implement({ 'limit.mjs': 'half\n' }), silent, silent, silent]);
  expect(left.code).toBe(1);
  expect(repository.read(`${folder}/tasks.md`)).toContain('- [x] Write the limit');
  const fresh = repository.answers({ partial: 'fresh' });
  const check = { ...implement(right), run: ['test ! -e limit.mjs'] };
  const ran = await repository.phase('implement', [check, implement(), reviewCode(), audit()], ...fresh);
  expect(ran.steps.slice(left.steps.length)).toEqual(
    inOrder('implement_task:made implement_task:made review_code:approved final_review:approved'),
  );
  expect(repository.read(`${folder}/spec.md`)).toBe(specText);
  expect(ran.code).toBe(0);
});

test('[feature/commands/no-review] implement without a review has no final review either', async (context) => {
  const repository = ready.copyFor(context);
  const ran = await repository.phase('implement', both, '--no-review');
  expect([ran.code, ran.steps.slice(before)]).toEqual([0, ['implement_task:made', 'implement_task:made']]);
  expect(repository.meta['phases'].implement).toMatchObject({ reviewSkipped: true });
});

test('an executor that writes into the folder of the feature has it put back', async (context) => {
  const repository = ready.copyFor(context);
  const cheat = implement({ ...right, [`${folder}/tasks.md`]: tasksText.replaceAll('[ ]', '[x]') });
  await repository.phase('implement', [cheat, ...both, ...implemented]);
  const texts = repository.prompts('implement_task', await repository.feature(['status', run]));
  expect(texts.join('\n')).toContain('Test the limit');
});
