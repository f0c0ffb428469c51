/** Workflows that are not what they should be: refused in words, with the place, before anything is written. */

import { mkdirSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { dispatchMarker } from '../../src/runtime/dispatch-marker.ts';
import {
  begin,
  config,
  definition,
  definitionPath,
  DocsRepository,
  draft,
  keepTidy,
  review,
  scripted,
} from './docs-review.ts';

keepTidy();

function changed(from: string, to: string): string {
  if (!definition.includes(from)) throw new Error(`there is no ${from}`);
  return definition.replace(from, () => to);
}

const withInvariant = (invariant: string): string => `${definition}\ninvariants:\n  mine: ${invariant}\n`;

/** The reviewer alone decides that the page is published: the gate is passed by nobody. */
const unproven = changed('approved: accept', 'approved: published');
/** A name that stands for nothing. */
const misnamed = changed('approved: accept', 'approved: acept');

test.concurrent.each([
  [
    'a role that may not write what it makes',
    changed('writes: ["docs/**"]', 'writes: ["src/**"]'),
    'states.draft.makes: writer makes docs/{{run}}.md, which its writes do not allow',
  ],
  [
    'a folder that no glob leads into',
    changed('path: "docs/{{run}}.md", sections: [Usage]', 'path: "pages/{{run}}/"'),
    'writer makes pages/{{run}}/, which its writes do not allow',
  ],
  [
    'an unknown variable in a path',
    changed('docs/{{run}}.md', 'docs/{{name}}.md'),
    'artifacts.page: unknown variable {{name}} in its path; expected {{run}}',
  ],
  [
    'a misspelt state of an invariant',
    withInvariant('{ only: [publishd], after: [review.approved] }'),
    'there is no state "publishd"; expected "published"',
  ],
  [
    'a misspelt signal of an invariant',
    withInvariant('{ only: [published], after: [review.aproved] }'),
    'there is no signal of review "aproved"; expected "approved"',
  ],
  [
    'an unknown flag of an invariant',
    withInvariant('{ never: [published], while: { flag: urgent, is: "yes" } }'),
    'there is no flag "urgent"',
  ],
])('%s is named with its line', async (_, text, says) => {
  const docs = DocsRepository.create({ [definitionPath]: text });
  const refused = await docs.run(['verify', 'docs-review']);
  expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining(says)]);
  expect(refused.stderr).toMatch(/docs-review\.yaml:\d+: /);
});

