/** Workflows in TypeScript, on a Node that does not read it by itself; and what `pawl new workflow` writes. */

import { execFile } from 'node:child_process';
import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { root } from '../source-tree.ts';
import { DocsRepository, draft, keepTidy, review, scripted } from './docs-review.ts';

keepTidy();

const execute = promisify(execFile);
const file = 'workflows/notes.ts';

const typescript = `import { defineWorkflow, type WorkflowDefinition } from 'pawl';
import { rounds } from './rounds.ts';

type Word = 'short' | 'long';
interface Found { readonly word: Word }
const wordOf = (text: string | undefined): Found => ({ word: (text ?? '').length > 40 ? 'long' : 'short' } satisfies Found);

const definition: WorkflowDefinition = defineWorkflow({
  name: 'notes',
  about: 'Writes notes.',
  begin: 'draft',
  roles: { writer: { writes: ['docs/**'] }, reviewer: { reports: ['approved', 'needs_work'] } },
  artifacts: { page: { path: 'docs/install.md' } },
  budgets: { rounds },
  states: {
    draft: { role: 'writer', prompt: 'prompts/draft.md', makes: 'page', on: { done: 'look' } },
    look: {
      check: ({ files }) => ({ signal: { name: wordOf(files.read('docs/install.md')).word }, notes: ['looked at it'] }),
      signals: ['short', 'long'],
      on: { long: 'review', short: [{ when: { left: 'rounds' }, to: 'draft', spend: 'rounds' }, { to: 'review' }] },
    },
    review: { role: 'reviewer', prompt: 'prompts/draft.md', on: { approved: 'good', needs_work: 'bad' } },
    good: { ends: 'done' },
    bad: { ends: 'failed' },
  },
});
export default definition;
`;

const files = {
  'pawl.toml': `retry_delay_secs = 0\nworkflows = ["${file}"]\n`,
  [file]: typescript,
  'workflows/rounds.ts':
    "import type { Budget } from 'somewhere';\nexport const rounds = { limit: 2, scope: 'run' } as const;\n",
  'workflows/prompts/draft.md': 'Work on {{page}}.\n',
};
const start = ['notes', 'start', 'first', ...scripted] as const;

describe('a workflow in TypeScript', () => {
  test.concurrent('types are left out, `pawl` is this Pawl, and its functions decide', async () => {
    const docs = DocsRepository.bare(files);
    const short = draft({ write: { 'docs/install.md': 'short\n' } });
    docs.script([short, draft({ write: { 'docs/install.md': 'long '.repeat(20) } }), review('approved')]);
    const done = await docs.pawl(...start);
    expect(done.code, done.stderr).toBe(0);
    expect(done.json).toMatchObject({ workflow: 'notes', phase: 'good', verdict: 'approved' });
    expect(docs.state('first', 'notes')?.snapshot.budgets['rounds']).toBe(1);
    expect((await docs.pawl('verify', 'notes')).code).toBe(0);
    expect((await docs.run(['show', file])).stdout).toContain('look');
  });

  test.concurrent.each<[string, string, string]>([
    ['does not parse', 'export default {\n  name: \n};\n', `${file}:3: `],
    ['has syntax that cannot be erased', "enum A { B }\nexport default { name: 'notes' };\n", `${file}:1: `],
    ['throws', "\nthrow new Error('not today');\n", `${file}:2: not today`],
    ['throws something else', 'throw null;\n', `${file}: null`],
    ['imports what is not there', "import './nothing.ts';\nexport default {};\n", `${file}: Cannot find module`],
    [
      'has no default export',
      'export const notes = {};\n',
      `${file}: there is no default export; expected export default defineWorkflow`,
    ],
    ['exports something else', 'export default 7;\n', `${file}: it holds no table; expected a workflow`],
    [
      'exports what is incomplete',
      "export default { name: 'notes', about: 'x', begin: 'a', states: { a: { rest: 'done' } } };\n",
      `${file}:1: the state a: it has none of them`,
    ],
    [
      'leads to a state that is not there',
      typescript.replace("long: 'review'", "long: 'reviev'"),
      `${file}:20: states.look.on.long: there is no state "reviev"; expected "review"`,
    ],
    [
      'spends a budget that is not there',
      typescript.replace("spend: 'rounds'", "spend: 'round'"),
      `${file}:20: states.look.on.short.0: there is no budget "round"; expected "rounds"`,
    ],
    [
      'has a gate with a step that is not there',
      typescript.replace(
        '  states: {',
        "  gates: { out: { of: 'page', guards: ['good'], passed_by: ['review.aproved'] } },\n  states: {",
      ),
      `${file}:15: gates.out.passed_by.0: there is no signal of review "aproved"; expected "approved"`,
    ],
  ])('one that %s is refused', async (_, text, message) => {
    const docs = DocsRepository.bare({ ...files, [file]: text });
    docs.script([]);
    const refused = await docs.pawl(...start);
    expect(refused.stderr).toContain(message);
    expect(refused.stderr).not.toContain('this should not happen');
    expect(refused.code).toBe(2);
    expect(docs.repository.exists('.pawl')).toBe(false);
  });

  test.concurrent('is code, which is not run in passing', async () => {
    const writes = "import { writeFileSync } from 'node:fs';\nwriteFileSync('ran.txt', 'x');\n";
    const docs = DocsRepository.bare({ ...files, [file]: `${writes}${typescript}` });
    for (const args of [['runs'], ['--help'], ['show'], ['change', 'list'], ['nots', 'start', 'x']])
      await docs.run(args);
    expect(docs.repository.exists('ran.txt')).toBe(false);
    await docs.run(['verify', 'notes']);
    expect(docs.repository.exists('ran.txt')).toBe(true);
  });

  const expected = 'expected { signal: { name } } with one of short, long';
  test.concurrent.each([
    ['names another signal', "{ signal: { name: 'odd' } }", 'returned {"signal":{"name":"odd"}}: signal.name is "odd"'],
    ['returns a word for a signal', "{ signal: 'short' }", 'returned {"signal":"short"}: signal is "short"'],
    ['returns nothing', 'undefined', 'returned missing: it is missing'],
    ['has a key that is not known', "{ signal: { name: 'short' }, note: [] }", 'note is not known'],
    [
      'throws',
      '{ signal: { name: (undefined as unknown as Found).word } }',
      'threw TypeError: Cannot read properties of undefined',
    ],
    ['throws a text', "(() => { throw 'no'; })()", 'threw "no"'],
  ])("a check that %s is reported as its author's, and is not followed", async (_, result, message) => {
    const found = "{ signal: { name: wordOf(files.read('docs/install.md')).word }, notes: ['looked at it'] }";
    const docs = DocsRepository.bare({ ...files, [file]: typescript.replace(`(${found})`, `(${result})`) });
    docs.script([draft()]);
    const failed = await docs.pawl(...start);
    expect(failed.stderr).toMatch(/workflows\/notes\.ts(?::18)?: states\.look\.check /);
    expect(failed.stderr).toContain(message);
    expect(failed.stderr).toContain(expected);
    expect(failed.stderr).not.toContain('internal error');
    expect(failed.code).toBe(2);
    expect(docs.state('first', 'notes')?.snapshot.state).toBe('look');
  });
});

