/** D28, DEF-13: two runs in one checkout. */

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { id, Prepared } from './prepared.ts';
import { implemented, planned, review } from './scripts.ts';

let written: Prepared;
beforeAll(async () => {
  // The plan of another change is there, and this one is implemented and not archived.
  const turns = [...planned, ...planned, ...implemented];
  const commands = [
    ['plan', 'other', 'Greet in other languages'],
    ['plan', id, 'Greet people by name'],
    ['impl', id],
  ];
  written = await Prepared.make({ turns, commands });
});
afterAll(() => written.remove());

const before = [...planned, ...planned, ...implemented];

describe('[D28] [change/tree/one-writer] another unfinished run writes in this checkout', () => {
  test.each([
    ['a new run', ['plan', 'third', 'Greet loudly'], '--worktree'],
    ['a run that has not written yet', ['impl', 'other'], '--share-tree'],
  ])('%s is refused, with the ways out', async (_, command, flag) => {
    const change = written.copy([...before, ...planned]);
    const { code, json } = await change.change(...command);
    expect([code, json['diagnostics'][0].code]).toEqual([4, 'TreeTaken']);
    expect(json['diagnostics'][0]).toMatchObject({
      message: expect.stringMatching(
        /^change\/greet is not finished and writes in this checkout; .*--worktree.*--share/,
      ),
      fix: `run the same command with ${flag}`,
    });
    expect((await change.pawl('runs')).json['runs'].length).toBe(2);
  });

  test('--worktree and --share-tree go on; a shared tree is remembered', async () => {
    const change = written.copy([...before, review('APPROVED')]);
    expect((await change.change('plan', 'third', 'Greet loudly', '--worktree')).code).toBe(0);
    expect((await change.change('impl', 'other', '--share-tree')).code).toBe(0);
    expect((await change.change('impl', 'other', '--review')).code).toBe(0);
  });

  test('the writer itself goes on, and the tree is free once it is archived', async () => {
    const change = written.copy([...before, ...planned]);
    expect((await change.change('archive', id)).code).toBe(0);
    expect((await change.change('plan', 'third', 'Greet loudly')).code).toBe(0);
  });
});
