import { describe, expect, test } from 'vitest';
import { parse } from 'smol-toml';
import { parse as parseYaml } from 'yaml';
import { newWorkflow, withWorkflow } from './new-workflow.ts';

const file = 'workflows/notes.yaml';

describe('one more workflow in pawl.toml', () => {
  test.each<[string, string | undefined, string]>([
    ['no file', undefined, `workflows = ["${file}"]\n`],
    ['an empty file', '', `workflows = ["${file}"]\n`],
    ['blank lines', '\n \n', `workflows = ["${file}"]\n`],
    ['an empty list', 'workflows = []\n', `workflows = ["${file}"]\n`],
    ['an empty list with a space', 'workflows = [ ]\n', `workflows = ["${file}"]\n`],
    ['one entry', 'workflows = ["a.yaml"]\n', `workflows = ["a.yaml", "${file}"]\n`],
    ['no spaces', 'workflows=["a.yaml"]\n', `workflows=["a.yaml", "${file}"]\n`],
    ['single quotes', "workflows = ['a.yaml']\n", `workflows = ['a.yaml', "${file}"]\n`],
    ['a trailing comma', 'workflows = ["a.yaml",]\n', `workflows = ["a.yaml", "${file}"]\n`],
    ['a comment behind it', 'workflows = ["a.yaml"] # mine\n', `workflows = ["a.yaml", "${file}"] # mine\n`],
    [
      'several lines',
      'workflows = [\n  "a.yaml",\n  "b.ts"\n]\n',
      `workflows = [\n  "a.yaml",\n  "b.ts",\n  "${file}"\n]\n`,
    ],
    [
      'several lines with a trailing comma',
      'workflows = [\n\t"a.yaml",\n\t"b.ts",\n]\n',
      `workflows = [\n\t"a.yaml",\n\t"b.ts",\n\t"${file}",\n]\n`,
    ],
    ['an empty list of several lines', 'workflows = [\n]\n', `workflows = ["${file}"]\n`],
    ['no list', '[roles]\nwriter = "codex"\n', `workflows = ["${file}"]\n\n[roles]\nwriter = "codex"\n`],
    ['only comments', '# of ours\n', `workflows = ["${file}"]\n\n# of ours\n`],
    ['a list in a comment', '# workflows = ["x"]\n', `workflows = ["${file}"]\n\n# workflows = ["x"]\n`],
    [
      'settings around it',
      'notify = "bell"\nworkflows = ["a.yaml"]\n\n[limits.a]\nrounds = 1 # few\n',
      `notify = "bell"\nworkflows = ["a.yaml", "${file}"]\n\n[limits.a]\nrounds = 1 # few\n`,
    ],
    ['carriage returns', 'workflows = ["a.yaml"]\r\n[roles]\r\n', `workflows = ["a.yaml", "${file}"]\r\n[roles]\r\n`],
    ['a byte order mark', '\uFEFF[roles]\n', `\uFEFFworkflows = ["${file}"]\n\n[roles]\n`],
  ])('%s', (_, before, after) => {
    const result = withWorkflow(before, file) ?? '';
    expect(result).toBe(after);
    const { workflows: had = [], ...others } = parse((before ?? '').replace('\uFEFF', ''));
    expect(parse(result.replace('\uFEFF', ''))).toEqual({ ...others, workflows: [...(had as string[]), file] });
  });

  test.each([
    ['a comment in the list', 'workflows = [\n  "a.yaml", # the first\n]\n'],
    ['a bracket in a name', 'workflows = ["a].yaml"]\n'],
    ['a quoted key', '"workflows" = ["a.yaml"]\n'],
    ['a list of another table', '[mine]\nworkflows = ["a.yaml"]\n'],
    ['a table of that name', '[workflows]\na = 1\n'],
    ['a text of several lines', 'notify = """\nworkflows = ["x"]\n"""\n'],
  ])('%s is left to a person', (_, before) => {
    expect(withWorkflow(before, file)).toBe(undefined);
  });

  test('an entry that is there already stays the only one', () => {
    const before = `workflows = ["${file}"] # mine\n`;
    expect(withWorkflow(before, file)).toBe(before);
  });
});

describe('the files', () => {
  test.each(['yaml', 'ts'] as const)('all of them are about the new name: %s', (language) => {
    const files = newWorkflow('notes', language);
    expect(files.map(({ path }) => path)).toEqual([
      `workflows/notes.${language}`,
      'workflows/prompts/notes-write.md',
      'workflows/prompts/notes-review.md',
      'workflows/notes.rehearsal.yaml',
      'workflows/notes.test.mjs',
    ]);
    for (const { path, content } of files) {
      expect(content, path).not.toMatch(/NAME|FILE/);
      expect(content.endsWith('\n'), path).toBe(true);
    }
    expect(files.at(-1)?.content).toContain(`workflows/notes.${language}`);
  });

  test('the definition in YAML and its rehearsal are read as what they are', () => {
    const [definition, , , rehearsal] = newWorkflow('notes', 'yaml');
    expect(parseYaml(definition?.content ?? '')).toMatchObject({ name: 'notes', begin: 'write' });
    expect(parseYaml(rehearsal?.content ?? '')).toHaveLength(4);
  });
});
