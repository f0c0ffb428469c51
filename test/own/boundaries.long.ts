/** What a role of the example may not do, and how it is told. */

import { describe, expect, test } from 'vitest';
import {
  config,
  definition,
  definitionPath,
  DocsRepository,
  draft,
  goodPage,
  keepTidy,
  page,
  review,
} from './docs-review.ts';

keepTidy();

/** One retry tells as much as two. */
const impatient = () => DocsRepository.create({ [definitionPath]: `${definition}retries: 1\n` });
const outside = { [page]: goodPage, 'README.md': '# Mine now\n' };

describe('B1: a role writes what its globs name', () => {
  test.concurrent('a file outside of them stops the run after its retries, and is named', async () => {
    const docs = impatient();
    const turn = draft({ write: outside });
    docs.script([turn, turn]);
    const stopped = await docs.start();
    expect(stopped.code, stopped.stderr).toBe(1);
    expect(stopped.json['diagnostics']).toMatchObject([
      { message: 'the writer may not write README.md, put back; its report does not count' },
    ]);
    expect(docs.history()).toEqual(Array(2).fill('draft out_of_bounds'));
  });

  test.concurrent('the definition, the configuration and Pawl’s own folder are outside of them', async () => {
    const docs = DocsRepository.create({ [definitionPath]: `${definition}retries: 0\n` });
    const forged = '.pawl/docs-review/install/reports/000-forged.md';
    const write = { [page]: goodPage, 'pawl.toml': `${config}# x\n`, [definitionPath]: definition, [forged]: '# x\n' };
    docs.script([draft({ write })]);
    expect((await docs.start()).code).toBe(1);
    expect(docs.state()?.snapshot.problem?.message).toContain(
      `the writer may not write ${forged}, pawl.toml, ${definitionPath}, put back`,
    );
  });

  test.concurrent('a deleted file counts as written', async () => {
    const docs = impatient();
    const turn = draft({ write: { [page]: goodPage, 'README.md': null } });
    docs.script([turn, turn]);
    expect((await docs.start()).code).toBe(1);
    expect(docs.state()?.snapshot.problem?.message).toContain('the writer may not write README.md');
  });

  test.concurrent('a role without globs may write nothing', async () => {
    const docs = impatient();
    const meddles = review('approved', { write: { [page]: `${goodPage}by the reviewer\n` } });
    docs.script([draft(), meddles, meddles]);
    const stopped = await docs.start();
    expect(stopped.code, stopped.stderr).toBe(1);
    expect(docs.state()?.snapshot.problem?.message).toContain(
      'files changed while the reviewer, which may change none',
    );
    expect(docs.state()?.snapshot.problem?.message).toContain(page);
  });
});

test.concurrent('B3: the configuration is nobody’s to write, whatever a role’s globs say', async () => {
  const open = definition.replace('writes: ["docs/**"]', 'writes: ["docs/**", "**/*.toml"]');
  const docs = DocsRepository.create({ [definitionPath]: `${open}retries: 0\n` });
  const write = { [page]: goodPage, 'docs/site.toml': 'x = 1\n', 'pawl.toml': `${config}# x\n` };
  docs.script([draft({ write })]);
  expect((await docs.start()).code).toBe(1);
  expect(docs.state()?.snapshot.problem?.message).toContain('the writer may not write pawl.toml, put back');
  expect(docs.history()).toEqual(['draft out_of_bounds']);
});

