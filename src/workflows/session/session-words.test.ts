import { expect, test } from 'vitest';
import { globProblem, pathMatcher } from '../../workspace/globs.ts';
import { session } from './session.ts';
import { mayWrite, roles, type Role } from './session-words.ts';

test('roles that judge or write documents only write no files [session/roles/no-writes]', () => {
  const silent = roles.filter((role) => mayWrite[role] === undefined);
  expect(silent).toEqual(['SpecAgent', 'Researcher', 'Architect', 'Designer', 'Planner', 'Reviewer', 'Security']);
  for (const role of silent) expect(session.roles[role]).toMatchObject({ mayWrite: [] });
});

test('the runtime is told the bounds, and who judges [session/roles/bounds-enforced]', () => {
  expect(session.roles['QA']).toMatchObject({ mayWrite: mayWrite['QA'], judges: true });
  expect(session.roles['Reviewer']).toMatchObject({ judges: true });
  expect(session.roles['Coder']).not.toHaveProperty('judges');
  expect(session.watchedFolder?.('2026-05-01_csv-export')).toBe('.agents-work/2026-05-01_csv-export');
});

test('every glob means something inside a repository', () => {
  const globs = Object.values(mayWrite).flat();
  expect(globs.filter((glob) => globProblem(glob) !== null)).toEqual([]);
});

/** path: roles that may write it. */
const bounds: Readonly<Record<string, readonly Role[]>> = {
  'src/csv.ts': ['Coder'],
  'src/attest.ts': ['Coder'],
  'src/latest.config/a.ts': ['Coder'],
  'lib/contest/a.py': ['Coder'],
  'test/csv.test.ts': ['Coder', 'QA'],
  'src/csv.test.ts': ['Coder', 'QA'],
  'src/csv_test.go': ['Coder', 'QA'],
  'tests/test_csv.py': ['Coder', 'QA'],
  'pkg/test_csv.py': ['Coder', 'QA'],
  'src/__tests__/csv.js': ['Coder', 'QA'],
  'spec/csv_spec.rb': ['Coder', 'QA'],
  'e2e/fixtures/a.csv': ['Coder', 'QA'],
  'package.json': ['Coder', 'Integrator'],
  'packages/a/package.json': ['Coder', 'Integrator'],
  'pnpm-lock.yaml': ['Coder', 'Integrator'],
  '.github/workflows/ci.yml': ['Coder', 'Integrator'],
  Dockerfile: ['Coder', 'Integrator'],
  Makefile: ['Coder', 'Integrator'],
  'vite.config.ts': ['Coder', 'Integrator'],
  'scripts/build.mjs': ['Coder', 'Integrator'],
  '.gitignore': ['Coder', 'Integrator'],
  'README.md': ['Coder', 'Integrator', 'Docs'],
  'CHANGELOG.md': ['Coder', 'Integrator', 'Docs'],
  'docs/guide.md': ['Coder', 'Docs'],
  'packages/a/README.md': ['Coder', 'Integrator', 'Docs'],
  'src/docs.ts': ['Coder'],
  '.agents-work/2026-05-01_csv-export/status.json': [],
  '.agents-work/2026-05-01_csv-export/tests/a.test.ts': [],
  '.agents-work/2026-05-01_csv-export/README.md': [],
};

test.each(Object.entries(bounds))(
  '%s: %j [session/roles/coder] [session/roles/qa] [session/roles/integrator] [session/roles/docs]',
  (path, allowed) => {
    const writers = roles.filter((role) => mayWrite[role] && pathMatcher(mayWrite[role])(path));
    expect(writers).toEqual(roles.filter((role) => allowed.includes(role)));
  },
);
