import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { RepositoryFixture, stateYaml } from '../repository.fixture.ts';
import { runsFolder } from '../run-folders.ts';
import { changeNotFound, knownChanges, readStateSummaries } from './known.ts';

let fixture: RepositoryFixture;
beforeEach(() => {
  fixture = new RepositoryFixture();
});
afterEach(() => fixture.remove());

const summaries = () => readStateSummaries(fixture.root, { archived: false });

describe('ids', () => {
  test('come from folders and journals, without what cannot be an id', () => {
    fixture.write('agentd/changes/add-login/STATE.yaml', stateYaml('proposed'));
    mkdirSync(join(fixture.root, 'agentd/changes/Not_An_Id'));
    fixture.journal('fix-logout', { state: 'challenge' });
    fixture.journal('fix-logout.1', { state: 'archived' });
    const runs = runsFolder(fixture.repository.commonDir, 'change');
    expect(knownChanges(fixture.root, runs).ids).toEqual(['add-login', 'fix-logout']);
    expect(knownChanges(fixture.root, runs, 'add-logim').near).toBe('add-login');
    expect(knownChanges(fixture.root, runs, 'something-else').near).toBeUndefined();
  });

  test('an empty repository has none', () => {
    expect(knownChanges(fixture.root, join(fixture.root, 'nowhere'))).toEqual({ near: undefined, ids: [] });
  });

  test('an unknown one is named together with the nearest', () => {
    fixture.write('agentd/changes/add-login/STATE.yaml', stateYaml('proposed'));
    const problem = changeNotFound(fixture.root, fixture.repository.commonDir, 'ad-login');
    expect(problem).toMatchObject({
      exitCode: 2,
      message: 'there is no change "ad-login"; did you mean add-login?',
      diagnostic: { code: 'ChangeNotFound' },
    });
  });
});

describe('state files', () => {
  test('are read one and all', async () => {
    fixture.write('agentd/changes/b/STATE.yaml', stateYaml('Challenged', { verdict: 'APPROVED', iteration: 1 }));
    fixture.write('agentd/changes/a/STATE.yaml', stateYaml('proposed'));
    fixture.write('agentd/changes/empty/proposal.md', '');
    fixture.write('agentd/changes/readme', 'a file, not a change');
    fixture.write('agentd/archive/old-2/STATE.yaml', stateYaml('archived'));
    const updatedAt = '2026-03-01T10:00:01.000Z';
    expect(await summaries()).toEqual([
      { id: 'a', phase: 'proposed', verdict: null, iteration: null, updatedAt, problem: null },
      { id: 'b', phase: 'challenged', verdict: 'APPROVED', iteration: 1, updatedAt, problem: null },
    ]);
    const archived = await readStateSummaries(fixture.root, { archived: true });
    expect(archived).toEqual([
      { id: 'old-2', phase: 'archived', verdict: null, iteration: null, updatedAt, problem: null },
    ]);
  });

  test('a broken one is shown with the reason and does not hide the others', async () => {
    fixture.write('agentd/changes/a/STATE.yaml', 'change_id: a\nphase: [oops\n');
    fixture.write('agentd/changes/b/STATE.yaml', 'change_id: b\nphase: done\n');
    fixture.write('agentd/changes/c/STATE.yaml', stateYaml('proposed'));
    mkdirSync(join(fixture.root, 'agentd/changes/d/STATE.yaml'), { recursive: true });
    const [a, b, c, d] = await summaries();
    expect(a?.problem).toMatch(/^agentd\/changes\/a\/STATE\.yaml:\d+: .*expected valid YAML$/);
    expect(b?.problem).toMatch(/^agentd\/changes\/b\/STATE\.yaml:2: phase is "done"; expected one of proposed/);
    expect(c).toMatchObject({ phase: 'proposed', problem: null });
    expect(d?.problem).toContain('EISDIR');
    expect([a, b, d].map((broken) => broken?.phase)).toEqual([null, null, null]);
  });

  test('an unusual one is read all the same', async () => {
    fixture.write('agentd/changes/a/STATE.yaml', '# größer\r\nphase: "COMPLETE"\r\nverdict: null\r\n');
    fixture.write('agentd/changes/b/STATE.yaml', `${stateYaml('rejected')}notes: |\n${'  a line\n'.repeat(9_000)}`);
    expect((await summaries()).map(({ phase, problem }) => [phase, problem])).toEqual([
      ['complete', null],
      ['rejected', null],
    ]);
  });
});
