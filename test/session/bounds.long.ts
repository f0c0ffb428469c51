/** What a role may write, and what becomes of a dispatch that comes to nothing. */

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { PlayedSession, worked } from './played-session.ts';
import { Prepared } from './prepared.ts';
import {
  code,
  config,
  designed,
  docs,
  intake,
  perBatch,
  plan,
  qa,
  release,
  report,
  review,
  security,
  type Turn,
} from './scripts.ts';

/** Waiting for a strategy; the whole task after it is short. */
let planned: Prepared;
/** The same where nothing is retried. */
let hasty: Prepared;

beforeAll(async () => {
  [planned, hasty] = await Promise.all([
    Prepared.planned(),
    Prepared.planned(undefined, { 'pawl.toml': `${config}[session]\nretries = 0\n` }),
  ]);
});

afterAll(() => {
  planned.remove();
  hasty.remove();
});

/** Whatever a step wrote and should not have is kept for a person to see. */
function keptOf(session: PlayedSession): string {
  const names = readdirSync(session.runFolder, { recursive: true, encoding: 'utf8' });
  const patches = names.filter((name) => name.endsWith('.patch'));
  return patches.map((name) => readFileSync(join(session.runFolder, name), 'utf8')).join('\n');
}

describe('out of bounds', () => {
  test.concurrent('[DEF-3] [session/roles/bounds-enforced] [session/files/completed-by-engine] [session/faults/retried] [session/budgets/dispatch-retries] [session/faults/blocked-from] a Coder that completes its task in tasks.yaml: three attempts, then BLOCKED with the cause and where resume returns', async () => {
    const path = `.agents-work/${planned.run}/tasks.yaml`;
    const session = planned.copy();
    const cheated = session.read('tasks.yaml').replace('status: not-started', 'status: completed');
    const cheat = code({ [path]: cheated, 'src/T-001.mjs': 'export {};\n' });
    session.script([...designed, plan(), cheat, cheat, cheat]);
    const blocked = await session.resume(perBatch);
    expect([blocked.code, blocked.json['phase']], blocked.stderr).toEqual([1, 'BLOCKED']);
    expect(worked(blocked, 3)).toEqual(['code:out_of_bounds', 'code:out_of_bounds', 'code:out_of_bounds']);
    expect(session.status['blocked']).toMatchObject({
      blocker: 'subagent_failure',
      detail: expect.stringContaining('tasks.yaml'),
      way_out: expect.stringContaining(`pawl session resume ${session.run}`),
      from: 'IMPLEMENT_LOOP',
    });
    expect(session.tasks).toEqual({ 'T-001': 'in-progress' });
    session.script([...designed, plan(), cheat, cheat, cheat, code(), review(), qa()]);
    expect(worked(await session.resume(), 6).slice(0, 3)).toEqual(['code:reported', 'review:passed', 'qa:passed']);
  });

  test.concurrent.each<[string, readonly Turn[], string, string]>([
    ['the Coder: status.json', [code({ STATUS: '' })], 'code', 'status.json'],
    ['[session row 102] the Coder: pawl.toml', [code({ 'pawl.toml': '[session]\nci = ["x"]\n' })], 'code', 'pawl.toml'],
    [
      'the Reviewer: source',
      [code(), { ...review(), write: { 'src/greet.mjs': '// better\n' } }],
      'review',
      'src/greet.mjs',
    ],
    ['QA: source', [code(), review(), { ...qa(), write: { 'src/T-001.mjs': '// better\n' } }], 'qa', 'src/T-001.mjs'],
  ])('[DEF-3] [session row 100] [session/roles/bounds-enforced] %s', async (_, turns, step, file) => {
    const session = hasty.copy();
    const own = turns.map((turn) => named(turn, session));
    session.script([...designed, plan(), ...own]);
    const written = turns.at(-1)?.['write'] as Record<string, string> | undefined;
    const blocked = await session.resume(perBatch);
    expect([blocked.code, blocked.json['phase'], worked(blocked).at(-1)], blocked.stderr).toEqual([
      1,
      'BLOCKED',
      `${step}:out_of_bounds`,
    ]);
    expect(session.status['blocked']).toMatchObject({
      blocker: 'subagent_failure',
      detail: expect.stringContaining(file),
    });
    expect(session.status['current_state']).toBe('BLOCKED');
    // Neither stays: a plain resume must not make it count.
    if (file !== 'status.json') expect(session.repository.read(file)).not.toBe(written?.[file]);
  });

  /** A path that only the repository knows. */
  function named(turn: Turn, session: PlayedSession): Turn {
    const write = turn['write'] as Turn | undefined;
    if (write?.['STATUS'] === undefined) return turn;
    return { ...turn, write: { [session.path('status.json')]: '{"current_state":"DONE"}' } };
  }

  test.concurrent('[session/roles/docs] [session/roles/integrator] [session/table/blocked-resume] Docs and Integrator: source; each stops the release, and resume returns to it', async () => {
    const source = { 'src/greet.mjs': '// better\n' };
    const done = [code(), review(), qa(), review(), security()];
    const session = hasty.copy([
      ...done,
      docs(source),
      docs(),
      release({ 'src/greet.mjs': '// best\n' }),
      release(),
      review(),
    ]);
    const from = { blocker: 'subagent_failure', from: 'RELEASE', detail: expect.stringContaining('src/greet.mjs') };
    expect(worked(await session.resume(perBatch)).at(-1)).toBe('docs:out_of_bounds');
    expect(session.status['blocked']).toMatchObject(from);
    expect(worked(await session.resume()).slice(-2)).toEqual(['docs:reported', 'release_notes:out_of_bounds']);
    expect(session.status['blocked']).toMatchObject(from);
  });

  test.concurrent('[session/roles/qa] QA may write tests: the reviewer sees them, and nothing is out of bounds', async () => {
    const session = hasty.copy([
      code(),
      review(),
      { ...qa(), write: { 'test/greet.test.mjs': '// a test\n' } },
      review(),
    ]);
    const on = await session.resume(perBatch);
    expect(worked(on, 3).slice(0, 4)).toEqual([
      'code:reported',
      'review:passed',
      'qa:passed_unreviewed',
      'review:passed',
    ]);
    expect(session.tasks).toEqual({ 'T-001': 'completed' });
  });

  test.concurrent('[session/roles/no-writes] H1, attack 2.28: what a Reviewer changed is put back before its next attempt', async () => {
    const bad = { ...review(), write: { 'src/greet.mjs': '// better\n' } };
    const session = planned.copy([code(), bad, review(), qa()]);
    const before = session.repository.read('src/greet.mjs');
    const on = await session.resume(perBatch);
    expect(worked(on, 4).slice(0, 3)).toEqual(['review:out_of_bounds', 'review:passed', 'qa:passed']);
    expect(session.repository.read('src/greet.mjs')).toBe(before);
    expect(keptOf(session)).toContain('// better');
  });

  test.concurrent('[session/roles/no-writes] what was written out of bounds is not lost, and resume goes on from a clean start', async () => {
    const bad = { ...review(), write: { 'src/greet.mjs': '// better\n' } };
    const session = hasty.copy([code(), bad, review(), qa()]);
    await session.resume(perBatch);
    expect(keptOf(session)).toContain('// better');
    const on = await session.resume();
    expect([worked(on, 5).slice(0, 2), session.tasks], on.stderr).toEqual([
      ['review:passed', 'qa:passed'],
      { 'T-001': 'completed' },
    ]);
  });
});

