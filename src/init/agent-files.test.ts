import { describe, expect, test } from 'vitest';
import { commands } from '../cli/command-table.ts';
import { splitFrontMatter } from '../documents/front-matter.ts';
import { parseToml } from '../documents/toml.ts';
import { parseYaml } from '../documents/yaml.ts';
import { bundled } from '../workflows/bundled.ts';
import { agentFiles, placesOf, tools, type AgentFile } from './agent-files.ts';
import { ownership } from './marked-text.ts';
import { besidePhases } from './phased.fixture.ts';

const surfaces = besidePhases;
const loadedTokensMax = 300;
const charsPerToken = 4;

function fieldsOf({ path, content }: AgentFile): Readonly<Record<string, unknown>> {
  if (path.endsWith('.toml')) return parseToml(content, path);
  const yaml = path.endsWith('.md') ? splitFrontMatter(content).front : content;
  return parseYaml(yaml ?? '', { file: path, line: 1 }) as never;
}

describe.each(tools)('%s', (tool) => {
  const files = agentFiles(tool, surfaces);

  test.each([
    ['of the bundled workflows', bundled],
    ['of one with long descriptions', surfaces],
  ])('loads at most 300 tokens whether anything is used or not: %s', (_, given) => {
    const chars = agentFiles(tool, given).reduce((sum, { loaded }) => sum + loaded.length + 1, 0);
    expect(chars / charsPerToken).toBeLessThanOrEqual(loadedTokensMax);
  });

  test('has no two files of one name for the bundled workflows', () => {
    const paths = agentFiles(tool, bundled).map(({ path }) => path);
    expect(new Set(paths).size).toBe(paths.length);
  });

  test('gets a skill or command for each workflow, and a command for each phase', () => {
    const names = files.map(({ path }) =>
      path.replace(/\/(?:SKILL\.md|agents\/openai\.yaml)$/, '').replace(/^.*\//, ''),
    );
    const wanted = [...surfaces.map(({ name }) => `pawl-${name}`), 'specify', 'create-plan', 'finish'];
    for (const name of wanted) expect(names.filter((each) => each.startsWith(name)).length, name).toBeGreaterThan(0);
    expect(new Set(files.map(({ path }) => path)).size).toBe(files.length);
  });

  test('gets files that are found again, and belong to Pawl', () => {
    const isKnown = (path: string): boolean =>
      placesOf[tool].some(
        ({ folder, pattern }) => path.startsWith(`${folder}/`) && pattern.test(path.slice(folder.length + 1)),
      );
    expect(files.filter(({ path }) => !isKnown(path))).toEqual([]);
    for (const { content } of files) expect(ownership(content)).toBe('ours');
  });

  test('gets fields in the format of skills', () => {
    for (const file of files.filter(({ path }) => path.endsWith('SKILL.md'))) {
      const { name, description } = fieldsOf(file);
      expect(name).toMatch(/^[a-z][a-z0-9-]{0,63}$/);
      expect(file.path.split('/').at(-2)).toBe(name);
      expect(String(description).length).toBeLessThanOrEqual(1024);
      expect(file.content.split('\n').length).toBeLessThan(500);
    }
    for (const file of files.filter(({ loaded }) => loaded !== '')) expect(fieldsOf(file)['description']).toMatch(/\S/);
  });

  test('calls commands that exist, as a program does, and never answers', () => {
    const known = commands('pawl', surfaces).map(({ spec }) => spec.name);
    for (const { content, loaded } of files) {
      if (loaded === '') continue;
      const called = [...content.matchAll(/`(pawl [a-z-]+ [a-z-]+)(?= |`)/g)].map(([, command]) => command);
      expect(called.filter((command) => !known.includes(command ?? ''))).toEqual([]);
      expect(content).toContain('--json --no-input');
      expect(content).toContain('`pawl answer <run> <decision> <answer>`');
      expect(content).toContain('Never answer, approve or confirm anything yourself');
    }
  });
});

describe('what an agent may do without asking', () => {
  const files = agentFiles('claude', surfaces);
  const allowed = (path: string): unknown => {
    const file = files.find((each) => each.path === path);
    return file && fieldsOf(file)['allowed-tools'];
  };

  test('a skill only looks', () => {
    expect(allowed('.claude/skills/pawl-change/SKILL.md')).toBe(
      'Bash(pawl change status:*), Bash(pawl change list:*), Bash(pawl runs:*)',
    );
    expect(String(allowed('.claude/skills/pawl-issue/SKILL.md'))).not.toMatch(/issue (?:run|new)/);
  });

  test('a command runs what the person called, and looks', () => {
    expect(allowed('.claude/commands/specify.md')).toBe('Bash(pawl poll specify:*), Bash(pawl poll status:*)');
  });

  test('nothing lets an agent answer, write or trust', () => {
    for (const { path } of files) expect(String(allowed(path))).not.toMatch(/answer|trust|Write|Edit|\(\*|pawl:/);
    for (const tool of tools.filter((each) => each !== 'claude'))
      for (const { content } of agentFiles(tool, surfaces)) expect(content).not.toContain('allowed-tools');
  });
});

test('what only people call is kept from the model where the agent can be told so', () => {
  const specify = (tool: (typeof tools)[number], path: string) =>
    agentFiles(tool, surfaces)
      .filter((file) => file.path === path)
      .map(fieldsOf);
  expect(specify('claude', '.claude/commands/specify.md')).toMatchObject([
    { 'disable-model-invocation': true, 'argument-hint': '[<poll>]' },
  ]);
  expect(specify('copilot', '.github/skills/specify/SKILL.md')).toMatchObject([{ 'disable-model-invocation': true }]);
  expect(specify('codex', '.agents/skills/specify/agents/openai.yaml')).toEqual([
    { policy: { allow_implicit_invocation: false } },
  ]);
});

test.each([
  ['claude', '.claude/commands/specify.md', '`pawl poll specify $ARGUMENTS --json --no-input`'],
  ['opencode', '.opencode/commands/specify.md', '`pawl poll specify $ARGUMENTS --json --no-input`'],
  ['gemini', '.gemini/commands/specify.toml', '`pawl poll specify {{args}} --json --no-input`'],
  ['codex', '.agents/skills/specify/SKILL.md', '`pawl poll specify <arguments> --json --no-input`'],
  ['copilot', '.github/skills/specify/SKILL.md', '`pawl poll specify <arguments> --json --no-input`'],
] as const)('a command of %s passes on what the person wrote', (tool, path, call) => {
  expect(agentFiles(tool, surfaces).find((file) => file.path === path)?.content).toContain(call);
});
