/** Repairs: how often, who is asked when they do not succeed, and what runs again after each. */

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { worked, type PlayedSession } from './played-session.ts';
import { Prepared } from './prepared.ts';
import {
  closed,
  code,
  config,
  designed,
  docs,
  finding,
  perBatch,
  plan,
  qa,
  release,
  review,
  security,
  singleFinal,
  task,
  type Turn,
} from './scripts.ts';

const fix = (n: number): Turn =>
  code({ 'src/T-001.mjs': `export const fix = ${n};\n` }, { summary: `Tried way ${n}.` });
const refused = review('NEEDS FIXES', { summary: 'Still wrong.' });

/** One task; a single repair of each kind is allowed. */
let spent: Prepared;
let two: Prepared;

beforeAll(async () => {
  const settings = { 'pawl.toml': `${config}[session]\nrepairs = 1\n` };
  [spent, two] = await Promise.all([
    Prepared.make({
      turns: [...designed, plan(), code(), refused, fix(1), refused],
      files: settings,
      answers: perBatch,
    }),
    Prepared.planned([task('T-001'), task('T-002')]),
  ]);
});

afterAll(() => {
  spent.remove();
  two.remove();
});

/** The steps that called tasks completed. */
function promotedBy({ journal }: PlayedSession): string[] {
  const promoting = journal.filter(({ from, writes }) => String(from).startsWith('accept_') && writes !== undefined);
  return promoting.map(({ from }) => String(from));
}

describe('the attempts are spent', () => {
  test.concurrent('[session/table/repairs-spent] [session/budgets/repairs-asked] [session/budgets/repairs-persisted] a person is asked, with what was tried and why it failed, and the four ways on', async () => {
    const session = spent.copy();
    const { json, code: exit } = await session.resume();
    expect([exit, json['phase']]).toEqual([3, 'ASK_USER']);
    const [asked] = json['decisions'];
    expect(asked['detail']).toMatch(
      /Still wrong: Still wrong\.\n {2}- .+\nAttempts:\n {2}1\. problem: .+\n {5}attempt: Tried way 1\./,
    );
    expect(Object.keys(asked['answers'])).toEqual([
      'different approach',
      'accept with known issues',
      'simplify scope',
      'guidance: <what to do>',
      'defer',
    ]);
    expect(session.status['retry_counts']).toEqual({
      'T-001': { FIX_REVIEW: 1, FIX_TESTS: 0, FIX_SECURITY: 0, FIX_BUILD: 0 },
    });
    expect(session.decision('UD-1')).toMatchObject({ state_context: 'IMPLEMENT_LOOP' });
  });

  test.concurrent('[session/budgets/grant-resets-one] guidance: that counter starts again, and only that one; the Coder reads it', async () => {
    const broken = qa('BLOCKED', { summary: 'A test fails.' });
    const session = spent.copy([fix(2), review(), broken, fix(3), broken]);
    const asked = await session.resume({ 'UD-1': 'guidance: use a table' });
    expect(worked(asked, 7)).toEqual([
      'fix_review:reported',
      'review:passed',
      'qa:blocked',
      'fix_tests:reported',
      'qa:blocked',
    ]);
    expect(session.inputOf('fix_review', 2)).toMatchObject({
      guidance: 'guidance: use a table',
      tried_before: ['fix_review: Tried way 1.'],
      to_fix: { gate: 'review', summary: 'Still wrong.' },
    });
    // The tests have attempts of their own, which are spent now.
    expect(session.status['retry_counts']['T-001']).toEqual({
      FIX_REVIEW: 1,
      FIX_TESTS: 1,
      FIX_SECURITY: 0,
      FIX_BUILD: 0,
    });
    expect(asked.json['decisions'][0]).toMatchObject({
      id: 'UD-2',
      title: expect.stringContaining('T-001 (Do T-001) still fails its tests'),
    });
    const again = await session.resume({ 'UD-2': 'different approach' });
    expect(worked(again, 12)[0]).toMatch(/^fix_tests:/);
    expect(session.status['retry_counts']['T-001']).toMatchObject({ FIX_REVIEW: 1, FIX_TESTS: 1 });
  });

  test.concurrent('[session/files/report-from-record] [session/files/report] [DEF-19] accepted with known issues: the session goes on, and its report lists them', async () => {
    const session = spent.copy([qa(), ...closed, security()]);
    const done = await session.resume({ 'UD-1': 'accept with known issues: it is only a name' });
    expect([done.code, done.json['phase']], done.stderr).toEqual([0, 'DONE']);
    const lines = [
      'FIX_REVIEW of T-001, accepted (it is only a name): Still wrong.',
      '- [minor, naming] src/T-001.mjs Odd name.',
    ];
    expect(session.status['known_issues']).toEqual([lines.join('\n')]);
    expect(session.read('report.md').split('## Known issues')[1]).toContain(`- ${lines.join('\n  ')}`);
    expect(session.inputOf('qa')['known_issues']).toEqual([lines.join('\n')]);
  });
});

