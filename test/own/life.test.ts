/** The example from its beginning to its end, through every command there is for a run. */

import { describe, expect, test } from 'vitest';
import { begin, DocsRepository, draft, keepTidy, page, review, scripted } from './docs-review.ts';

keepTidy();

const answers = { publish: 'it is good as it is', rework: 'the writer gets one more round', drop: 'drop the page' };

test.concurrent('the whole rehearsal: a question, an answer, published', async () => {
  const docs = DocsRepository.create();
  const started = await docs.run([...begin]);
  expect(started.code, started.stderr).toBe(3);
  expect(started.stdout + started.stderr).toContain('Publish this page?');
  expect(started.stdout + started.stderr).toContain('pawl answer install accept');
  expect(docs.history()).toEqual([
    'draft unparseable',
    'draft done',
    'review needs_work',
    'draft done',
    'review approved',
  ]);
  expect(docs.repository.read(page)).toContain('You need Node 20.19 or newer.');
  expect(docs.repository.read('.pawl/docs-review/install/reports/005-review.md')).toContain('Clear and true.');
  expect(docs.repository.read('.pawl/docs-review/install/state.yaml')).toContain('phase: accept');

  const status = await docs.pawl('docs-review', 'status', 'install');
  expect(status.json).toMatchObject({
    workflow: 'docs-review',
    run: 'install',
    phase: 'accept',
    verdict: 'approved',
    outcome: 'needs_person',
    dispatches: 5,
    owner: null,
    unproven: null,
    decisions: [{ id: 'accept', title: 'Publish this page?', answers }],
  });

  const wrong = await docs.pawl('answer', 'install', 'accept', 'publsh');
  expect(wrong.code).toBe(2);
  expect(wrong.stderr).toContain('publish');
  const answered = await docs.pawl('answer', 'install', 'accept', 'publish');
  expect(answered.code, answered.stderr).toBe(0);
  expect(answered.json).toMatchObject({ run: 'install', decision: 'accept', answer: 'publish', next: null });
  expect(docs.state()?.snapshot).toMatchObject({
    state: 'published',
    outcome: 'done',
    data: { 'approved.page': expect.stringMatching(/^sha256:/) },
  });
  expect((await docs.run(['docs-review', 'status', 'install'])).stdout).toContain('install is published');
  expect(docs.repository.exists('.pawl/docs-review/install/journal.jsonl')).toBe(true);

  const again = await docs.pawl(...begin);
  expect(again.code).toBe(4);
  expect(again.stderr + again.stdout).toContain('install has already started: it is in published');
});