describe('a workflow the verifier refutes', () => {
  test.concurrent('is not run, and the words say why', async () => {
    const docs = DocsRepository.create({ [definitionPath]: unproven });
    const refused = await docs.start();
    expect(refused.code).toBe(2);
    expect(refused.json['diagnostics']).toMatchObject([{ code: 'WorkflowUnproven' }]);
    expect(refused.stderr).toContain('the workflow docs-review is not proven: ');
    expect(refused.stderr).toContain('published');
    expect(refused.stderr).toContain('--unproven runs it unproven, which is recorded');
    expect(docs.records()).toEqual([]);
    expect((await docs.pawl('verify', 'docs-review')).code).toBe(1);
  });

  test.concurrent('runs with --unproven, which the journal and the status say', async () => {
    const docs = DocsRepository.create({ [definitionPath]: unproven });
    docs.script([
      draft(),
      review('needs_work'),
      draft({ fault: 'exit:1' }),
      draft({ fault: 'exit:1' }),
      draft({ fault: 'exit:1' }),
    ]);
    const stopped = await docs.start('--unproven');
    expect(stopped.code, stopped.stderr).toBe(1);
    expect(docs.state()?.choice.unproven).toEqual(['gate:published']);
    expect(docs.records().find(({ type }) => type === 'moved')).toMatchObject({
      signal: 'start',
      choice: { unproven: ['gate:published'] },
    });
    const status = await docs.pawl('docs-review', 'status', 'install');
    expect(status.json).toMatchObject({ unproven: ['gate:published'] });
    const words = await docs.run(['docs-review', 'status', 'install']);
    expect(words.stdout).toContain('unproven');
    // What was let pass once goes on without asking again.
    docs.script([draft(), review('needs_work'), draft(), draft(), draft(), draft(), review('approved')]);
    const retried = await docs.pawl('retry', 'install');
    expect(retried.code, retried.stderr).toBe(0);
  });

  test.concurrent('an agent may not let it pass', async () => {
    const docs = DocsRepository.create({ [definitionPath]: unproven });
    const refused = await docs.run([...begin, '--unproven', '--json'], { env: { [dispatchMarker]: 'somebody#1' } });
    expect(refused.code).toBe(4);
    expect(refused.stderr).toMatch(/an agent may not use .*--unproven/);
    expect(docs.records()).toEqual([]);
  });

  test.concurrent.each([
    [
      'a page that is approved but was never made',
      changed('    makes: page\n', ''),
      'accept.publish approves the page, which nothing has made',
    ],
    [
      'a check that is left out before a repeated review',
      changed('prompt: prompts/review.md\n', 'prompt: prompts/review.md\n    after: publish_check\n').replace(
        '  published: { ends',
        '  publish_check: { run: [node, check-docs.mjs], on: { passed: review, failed: draft } }\n  published: { ends',
      ),
      'review can be entered without publish_check before it',
    ],
    [
      'a promise of its own',
      changed('states:\n', 'invariants:\n  reviewed: { only: [published], after: [review.approved] }\nstates:\n'),
      'published can be entered before review.approved',
    ],
  ])('%s', async (_, text, says) => {
    const docs = DocsRepository.create({ [definitionPath]: text });
    const verified = await docs.run(['verify', 'docs-review']);
    expect([verified.code, verified.stdout]).toEqual([1, expect.stringContaining(says)]);
  });

  test.concurrent('with names that stand for nothing it does not run even so', async () => {
    const docs = DocsRepository.create({ [definitionPath]: misnamed });
    for (const flags of [[], ['--unproven']]) {
      const refused = await docs.start(...flags);
      expect(refused.code).toBe(2);
      expect(refused.stderr).toContain('there is no state "acept"');
      expect(refused.stderr).not.toContain('--unproven');
    }
    expect(docs.records()).toEqual([]);
  });

  test.concurrent('a run that was begun when it was proven is not continued', async () => {
    const docs = DocsRepository.create();
    const silent = draft({ fault: 'no_report' });
    docs.script([silent, silent, silent, draft(), review('approved')]);
    expect((await docs.start()).code).toBe(1);
    docs.repository.write(definitionPath, unproven);
    const refused = await docs.pawl('retry', 'install');
    expect(refused.code).toBe(2);
    expect(refused.stderr).toContain('is not proven');
    expect(refused.stderr).toContain('fix it, or restore it');
    docs.repository.write(definitionPath, definition);
    expect((await docs.pawl('retry', 'install')).code).toBe(3);
  });
});