describe('single-final', () => {
  test.concurrent('[session/strategy/single-final-all] [session/strategy/single-final-pass] [session/strategy/single-final-promoted] [session/review/after-fix-single-final] all tasks first; one pass of three, and after a fix the whole pass again; then all are promoted together', async () => {
    const second = code({ 'src/T-002.mjs': 'export {};\n' });
    const session = two.copy([
      code(),
      second,
      review(),
      qa(),
      security('BLOCKED', [finding('high')]),
      fix(1),
      security(),
      review(),
      qa(),
      docs(),
      release(),
      review(),
    ]);
    const done = await session.resume(singleFinal);
    expect([done.code, done.json['phase']], done.stderr).toEqual([0, 'DONE']);
    expect(worked(done, 3)).toEqual([
      'code:reported',
      'code:reported',
      'review:passed',
      'qa:passed',
      'security:blocked',
      'fix_security:reported',
      'security:passed',
      'review:passed',
      'qa:passed',
      'docs:reported',
      'release_notes:reported',
      'review:passed',
    ]);
    for (const step of ['review', 'qa', 'security'])
      expect(session.inputOf(step)['task']).toMatchObject({
        id: 'meta',
        goal: 'Single-final review of all session changes',
      });
    expect(session.inputOf('review', 3)['task']['goal']).toBe('Review of what the release changed');
    expect(session.tasks).toEqual({ 'T-001': 'completed', 'T-002': 'completed' });
    expect(session.status['retry_counts']).toEqual({
      meta: { FIX_REVIEW: 0, FIX_TESTS: 0, FIX_SECURITY: 1, FIX_BUILD: 0 },
    });
    // Nothing was promoted before the last gate had passed.
    expect(promotedBy(session)).toEqual(['accept_all']);
  });
});

describe('per-batch', () => {
  test.concurrent('[session/strategy/per-batch-task] [session/strategy/promoted-by-engine] [session/strategy/per-batch-meta] [session/review/meta-joins] [session/roles/every-core-role] each task is judged and promoted before the next; then one pass over everything', async () => {
    const second = code({ 'src/T-002.mjs': 'export {};\n' });
    const session = two.copy([
      code(),
      review(),
      qa(),
      second,
      review(),
      qa(),
      review(),
      security(),
      docs(),
      release(),
      review(),
    ]);
    const done = await session.resume(perBatch);
    expect([done.code, done.json['phase']], done.stderr).toEqual([0, 'DONE']);
    expect(worked(done, 3)).toEqual([
      'code:reported',
      'review:passed',
      'qa:passed',
      'code:reported',
      'review:passed',
      'qa:passed',
      'review:passed',
      'security:passed',
      'docs:reported',
      'release_notes:reported',
      'review:passed',
    ]);
    expect(session.inputOf('review', 2)['task']).toMatchObject({ id: 'T-002', goal: 'What T-002 is for (REQ-001)' });
    expect(session.inputOf('review', 3)['task']).toMatchObject({
      id: 'meta',
      goal: 'Cross-task final review of all session changes',
    });
    expect(session.inputOf('security')['task']['id']).toBe('meta');
    expect(promotedBy(session)).toEqual(['accept_task', 'accept_task']);
  });

  test.concurrent('[session/table/qa-tests-wrong] [session/table/security-decision] only the tests are wrong: QA mends them, and the reviewer sees it; two findings of medium weight are two decisions', async () => {
    const wrong = qa('BLOCKED', { summary: 'The test is wrong.', only_tests_wrong: true });
    const mended = { ...qa(), step: 'fix_own_tests', write: { 'test/greet.test.mjs': '// right\n' } };
    const risky = code({ 'src/T-001-input.mjs': 'export {};\n' });
    const found = security('NEEDS_DECISION', [finding('medium'), finding('medium', 'Names are not checked.')]);
    const session = two.copy([risky, review(), wrong, mended, qa(), review(), found]);
    const asked = await session.resume(perBatch);
    expect(worked(asked, 3), asked.stderr).toEqual([
      'code:reported',
      'review:passed',
      'qa:tests_wrong',
      'fix_own_tests:reported',
      'qa:passed_unreviewed',
      'review:passed',
      'security:decision',
    ]);
    expect(asked.json['decisions'].map(({ id }: { id: string }) => id)).toEqual(['UD-1', 'UD-2']);
    const half = await session.resume({ 'UD-1': 'accept' });
    expect([half.code, session.decision('UD-1')?.['answer'], session.decision('UD-2')?.['status']]).toEqual([
      3,
      'accept',
      'pending',
    ]);
    const on = await session.resume({ 'UD-2': 'fix now' });
    expect([worked(on, 10)[0], session.decision('UD-2')?.['answer']]).toEqual([
      expect.stringMatching(/^fix_security:/),
      'fix-now',
    ]);
    expect(session.status['known_issues']).toEqual([expect.stringMatching(/^Accepted: .*Anybody can greet/)]);
  });
});
