/** Lean sessions: who decides that one is lean, who works in it, and how it becomes a full one. */

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { PlayedSession, worked } from './played-session.ts';
import { Prepared } from './prepared.ts';
import {
  architect,
  code,
  config,
  criterion,
  intake,
  intakeLean,
  qa,
  report,
  review,
  running,
  security,
  task,
} from './scripts.ts';

const criteriaHold = { unambiguous: true, three_files_at_most: true, no_decisions: true, five_minutes_at_most: true };

let judged: Prepared;

beforeAll(async () => {
  judged = await Prepared.make({ turns: [intake({ lean: { ...criteriaHold, reason: 'One line changes.' } })] });
});

afterAll(() => judged.remove());

describe('the SpecAgent judges the goal to be lean', () => {
  test.concurrent('[session/table/start-lean-judged] the person is asked, with the reasons; lean goes lean, without design and gates', async () => {
    const session = judged.copy([intakeLean(), code(), review(), qa()]);
    expect(session.status).toMatchObject({ current_state: 'ASK_USER', mode: 'full' });
    expect(session.decision('UD-1')).toMatchObject({
      question: 'Lean or full?',
      status: 'pending',
      state_context: 'INTAKE',
    });
    const asked = await session.resume();
    expect(asked.json['decisions'][0]['detail']).toContain('One line changes.');
    const done = await session.resume({ ...running, 'UD-1': 'lean' });
    expect([done.code, done.json['phase'], session.status['mode']], done.stderr).toEqual([0, 'DONE', 'lean']);
    expect(worked(done)).toEqual([
      'intake:lean',
      'intake_lean:reported',
      'code:reported',
      'review:passed',
      'qa:passed',
    ]);
    expect(session.status['user_decisions']).toHaveLength(2);
  });

  test.concurrent('[session/table/start-full] full goes on full, with what is there', async () => {
    const session = judged.copy([architect()]);
    const on = await session.resume({ 'UD-1': 'full' });
    expect([on.code, on.json['phase'], worked(on)]).toEqual([
      3,
      'APPROVE_DESIGN',
      ['intake:lean', 'architect:reported'],
    ]);
    expect(session.status['mode']).toBe('full');
  });
});

test.concurrent('[session/table/start-full] one criterion does not hold: nobody is asked, INTAKE goes on to DESIGN', async () => {
  const session = PlayedSession.create([intake({ lean: { ...criteriaHold, no_decisions: false } }), architect()]);
  const on = await session.start();
  expect([on.json['phase'], worked(on)]).toEqual(['APPROVE_DESIGN', ['intake:reported', 'architect:reported']]);
  session.repository.remove();
});

describe('--lean', () => {
  test.concurrent('[session/table/start-lean] [session/roles/lean-roles] [session/roles/reviewer-never-skipped] documentation only: the Reviewer works, neither QA nor Security; the engine runs the checks and writes report.md', async () => {
    const session = PlayedSession.create([intakeLean(), code({ 'README.md': '# Better\n' }), review()]);
    const done = await session.start(running, ['--lean']);
    expect([done.code, done.json['phase']], done.stderr).toEqual([0, 'DONE']);
    expect(worked(done)).toEqual(['intake_lean:reported', 'code:reported', 'review:passed']);
    expect(session.tasks).toEqual({ 'T-001': 'completed' });
    expect(session.criteria[0]).toMatchObject({ status: 'met' });
    expect(session.read('report.md')).toContain('- T-001 Do T-001 (completed)');
    session.repository.remove();
  });

  test.concurrent('[session/commands/worktree] --worktree: the session and its files live there, and this work tree stays as it is', async () => {
    const session = PlayedSession.create([intakeLean(), code({ 'README.md': '# Better\n' }), review()]);
    const done = await session.start(running, ['--lean', '--worktree']);
    expect([done.code, done.json['phase']], done.stderr).toEqual([0, 'DONE']);
    const beside = `../repo-session-${session.run}`;
    expect(session.repository.read(`${beside}/README.md`)).toBe('# Better\n');
    expect(session.repository.read(`${beside}/${session.path('report.md')}`)).toContain('T-001');
    expect([session.repository.git('status', '--porcelain'), session.repository.exists('.agents-work')]).toEqual([
      '',
      false,
    ]);
    session.repository.remove();
  });

  test.concurrent('[session/roles/lean-roles] behaviour and input are touched: QA and Security work too', async () => {
    const session = PlayedSession.create([
      intakeLean(),
      code({ 'src/parse-input.mjs': 'export {};\n' }),
      review(),
      qa(),
      security(),
    ]);
    const done = await session.start(running, ['--lean']);
    expect(worked(done)).toEqual([
      'intake_lean:reported',
      'code:reported',
      'review:passed',
      'qa:passed',
      'security:passed',
    ]);
    expect(done.code).toBe(0);
    session.repository.remove();
  });

  test.concurrent('[session/table/lean-complex] the Coder reports more than expected: INTAKE in full, with the lean documents as input', async () => {
    const complex = {
      role: 'Coder',
      call: [report({ summary: 'Three modules change.', more_complex_than_expected: true })],
    };
    const session = PlayedSession.create([intakeLean(), complex, intake({ lean: criteriaHold }), architect()]);
    const on = await session.start(running, ['--lean']);
    // It is not judged to be lean once more.
    expect([on.code, on.json['phase']], on.stderr).toEqual([3, 'APPROVE_DESIGN']);
    expect(worked(on)).toEqual(['intake_lean:reported', 'code:complex', 'intake:reported', 'architect:reported']);
    expect(session.status['mode']).toBe('full');
    const input = session.inputOf('intake');
    expect(input['lean_outcome']).toBe('Three modules change.');
    expect(input['artifact_list']).toEqual(
      expect.arrayContaining([session.path('spec.md'), session.path('tasks.yaml')]),
    );
    session.repository.remove();
  });

  test.concurrent('[session/integrate/lean] a red check goes to the Coder, not to the Integrator; what it mended is reviewed', async () => {
    const there = { id: 'AC-001', description: 'It is there', verify: ['cmd: node src/T-002.mjs'] };
    const fix = { ...code({ 'src/T-002.mjs': 'export {};\n' }), step: 'fix_build_code' };
    const turns = [intakeLean({}, [there]), code(), fix, review(), review(), qa(), qa()];
    const session = PlayedSession.create(turns, { 'pawl.toml': config });
    const done = await session.start(running, ['--lean']);
    expect([done.code, done.json['phase']], done.stderr).toEqual([0, 'DONE']);
    expect(worked(done)).toEqual([
      'intake_lean:reported',
      'code:reported',
      'review:passed',
      'qa:passed',
      'fix_build_code:reported',
      'review:passed',
      'qa:passed',
    ]);
    expect(session.status['retry_counts']['meta']['FIX_BUILD']).toBe(1);
    session.repository.remove();
  });

  test.concurrent('[session/table/intake-lean] a plan of two tasks is not lean: refused, nothing written', async () => {
    const session = PlayedSession.create([]);
    const tasks = [task('T-001'), task('T-002')];
    session.script([intakeLean({}, [criterion], tasks), intakeLean(), code({ 'README.md': '# B\n' }), review()]);
    const done = await session.start(running, ['--lean']);
    expect(worked(done).slice(0, 2)).toEqual(['intake_lean:unparseable', 'intake_lean:reported']);
    expect(session.printed(1)).toContain('A lean session has exactly one task');
    session.repository.remove();
  });
});
