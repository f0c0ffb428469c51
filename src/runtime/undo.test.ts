import { expect, test } from 'vitest';
import { simulatedTree, TreeObjects } from '../../test/simulated/simulated-tree.ts';
import { nodeDisk } from '../disk/node-disk.ts';
import type { JournalRecord } from '../store/record.ts';
import { attribution } from './undo.ts';

const objects = new TreeObjects();
const trees = simulatedTree(nodeDisk, '', objects);
const tree = (files: Readonly<Record<string, string>>): string =>
  objects.add(new Map(Object.entries(files).map(([path, text]) => [path, Buffer.from(text)])));

/** The records of dispatches with these trees before and after. */
function dispatches(...pairs: readonly (readonly [string, string])[]): readonly JournalRecord[] {
  return pairs.flatMap(([before, after]) => [
    { type: 'dispatch.started', tree: before } as JournalRecord,
    { type: 'moved', signal: 'done', dispatch: { tree: after } } as JournalRecord,
  ]);
}

const first = tree({ a: '1', c: '1' });
const stubs = tree({ a: 'stub', b: 'stub', c: '1' });
const code = tree({ a: '2', b: '2', c: '1' });

test('what changes between dispatches is the work of others', async () => {
  const edited = tree({ a: '2', b: '2', c: 'edited' });
  const { own, others } = await attribution(trees, dispatches([first, code], [edited, tree({ a: '3', c: 'edited' })]));
  expect([[...own], [...others]]).toEqual([['a', 'b'], ['c']]);
});

test('files that a check brought back, to the beginning or to a state that the run made, are not', async () => {
  for (const back of [
    { a: '1', c: 'edited' },
    { a: 'stub', b: 'stub', c: 'edited' },
  ]) {
    const records = dispatches([first, stubs], [stubs, code], [tree(back), tree({ a: '3', c: 'edited' })]);
    const { own, others } = await attribution(trees, records);
    expect([[...own], [...others]]).toEqual([['a', 'b'], ['c']]);
  }
});

test('a file that a person changes and puts back later is theirs', async () => {
  const edited = tree({ a: 'mine', b: '2', c: '1' });
  const { others } = await attribution(trees, dispatches([first, code], [edited, edited], [code, code]));
  expect([...others]).toEqual(['a']);
});
