import { describe, expect, test } from 'vitest';
import * as paths from './files/session-paths.ts';
import { data as slots } from './run-data.ts';
import {
  after,
  answeredDecision,
  checkOf,
  decisionOf,
  designFiles,
  ledger,
  plannedFiles as planned,
  questionIn,
  run,
  said,
  tasksFile,
  viewOf,
} from './session.fixture.ts';
import type { RunView } from '../workflow.ts';
import { finish, integrate, judgeCriteria } from './closing.ts';

const plannedFiles = { ...planned, ...tasksFile({ status: 'completed' }) };
const passed = { checks: { results: [{ entry: 'cmd: npm test', status: 'passed', evidence: 'exit code 0' }] } };

describe('INTEGRATE', () => {
  test('runs the CI and every cmd: check, each once, as program and arguments [session/integrate/checks] [session/integrate/argument-vector]', async () => {
    const files = {
      ...designFiles,
      ...tasksFile(
        { status: 'completed' },
        {
          id: 'T-002',
          status: 'implemented',
          acceptance_checks: ['cmd: npm test', 'cmd: node -e "1 > 2"', 'manual: look'],
        },
      ),
    };
    const context = checkOf({ files, config: '[session]\nci = ["make", "ci"]\ncheck_minutes = 2\n' });
    const { signal } = await integrate(context);
    expect(context.commands).toEqual(['make ci', 'npm test', 'node -e 1 > 2']);
    expect(context.timeouts).toEqual([120_000, 120_000, 120_000]);
    expect(signal).toMatchObject({ name: 'green', data: { ci: { result: 'green', failedStep: null } } });
  });

  test.each([
    ['fails', { exitCode: 3, output: 'one\ntwo\n' }, 'exit code 3'],
    ['takes too long', { exitCode: null, timedOut: true }, 'took longer than 10 minutes'],
    ['does not exist', { exitCode: null, missing: true }, 'there is no program npm'],
  ])(
    'is red when a check %s, with the evidence [session/integrate/time-limit] [session/reading/unknown-check]',
    async (_, end, evidence) => {
      const { signal, notes } = await integrate(checkOf({ files: plannedFiles, ends: { 'npm test': end } }));
      expect(signal).toMatchObject({
        name: 'red',
        data: {
          ci: { result: 'red', failedStep: 'cmd: npm test' },
          'judgement:integrate': { scope: 'meta', summary: expect.stringContaining('npm test') },
        },
      });
      expect(slots.checks.of({ data: signal.data ?? {} }).results[0]?.evidence).toContain(evidence);
      expect(notes).toEqual(['cmd: npm test: failed']);
    },
  );

  test('is not green when the checks changed files that no role has judged [session/review/after-fix]', async () => {
    const setting = { files: plannedFiles, treeAfter: 'formatted', flags: { round: 'final' } };
    const { signal, notes } = await integrate(checkOf(setting));
    expect(signal).toMatchObject({
      name: 'changed',
      data: { touched: { behaviour: true, risky: true }, 'retries:meta': { FIX_BUILD: 1 } },
    });
    expect(notes?.at(-1)).toContain('the checks changed files');
    const red = await integrate(checkOf({ ...setting, ends: { 'npm test': { exitCode: 1 } } }));
    expect(red.signal).toMatchObject({ name: 'changed', data: { ci: { result: 'red' } } });
    const spent = await integrate(checkOf({ ...setting, budgets: { fix_build: 0 } }));
    expect(spent.signal).toMatchObject({ name: 'changed', asks: { parts: [{ about: 'fix_build' }] } });
  });

  test('leaves nothing to be fixed once it is green', async () => {
    const data = { 'judgement:integrate': { scope: 'meta', summary: 'red', findings: [] } };
    const { signal } = await integrate(checkOf({ files: plannedFiles, data }));
    expect(signal.name).toBe('green');
    expect(slots.judgement.get({ data: { ...data, ...signal.data } }, 'integrate')).toBeUndefined();
  });

  test('counts the repair it asks for, or asks when there is none left [session/questions/integrate-spent]', async () => {
    const ends = { 'npm test': { exitCode: 1, output: 'no' } };
    const flags = { round: 'final' };
    const red = await integrate(checkOf({ files: plannedFiles, ends, flags }));
    expect(red.signal.data).toMatchObject({ 'retries:meta': { FIX_BUILD: 1 } });
    const spent = await integrate(checkOf({ files: plannedFiles, ends, flags, budgets: { fix_build: 0 } }));
    expect(spent.signal.asks).toMatchObject({ parts: [{ about: 'fix_build', binding: true }] });
    const asking = after(viewOf({ state: 'integrate', budgets: { fix_build: 0 } }), spent.signal).snapshot;
    expect(asking.decisions).toMatchObject({ 'UD-1': { status: 'pending', context: 'INTEGRATE' } });
    expect(spent.signal.data).not.toHaveProperty('retries:meta');
  });

  test.each([
    ['cannot be run', tasksFile({ acceptance_checks: ['cmd: npm "test'] }), 'npm'],
    ['is in a file that cannot be read', { [paths.tasksPath(run)]: 'tasks: 7\n' }, 'tasks.yaml:1'],
  ])('does not begin when a check %s [session/integrate/argument-vector]', async (_, tasks, problem) => {
    const context = checkOf({ files: { ...designFiles, ...tasks } });
    const { signal } = await integrate(context);
    expect(signal).toMatchObject({ name: 'invalid', problem: { message: expect.stringContaining(problem) } });
    expect(context.commands).toEqual([]);
  });

  describe('attack 3.18: without a sandbox no command runs that a person has not approved', () => {
    const shell = `cmd: sh -cx 'touch stolen'`;
    const files = { ...designFiles, ...tasksFile({ status: 'completed', acceptance_checks: [shell] }) };
    const approve = (view: RunView) => {
      const asking = after(view, { name: 'unapproved', data: { askedCommands: ['cmd: npm test', shell] } });
      return { asking, question: questionIn(asking) };
    };

    test('it is asked, with every command word for word [session/integrate/commands-approved]', async () => {
      const context = checkOf({ state: 'integrate', files, confined: false });
      const { signal } = await integrate(context);
      expect(signal).toEqual({ name: 'unapproved', data: { askedCommands: ['cmd: npm test', shell] } });
      expect(context.commands).toEqual([]);
      const { question } = approve(context);
      expect(question.detail.split('\n').slice(1)).toEqual(['  npm test', `  sh -cx 'touch stolen'`]);
    });

    test.each(['run', 'approved', 'Yes.'])('%s approves them, and nothing that comes later', async (words) => {
      const { asking } = approve(viewOf({ state: 'integrate', files }));
      const reading = said(asking, words);
      if (!('signal' in reading)) throw new Error(reading.unclear);
      const { snapshot } = after(asking, reading.signal);
      expect(snapshot.decisions['UD-RUN-COMMANDS']).toMatchObject({ status: 'answered', answer: 'run' });
      const data = snapshot.data;
      const context = checkOf({ files, data, confined: false });
      await integrate(context);
      expect(context.commands).toEqual(['npm test', 'sh -cx touch stolen']);
      const more = tasksFile({ status: 'completed', acceptance_checks: [shell, 'cmd: npm run deploy'] });
      const grown = checkOf({ files: { ...files, ...more }, data, confined: false });
      expect((await integrate(grown)).signal.name).toBe('unapproved');
      expect(grown.commands).toEqual([]);
    });

    test.each(['run: all but the second', 'no', 'maybe', ''])('%j approves nothing', (words) => {
      expect(said(approve(viewOf({ state: 'integrate', files })).asking, words)).toHaveProperty('unclear');
    });

    test('put off, the checks are looked at again before anything is asked', () => {
      const { asking } = approve(viewOf({ state: 'integrate', files }));
      const reading = said(asking, 'defer');
      if (!('signal' in reading)) throw new Error(reading.unclear);
      expect(after(asking, reading.signal).snapshot).toMatchObject({ state: 'blocked', returnTo: 'integrate' });
    });

    test('in a sandbox they run unasked, a shell like every other program [session/integrate/argument-vector]', async () => {
      const context = checkOf({ files });
      await integrate(context);
      expect(context.commands).toContain('sh -cx touch stolen');
    });
  });

  test.each(['not-started', 'in-progress', 'blocked'] as const)(
    'does not begin while a task is %s, whoever put it there [session/table/all-completed]',
    async (status) => {
      const context = checkOf({
        files: { ...designFiles, ...tasksFile({ status: 'completed' }, { id: 'T-002', status }) },
      });
      expect((await integrate(context)).signal).toMatchObject({
        name: 'tasks_left',
        problem: {
          code: 'tasks_left',
          message: expect.stringContaining(`T-002 (${status})`),
          fix: expect.stringContaining(`pawl session resume ${run}`),
        },
      });
      expect(context.commands).toEqual([]);
    },
  );
});

