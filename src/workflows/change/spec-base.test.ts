import { expect, test } from 'vitest';
import { baseSpecPath, mainSpecPath, specPath } from './change-paths.ts';
import { plannedChange } from './change.fixture.ts';
import { baseWrites } from './spec-base.ts';

const id = 'add-login';
const [base, main, spec] = [baseSpecPath(id, 'tokens'), mainSpecPath('tokens'), specPath(id, 'tokens')];

test('[trial 2 A9] a base stays, also when the spec is written again', () => {
  const change = plannedChange({ [base]: '# Then\n', [main]: '# Now\n' });
  // The first one is written where there was none.
  expect(change.read(base)).toBe('# Now\n');
  change.files.set(main, '# Later\n');
  change.callExample('create_spec');
  expect(change.read(base)).toBe('# Now\n');
  expect(baseWrites(change.context({ step: 'validate' })).map(({ path }) => path)).not.toContain(base);
});

test('[trial 2 A9] a spec that is written from nothing has a base of its own', () => {
  const change = plannedChange({ [base]: '# Then\n', [main]: '# Now\n' });
  change.files.delete(spec);
  change.files.set(main, '# Later\n');
  change.callExample('create_spec');
  expect(change.read(base)).toBe('# Later\n');
});