describe('a definition that cannot be read', () => {
  test.concurrent.each<[string, Readonly<Record<string, string>>, string]>([
    [
      'an unknown key',
      { [definitionPath]: changed('    makes: page', '    makse: page') },
      `${definitionPath}:22: unknown key "states.draft.makse"; expected "makes"`,
    ],
    ['broken YAML', { [definitionPath]: `${definition}  x: [\n` }, `${definitionPath}:48: `],
    [
      'another name',
      { [definitionPath]: changed('name: docs-review', 'name: docs') },
      `${definitionPath}:1: name: the workflow calls itself "docs"; expected "docs-review", like its file`,
    ],
    [
      'a role nobody has',
      { [definitionPath]: changed('role: reviewer', 'role: reviewr') },
      `${definitionPath}:30: states.review.role: there is no role "reviewr"; expected "reviewer"`,
    ],
    [
      'a missing prompt',
      { [definitionPath]: changed('prompts/review.md', 'prompts/none.md') },
      'workflows/prompts/none.md: there is no such file',
    ],
    [
      'a placeholder that stands for nothing',
      { 'workflows/prompts/review.md': 'Review\n\n{{pgae}}\n' },
      'workflows/prompts/review.md:3: unknown placeholder {{pgae}}; expected {{page}}',
    ],
    [
      'a missing file',
      { 'pawl.toml': 'workflows = ["none/docs-review.yaml"]\n' },
      'none/docs-review.yaml: there is no such file',
    ],
    ['a broken pawl.toml', { 'pawl.toml': 'workflows = [\n"a"\nx = 1\n' }, 'pawl.toml:3: '],
    [
      'a wrong value in pawl.toml',
      { 'pawl.toml': `${config}\n[budget]\ndispatches = 0\n` },
      'pawl.toml:13: budget.dispatches is 0; expected a whole number from 1',
    ],
    [
      'a file outside of the repository',
      { 'pawl.toml': 'workflows = ["../docs-review.yaml"]\n' },
      'pawl.toml:1: workflows is ["../docs-review.yaml"]; expected a list of files inside the repository',
    ],
    [
      'two files of one name',
      { 'pawl.toml': `workflows = ["${definitionPath}", "other/docs-review.ts"]\n` },
      'pawl.toml:1: workflows/docs-review.yaml and other/docs-review.ts define a workflow of the same name',
    ],
  ])('%s', async (_, files, message) => {
    const docs = DocsRepository.create(files);
    const refused = await docs.start();
    expect(refused.stderr).toContain(message);
    expect(refused.code).toBe(2);
    expect(refused.json['diagnostics']).toHaveLength(1);
    expect(docs.records()).toEqual([]);
    expect(docs.repository.exists('.pawl')).toBe(false);
  });

  test.concurrent('a link that leads out of the repository, for the definition and for a prompt', async () => {
    const docs = DocsRepository.create();
    docs.repository.write('../secret.md', 'Write {{description}}\n');
    docs.repository.write('../other.yaml', definition.replace('docs-review', 'other'));
    symlinkSync('../../../secret.md', join(docs.repository.root, 'workflows/prompts/linked.md'));
    symlinkSync('../../other.yaml', join(docs.repository.root, 'workflows/other.yaml'));
    docs.repository.write('pawl.toml', `workflows = ["${definitionPath}", "workflows/other.yaml"]\n`);
    const linked = await docs.pawl('verify', 'other');
    expect(linked.code).toBe(2);
    expect(linked.stderr).toContain('workflows/other.yaml: it leads out of the project');
    docs.repository.write(definitionPath, changed('prompts/draft.md', 'prompts/linked.md'));
    const prompt = await docs.start();
    expect(prompt.code).toBe(2);
    expect(prompt.stderr).toContain('workflows/prompts/linked.md: it leads out of the project');
    expect((await docs.pawl('verify', '../other.yaml')).stderr).toContain('it leads out of the project');
  });

  test.concurrent.each(['change', 'runs', 'answer', 'help'])('a name that is taken: %s', async (name) => {
    const file = `workflows/${name}.yaml`;
    const docs = DocsRepository.create({
      [file]: definition.replace('docs-review', name),
      'pawl.toml': `workflows = ["${file}"]\n`,
    });
    const refused = await docs.pawl('verify');
    expect(refused.code).toBe(2);
    expect(refused.stderr).toContain(`${file} would define "${name}", which is a command of Pawl itself`);
    expect((await docs.pawl('new', 'workflow', name)).code).toBe(2);
    expect((await docs.pawl('runs')).code).toBe(0);
  });

  test.concurrent('a broken project leaves what has nothing to do with it alone', async () => {
    const docs = DocsRepository.create({ 'pawl.toml': 'workflows = [\n' });
    const [help, runs, change] = await Promise.all([
      docs.run(['--help']),
      docs.run(['runs']),
      docs.run(['change', 'list']),
    ]);
    expect([help.code, runs.code, change.code]).toEqual([0, 0, 0]);
  });

  test.concurrent('help works whatever is wrong with pawl.toml or a workflow, with one warning', async () => {
    const broken = DocsRepository.create({ 'pawl.toml': 'workflows = [\n' });
    const unreadable = DocsRepository.create();
    rmSync(join(unreadable.repository.root, 'pawl.toml'));
    mkdirSync(join(unreadable.repository.root, 'pawl.toml'));
    const undefinable = DocsRepository.create();
    undefinable.repository.write(definitionPath, 'name: [\n');
    const asked = [
      ...[['--help'], ['help'], ['docs-review', '--help'], ['docs-review', 'start', '-h']].flatMap((args) =>
        [broken, unreadable].map((docs) => [docs, args, 'pawl.toml'] as const),
      ),
      [undefinable, ['docs-review', '--help'], definitionPath] as const,
    ];
    for (const [docs, args, file] of asked) {
      const { code, stdout, stderr } = await docs.run(args);
      expect([code, stderr.trim().split('\n').length], `${args.join(' ')}: ${stderr}`).toEqual([0, 1]);
      expect(stderr).toMatch(/^warning: .*/);
      expect(stderr).toContain(file);
      expect(stdout).toContain('pawl change plan');
    }
    for (const args of [['change', '--help'], ['change', 'plan', '--help'], ['resume', '-h'], ['--version']])
      expect(await unreadable.run(args)).toMatchObject({ code: 0, stderr: '' });
    expect((await broken.run(['docs-review', 'start'])).code).toBe(2);
  });
});

