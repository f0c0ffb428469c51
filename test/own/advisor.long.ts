/** A role beside another, through the real CLI: two processes at once, one dispatch. */

import type { ChildProcess } from 'node:child_process';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, describe, expect, test } from 'vitest';
import { dispatchMarker, markerOf } from '../../src/runtime/dispatch-marker.ts';
import { findByMarker } from '../../src/workspace/processes.ts';
import { advice, advisedFiles, simplify } from './advised.ts';
import {
  begin,
  config,
  DocsRepository,
  draft,
  goodPage,
  keepTidy,
  page,
  review,
  scripted,
  type Told,
} from './docs-review.ts';

const made: DocsRepository[] = [];
keepTidy();
afterAll(() => {
  for (const pid of made.flatMap(agentsOf)) process.kill(pid, 'SIGKILL');
});

function advised(files: Readonly<Record<string, string>> = {}): DocsRepository {
  const docs = DocsRepository.create({ ...advisedFiles, ...files });
  made.push(docs);
  return docs;
}

function callsOf(docs: DocsRepository): readonly string[] {
  return docs.records().flatMap((record) => {
    return record.type === 'dispatch.started' ? [record.id, record.beside?.id ?? []].flat() : [];
  });
}

function agentsOf(docs: DocsRepository): number[] {
  const folder = docs.repository.runFolder('docs-review', 'install');
  return callsOf(docs).flatMap((id) => findByMarker(dispatchMarker, markerOf(folder, id)));
}

/** Says that it is there and waits for the other; both have met only where both work at once. */
const meeting = `
import { existsSync, writeFileSync } from 'node:fs';
const [own, other] = process.argv.slice(2);
writeFileSync(\`../\${own}-is-here\`, '');
for (const deadline = Date.now() + 60_000; Date.now() < deadline; ) {
  if (existsSync(\`../\${other}-is-here\`)) {
    writeFileSync(\`../\${own}-met\`, '');
    break;
  }
  await new Promise((resolve) => setTimeout(resolve, 20));
}
`;