describe('B2: what a dispatch wrote out of bounds is put back, and the attempt kept (H1, attack 2.25, 2.26)', () => {
  const kept = (docs: DocsRepository, dispatch: number): string =>
    docs.repository.read(`.git/pawl/docs-review/install/dispatches/${dispatch}/out-of-bounds.patch`);

  test.concurrent('byte for byte, before the next attempt, which then counts', async () => {
    const docs = impatient();
    docs.script([draft({ write: { ...outside, 'new/deep/file.bin': 'x' } }), draft(), review('approved')]);
    const asked = await docs.start();
    expect(asked.code, asked.stderr).toBe(3);
    expect(docs.history()).toEqual(['draft out_of_bounds', 'draft done', 'review approved']);
    expect(docs.repository.read('README.md')).toBe('# Docs\n');
    expect(docs.repository.exists('new')).toBe(false);
    expect(kept(docs, 1)).toContain('+# Mine now');
    expect(asked.stderr).toContain('the writer may not change README.md, new/deep/file.bin: put back');
  });

  test.concurrent('whatever else the attempt ended with', async () => {
    const docs = impatient();
    docs.script([draft({ write: outside, fault: 'exit:1' }), draft(), review('approved')]);
    expect((await docs.start()).code).toBe(3);
    expect(docs.history()).toEqual(['draft failed', 'draft done', 'review approved']);
    expect(docs.repository.read('README.md')).toBe('# Docs\n');
  });

  test.concurrent('what is in bounds stays for the next attempt', async () => {
    const docs = impatient();
    docs.script([draft({ write: outside }), draft({ write: {} }), review('approved')]);
    expect((await docs.start()).code).toBe(3);
    expect(docs.repository.read(page)).toBe(goodPage);
  });

  test.concurrent('before the run rests: the printed retry finds nothing of it', async () => {
    const docs = impatient();
    const turn = draft({ write: outside });
    docs.script([turn, turn, draft(), review('approved')]);
    expect((await docs.start()).code).toBe(1);
    expect(docs.repository.read('README.md')).toBe('# Docs\n');
    const retried = await docs.pawl('retry', 'install');
    expect(retried.code, retried.stderr).toBe(3);
    expect(docs.repository.read('README.md')).toBe('# Docs\n');
  });

  test.concurrent('what a person changes between two attempts is not the role’s', async () => {
    const docs = DocsRepository.create();
    // The run waits between its attempts, and somebody works meanwhile.
    docs.repository.write('pawl.toml', config.replace('retry_delay_secs = 0', 'retry_delay_secs = 1'));
    docs.script([draft({ fault: 'no_report' }), draft(), review('approved')]);
    const ended = docs.start();
    while (docs.history().length === 0) await new Promise((resolve) => setTimeout(resolve, 20));
    docs.repository.write('README.md', '# By a person\n');
    const asked = await ended;
    expect(asked.code, asked.stderr).toBe(3);
    expect(docs.history()).toEqual(['draft unparseable', 'draft done', 'review approved']);
    expect(docs.repository.read('README.md')).toBe('# By a person\n');
  });

  test.concurrent('a judge approves what it was given, not what it made of it', async () => {
    const docs = impatient();
    docs.script([
      draft(),
      review('approved', { write: { [page]: `${goodPage}by the reviewer\n` } }),
      review('approved'),
    ]);
    expect((await docs.start()).code).toBe(3);
    expect(docs.history()).toEqual(['draft done', 'review out_of_bounds', 'review approved']);
    expect(docs.repository.read(page)).toBe(goodPage);
  });
});

describe('an artifact that breaks its contract', () => {
  const short = draft({ write: { [page]: '# Install\n' } });

  test.concurrent('is told to the agent, and then it is no report', async () => {
    const docs = impatient();
    docs.script([short, short]);
    const stopped = await docs.start();
    expect(stopped.code, stopped.stderr).toBe(1);
    expect(docs.history()).toEqual(Array(2).fill('draft unparseable'));
    const problem = docs.state()?.snapshot.problem?.message;
    expect(problem).toContain('the writer ended without calling report');
    expect(problem).toContain('docs/install.md lacks the heading "Usage": write it first, then report');
  });

  test.concurrent('an agent that goes wrong with its verdict is told which there are', async () => {
    const docs = DocsRepository.create();
    const wrong = { tool: 'report', args: { verdict: 'approved', summary: 'x' } };
    const right = { tool: 'report', args: { verdict: 'done', summary: 'x' } };
    docs.script([draft({ call: [wrong, { tool: 'raport', args: {} }, right] }), review('approved')]);
    const asked = await docs.start();
    expect(asked.code, asked.stderr).toBe(3);
  });

  test.concurrent('a second report that differs voids the dispatch (attack 3.13)', async () => {
    const docs = DocsRepository.create();
    const report = (verdict: string) => ({ tool: 'report', args: { verdict, summary: 'x' } });
    docs.script([
      draft(),
      review('needs_work', { call: [report('needs_work'), report('approved')] }),
      draft(),
      review('approved'),
    ]);
    await docs.start();
    expect(docs.history().slice(0, 2)).toEqual(['draft done', 'review unparseable']);
  });
});
