import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readTasks, type Task } from '../../documents/tasks.ts';
import { dependencyOrder } from '../../documents/dependency-order.ts';
import { orderSpecs, taskGroups } from './read-documents.ts';

const node = (id: string, ...depends: string[]): { id: string; depends: string[] } => ({ id, depends });

describe('orderSpecs', () => {
  test('stays as listed, dependencies first', () => {
    expect(orderSpecs([node('c', 'a'), node('b'), node('a')])).toEqual({ ok: ['a', 'c', 'b'] });
  });

  test('names every unknown dependency', () => {
    expect(orderSpecs([node('a', 'x', 'b'), node('b', 'y')])).toEqual({
      unknown: [
        { spec: 'a', dependency: 'x' },
        { spec: 'b', dependency: 'y' },
      ],
    });
  });

  test('names a cycle in full, without what leads to it', () => {
    expect(orderSpecs([node('start', 'a'), node('a', 'b'), node('b', 'c'), node('c', 'a')])).toEqual({
      cycle: ['a', 'b', 'c', 'a'],
    });
    expect(orderSpecs([node('a', 'a')])).toEqual({ cycle: ['a', 'a'] });
  });

  test('a chain of 100,000 is no problem', () => {
    const chain = Array.from({ length: 100_000 }, (_, index) =>
      node(`${index}`, ...(index < 99_999 ? [`${index + 1}`] : [])),
    );
    expect(orderSpecs(chain)).toMatchObject({ ok: { length: 100_000, 0: '99999' } });
  });

  test('every order respects every dependency; every cycle is one', () => {
    const graph = fc
      .integer({ min: 2, max: 8 })
      .chain((size) =>
        fc.tuple(
          ...Array.from({ length: size + 1 }, (_, id) =>
            fc
              .subarray([...Array(size + 1).keys()].map(String), { maxLength: 3 })
              .map((depends) => node(String(id), ...depends)),
          ),
        ),
      );
    fc.assert(
      fc.property(graph, (nodes) => {
        const order = dependencyOrder(nodes);
        const dependsOn = (a: string, b: string): boolean =>
          nodes.find(({ id }) => id === a)?.depends.includes(b) ?? false;
        if ('ok' in order) {
          expect(order.ok.toSorted()).toEqual(nodes.map(({ id }) => id).toSorted());
          for (const { id, depends } of nodes)
            for (const other of depends) expect(order.ok.indexOf(other)).toBeLessThan(order.ok.indexOf(id));
        } else {
          expect(order.cycle.at(-1)).toBe(order.cycle[0]);
          for (const [index, id] of order.cycle.slice(0, -1).entries())
            expect(dependsOn(id, order.cycle[index + 1] ?? '')).toBe(true);
        }
      }),
    );
  });
});

describe('taskGroups', () => {
  const tasks: readonly Task[] = readTasks(
    `## Testing
- [ ] 4.1 test
  Spec: login:R1
## Data
- [ ] 1.1 session
  Spec: session:R1
- [x] 1.2 done
  Spec: login:R1
- [ ] 1.3 after
  Spec: login:R2
  Depends: 1.4, 1.2
- [ ] 1.4 before
  Spec: login
## Logic
- [ ] 2.1 nothing
- [ ] 2.2 unknown
  Spec: elsewhere:R1
## Odd
- [ ] 9.1 odd
  Spec: login:R1
`,
    { file: 'tasks.md', changeId: 'x' },
  ).tasks;

  test('[change/implement/spec-groups] one group per spec, in the order of the specs, the rest last', () => {
    expect(taskGroups(tasks, ['login', 'session', 'empty'], true)).toEqual([
      { id: 'login', tasks: ['1.4', '1.3', '4.1', '9.1'] },
      { id: 'session', tasks: ['1.1'] },
      { id: 'other', tasks: ['2.1', '2.2'] },
    ]);
  });

  test('one group for all', () => {
    expect(taskGroups(tasks, ['login', 'session'], false)).toEqual([
      { id: 'all', tasks: ['1.1', '1.4', '1.3', '2.1', '2.2', '4.1', '9.1'] },
    ]);
  });

  test('limited to some tasks; nothing left is no group', () => {
    expect(
      taskGroups(
        tasks.filter(({ id }) => ['1.3', '1.2'].includes(id)),
        ['login', 'session'],
        true,
      ),
    ).toEqual([{ id: 'login', tasks: ['1.3'] }]);
    expect(
      taskGroups(
        tasks.filter(({ id }) => ['1.2'].includes(id)),
        ['login'],
        false,
      ),
    ).toEqual([]);
  });

  test('[change/implement/layer-order] a dependency wins over layers, a cycle leaves the layers', () => {
    const list = (text: string): readonly Task[] => readTasks(text, { file: 'tasks.md', changeId: 'x' }).tasks;
    const pulled = list('## Data\n- [ ] 1.1 a\n  Depends: 2.1\n## Logic\n- [ ] 2.1 b\n');
    expect(taskGroups(pulled, [], false)).toEqual([{ id: 'all', tasks: ['2.1', '1.1'] }]);
    const cycle = list('## Logic\n- [ ] 2.1 b\n  Depends: 1.1\n## Data\n- [ ] 1.1 a\n  Depends: 2.1\n');
    expect(taskGroups(cycle, [], false)).toEqual([{ id: 'all', tasks: ['1.1', '2.1'] }]);
  });
});