test.concurrent('both work at the same time, and the advice reaches the report, the journal and the next prompt', async () => {
  const docs = advised();
  docs.repository.write('../meeting.mjs', meeting);
  const usage = { input_tokens: 100, output_tokens: 10, cost_usd: 1 };
  docs.script([
    draft({ usage }),
    review('needs_work', { run: ['node ../meeting.mjs reviewer simplifier'], usage }),
    simplify('complex', { run: ['node ../meeting.mjs simplifier reviewer'], usage }),
    draft({ write: { [page]: `${goodPage}More.\n` }, usage }),
    review('approved', { usage }),
    simplify('simple', { expect_prompt: ['complex: I find it complex.'], usage }),
  ]);
  const asked = await docs.start();
  expect(asked.code, asked.stderr).toBe(3);
  for (const role of ['reviewer', 'simplifier']) expect(docs.repository.exists(`../${role}-met`)).toBe(true);
  expect(docs.history()).toEqual(['draft done', 'review needs_work', 'draft done', 'review approved']);
  const [, first] = docs.state()?.history ?? [];
  expect(first).toMatchObject({
    role: 'reviewer',
    beside: { role: 'simplifier', problem: null, call: { agent: 'scripted' } },
  });
  expect(callsOf(docs).map((id) => id.split('#')[1])).toEqual(['1', '2', '3', '4', '5', '6']);
  expect(asked.json['usage']).toMatchObject({ dispatches: 6, inputTokens: 600, costUsd: 6 });
  const report = docs.repository.read('.pawl/docs-review/install/reports/002-review.md');
  expect(report).toMatch(/^# review: needs_work\n[^]*## simplifier: complex\n\nI find it complex\./);
  const log = await docs.run(['log', 'install']);
  expect(log.stdout).toContain('#2 started: reviewer (scripted) on review, with simplifier (scripted) as #3');
});

describe('a fault of the advisor is noted and told, and stops nothing', () => {
  test.concurrent.each([
    ['crashes', { fault: 'crash' }, 'before it finished its turn'],
    ['files no report', { fault: 'no_report' }, 'it ended without its report'],
    ['contradicts itself', { call: ['simple', 'complex'].map(advice) }, 'twice'],
    ['is rate limited', { fault: 'rate_limited' }, 'is rate limited'],
  ])('%s', async (_, how, problem) => {
    const docs = advised();
    docs.script([draft(), review('approved'), simplify('simple', how)]);
    const asked = await docs.start();
    expect(asked.code, asked.stderr).toBe(3);
    expect(docs.history()).toEqual(['draft done', 'review approved']);
    expect(docs.state()?.history[1]?.beside?.problem).toContain(problem);
    expect(asked.stderr).toContain('review continues without the advice of the simplifier');
    expect(docs.repository.read('.pawl/docs-review/install/reports/002-review.md')).not.toContain('simplifier');
  });

  test.concurrent('cannot begin, because no agent call is left', async () => {
    const docs = advised({ 'pawl.toml': `${config}\n[budget]\ndispatches = 2\n` });
    docs.script([draft(), review('approved'), simplify('simple')]);
    const asked = await docs.start();
    expect(asked.code, asked.stderr).toBe(3);
    const none = { role: 'simplifier', call: null, problem: 'no agent call is left' };
    expect(docs.state()?.history[1]?.beside).toEqual(none);
    expect(docs.state()?.spent.dispatches).toBe(2);
  });
});

test.concurrent('the advisor is not waited for where the dispatch has failed', async () => {
  const docs = advised();
  docs.script([
    draft(),
    review('approved', { fault: 'exit:1' }),
    simplify('simple', { fault: 'hang' }),
    review('approved'),
    simplify('simple'),
  ]);
  const asked = await docs.start();
  expect(asked.code, asked.stderr).toBe(3);
  expect(docs.history()).toEqual(['draft done', 'review failed', 'review approved']);
  expect(agentsOf(docs)).toEqual([]);
});

test.concurrent('an advisor that writes voids the dispatch, and what it wrote is put back', async () => {
  const docs = advised();
  const meddles = simplify('complex', { write: { [page]: `${goodPage}by the simplifier\n` } });
  docs.script([draft(), review('approved'), meddles, review('approved'), simplify('simple')]);
  const asked = await docs.start();
  expect(asked.code, asked.stderr).toBe(3);
  expect(docs.history()).toEqual(['draft done', 'review out_of_bounds', 'review approved']);
  expect(docs.repository.read(page)).toBe(goodPage);
});

describe('stopped while both work', () => {
  async function bothAtWork(): Promise<{ docs: DocsRepository; child: ChildProcess; ended: Promise<Told> }> {
    const docs = advised();
    docs.script([draft(), review('approved', { fault: 'hang' }), simplify('simple', { fault: 'hang' })]);
    let child: ChildProcess | undefined;
    const ended = docs.run([...begin, '--json'], { onSpawn: (spawned) => (child = spawned) });
    const deadline = Date.now() + 250_000;
    // Both have reported, and do not come to an end.
    while (docs.state()?.open?.advice.length !== 1 || docs.state()?.open?.reports.length !== 1) {
      if (Date.now() > deadline) throw new Error('the agents never reported');
      await wait(25);
    }
    if (!child) throw new Error('the process was not started');
    return { docs, child, ended };
  }

  test.concurrent('by force: both are ended, and what both reported counts', async () => {
    const { docs, child, ended } = await bothAtWork();
    child.kill('SIGKILL');
    await ended;
    docs.script([]);
    const resumed = await docs.pawl('resume', 'install', ...scripted);
    expect(resumed.code, resumed.stderr).toBe(3);
    expect(agentsOf(docs)).toEqual([]);
    expect(docs.history()).toEqual(['draft done', 'review approved']);
    expect(docs.state()?.history[1]?.beside).toMatchObject({ role: 'simplifier', problem: null });
    const report = docs.repository.read('.pawl/docs-review/install/reports/002-review.md');
    expect(report).toContain('## simplifier: simple');
  });

  test.concurrent('by force before the advisor reported: both are ended and both begin again', async () => {
    const docs = advised();
    docs.script([draft(), review('approved', { fault: 'hang' }), simplify('simple', { sleep_ms: 600_000 })]);
    let child: ChildProcess | undefined;
    const ended = docs.run([...begin, '--json'], { onSpawn: (spawned) => (child = spawned) });
    const deadline = Date.now() + 250_000;
    while (docs.state()?.open?.reports.length !== 1 || agentsOf(docs).length < 2) {
      if (Date.now() > deadline) throw new Error('the agents never worked');
      await wait(25);
    }
    child?.kill('SIGKILL');
    await ended;
    docs.script([draft(), review('approved'), simplify('simple')]);
    const resumed = await docs.pawl('resume', 'install', ...scripted);
    expect(resumed.code, resumed.stderr).toBe(3);
    expect(agentsOf(docs)).toEqual([]);
    expect(docs.history()).toEqual(['draft done', 'review approved']);
    const abandoned = docs.records().filter((record) => record.type === 'dispatch.abandoned');
    expect(abandoned).toMatchObject([{ crashed: true, beside: { ms: expect.any(Number) } }]);
    expect(docs.state()?.spent).toMatchObject({ dispatches: 3, reruns: 2, crashes: 1 });
  });

  test.concurrent('with Ctrl-C: both are ended at once, and the same command goes on', async () => {
    const { docs, child, ended } = await bothAtWork();
    child.kill('SIGINT');
    const stopped = await ended;
    expect(stopped.code, stopped.stderr).toBe(130);
    expect(agentsOf(docs)).toEqual([]);
    docs.script([draft(), review('approved'), simplify('simple')]);
    const again = await docs.pawl(...begin);
    expect(again.code, again.stderr).toBe(3);
    expect(docs.history()).toEqual(['draft done', 'review approved']);
  });
});
