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
      for (const path of [paths.changeFolder, paths.proposalPath, paths.mainSpecPath, paths.archiveFolder]) {
        expect(() => path(id)).toThrow('is not an id');
      }
      expect(() => paths.specPath('ok', id)).toThrow('is not an id');
    },
  );
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
  expect(paths.specIdOf('agentd/specs/old/auth.md', folder)).toBeUndefined();
  expect(paths.specIdOf('agentd/specs/auth.txt', folder)).toBeUndefined();
});
