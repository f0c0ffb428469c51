import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { nodeProblem } from './start.ts';

test('an older Node is refused with one line', () => {
  expect(nodeProblem('18.20.4')).toBe('Pawl needs Node 20.19 or newer; this is 18.20.4');
  expect(nodeProblem('20.18.3')).not.toBeNull();
  expect([nodeProblem('20.19.0'), nodeProblem('22.1.0'), nodeProblem(process.versions.node)]).toEqual([
    null,
    null,
    null,
  ]);
});

test('it is the version that the package asks for', () => {
  const { engines } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
  expect(engines.node).toBe('>=20.19');
});
