import { appendFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { outputOf, RepositoryFixture, stateYaml } from '../repository.fixture.ts';
import { list, listChanges } from './list.ts';

let fixture: RepositoryFixture;
beforeEach(() => {
  fixture = new RepositoryFixture();
});
afterEach(() => fixture.remove());

const listed = (archived = false) => listChanges(fixture.repository, archived);

test('the latest comes first, with the command to run next', async () => {
  fixture.write('agentd/changes/older/STATE.yaml', stateYaml('complete', { updated_at: '2026-01-01T00:00:00.000Z' }));
  fixture.write('agentd/changes/newer/STATE.yaml', stateYaml('challenged', { updated_at: '2026-02-01T00:00:00.000Z' }));
  fixture.journal('newer', { state: 'challenged' });
  expect((await listed()).map(({ id, phase, next, workspace }) => ({ id, phase, next, workspace }))).toEqual([
    { id: 'newer', phase: 'challenged', next: 'pawl change impl newer', workspace: null },
    { id: 'older', phase: 'complete', next: 'pawl change archive older', workspace: null },
  ]);
});

test('a change whose state file was not written yet is known by its journal', async () => {
  fixture.journal('begun', { state: 'challenge', data: { verdict: 'NEEDS_REVISION', planReviews: 1 } });
  expect(await listed()).toEqual([
    {
      id: 'begun',
      phase: 'proposed',
      verdict: 'NEEDS_REVISION',
      iteration: 1,
      updatedAt: '2026-03-01T10:00:01.000Z',
      problem: null,
      next: 'pawl change plan begun',
      workspace: null,
    },
  ]);
});

test('a change in another work tree is read there, not from a copy of it here', async () => {
  mkdirSync(join(fixture.repository.commonDir, 'worktrees/elsewhere'), { recursive: true });
  const workspace = join(fixture.root, 'elsewhere');
  fixture.write('agentd/changes/far/STATE.yaml', stateYaml('proposed'));
  fixture.write('elsewhere/agentd/changes/far/STATE.yaml', stateYaml('implementing'));
  fixture.journal('far', { state: 'implementing' }, { workspace });
  fixture.write('agentd/changes/near/STATE.yaml', stateYaml('challenged'));
  fixture.journal('near', { state: 'challenged' });
  const changes = await listed();
  expect(changes.map(({ id, phase, workspace: place }) => [id, phase, place])).toEqual([
    ['far', 'implementing', 'elsewhere'],
    ['near', 'challenged', null],
  ]);
});

test('archived changes are listed apart, by the names of their folders', async () => {
  fixture.write('agentd/archive/done/STATE.yaml', stateYaml('archived'));
  fixture.write('agentd/archive/done-2/STATE.yaml', stateYaml('archived'));
  fixture.journal('done', { state: 'archived', data: { archivedAs: 'done-2' } });
  fixture.journal('done.1', { state: 'archived', data: { archivedAs: 'done' } }, { id: 'done' });
  expect(await listed()).toEqual([]);
  expect((await listed(true)).map(({ id, next }) => [id, next])).toEqual([
    ['done', null],
    ['done-2', null],
  ]);
});

test('an id that was archived and begun anew is shown as what it is now', async () => {
  fixture.write('agentd/archive/again/STATE.yaml', stateYaml('archived'));
  fixture.journal('again.1', { state: 'archived' }, { id: 'again' });
  fixture.journal('again', { state: 'challenge' });
  expect((await listed()).map(({ id, phase }) => [id, phase])).toEqual([['again', 'proposed']]);
});

test('broken state files and journals are shown as such, first', async () => {
  fixture.write('agentd/changes/fine/STATE.yaml', stateYaml('proposed'));
  fixture.write('agentd/changes/torn/STATE.yaml', 'phase: {\n');
  fixture.journal('damaged', { state: 'challenge' });
  appendFileSync(join(fixture.folder('damaged'), 'journal.jsonl'), '{}\n');
  const [first, second, third] = await listed();
  expect(first).toMatchObject({ id: 'damaged', phase: null, next: null });
  expect(first?.problem).toContain('record 2 is damaged');
  expect(second).toMatchObject({ id: 'torn', phase: null, next: null });
  expect(second?.problem).toContain('agentd/changes/torn/STATE.yaml:');
  expect(third).toMatchObject({ id: 'fine', problem: null });
});

test('people see a table, scripts one document', async () => {
  fixture.write('agentd/changes/one/STATE.yaml', stateYaml('proposed', { updated_at: new Date().toISOString() }));
  fixture.write('agentd/changes/bad/STATE.yaml', 'phase: what\n');
  const people = await outputOf(fixture.root, list, {});
  expect(people.split('\n')).toEqual([
    'ID   PHASE     VERDICT  ITERATION  UPDATED   NEXT',
    expect.stringMatching(/^bad {2}broken {4}- {8}- {10}- {9}agentd\/changes\/bad\/STATE\.yaml:1: phase is "what"; /),
    'one  proposed  -        -          just now  pawl change plan one',
    '',
  ]);
  const { changes } = JSON.parse(await outputOf(fixture.root, list, { flags: { json: true } })) as {
    changes: { id: string }[];
  };
  expect(changes.map(({ id }) => id)).toEqual(['bad', 'one']);
});