describe('other ways through', () => {
  test.concurrent('--json is one document, whatever happens', async () => {
    const docs = DocsRepository.create();
    docs.script([draft(), review('approved')]);
    const started = await docs.start();
    expect(started.code, started.stderr).toBe(3);
    expect(started.json).toMatchObject({
      workflow: 'docs-review',
      run: 'install',
      outcome: 'needs_person',
      phase: 'accept',
      verdict: 'approved',
      action: 'asked',
      next: 'pawl answer install accept <answer>',
      decisions: [{ id: 'accept', title: 'Publish this page?', answers }],
    });

    const runs = await docs.pawl('runs');
    expect(runs.json['runs']).toMatchObject([{ workflow: 'docs-review', run: 'install', phase: 'accept' }]);
    const log = await docs.pawl('log', 'install');
    expect(log.json['records'].map((record: { type: string }) => record.type)).toEqual(
      docs.records().map(({ type }) => type),
    );
    const shown = await docs.run(['show', 'install']);
    expect(shown.code, shown.stderr).toBe(0);
    expect(shown.stdout).toContain('accept');
    const diff = await docs.run(['diff', 'install']);
    expect(diff.stdout).toContain('+++ b/docs/install.md');
    expect(diff.stdout).not.toContain('.pawl/');
  });

  test.concurrent('rework goes back to the writer with one more round; drop ends it', async () => {
    const docs = DocsRepository.create();
    docs.script([draft(), review('approved'), draft({ expect_prompt: ['I say approved.'] }), review('needs_work')]);
    await docs.start();
    const reworked = await docs.pawl('answer', 'install', 'accept', 'rework');
    expect(reworked.json).toMatchObject({ next: 'pawl resume install' });
    // The second review finds rounds left, so the writer is called once more, and there is no turn for it.
    const resumed = await docs.pawl('resume', 'install', '--no-input');
    expect(resumed.code, resumed.stderr).toBe(69);
    expect(docs.history().slice(0, 4)).toEqual(['draft done', 'review approved', 'draft done', 'review needs_work']);
    docs.script([draft(), review('approved'), draft(), review('needs_work'), draft(), draft(), review('approved')]);
    const retried = await docs.pawl('retry', 'install', '--hint', 'be kind');
    expect(retried.code, retried.stderr).toBe(3);
    const dropped = await docs.pawl('answer', 'install', 'accept', 'drop');
    expect(dropped.code, dropped.stderr).toBe(0);
    expect(docs.state()?.snapshot).toMatchObject({ state: 'dropped', outcome: 'failed' });
  });

  test.concurrent('a fault that does not pass stops the run, and retry repeats the step', async () => {
    const docs = DocsRepository.create();
    const silent = draft({ fault: 'no_report' });
    docs.script([silent, silent, silent]);
    const stopped = await docs.start();
    expect(stopped.code).toBe(1);
    expect(stopped.json).toMatchObject({
      outcome: 'failed',
      phase: 'stopped',
      next: 'pawl retry install',
      diagnostics: [{ message: 'the writer ended without calling report', fix: 'pawl retry install' }],
    });
    docs.script([silent, silent, silent, draft({ expect_prompt: ['Use short words.'] }), review('approved')]);
    const retried = await docs.pawl('retry', 'install', '--hint', 'Use short words.');
    expect(retried.code, retried.stderr).toBe(3);
    expect(docs.history()).toEqual([...Array(3).fill('draft unparseable'), 'draft done', 'review approved']);
  });

  test.concurrent('undo takes back what the run wrote, and it begins anew', async () => {
    const docs = DocsRepository.create();
    const silent = draft({ fault: 'no_report' });
    docs.script([silent, silent, silent]);
    await docs.start();
    expect(docs.repository.exists(page)).toBe(true);
    const undone = await docs.pawl('undo', 'install');
    expect(undone.code, undone.stderr).toBe(0);
    expect(undone.json).toMatchObject({ restored: [page], left: [], next: 'pawl docs-review start install' });
    expect(docs.repository.exists(page)).toBe(false);
    const twice = await docs.pawl('undo', 'install');
    expect(twice.code).toBe(4);
    docs.script([silent, silent, silent, draft(), review('approved')]);
    const again = await docs.start();
    expect(again.code, again.stderr).toBe(3);
  });

  test.concurrent('a budget of dispatches ends the run with exit 5, and a person raises it', async () => {
    const docs = DocsRepository.create();
    docs.repository.write('pawl.toml', `${docs.repository.read('pawl.toml')}\n[budget]\ndispatches = 1\n`);
    docs.script([draft(), review('approved')]);
    const stopped = await docs.start();
    expect(stopped.code).toBe(5);
    expect(stopped.json).toMatchObject({ outcome: 'over_budget', action: 'over_budget', phase: 'stopped' });
    expect(stopped.json['next']).toBe('pawl resume install --budget dispatches=2');
    expect(docs.history()).toEqual(['draft done']);
    expect((await docs.pawl('resume', 'install', '--no-input')).code).toBe(5);
    const raised = await docs.pawl('resume', 'install', '--budget', 'dispatches=10', '--no-input');
    expect(raised.code, raised.stderr).toBe(3);
    expect(docs.history()).toEqual(['draft done', 'review approved']);
  });

  test.concurrent('raising one budget keeps another that was raised before', async () => {
    const docs = DocsRepository.create();
    docs.repository.write('pawl.toml', `${docs.repository.read('pawl.toml')}\n[budget]\ndispatches = 1\n`);
    docs.script([draft(), review('approved')]);
    expect((await docs.start()).code).toBe(5);
    expect((await docs.pawl('resume', 'install', '--budget', 'cost=20', '--no-input')).code).toBe(5);
    const both = await docs.pawl('resume', 'install', '--budget', 'dispatches=10', '--no-input');
    expect(both).toMatchObject({ code: 3, json: { budget: { limits: { dispatches: 10, costUsd: 20 } } } });
  });

  test.concurrent("the workflow's own budget ends with a person", async () => {
    const docs = DocsRepository.create();
    docs.repository.write('pawl.toml', `${docs.repository.read('pawl.toml')}\n[limits.docs-review]\nrounds = 0\n`);
    docs.script([draft(), review('needs_work')]);
    const asked = await docs.start();
    expect(asked.code, asked.stderr).toBe(3);
    expect(asked.json).toMatchObject({ phase: 'accept', verdict: 'needs_work' });
  });

  test.concurrent('a check of the project that fails sends the page back', async () => {
    const docs = DocsRepository.create();
    const open = { [page]: '# Install\n\n## Usage\n\n```\nnpm install\n' };
    docs.script([draft({ write: open }), draft(), review('approved')]);
    const asked = await docs.start();
    expect(asked.code, asked.stderr).toBe(3);
    expect(docs.history()).toEqual(['draft done', 'draft done', 'review approved']);
    expect(docs.state()?.snapshot.budgets['rounds']).toBe(1);
  });

  test.concurrent('its commands: help, a wrong verb, a wrong run, a run there is not', async () => {
    const docs = DocsRepository.create();
    const [help, verb, named, missing, bare, start] = await Promise.all([
      docs.run(['docs-review']),
      docs.run(['docs-review', 'strat', 'install']),
      docs.run(['docs-review', 'start', '../x', 'y', ...scripted]),
      docs.run(['docs-review', 'status', 'nothing']),
      docs.run(['docs-review', 'start', 'bare', ...scripted]),
      docs.run(['docs-review', 'start', '--help']),
    ]);
    expect(help.stdout).toContain('pawl docs-review start');
    expect(help.stdout).toContain('pawl docs-review status');
    expect(verb.code).toBe(2);
    expect(verb.stderr).toContain('start');
    expect(named.code).toBe(2);
    expect(named.stderr).toContain('is not a valid run name');
    expect(missing.code).toBe(2);
    expect(missing.stderr).toContain('there is no run');
    expect(bare.code).toBe(2);
    expect(bare.stderr).toContain('pawl docs-review start bare "what it is about"');
    expect(start.stdout).toContain('--unproven');
    expect(docs.repository.exists('.pawl')).toBe(false);
  });
});

test.concurrent('[D22] a run is abandoned, and its name used again with --new', async () => {
  const docs = DocsRepository.create();
  expect((await docs.run([...begin])).code).toBe(3);
  const abandoned = await docs.pawl('abandon', 'install', 'Another page does it', '--yes');
  expect(abandoned.json).toMatchObject({ action: 'abandoned', movedTo: '.pawl/docs-review/.abandoned/install' });
  expect((await docs.pawl('docs-review', 'status', 'install')).json).toMatchObject({
    phase: 'abandoned',
    decisions: [],
  });
  const refused = await docs.pawl(...begin);
  expect([refused.code, refused.json['diagnostics'][0].code]).toEqual([4, 'RunAbandoned']);
  const anew = await docs.run([...begin, '--new']);
  expect(anew.code, anew.stderr).toBe(3);
  expect(docs.repository.read('.pawl/docs-review/install/state.yaml')).toContain('phase: accept');
});
