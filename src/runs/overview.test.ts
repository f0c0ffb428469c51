import { afterEach, beforeEach, expect, test } from 'vitest';
import { dispatchEntries, RepositoryFixture, stateYaml } from '../cli/repository.fixture.ts';
import { workspaceFiles } from '../runtime/workspace-files.ts';
import { planDigest } from '../workflows/change/documents.ts';
import { listRuns } from './catalog.ts';
import { overviewOf, selectRuns } from './overview.ts';
import { waitingDecisions } from './open-decisions.ts';
import { statusOf } from './status.ts';
import { watchRuns } from './watch-runs.ts';

let fixture: RepositoryFixture;
beforeEach(() => {
  fixture = new RepositoryFixture();
});
afterEach(() => fixture.remove());

const session = '2026-02-28_csv-export';
const by = { who: 'ada', how: 'answer' } as const;

async function overview() {
  return overviewOf(await listRuns(fixture.repository));
}

const nameAndNext = (runs: readonly { run: string; next: string | null }[]) => runs.map(({ run, next }) => [run, next]);

test('runs are grouped by what a person has to do about them, each with the command that leads on', async () => {
  fixture.journal(session, { state: 'approve_design' }, { workflow: 'session' });
  fixture.journal(
    'busy',
    { state: 'challenge' },
    { entries: dispatchEntries('busy#1', { step: 'challenge', signal: 'x', to: 'y' }).slice(0, 1) },
  );
  const release = fixture.hold('busy');
  fixture.journal('killed', { state: 'implement' });
  fixture.journal('planned', { state: 'challenged', outcome: 'done' });
  fixture.journal('over', { state: 'archived', outcome: 'done' });
  fixture.write('agentd/changes/bad/STATE.yaml', 'phase: what\n');
  fixture.write('agentd/changes/cloned/STATE.yaml', stateYaml('challenged'));
  const { needsYou, working, stopped, ready, finished } = await overview();
  release();
  expect(nameAndNext(needsYou)).toEqual([[session, `pawl answer ${session}`]]);
  expect(nameAndNext(working)).toEqual([['busy', 'pawl attach busy']]);
  expect(working[0]?.doing).toEqual({
    role: 'challenger',
    step: 'challenge',
    agent: 'codex',
    since: expect.any(String),
  });
  expect(stopped.map(({ run, problem, message }) => [run, problem ?? message])).toEqual([
    ['bad', expect.stringContaining('phase is "what"')],
    ['killed', 'interrupted in implement; everything finished so far is kept'],
  ]);
  expect(ready.map(({ run }) => run).toSorted()).toEqual(['cloned', 'planned']);
  expect(finished).toBe(1);
});

test('an answer that nobody continued with is told, in the overview and by the status', async () => {
  const change = { state: 'revise', data: { answered: { decision: 'revision', answer: 'continue' } } };
  const entries = [{ type: 'moved', from: 'ask_revision', signal: 'continue', change, by }] as const;
  fixture.journal('x', { state: 'ask_revision' }, { entries });
  const { ready } = await overview();
  const words = { next: 'pawl resume x', message: 'answer recorded, not continued yet' };
  expect(ready).toMatchObject([{ run: 'x', ...words }]);
  expect(await statusOf(fixture.repository, { workflow: 'change', run: 'x' })).toMatchObject({ status: words });
});

test('open decisions of all runs have the command that answers them', async () => {
  // A question whose document cannot be read stands all the same.
  fixture.write('agentd/changes/x/proposal.md', '<review status="perhaps">\n</review>\n');
  const judgedPlan = planDigest(workspaceFiles(fixture.root), 'x');
  fixture.journal('x', { state: 'ask_revision', data: { judgedPlan } });
  fixture.journal('calm', { state: 'challenged', outcome: 'done' });
  const { decisions, unread } = await waitingDecisions(fixture.repository);
  const answerWith = 'pawl answer x revision <answer>';
  expect(decisions).toMatchObject([{ workflow: 'change', run: 'x', decision: { id: 'revision', answerWith } }]);
  expect(unread).toEqual([]);
  expect(await waitingDecisions(fixture.repository, { workflow: 'change', run: 'calm' })).toMatchObject({
    decisions: [],
  });
});

test('a selection: open ones, of a workflow, changed since; what is broken has no time and is never left out', async () => {
  fixture.journal(session, { state: 'approve_design' }, { workflow: 'session' });
  fixture.journal('over', { state: 'archived', outcome: 'done' });
  fixture.write('agentd/changes/bad/STATE.yaml', 'phase: what\n');
  const runs = await listRuns(fixture.repository);
  const names = (filter: Partial<Parameters<typeof selectRuns>[1]>) =>
    selectRuns(runs, { all: false, workflow: null, sinceMs: null, ...filter }).map(({ run }) => run);
  expect(names({})).toEqual(['bad', session]);
  expect(names({ all: true })).toEqual(['bad', session, 'over']);
  expect(names({ workflow: 'session' })).toEqual([session]);
  expect(names({ all: true, sinceMs: Date.parse('2026-03-02') })).toEqual(['bad']);
  expect(names({ all: true, sinceMs: Date.parse('2026-03-01') })).toHaveLength(3);
});

test('whoever watches is told of a run that begins, and of one that moves', async () => {
  const stop = new AbortController();
  fixture.journal('calm', { state: 'challenged', outcome: 'done' });
  const seen: string[][] = [];
  for await (const { ready, stopped } of watchRuns(fixture.repository, stop.signal)) {
    const names = [...ready, ...stopped].map(({ run, phase }) => `${run} ${phase}`).toSorted();
    if (seen.at(-1)?.join() !== names.join()) seen.push(names);
    if (seen.length === 1 && names.length === 1) fixture.journal('late', { state: 'implement' });
    if (names.length === 2 && seen.length === 2) {
      const held = fixture.repository.store.open({ workflow: 'change', run: 'late' });
      held.append({ type: 'moved', from: 'implement', signal: 'x', change: { state: 'complete', outcome: 'done' } });
      held.close({ inOrder: true, state: null });
    }
    if (seen.length === 3) stop.abort();
  }
  expect(seen).toEqual([
    ['calm challenged'],
    ['calm challenged', 'late implementing'],
    ['calm challenged', 'late complete'],
  ]);
});
