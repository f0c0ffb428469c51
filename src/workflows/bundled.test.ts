import { expect, test } from 'vitest';
import { bundled } from './bundled.ts';

test.each(bundled)('the surface of $name matches its workflow', async (surface) => {
  const { name, roles, machine } = await surface.load();
  expect(surface.name).toBe(name);
  expect([...surface.roles].toSorted()).toEqual(Object.keys(roles).toSorted());
  const delivered = surface.verbs.flatMap((verb) => (verb.does === 'work' ? verb.delivers : []));
  expect(delivered.filter((command) => !machine.commands.includes(command))).toEqual([]);
});

test('every command of a machine is delivered by a verb of its workflow, or by one of Pawl itself', async () => {
  const own = ['retry', 'undo'];
  for (const surface of bundled) {
    const { machine } = await surface.load();
    const delivered = surface.verbs.flatMap((verb) => (verb.does === 'work' ? verb.delivers : []));
    expect(machine.commands.filter((command) => ![...delivered, ...own].includes(command))).toEqual([]);
  }
});

test('no two workflows share a name, a verb path or a program', () => {
  const names = bundled.flatMap(({ name, program }) => [name, ...(program ? [program.name] : [])]);
  expect(new Set(names).size).toBe(names.length);
});