describe('a definition that was changed while a run is in it', () => {
  test.concurrent('a state the run is in is gone: said so, nothing is lost', async () => {
    const docs = DocsRepository.create();
    docs.script([draft(), review('approved')]);
    expect((await docs.start()).code).toBe(3);
    const before = docs.records().length;
    docs.repository.write(definitionPath, definition.replaceAll('accept', 'agree'));
    for (const args of [
      ['docs-review', 'status', 'install'],
      ['resume', 'install', '--no-input'],
      ['answer', 'install', 'accept', 'publish'],
    ]) {
      const refused = await docs.pawl(...args);
      expect(refused.code, `${args.join(' ')}: ${refused.stderr}${refused.stdout}`).toBe(4);
      expect(refused.stderr).toContain('accept');
      expect(refused.stderr).not.toContain('this should not happen');
    }
    for (const args of [['runs'], ['log', 'install'], ['show', 'install']])
      expect((await docs.pawl(...args)).code).toBe(0);
    expect(docs.records()).toHaveLength(before);
    docs.repository.write(definitionPath, definition);
    expect((await docs.pawl('answer', 'install', 'accept', 'publish')).code).toBe(0);
  });

  test.concurrent('the state the run would go back to is gone', async () => {
    const docs = DocsRepository.create();
    const silent = draft({ fault: 'no_report' });
    docs.script([silent, silent, silent]);
    expect((await docs.start()).code).toBe(1);
    docs.repository.write(definitionPath, definition.replaceAll(/\bdraft(?=[:,]|\n| \})/g, 'compose'));
    const refused = await docs.pawl('retry', 'install');
    expect(refused.code, refused.stderr).toBe(4);
    expect(refused.stderr).toContain(
      'install is to go back to the state "draft", which the workflow docs-review does not have',
    );
  });

  test.concurrent('the file itself is gone', async () => {
    const docs = DocsRepository.create();
    docs.script([draft(), review('approved')]);
    await docs.start();
    docs.repository.write('pawl.toml', '');
    const refused = await docs.pawl('resume', 'install');
    expect(refused.code).toBe(2);
    expect(refused.stderr).toContain('there is no workflow "docs-review"');
    expect((await docs.pawl('runs')).json['runs']).toMatchObject([{ run: 'install', workflow: 'docs-review' }]);
    expect((await docs.pawl('log', 'install')).code).toBe(0);
  });
});

test.concurrent('names with digits and underscores are names like any other', async () => {
  const name = 'notes_2-b';
  const file = `workflows/${name}.yaml`;
  const docs = DocsRepository.create({
    [file]: definition.replace('docs-review', name),
    'pawl.toml': `workflows = ["${file}"]\n`,
  });
  docs.script([draft(), review('approved')]);
  expect((await docs.pawl(name, 'start', 'install', 'x', ...scripted)).code).toBe(3);
  expect((await docs.pawl(name, 'status', 'install')).json).toMatchObject({ workflow: name, phase: 'accept' });
  expect((await docs.pawl('answer', `${name}/install`, 'accept', 'publish')).code).toBe(0);
  expect((await docs.pawl('runs', '--all')).json['runs']).toMatchObject([{ workflow: name, run: 'install' }]);
});
