import { expect, test } from 'vitest';
import { parseToml } from '../documents/toml.ts';
import { bundled } from '../workflows/bundled.ts';
import type { FileView } from '../workflows/workflow.ts';
import { configText } from './config-text.ts';
import { surveyProject } from './project-survey.ts';

function filesOf(texts: Readonly<Record<string, string>>): FileView {
  return {
    read: (path) => texts[path],
    exists: (path) => path in texts,
    list: () => Object.keys(texts).toSorted(),
  };
}

const typescript = filesOf({
  'package.json': '{"scripts": {"test": "vitest run", "lint": "oxlint"}}',
  'pnpm-lock.yaml': '',
  'tsconfig.json': '{}',
});

test('the survey tells languages, package manager, how to set up, and checks', () => {
  expect(surveyProject(typescript)).toEqual({
    languages: ['TypeScript'],
    packageManager: 'pnpm',
    setup: ['pnpm', 'install', '--frozen-lockfile'],
    checks: { test: ['npm', 'test'], lint: ['npm', 'run', 'lint'] },
    schema: null,
  });
  expect(surveyProject(filesOf({ 'Cargo.toml': '', 'Cargo.lock': '', 'go.mod': '' }))).toMatchObject({
    languages: ['Rust', 'Go'],
    packageManager: 'cargo',
    checks: { test: ['cargo', 'test'], typecheck: ['cargo', 'check'] },
  });
  expect(surveyProject(filesOf({}))).toEqual({
    languages: [],
    packageManager: null,
    setup: null,
    checks: {},
    schema: null,
  });
});

test('the schema is named where the project has Pawl installed', () => {
  const path = 'node_modules/pawl/schemas/pawl.schema.json';
  const text = configText(surveyProject(filesOf({ [path]: '{}' })), bundled, []);
  expect(text.split('\n')[1]).toBe(`#:schema ./${path}`);
  expect(configText(surveyProject(typescript), bundled, [])).not.toContain('#:schema');
});

test('the configuration changes nothing until somebody removes a mark', () => {
  expect(parseToml(configText(surveyProject(typescript), bundled, []), 'pawl.toml')).toEqual({});
});

test.each([
  ['a project with everything', typescript, ['gemini', 'claude']],
  ['an empty one', filesOf({}), []],
])('every key in it exists, with a value that is right: %s', async (_, files, agents) => {
  const text = configText(surveyProject(files), bundled, agents);
  const uncommented = text.replaceAll(/^# (\[\w+\]|\w+ = .*)$/gm, '$1');
  const config = parseToml(uncommented, 'pawl.toml');
  expect(Object.keys(config)).toEqual(['sandbox', 'fallback', 'notify', 'roles', 'checks', 'budget', 'worktree']);
  for (const surface of bundled) {
    const workflow = await surface.load();
    const { warnings } = workflow.settings({ read: (path) => (path === 'pawl.toml' ? uncommented : undefined) });
    expect(warnings, surface.name).toEqual([]);
  }
});
