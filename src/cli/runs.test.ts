import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { leaseOptions } from './compose.ts';
import { outputOf, RepositoryFixture, stateYaml } from './repository.fixture.ts';
import { listRuns, runs } from './runs.ts';

let fixture: RepositoryFixture;
beforeEach(() => {
  fixture = new RepositoryFixture();
});
afterEach(() => fixture.remove());

const listed = () => listRuns(fixture.repository, leaseOptions(false));

test('runs of all workflows are listed, and changes without a journal', async () => {
  fixture.write(
    'agentd/changes/cloned/STATE.yaml',
    stateYaml('challenged', { updated_at: '2026-05-01T00:00:00.000Z' }),
  );
  fixture.write(
    'agentd/changes/here/STATE.yaml',
    stateYaml('implementing', { updated_at: '2026-04-01T00:00:00.000Z' }),
  );
  fixture.journal('here', { state: 'implement' });
  fixture.journal('talk', { state: 'asking', outcome: 'needs_person' }, { workflow: 'session' });
  expect(await listed()).toEqual([
    {
      workflow: 'change',
      run: 'cloned',
      phase: 'challenged',
      outcome: null,
      updatedAt: '2026-05-01T00:00:00.000Z',
      owner: null,
      next: 'pawl change impl cloned',
      workspace: null,
      problem: null,
    },
    {
      workflow: 'change',
      run: 'here',
      phase: 'implementing',
      outcome: null,
      updatedAt: '2026-04-01T00:00:00.000Z',
      owner: null,
      next: 'pawl change impl here',
      workspace: null,
      problem: null,
    },
    {
      workflow: 'session',
      run: 'talk',
      phase: 'asking',
      outcome: 'needs_person',
      updatedAt: '2026-03-01T10:00:01.000Z',
      owner: null,
      next: null,
      workspace: null,
      problem: null,
    },
  ]);
});

test('a process at work is shown as long as it works', async () => {
  fixture.write('agentd/changes/busy/STATE.yaml', stateYaml('proposed'));
  fixture.journal('busy', { state: 'challenge' });
  const release = fixture.hold('busy');
  expect((await listed())[0]?.owner).toMatchObject({ pid: process.pid });
  release();
  expect((await listed())[0]?.owner).toBeNull();
});

test('archived runs are done, those that were set aside included', async () => {
  fixture.write('agentd/archive/old/STATE.yaml', stateYaml('archived'));
  fixture.journal('old', { state: 'archived', outcome: 'done', data: { archivedAs: 'old' } });
  fixture.journal('used.1', { state: 'archived', outcome: 'done', data: { archivedAs: 'used' } }, { id: 'used' });
  const rows = (await listed()).map(({ run, phase, outcome, next }) => ({ run, phase, outcome, next }));
  expect(rows).toEqual([
    { run: 'old', phase: 'archived', outcome: 'done', next: null },
    { run: 'used.1', phase: 'archived', outcome: 'done', next: null },
  ]);
});

test('a damaged journal of any workflow is named', async () => {
  fixture.journal('talk', { state: 'asking' }, { workflow: 'session' });
  appendFileSync(join(fixture.folder('talk', 'session'), 'journal.jsonl'), '{}\n');
  expect((await listed())[0]).toMatchObject({ run: 'talk', phase: null, problem: expect.stringContaining('record 2') });
});

test('people see a table, scripts one document, an empty repository a way to begin', async () => {
  expect(await outputOf(fixture.root, runs, {})).toContain('pawl change plan <id>');
  expect(await outputOf(fixture.root, runs, { flags: { json: true } })).toBe('{"runs":[]}\n');
  fixture.write('agentd/changes/busy/STATE.yaml', stateYaml('proposed', { updated_at: new Date().toISOString() }));
  fixture.journal('busy', { state: 'challenge' });
  const release = fixture.hold('busy');
  const work = `pid ${process.pid}`;
  expect((await outputOf(fixture.root, runs, {})).split('\n')).toEqual([
    `RUN   WORKFLOW  PHASE     UPDATED   ${'AT WORK'.padEnd(work.length)}  NEXT`,
    `busy  change    proposed  just now  ${work.padEnd(7)}  pawl change plan busy`,
    '',
  ]);
  release();
});