describe('criteria', () => {
  test('that checks vouch for are met, and acceptance.json says so [session/acceptance/waiver]', () => {
    const { signal, writes = [] } = judgeCriteria(checkOf({ files: plannedFiles, data: passed }));
    expect(signal.name).toBe('settled');
    expect(JSON.stringify(writes)).toContain(String.raw`\"status\": \"met\"`);
    expect(JSON.stringify(writes)).toContain('exit code 0');
  });

  test('[DEF-22] manual checks are asked with whom they concern, each a pending decision that must be answered [session/integrate/manual]', () => {
    const files = { ...designFiles, ...tasksFile({ acceptance_checks: ['cmd: npm test', 'manual: read it aloud'] }) };
    const { signal } = judgeCriteria(checkOf({ files, data: passed }));
    expect(signal).toMatchObject({
      name: 'open',
      asks: { parts: [{ about: 'manual: read it aloud', binding: true }] },
    });
    expect(after(viewOf({ state: 'judge_criteria' }), signal).snapshot.decisions).toMatchObject({
      'UD-1': { question: 'T-001 (Write rows): read it aloud', status: 'pending', context: 'INTEGRATE' },
    });
    const seen = { ...passed, ...slots.verdict.set('manual: read it aloud', { status: 'met', words: '' }) };
    expect(judgeCriteria(checkOf({ files, data: seen })).signal.name).toBe('settled');
  });

  test('that nothing vouches for are asked about, and unmet ones again [session/done/criteria]', () => {
    expect(judgeCriteria(checkOf({ files: plannedFiles })).signal).toMatchObject({
      name: 'open',
      asks: { parts: [{ about: 'AC-001' }] },
    });
    const unmet = slots.verdict.set('AC-001', { status: 'unmet', words: 'slow' });
    expect(judgeCriteria(checkOf({ files: plannedFiles, data: unmet })).signal.name).toBe('open');
  });
});

