import { describe, expect, test } from 'vitest';
import { tools } from './agent-files.ts';
import { initChanges, removeChanges, type Checkout, type FileChange, type Present } from './changes.ts';
import { besidePhases, phasedSurface } from './phased.fixture.ts';

const survey = { languages: [], packageManager: null, setup: null, checks: {}, schema: null };
const surfaces = besidePhases;
const configPath = 'pawl.toml';
const wish = { tools, surfaces, survey, agents: ['claude'], configPath };

type Files = Record<string, Present>;

function checkoutOf(files: Files): Checkout {
  return {
    look: (path) => files[path] ?? null,
    list: (folder) => Object.keys(files).filter((path) => path.startsWith(`${folder}/`)),
  };
}

function applied(files: Files, changes: readonly FileChange[]): Files {
  const left = { ...files };
  for (const { path, action, after } of changes) {
    if (action === 'remove') delete left[path];
    else if (action !== 'keep' && action !== 'none') left[path] = after;
  }
  return left;
}

function textIn(files: Files, path: string): string {
  const text = files[path];
  return typeof text === 'string' ? text : '';
}

const fresh = applied({}, initChanges(checkoutOf({}), wish));
const actionsOf = (changes: readonly FileChange[]) =>
  Object.fromEntries(changes.filter(({ action }) => action !== 'none').map(({ path, action }) => [path, action]));

test('I1: the same wish on its own result changes nothing', () => {
  expect(Object.keys(fresh).length).toBeGreaterThan(50);
  expect(actionsOf(initChanges(checkoutOf(fresh), wish))).toEqual({});
});

test('no file that people write their instructions into is among them, and none outside of the repository', () => {
  expect(
    Object.keys(fresh).filter((path) => /AGENTS|CLAUDE|GEMINI|copilot-instructions|^[/~]|\.\./.test(path)),
  ).toEqual([]);
});

test('everything that was written can be removed, and nothing else is', () => {
  const mine = { 'README.md': 'mine', '.claude/commands/mine.md': 'mine', '.claude/settings.json': '{\n  "a": 1\n}\n' };
  const files = applied(mine, initChanges(checkoutOf(mine), wish));
  expect(applied(files, removeChanges(checkoutOf(files), { tools, configPath }))).toEqual(mine);
});

test('only the files of the tools that are named are removed', () => {
  const left = applied(fresh, removeChanges(checkoutOf(fresh), { tools: ['gemini'], configPath: null }));
  expect(Object.keys(fresh).filter((path) => !(path in left))).toEqual(
    Object.keys(fresh).filter((path) => path.startsWith('.gemini/')),
  );
});

describe('I2, I3: files that are there already', () => {
  const skill = '.claude/skills/pawl-change/SKILL.md';
  const command = '.claude/commands/specify.md';
  const given: Files = {
    ...fresh,
    [skill]: textIn(fresh, skill).replace('Run its commands', 'Run my commands'),
    [command]: 'a command of my own',
    '.gemini/commands/specify.toml': { why: 'it is a symlink' },
    '.github/skills/specify/SKILL.md': `${textIn(fresh, '.github/skills/specify/SKILL.md')}\nMine.\n`,
    '.claude/settings.json': 'not JSON',
    [configPath]: 'retry_delay_secs = 1\n',
  };

  test('are kept by init, each with the reason', () => {
    const kept = initChanges(checkoutOf(given), wish).filter(({ action }) => action !== 'none');
    expect(kept.map(({ path, action, why }) => [path, action, why])).toEqual([
      [skill, 'keep', 'it was edited; remove it to get a new one'],
      [command, 'keep', 'Pawl did not write it'],
      ['.gemini/commands/specify.toml', 'keep', 'it is a symlink'],
      ['.claude/settings.json', 'keep', 'it is not a JSON object'],
    ]);
  });

  test('are kept by --remove, and told where Pawl wrote a part of them', () => {
    const changes = removeChanges(checkoutOf(given), { tools, configPath });
    const left = applied(given, changes);
    for (const path of [skill, command, configPath, '.claude/settings.json']) expect(left[path]).toBe(given[path]);
    expect(changes.filter(({ action }) => action === 'keep').map(({ path }) => path)).toEqual([
      skill,
      '.github/skills/specify/SKILL.md',
      '.claude/settings.json',
    ]);
  });
});

test('what is no longer wanted goes, as far as nobody edited it', () => {
  const [change] = besidePhases;
  const edited = '.agents/skills/specify/SKILL.md';
  const files = { ...fresh, [edited]: textIn(fresh, edited).replace('Run', 'Walk') };
  const changes = initChanges(checkoutOf(files), { ...wish, surfaces: change ? [change] : [] });
  const actions = actionsOf(changes);
  expect(actions['.claude/commands/specify.md']).toBe('remove');
  expect(actions['.agents/skills/pawl-session/SKILL.md']).toBe('remove');
  expect(actions[edited]).toBe('keep');
  expect(Object.keys(actions).filter((path) => path.includes(`pawl-${change?.name}`))).toEqual([]);
});

test('a text of an earlier version is updated, with what the user wrote below it', () => {
  const path = '.claude/commands/specify.md';
  const verbs = phasedSurface.verbs.map((verb) =>
    verb.verb === 'brainstorm' ? { ...verb, about: 'Something else' } : verb,
  );
  const earlier = { ...phasedSurface, verbs };
  const before = applied({}, initChanges(checkoutOf({}), { ...wish, surfaces: [earlier] }));
  const first = '.claude/commands/brainstorm.md';
  const files = { ...before, [first]: `${textIn(before, first)}Mine.\n` };
  const changes = initChanges(checkoutOf(files), { ...wish, surfaces: [phasedSurface] });
  const found = changes.find((each) => each.path === first);
  expect(found).toMatchObject({ action: 'update', after: `${textIn(fresh, first)}Mine.\n` });
  expect(actionsOf(changes)[path]).toBeUndefined();
});
