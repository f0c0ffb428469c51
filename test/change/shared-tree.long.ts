/** D28, DEF-13: two runs in one checkout. */

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { change as workflow } from '../../src/workflows/change/change.ts';
import { journalOf } from './observed.ts';
import { id, Prepared } from './prepared.ts';
import { fix, implement, implemented, planned, review } from './scripts.ts';

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
        /^change\/greet is not finished and works in this checkout; .*--worktree.*--share/,
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

test('[DEF-13] [change/tree/own-files] in a shared checkout each run has the files that its own dispatches wrote', async () => {
  const loudly = { ...implement(['1.1']), write: { 'src/loud.mjs': 'export {};\n', 'src/1.2.mjs': '// touched\n' } };
  const done = { ...loudly, call: implement()['call'] };
  const turns = [...before.slice(0, -2), done, review('APPROVED'), review('APPROVED')];
  const change = written.copy(turns);
  change.repository.write('src/mine.mjs', 'export const byHand = true;\n');
  change.script([...planned, done, review('APPROVED')]);
  expect((await change.change('impl', 'other', '--share-tree')).code).toBe(0);
  const changed = (run: string): unknown =>
    journalOf(change, run).findLast(({ signal }) => signal === 'ran')?.change.data.changedFiles;
  expect(changed('other')).toEqual(['src/1.2.mjs', 'src/loud.mjs']);
  change.script([...before, review('APPROVED')]);
  expect((await change.change('impl', id, '--review')).code).toBe(0);
  expect(changed(id)).toEqual(['src/1.1.mjs', 'src/1.2.mjs']);
});

test('[D20] diff shows what the dispatches did, not what people changed beside them', async () => {
  const own = await Prepared.make({ turns: [...planned, implement(), review('NEEDS_FIX'), fix(), review('APPROVED')] });
  const slow = { ...implement(['1.2']), step: 'fix', call: [] };
  const change = own.copy([...planned, implement(['1.1', '1.2']), review('MAJOR_ISSUES'), slow, review('APPROVED')]);
  change.repository.write('before.txt', 'mine, before\n');
  expect((await change.change('impl', id)).code).toBe(3);
  change.repository.write('between.txt', 'mine, between\n');
  change.repository.write('src/1.1.mjs', "export const made = 'by both';\n");
  expect((await change.change('impl', id)).code).toBe(0);
  const { json, stderr } = await change.pawl('diff', id);
  expect([...json['diff'].matchAll(/^diff --git a\/(\S+)/gm)].map(([, path]) => path)).toEqual([
    'src/1.1.mjs',
    'src/1.2.mjs',
  ]);
  expect(json['shared']).toEqual(['src/1.1.mjs']);
  expect(stderr).toContain('changed by others too: src/1.1.mjs');
  own.remove();
});

test('the roles that lists take for writers are those that may write', () => {
  const { roles, writers } = workflow;
  expect(writers).toEqual(Object.keys(roles).filter((role) => roles[role]?.mayWrite.length));
});
