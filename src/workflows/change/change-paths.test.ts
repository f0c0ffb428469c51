import { describe, expect, test } from 'vitest';
import * as paths from './change-paths.ts';

describe('[change/ids/refused-before-any-path] ids', () => {
  test.each(['a', '0', 'add-login', 'a'.repeat(64), '1-2-3'])('%s is one', (id) => {
    expect(paths.isId(id)).toBe(true);
    expect(paths.changeFolder(id)).toBe(`agentd/changes/${id}`);
  });

  test.each(['', '-a', 'A', 'a b', 'a/b', '..', '../x', 'a.b', 'a_b', 'ä', 'a\n', 'a'.repeat(65)])(
    '%j is none',
    (id) => {
      expect(paths.isId(id)).toBe(false);
      for (const path of [paths.changeFolder, paths.proposalPath, paths.archiveFolder]) {
        expect(() => path(id)).toThrow('is not an id');
      }
      expect(() => paths.specPath(id, 'ok')).toThrow('is not an id');
    },
  );
});

describe('[D5b] names of specs', () => {
  test.each([
    'auth',
    'advanced_query',
    'API',
    'api/v1.2/Auth',
    'internal_',
    'user guide',
    'größe',
    'review',
    'a/CHANGELOG',
  ])('%s is one', (name) => {
    expect(paths.isSpecName(name)).toBe(true);
    expect(paths.mainSpecPath(name)).toBe(`agentd/specs/${name}.md`);
    expect(paths.specIdOf(`agentd/specs/${name}.md`, 'agentd/specs')).toBe(name);
  });

  test.each(['', '..', '../x', 'a/../b', '/a', 'a//b', 'a/', '.a', '-a', 'a\\b', 'a\n', 'a\0', 'a.', 'a ', 'a:b'])(
    '%j is none',
    (name) => {
      for (const path of [paths.specPath, paths.mergedSpecPath, paths.baseSpecPath])
        expect(() => path('ok', name)).toThrow('names no spec');
      expect(() => paths.mainSpecPath(name)).toThrow('names no spec');
    },
  );

  test.each(['CHANGELOG', 'changelog', 'REVIEW'])('%s is the name of another file', (name) => {
    expect(paths.isSpecName(name)).toBe(false);
  });
});

test('[change/folder/layout] everything is where the spec puts it', () => {
  const id = 'add-login';
  expect([
    paths.olderConfigPath,
    paths.projectPath,
    paths.changelogPath,
    paths.statePath(id),
    paths.clarificationsPath(id),
    paths.proposalPath(id),
    paths.specPath(id, 'auth'),
    paths.tasksPath(id),
    paths.reviewPath(id),
    paths.archiveFolder(`${id}-2`),
    paths.mainSpecPath('auth'),
  ]).toEqual([
    'agentd/config.toml',
    'agentd/project.md',
    'agentd/specs/CHANGELOG.md',
    'agentd/changes/add-login/STATE.yaml',
    'agentd/changes/add-login/clarifications.md',
    'agentd/changes/add-login/proposal.md',
    'agentd/changes/add-login/specs/auth.md',
    'agentd/changes/add-login/tasks.md',
    'agentd/changes/add-login/REVIEW.md',
    'agentd/archive/add-login-2',
    'agentd/specs/auth.md',
  ]);
});

test('only spec files are specs', () => {
  const folder = paths.mainSpecsFolder;
  expect(paths.specIdOf('agentd/specs/auth.md', folder)).toBe('auth');
  expect(paths.specIdOf(paths.changelogPath, folder)).toBeUndefined();
  expect(paths.specIdOf('agentd/specs/old/auth.md', folder)).toBe('old/auth');
  expect(paths.specIdOf('agentd/specs/auth.txt', folder)).toBeUndefined();
});