describe('a session is done', () => {
  test('when nothing is open; report.md is written from the record [session/done/report-sections] [session/done/criteria]', async () => {
    const { signal, writes, notes } = await finish(checkOf({ files: plannedFiles, data: passed }));
    expect(signal.name).toBe('complete');
    expect(notes).toEqual([]);
    expect(writes).toMatchObject([
      { path: paths.reportPath(run), content: expect.stringContaining('## Known issues') },
    ]);
  });

  test('not with a pending decision [session/done/no-pending]', async () => {
    const decisions = ledger(decisionOf({ id: 'UD-4' }), answeredDecision('UD-1', 'yes'));
    expect((await finish(checkOf({ files: plannedFiles, data: passed, decisions }))).signal).toMatchObject({
      name: 'incomplete',
      problem: { code: 'not_done', message: 'the decision UD-4 is pending' },
    });
  });

  test('not with a criterion that is neither met nor waived [session/done/criteria]', async () => {
    const { signal, notes } = await finish(checkOf({ files: plannedFiles }));
    expect(signal.name).toBe('incomplete');
    expect(notes).toEqual(['the criterion AC-001 is neither met nor waived']);
  });

  describe('and tagged where the configuration says so [session/release/tags]', () => {
    const config = '[session]\ntag = "done/{session}"\n';
    const done = { files: plannedFiles, data: passed, config };

    test('when everything is committed', async () => {
      const context = checkOf(done);
      expect((await finish(context)).notes).toEqual([`tagged done/${run}`]);
      expect(context.commands).toEqual(['git status --porcelain', `git tag done/${run}`]);
    });

    test('not with changes that are not committed', async () => {
      const context = checkOf({ ...done, ends: { 'git status --porcelain': { output: ' M a\n' } } });
      expect((await finish(context)).notes?.join()).toContain('not committed');
      expect(context.commands).not.toContain(`git tag done/${run}`);
    });

    test('not where git refuses, which does not keep the session from being done', async () => {
      const ends = { [`git tag done/${run}`]: { exitCode: 128, output: 'fatal: tag exists' } };
      const { signal, notes } = await finish(checkOf({ ...done, ends }));
      expect([signal.name, notes]).toEqual(['complete', [`not tagged done/${run}: fatal: tag exists`]]);
    });

    test('not while files are still to be judged, which comes first', async () => {
      const context = checkOf({ ...done, flags: { pending_reviews: 'all' } });
      expect((await finish(context)).signal.name).toBe('complete');
      expect(context.commands).toEqual([]);
    });

    test('not before it is done', async () => {
      const context = checkOf({ files: plannedFiles, config });
      await finish(context);
      expect(context.commands).toEqual([]);
    });
  });
});