describe('pawl new workflow', () => {
  test.concurrent.each([
    ['yaml', []],
    ['ts', ['--ts']],
  ])('%s: proven, played, and its own tests pass', async (language, flags) => {
    const docs = DocsRepository.bare({ 'package.json': '{ "type": "module" }\n', 'pawl.toml': '# ours\n' });
    const written = await docs.run(['new', 'workflow', 'notes-2', ...flags]);
    expect(written.code, written.stderr).toBe(0);
    expect(written.stdout).toContain(`workflows/notes-2.${language}`);
    expect(docs.repository.read('pawl.toml')).toBe(`workflows = ["workflows/notes-2.${language}"]\n\n# ours\n`);
    const verified = await docs.run(['verify', 'notes-2']);
    expect(verified.code, verified.stdout).toBe(0);
    mkdirSync(join(docs.repository.root, 'node_modules'));
    symlinkSync(root, join(docs.repository.root, 'node_modules/pawl'));
    const tested = await execute(process.execPath, ['--test', '--test-reporter=tap', 'workflows/notes-2.test.mjs'], {
      cwd: docs.repository.root,
      env: { PATH: process.env['PATH'] ?? '', HOME: docs.repository.home },
    }).catch((error: { stdout: string }) => ({ stdout: `failed\n${error.stdout}` }));
    expect(tested.stdout).toMatch(/^# pass 8$/m);
    expect(tested.stdout).toMatch(/^# fail 0$/m);
    const again = await docs.run(['new', 'workflow', 'notes-2', ...flags]);
    expect(again.code).toBe(2);
    expect(again.stderr).toContain(`the file workflows/notes-2.${language} already exists`);
  });

  test.concurrent('a name that cannot be one, an agent, and a list a person must mend', async () => {
    const list = 'workflows = [\n  # none yet\n]\n';
    const docs = DocsRepository.bare({ 'pawl.toml': list });
    for (const name of ['Notes', '../x', '2b', 'change', 'x'.repeat(33)]) {
      const refused = await docs.run(['new', 'workflow', name]);
      expect(refused.code, name).toBe(2);
    }
    expect((await docs.run(['new', 'workflow', 'notes'], { env: { PAWL_DISPATCH: 'x#1' } })).code).toBe(4);
    expect(docs.repository.exists('workflows')).toBe(false);
    const written = await docs.run(['new', 'workflow', 'notes']);
    expect(written.code, written.stderr).toBe(0);
    expect(written.stdout).toContain(
      'Add it to the list in pawl.toml yourself: workflows = [..., "workflows/notes.yaml"]',
    );
    expect(docs.repository.read('pawl.toml')).toBe(list);
  });
});
