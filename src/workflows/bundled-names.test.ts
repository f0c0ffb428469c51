import { expect, test } from 'vitest';
import { bundledNames } from '../cli/workflows.ts';
import { bundledRoles } from './bundled-names.ts';
import { change } from './change/change.ts';
import { session } from './session/session.ts';

test('names every bundled workflow and all of its roles', () => {
  const roles = [change, session].map(({ name, roles: byName }) => [name, Object.keys(byName)] as const);
  expect(bundledRoles).toEqual(Object.fromEntries(roles));
  expect(Object.keys(bundledRoles)).toEqual(bundledNames);
});
