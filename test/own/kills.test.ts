/** Stopped in the middle of a dispatch, by force and by request, and gone on with. */

import type { ChildProcess } from 'node:child_process';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, expect, test } from 'vitest';
import { dispatchMarker, markerOf } from '../../src/runtime/dispatch-marker.ts';
import { findByMarker } from '../../src/workspace/processes.ts';
import { begin, DocsRepository, draft, goodPage, keepTidy, page, review, scripted, type Told } from './docs-review.ts';

const started: DocsRepository[] = [];
keepTidy();
afterAll(() => {
  for (const pid of started.flatMap(agentsOf)) process.kill(pid, 'SIGKILL');
});

const waitMsMax = 250_000;
const hanging = draft({ write: { [page]: '# Half a page\n' }, fault: 'hang' });

function agentsOf(docs: DocsRepository): number[] {
  const folder = docs.repository.runFolder('docs-review', 'install');
  const ids = docs.records().flatMap((record) => (record.type === 'dispatch.started' ? [record.id] : []));
  return ids.flatMap((id) => findByMarker(dispatchMarker, markerOf(folder, id)));
}

/** Begins a run and returns once its agent has written half a page and hangs. */
async function atWork(): Promise<{ docs: DocsRepository; child: ChildProcess; ended: Promise<Told> }> {
  const docs = DocsRepository.create();
  started.push(docs);
  docs.script([hanging]);
  let child: ChildProcess | undefined;
  const ended = docs.run([...begin, '--json'], { onSpawn: (spawned) => (child = spawned) });
  const deadline = Date.now() + waitMsMax;
  while (!docs.state()?.open || !docs.repository.exists(page) || !docs.repository.read(page)) {
    if (Date.now() > deadline) throw new Error('the agent never began');
    await wait(25);
  }
  if (!child) throw new Error('the process was not started');
  return { docs, child, ended };
}

test.concurrent('killed by force: the half page is kept aside, and the step runs again', async () => {
  const { docs, child, ended } = await atWork();
  child.kill('SIGKILL');
  await ended;
  docs.script([draft(), review('approved')]);
  const resumed = await docs.pawl('resume', 'install', ...scripted);
  expect(resumed.code, resumed.stderr).toBe(3);
  expect(docs.history()).toEqual(['draft done', 'review approved']);
  expect(docs.repository.read(page)).toBe(goodPage);
  const abandoned = docs.records().find((record) => record.type === 'dispatch.abandoned');
  expect(abandoned).toMatchObject({ patch: expect.stringMatching(/\.patch$/) });
  expect(agentsOf(docs)).toEqual([]);
});

test.concurrent('Ctrl-C stops it at once, and the same command goes on', async () => {
  const { docs, child, ended } = await atWork();
  child.kill('SIGINT');
  const stopped = await ended;
  expect(stopped.code, stopped.stderr).toBe(130);
  expect(stopped.json).toMatchObject({ outcome: 'interrupted' });
  expect(agentsOf(docs)).toEqual([]);
  // X5: what it wrote stays.
  expect(docs.repository.exists(page)).toBe(true);
  // What a person does meanwhile is not the role's.
  docs.repository.write('README.md', '# By a person\n');
  docs.script([draft(), review('approved')]);
  const again = await docs.pawl(...begin);
  expect(again.code, again.stderr).toBe(3);
  expect(docs.history()).toEqual(['draft done', 'review approved']);
});

test.concurrent('cancel gives the step up; retry repeats it', async () => {
  const { docs, ended } = await atWork();
  const second = await docs.pawl(...begin);
  expect(second.code).toBe(6);
  const cancelled = await docs.pawl('cancel', 'install');
  expect(cancelled.code, cancelled.stderr).toBe(0);
  expect((await ended).code).toBe(130);
  expect(docs.state()?.snapshot).toMatchObject({ state: 'stopped', returnTo: 'draft' });
  docs.script([draft(), review('approved')]);
  const retried = await docs.pawl('retry', 'install', ...scripted);
  expect(retried.code, retried.stderr).toBe(3);
});
