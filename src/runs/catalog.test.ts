import {
  appendFileSync,
  mkdirSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { RepositoryFixture, stateYaml } from '../cli/repository.fixture.ts';
import { replay, runStateVersion } from '../runtime/run-state.ts';
import { nodeDisk } from '../disk/node-disk.ts';
import { writeCheckpoint } from '../store/checkpoint.ts';
import { encodeRecord } from '../store/record.ts';
import { changeSurface } from '../workflows/change/surface.ts';
import { sessionSurface } from '../workflows/session/surface.ts';
import { latestRun, listArchived, listRuns, onlyUnfinished } from './catalog.ts';

let fixture: RepositoryFixture;
beforeEach(() => {
  fixture = new RepositoryFixture();
});
afterEach(() => fixture.remove());

const listed = () => listRuns(fixture.repository);
const listedChanges = () => listRuns(fixture.repository, changeSurface);

/** Nobody can read it afterwards, though it looks the same from outside. */
function scramble(run: string): void {
  const file = journalFile(run);
  writeFileSync(file, '#'.repeat(statSync(file).size));
  dateBack(run);
}

function dateBack(run: string): void {
  utimesSync(journalFile(run), new Date(0), new Date(0));
}

function journalFile(run: string, workflow?: string): string {
  return join(fixture.folder(run, workflow), 'journal.jsonl');
}

test('runs of all workflows are listed, with and without a journal', async () => {
  fixture.write(
    'agentd/changes/cloned/STATE.yaml',
    stateYaml('challenged', { updated_at: '2026-05-01T00:00:00.000Z' }),
  );
  fixture.write(
    'agentd/changes/here/STATE.yaml',
    stateYaml('implementing', { updated_at: '2026-04-01T00:00:00.000Z' }),
  );
  fixture.journal('here', { state: 'implement' });
  const name = '2026-02-28_csv-export';
  fixture.journal(name, { state: 'approve_design' }, { workflow: 'session' });
  fixture.journal('install', { state: 'accept', outcome: 'done' }, { workflow: 'docs-review' });
  const noted = { message: null, asks: null, doing: null, spent: { calls: 0, costUsd: 0, unknownCost: 0 } };
  const cast = { agent: null, model: null, script: null };
  const common = { owner: null, workspace: null, problem: null, wrote: false, ...cast, ...noted };
  expect(await listed()).toEqual([
    {
      ...common,
      workflow: 'change',
      run: 'cloned',
      phase: 'challenged',
      outcome: null,
      spent: { calls: 0, costUsd: null, unknownCost: 0 },
      updatedAt: '2026-05-01T00:00:00.000Z',
      next: 'pawl change impl cloned',
      journal: false,
      finished: false,
      details: { verdict: null, iteration: null },
    },
    {
      ...common,
      workflow: 'change',
      run: 'here',
      phase: 'implementing',
      outcome: 'interrupted',
      updatedAt: '2026-04-01T00:00:00.000Z',
      next: 'pawl resume here',
      message: 'interrupted in implement; everything finished so far is kept',
      journal: true,
      finished: false,
      details: { verdict: null, iteration: 0 },
    },
    {
      ...common,
      workflow: 'session',
      run: name,
      phase: 'APPROVE_DESIGN',
      outcome: 'needs_person',
      updatedAt: '2026-03-01T10:00:01.000Z',
      next: `pawl session resume ${name}`,
      message: 'the session needs a human decision',
      asks: 'design',
      journal: true,
      finished: false,
      details: { mode: 'full', pending: 0, tasks: null },
    },
    {
      ...common,
      workflow: 'docs-review',
      run: 'install',
      phase: 'accept',
      outcome: 'done',
      updatedAt: '2026-03-01T10:00:01.000Z',
      next: null,
      journal: true,
      finished: false,
      details: {},
    },
  ]);
});

test('shows the outcome of every run with a journal, and its process while there is one', async () => {
  fixture.journal('asked', { state: 'ask_revision' });
  fixture.journal('busy', { state: 'challenge' });
  fixture.journal('failed', { state: 'proposed', outcome: 'failed' });
  fixture.journal('ready', { state: 'challenged' });
  const release = fixture.hold('busy');
  const outcomes = async () => (await listed()).map(({ run, outcome, owner }) => [run, outcome, owner?.pid ?? null]);
  expect(await outcomes()).toEqual([
    ['asked', 'needs_person', null],
    ['busy', null, process.pid],
    ['failed', 'failed', null],
    ['ready', 'done', null],
  ]);
  release();
  expect((await outcomes())[1]).toEqual(['busy', 'interrupted', null]);
});

describe('notes', () => {
  const edited = 'agentd/changes/x/STATE.yaml';

  test('a run is listed again without reading its journal', async () => {
    fixture.write(edited, stateYaml('challenged'));
    fixture.journal('x', { state: 'challenged', data: { verdict: 'APPROVED' } });
    dateBack('x');
    const before = await listed();
    expect(before).toMatchObject([
      { run: 'x', phase: 'challenged', outcome: 'done', details: { verdict: 'APPROVED' } },
    ]);
    scramble('x');
    expect(await listed()).toEqual(before);
  });

  test('a longer journal is read again, from its checkpoint on', async () => {
    fixture.journal('x', { state: 'new' });
    await listed();
    const state = replay(fixture.repository.store.records({ workflow: 'change', run: 'x' }) ?? []);
    if (!state) throw new Error('there is no run');
    // Nothing in front of the checkpoint can be read, so whoever replays from the beginning fails.
    scramble('x');
    const file = journalFile('x');
    const known = {
      version: runStateVersion,
      bytes: statSync(file).size,
      records: 1,
      lastSum: 'known',
      lastAt: 0,
      lastEpoch: 1,
      state,
    };
    writeCheckpoint({ disk: nodeDisk, folder: fixture.folder('x'), descriptor: openSync(file, 'r') }, known);
    const moved = { type: 'moved', from: 'new', signal: 'plan', change: { state: 'challenged' } } as const;
    appendFileSync(file, encodeRecord({ seq: 2, epoch: 1, at: '2026-03-02T00:00:00.000Z', ...moved }, 'known').line);
    const grown = { run: 'x', phase: 'challenged', updatedAt: '2026-03-02T00:00:00.000Z', problem: null };
    expect(await listed()).toMatchObject([grown]);
    rmSync(join(fixture.folder('x'), 'checkpoint'));
    expect(await listed(), 'it was noted').toMatchObject([grown]);
  });

  test('an edited state file is read while it exists', async () => {
    fixture.write(edited, stateYaml('implementing'));
    fixture.journal('x', { state: 'implementing' });
    expect(await listed()).toMatchObject([{ phase: 'implementing', next: 'pawl change impl x' }]);
    fixture.write(edited, stateYaml('complete'));
    expect(await listed()).toMatchObject([{ phase: 'complete', next: 'pawl change archive x' }]);
    fixture.write(edited, 'phase: finished\n');
    expect(await listed()).toMatchObject([
      { phase: null, next: 'pawl restore x', problem: expect.stringContaining('STATE.yaml:1') },
    ]);
    rmSync(join(fixture.root, edited));
    expect(await listed()).toMatchObject([{ phase: 'implementing', problem: null }]);
  });

  test('an edit that keeps the length of the state file is noticed by its time', async () => {
    fixture.write(edited, stateYaml('proposed'));
    fixture.journal('x', { state: 'proposed' });
    await listed();
    fixture.write(edited, stateYaml('rejected'));
    utimesSync(join(fixture.root, edited), new Date(), new Date());
    expect(await listed()).toMatchObject([{ phase: 'rejected' }]);
  });

  test("a session's tasks are counted again when their list has changed", async () => {
    const name = '2026-02-28_csv-export';
    const tasks = (status: string) => `project: {name: x}\ntasks:\n  - {id: T-001, title: One, status: ${status}}\n`;
    fixture.journal(name, { state: 'code' }, { workflow: 'session' });
    fixture.write(`.agents-work/${name}/tasks.yaml`, tasks('in-progress'));
    expect(await listed()).toMatchObject([{ details: { tasks: { done: 0, total: 1 } } }]);
    fixture.write(`.agents-work/${name}/tasks.yaml`, tasks('completed'));
    expect(await listed()).toMatchObject([{ details: { tasks: { done: 1, total: 1 } } }]);
  });

  test('ignores a note that is damaged or of another version', async () => {
    fixture.journal('x', { state: 'challenged' });
    const before = await listed();
    const file = join(fixture.repository.commonDir, 'pawl/.notes');
    const text = readFileSync(file, 'utf8');
    for (const damaged of [text.slice(0, -2), text.replace('"version":1', '"version":0'), '', 'nothing']) {
      writeFileSync(file, damaged);
      expect(await listed()).toEqual(before);
    }
  });
});

describe('changes', () => {
  test('the latest comes first, with the command to run next', async () => {
    fixture.write('agentd/changes/older/STATE.yaml', stateYaml('complete', { updated_at: '2026-01-01T00:00:00.000Z' }));
    fixture.write(
      'agentd/changes/newer/STATE.yaml',
      stateYaml('challenged', { updated_at: '2026-02-01T00:00:00.000Z' }),
    );
    fixture.journal('newer', { state: 'challenged' });
    expect((await listedChanges()).map(({ run, phase, next, workspace }) => ({ run, phase, next, workspace }))).toEqual(
      [
        { run: 'newer', phase: 'challenged', next: 'pawl change impl newer', workspace: null },
        { run: 'older', phase: 'complete', next: 'pawl change archive older', workspace: null },
      ],
    );
  });

  test('a change without a state file is listed from its journal', async () => {
    fixture.journal('begun', { state: 'challenge', data: { verdict: 'NEEDS_REVISION', planReviews: 1 } });
    expect(await listedChanges()).toMatchObject([
      {
        run: 'begun',
        phase: 'proposed',
        updatedAt: '2026-03-01T10:00:01.000Z',
        problem: null,
        next: 'pawl resume begun',
        workspace: null,
        details: { verdict: 'NEEDS_REVISION', iteration: 1 },
      },
    ]);
  });

  test('one in another work tree is read there, not from a copy of it here', async () => {
    const workspace = join(fixture.root, 'elsewhere');
    fixture.write('agentd/changes/far/STATE.yaml', stateYaml('proposed'));
    fixture.write('elsewhere/agentd/changes/far/STATE.yaml', stateYaml('implementing'));
    fixture.journal('far', { state: 'implementing' }, { workspace });
    fixture.write('agentd/changes/near/STATE.yaml', stateYaml('challenged'));
    fixture.journal('near', { state: 'challenged' });
    expect((await listedChanges()).map(({ run, phase, workspace: place }) => [run, phase, place])).toEqual([
      ['far', 'implementing', 'elsewhere'],
      ['near', 'challenged', null],
    ]);
  });

  test('archived and retired changes are done, and listed separately by folder name', async () => {
    fixture.write('agentd/archive/done/STATE.yaml', stateYaml('archived'));
    fixture.write('agentd/archive/done-2/STATE.yaml', stateYaml('archived'));
    fixture.journal('done', { state: 'archived', outcome: 'done', data: { archivedAs: 'done-2' } });
    fixture.journal('done.1', { state: 'archived', outcome: 'done', data: { archivedAs: 'done' } }, { id: 'done' });
    const facts = { phase: 'archived', outcome: 'done', next: null, finished: true };
    expect(await listed()).toMatchObject([
      { run: 'done', ...facts },
      { run: 'done.1', ...facts },
    ]);
    const archived = await listArchived(fixture.repository, changeSurface);
    expect(archived.map(({ run, next }) => [run, next])).toEqual([
      ['done', null],
      ['done-2', null],
    ]);
  });

  test('a reused id of an archived change shows the new change', async () => {
    fixture.write('agentd/archive/again/STATE.yaml', stateYaml('archived'));
    fixture.journal('again.1', { state: 'archived' }, { id: 'again' });
    fixture.journal('again', { state: 'challenge' });
    expect((await listedChanges()).map(({ run, phase }) => [run, phase])).toEqual([
      ['again', 'proposed'],
      ['again.1', 'archived'],
    ]);
  });

  test('in a fresh clone, an active change is listed instead of an archived one of the same name', async () => {
    fixture.write('agentd/archive/again/STATE.yaml', stateYaml('archived'));
    fixture.write('agentd/archive/over/STATE.yaml', stateYaml('archived'));
    fixture.write('agentd/changes/again/STATE.yaml', stateYaml('proposed'));
    expect((await listed()).map(({ run, phase, outcome }) => [run, phase, outcome])).toEqual([
      ['again', 'proposed', null],
      ['over', 'archived', 'done'],
    ]);
  });

  test('[D18] a folder without a state file is a change whose plan is not approved', async () => {
    fixture.write('agentd/changes/begun/proposal.md', '# Change: begun\n');
    fixture.write('agentd/changes/asked/clarifications.md', 'Which?\n');
    expect(await listed()).toMatchObject([
      { run: 'begun', phase: null, finished: false, problem: null, next: 'pawl change plan begun' },
      { run: 'asked', phase: null, next: 'pawl change plan asked "what to change and why"' },
    ]);
  });

  test('[D18] archives are found by the plain id, dated and nested ones too, and are never active', async () => {
    fixture.write('agentd/archive/20260116-simplify/simplify/proposal.md', '# Change: simplify\n');
    fixture.write('agentd/archive/20260117-fill-back-2/STATE.yaml', stateYaml('implementing'));
    fixture.write('agentd/archive/2026-01-18-twice/proposal.md', 'first\n');
    fixture.write('agentd/archive/2026-01-19-twice/proposal.md', 'second\n');
    const archived = await listArchived(fixture.repository, changeSurface);
    expect(archived.map(({ run, phase, next, finished }) => [run, phase, next, finished])).toEqual(
      ['twice', 'simplify', 'fill-back-2', '2026-01-18-twice'].map((run) => [run, 'archived', null, true]),
    );
    expect((await listed()).every(({ phase }) => phase === 'archived')).toBe(true);
  });

  test('ignores empty folders and names that cannot be ids', async () => {
    mkdirSync(join(fixture.root, 'agentd/changes/empty'), { recursive: true });
    fixture.write('agentd/changes/readme', 'a file, not a change');
    mkdirSync(join(fixture.root, 'agentd/changes/Not_An_Id'));
    expect(await listed()).toEqual([]);
  });

  test('broken state files and journals are shown as such, first, and do not hide the others', async () => {
    fixture.write('agentd/changes/fine/STATE.yaml', stateYaml('Challenged', { verdict: 'APPROVED', iteration: 1 }));
    fixture.write('agentd/changes/torn/STATE.yaml', 'phase: {\n');
    fixture.write('agentd/changes/wrong/STATE.yaml', 'change_id: b\nphase: done\n');
    mkdirSync(join(fixture.root, 'agentd/changes/folder/STATE.yaml'), { recursive: true });
    fixture.journal('damaged', { state: 'challenge' });
    appendFileSync(journalFile('damaged'), '{}\n');
    expect(await listed()).toMatchObject([
      { run: 'damaged', phase: null, next: null, problem: expect.stringContaining('record 2 is damaged') },
      { run: 'folder', phase: null, problem: expect.stringContaining('EISDIR') },
      {
        run: 'torn',
        phase: null,
        next: null,
        problem: expect.stringMatching(/^agentd\/changes\/torn\/STATE\.yaml:\d+: .*expected valid YAML$/),
      },
      {
        run: 'wrong',
        problem: expect.stringMatching(/^agentd\/changes\/wrong\/STATE\.yaml:2: phase is "done"; expected/),
      },
      { run: 'fine', phase: 'challenged', problem: null, details: { verdict: 'APPROVED', iteration: 1 } },
    ]);
  });

  test('reads an unusual but valid state file', async () => {
    fixture.write('agentd/changes/a/STATE.yaml', '# größer\r\nphase: "COMPLETE"\r\nverdict: null\r\n');
    fixture.write('agentd/changes/b/STATE.yaml', `${stateYaml('rejected')}notes: |\n${'  a line\n'.repeat(9_000)}`);
    expect((await listed()).map(({ run, phase, problem }) => [run, phase, problem])).toEqual([
      ['a', 'complete', null],
      ['b', 'rejected', null],
    ]);
  });

  test('reports a run in a state that its workflow does not have', async () => {
    fixture.journal('old', { state: 'polishing' });
    expect(await listed()).toMatchObject([
      { run: 'old', phase: null, next: null, problem: expect.stringContaining('is in the state "polishing"') },
    ]);
  });
});

describe('sessions', () => {
  const status = (name: string, state: string) =>
    fixture.write(`.agents-work/${name}/status.json`, JSON.stringify({ current_state: state, mode: 'lean' }));

  test('lists sessions of other tools, with the problems of their folders', async () => {
    status('2026-03-04_csv-export', 'PLAN');
    status('2026-03-05_pdf-export', 'DONE');
    fixture.write('.agents-work/2026-03-06_xml-export/tasks.yaml', '');
    status('CSV Export', 'PLAN');
    fixture.write('.agents-work/.gitignore', '*\n');
    const problem = expect.stringContaining('is not a valid session name; rename it');
    expect(await listRuns(fixture.repository, sessionSurface)).toMatchObject([
      { run: '2026-03-06_xml-export', phase: null, problem: expect.stringContaining('status.json: it is missing') },
      { run: 'CSV Export', problem },
      { run: '2026-03-05_pdf-export', phase: 'DONE', outcome: 'done', next: null, finished: true },
      {
        run: '2026-03-04_csv-export',
        phase: 'PLAN',
        outcome: null,
        next: 'pawl session resume 2026-03-04_csv-export --accept-state',
        details: { mode: 'lean', pending: 0, tasks: null },
      },
    ]);
  });

  test('without a name, picks the only unfinished session, or the latest', async () => {
    const only = () => onlyUnfinished(fixture.repository, sessionSurface);
    expect(await only()).toMatchObject({
      code: 'RunNotFound',
      message: expect.stringContaining('no unfinished session'),
    });
    status('2026-03-05_pdf-export', 'DONE');
    expect(await only()).toMatchObject({ code: 'RunNotFound' });
    expect((await latestRun(fixture.repository, sessionSurface))?.run).toBe('2026-03-05_pdf-export');
    status('2026-03-04_csv-export', 'PLAN');
    expect(await only()).toMatchObject({ workflow: 'session', run: '2026-03-04_csv-export' });
    expect((await latestRun(fixture.repository, sessionSurface))?.run).toBe('2026-03-04_csv-export');
    status('2026-03-06_xml-export', 'PLAN');
    expect(await only()).toMatchObject({
      code: 'AmbiguousRun',
      message: expect.stringMatching(/not finished: 2026-03-06_xml-export, 2026-03-04_csv-export$/),
    });
  });
});

test('reports a damaged journal of any workflow', async () => {
  for (const workflow of ['session', 'docs-review']) {
    const run = workflow === 'session' ? '2026-02-28_csv-export' : 'install';
    fixture.journal(run, { state: 'intake' }, { workflow });
    appendFileSync(journalFile(run, workflow), '{}\n');
  }
  const problem = expect.stringContaining('record 2');
  expect(await listed()).toMatchObject([
    { run: '2026-02-28_csv-export', phase: null, problem },
    { run: 'install', phase: null, problem },
  ]);
});
