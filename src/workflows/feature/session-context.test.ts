import { describe, expect, test } from 'vitest';
import { fileView } from './feature-files.fixture.ts';
import { sessionContext } from './session-context.ts';

interface Given {
  readonly ms?: number;
  readonly meta: object | string;
}

const main = '/home/ada/repo';

function contextOf(features: Readonly<Record<string, Given>>, cwd = main): string | null {
  const path = (name: string): string => `docs/features/${name}/.meta.json`;
  const texts = Object.entries(features).map(([name, { meta }]) => [
    path(name),
    typeof meta === 'string' ? meta : JSON.stringify(meta),
  ]);
  const times = new Map(Object.entries(features).map(([name, { ms }]) => [path(name), ms]));
  return sessionContext({
    files: fileView(Object.fromEntries(texts)),
    main,
    cwd,
    modifiedMs: (file) => times.get(file),
  });
}

describe('[feature/hook/context] the context', () => {
  test('has id, mode, current phase and next command', () => {
    expect(contextOf({ '001-short-slugs': { meta: { mode: 'full', currentPhase: 'design' } } })).toBe(
      'Feature 001-short-slugs (full): design done; next: pawl feature create-plan 001-short-slugs',
    );
    expect(contextOf({ '001-a': { meta: { mode: 'quick' } } })).toBe(
      'Feature 001-a (quick): created; next: pawl feature specify 001-a',
    );
    expect(contextOf({ '001-a': { meta: { mode: 'hotfix', currentPhase: 'implement' } } })).toContain(
      'next: pawl feature finish 001-a',
    );
  });

  test('is of the active feature that was touched last', () => {
    const active = { status: 'active' };
    const features = {
      '001-a': { ms: 1, meta: active },
      '002-b': { ms: 3, meta: active },
      '003-c': { ms: 9, meta: { status: 'completed' } },
      '004-d': { ms: 8, meta: { status: 'abandoned' } },
      '005-e': { ms: 7, meta: '{ broken' },
      '006-f': { meta: active },
      'no-number': { ms: 9, meta: active },
    };
    expect(contextOf(features)).toMatch(/^Feature 002-b /);
  });

  test('is nothing where no feature is active', () => {
    expect(contextOf({})).toBeNull();
    expect(contextOf({ '001-a': { meta: { status: 'completed' } }, '002-b': { meta: '[]' } })).toBeNull();
  });
});

describe('[feature/hook/worktree] the warning', () => {
  const features = { '001-a': { meta: { worktree: '../repo-001-a' } } };
  test.each([
    ['in the main work tree', main, true],
    ['in a folder with a longer name', '/home/ada/repo-001-a-old', true],
    ['in the worktree', '/home/ada/repo-001-a', false],
    ['in a folder of the worktree', '/home/ada/repo-001-a/src/x', false],
  ])('%s', (_, cwd, warned) => {
    expect(contextOf(features, cwd)?.includes('Warning: this folder is not the worktree')).toBe(warned);
  });

  test('there is none for a feature without a worktree, or with one that leads elsewhere', () => {
    for (const worktree of [null, '/etc', '../../x'])
      expect(contextOf({ '001-a': { meta: { worktree } } })).not.toContain('Warning');
  });
});