test.concurrent('[session/roles/bounds-enforced] nobody may write the configuration, which says who judges', async () => {
  const bribe = `${config}\n[roles]\nReviewer = "scripted"\n[scripted]\ncommand = ["true"]\n`;
  const session = hasty.copy([code({ 'src/T-001.mjs': 'export {};\n', 'pawl.toml': bribe })]);
  const blocked = await session.resume(perBatch);
  expect([blocked.code, blocked.json['phase']], blocked.stderr).toEqual([1, 'BLOCKED']);
  expect(blocked.stderr).toContain('the Coder may not write pawl.toml');
});

describe('a dispatch that comes to nothing', () => {
  test.concurrent('[session/faults/retried] [session/table/dispatch-spent] failed, unparseable, without a report: each is one of three attempts', async () => {
    const session = planned.copy([
      { role: 'Coder', fault: 'crash' },
      { role: 'Coder', fault: 'garbage' },
      { role: 'Coder', fault: 'no_report' },
    ]);
    const blocked = await session.resume(perBatch);
    expect([blocked.code, blocked.json['phase'], worked(blocked, 3).length]).toEqual([1, 'BLOCKED', 3]);
    expect(session.status['blocked']).toMatchObject({ blocker: 'subagent_failure', from: 'IMPLEMENT_LOOP' });
    session.script([...designed, plan(), code(), code(), code(), code(), review(), qa()]);
    const on = await session.resume();
    expect([worked(on, 6).slice(0, 3), session.tasks]).toEqual([
      ['code:reported', 'review:passed', 'qa:passed'],
      { 'T-001': 'completed' },
    ]);
    expect(session.status['retry_counts']).toEqual({});
  });

  test.concurrent('[session/strategy/per-batch-qa] [session/strategy/per-batch-security] what an attempt wrote that came to nothing is judged all the same, by every gate', async () => {
    const lost = { ...code(), fault: 'no_report' };
    const session = planned.copy([lost, code({}), review(), qa(), security()]);
    const on = await session.resume(perBatch);
    expect(worked(on, 3).slice(1, 5)).toEqual(['code:reported', 'review:passed', 'qa:passed', 'security:passed']);
    expect(session.inputOf('review')['task']['session_changed_files']).toEqual([
      { path: 'src/T-001.mjs', change_type: 'added' },
    ]);
  });

  test.concurrent('[session/table/fail] FAIL is not retried: BLOCKED in the words of the role', async () => {
    const session = planned.copy([
      { role: 'Coder', call: [report({ status: 'FAIL', summary: 'There is no such module.' })] },
      code(),
      review(),
      qa(),
    ]);
    const blocked = await session.resume(perBatch);
    expect([blocked.code, blocked.json['phase'], worked(blocked, 3)]).toEqual([1, 'BLOCKED', ['code:gave_up']]);
    expect(session.status['blocked']).toMatchObject({
      blocker: 'role_failed',
      detail: 'Coder: There is no such module.',
      from: 'IMPLEMENT_LOOP',
    });
    expect(session.tasks).toEqual({ 'T-001': 'in-progress' });
    expect(worked(await session.resume(), 4)[0]).toBe('code:reported');
    expect(session.status['blocked']?.['blocker']).not.toBe('role_failed');
  });

  test.concurrent('[session/table/coder-blocked] [session/questions/any-role] a Coder that is BLOCKED becomes a question, and the answer is in its next prompt', async () => {
    const stuck = { role: 'Coder', call: [report({ status: 'BLOCKED', summary: 'Two names are possible.' })] };
    const session = planned.copy([stuck, code(), review(), qa()]);
    const asked = await session.resume(perBatch);
    expect([asked.code, asked.json['phase']]).toEqual([3, 'ASK_USER']);
    expect(asked.json['decisions'][0]['detail']).toContain('Two names are possible.');
    expect(session.decision('UD-1')).toMatchObject({
      question: 'How should the Coder continue with T-001 (Do T-001)?',
      state_context: 'IMPLEMENT_LOOP',
    });
    expect(worked(await session.resume({ 'UD-1': 'Take the shorter one' }), 4)[0]).toBe('code:reported');
    expect(session.inputOf('code', 2)['user_decisions']).toContainEqual({
      id: 'UD-1',
      question: 'How should the Coder continue with T-001 (Do T-001)?',
      answer: 'Take the shorter one',
    });
  });

  test.concurrent('[session/table/needs-info] a Researcher with NEEDS_INFO becomes a question in DESIGN', async () => {
    const info = {
      role: 'Researcher',
      call: [report({ status: 'NEEDS_INFO', questions: [{ question: 'Which country?' }] })],
    };
    const session = PlayedSession.create([
      intake({ needs_research: true, research_question: 'How do people greet?' }),
      info,
    ]);
    const asked = await session.start();
    expect([asked.code, asked.json['phase'], worked(asked)]).toEqual([
      3,
      'ASK_USER',
      ['intake:reported', 'research:questions'],
    ]);
    expect(session.decision('UD-1')).toMatchObject({ question: 'Which country?', state_context: 'DESIGN' });
    session.repository.remove();
  });

  test.concurrent('[session/faults/stops] [session/commands/exit-codes] no agent, a rate limit, a budget: an exit code each, BLOCKED where resume goes on', async () => {
    const session = planned.copy([code()]);
    const missing = await session.pawl(
      'session',
      'resume',
      session.run,
      '--agent',
      'codex',
      ...session.answersFlag(perBatch),
    );
    expect([missing.code, missing.json['phase'], missing.json['outcome']], missing.stderr).toEqual([
      69,
      'BLOCKED',
      'unavailable',
    ]);
    expect(missing.json['next']).toContain('--agent <agent>');
    expect(session.status['blocked']['from']).toBe('IMPLEMENT_LOOP');
    const played = missing.json['dispatches'].length - 3;

    session.script([
      ...designed,
      plan(),
      ...Array.from({ length: played + 1 }, () => ({ role: 'Coder', fault: 'rate_limited:3600' })),
      code(),
    ]);
    const limited = await session.resume();
    expect([limited.code, limited.json['phase'], limited.json['action']], limited.stderr).toEqual([
      75,
      'BLOCKED',
      'rate_limited',
    ]);
    expect(session.status['blocked']['from']).toBe('IMPLEMENT_LOOP');

    session.repository.write('pawl.toml', `${config}[budget]\ndispatches = 4\n`);
    const over = await session.resume();
    expect([over.code, over.json['phase'], over.json['outcome']], over.stderr).toEqual([5, 'BLOCKED', 'over_budget']);
    expect(over.json['next']).toMatch(/^pawl resume \S+ --budget dispatches=\d+$/);
    session.repository.write('pawl.toml', config);
    const on = await session.resume();
    expect(worked(on).filter((each) => each === 'code:reported')).toHaveLength(1);
  });

  test.concurrent('[session/faults/spec-agent-unavailable] [session/budgets/engine-never-works] without a SpecAgent: BLOCKED, and the engine writes no spec', async () => {
    const session = PlayedSession.create([]);
    session.repository.write('pawl.toml', '[roles]\nSpecAgent = "codex"\n');
    const refused = await session.pawl('session', 'start', 'Greet people by name');
    expect([refused.code, session.repository.exists('.agents-work')], refused.stderr).toEqual([69, false]);

    session.repository.write('pawl.toml', config);
    const blocked = await session.pawl('session', 'start', 'Greet people by name', ...session.scripted);
    session.run = blocked.json['run'];
    expect([blocked.code, blocked.json['phase']], blocked.stderr).toEqual([69, 'BLOCKED']);
    expect(session.repository.exists(session.path('spec.md'))).toBe(false);
    expect(session.status['blocked']).toMatchObject({ from: 'INTAKE' });
    session.repository.remove();
  });
});
