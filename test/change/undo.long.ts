/** Looking at what a run did, and taking it back. */

import { afterAll, beforeAll, expect, test } from 'vitest';
import { appears, appendTo, everyFile, folderOf, id, Prepared, stateOf, taskStatuses, worked } from './prepared.ts';
import { fix, implement, implemented, planned, review, type ChangeRepository } from './scripts.ts';

const withGreeting = {
  ...implement(),
  write: { ...(implement()['write'] as object), 'src/greet.mjs': 'export const greet = 1;\n' },
};

let approved: Prepared;
let complete: Prepared;

beforeAll(async () => {
  const commands = [
    ['plan', id, 'Greet people'],
    ['impl', id],
  ] as const;
  [approved, complete] = await Promise.all([
    Prepared.make(),
    Prepared.make({ turns: [...planned, withGreeting, review('APPROVED')], commands }),
  ]);
});

afterAll(() => {
  approved.remove();
  complete.remove();
});

const codeOf = ({ repository }: ChangeRepository) => everyFile(`${repository.root}/src`);

test.concurrent('diff shows what the run did, untracked files included, and nothing of the control folder', async () => {
  const change = complete.copy();
  const { code, json } = await change.pawl('diff', id);
  expect(code).toBe(0);
  expect(json['diff']).toMatch(/-export const greet = \(\) => 'Hello';\n\+export const greet = 1;/);
  expect(json['diff']).toContain('+++ b/src/1.2.mjs');
  expect(json['diff']).not.toContain('agentd/');
  const text = await change.repository.pawl(['diff', id]);
  expect(text.stdout).toBe(json['diff']);
  const nothing = await approved.copy().repository.pawl(['diff', id]);
  expect([nothing.code, nothing.stdout]).toEqual([0, `${id} has changed nothing outside agentd/\n`]);
});

test.concurrent('undo puts the files back; phase challenged, tasks pending, and impl can begin again', async () => {
  const change = complete.copy([...implemented, ...implemented]);
  const { code, json } = await change.pawl('undo', id);
  expect({ code, ...json }).toMatchObject({
    code: 0,
    run: id,
    restored: ['src/1.1.mjs', 'src/1.2.mjs', 'src/greet.mjs'],
    left: [],
    phase: 'challenged',
    next: `pawl change impl ${id}`,
  });
  expect([...codeOf(change).keys()]).toEqual(['greet.mjs']);
  expect(change.repository.read('src/greet.mjs')).toContain('Hello');
  expect(taskStatuses(change)).toEqual({ '1.1': 'pending', '1.2': 'pending' });
  expect(stateOf(change)).toMatchObject({ phase: 'challenged', verdict: 'APPROVED' });
  expect((await change.pawl('change', 'status', id)).json).toMatchObject({
    phase: 'challenged',
    next: `pawl change impl ${id}`,
    tasks: { open: 2, total: 2 },
  });
  expect((await change.pawl('diff', id)).json['diff']).toBe('');

  const again = await change.change('impl', id);
  expect([again.code, again.json['phase']], again.stderr).toEqual([0, 'complete']);
  expect(worked(again.json).slice(2)).toEqual(['implement:reported', 'review:approved']);
});

test.concurrent('[change row 100] undo leaves what a person edited afterwards, and says so', async () => {
  const change = complete.copy();
  appendTo(change, 'src/1.1.mjs', '// mine\n');
  change.repository.write('src/own.mjs', 'export {};\n');
  const { stdout, code } = await change.repository.pawl(['undo', id]);
  expect(code).toBe(0);
  expect(stdout).toMatch(/restored as before the run:\n {2}src\/1\.2\.mjs\n {2}src\/greet\.mjs\n/);
  expect(stdout).toMatch(/not touched, because they were changed since[^]*src\/1\.1\.mjs\n/);
  expect(stdout).toMatch(
    /not undone: the plan and its reviews, the journal[^]*phase=challenged\nNext: pawl change impl greet/,
  );
  expect(stdout).not.toContain('own.mjs');
  expect([...codeOf(change).keys()]).toEqual(['1.1.mjs', 'greet.mjs', 'own.mjs']);
  expect(change.repository.read('src/1.1.mjs')).toContain('// mine');
});

test.concurrent('undo leaves what a person edited between two commands, too', async () => {
  const change = approved.copy([implement(), review('MAJOR_ISSUES'), fix(), review('APPROVED')]);
  change.repository.write('src/before.mjs', 'export {};\n');
  await change.change('impl', id);
  appendTo(change, 'src/1.2.mjs', '// mine\n');
  appendTo(change, 'README.md', 'More.\n');
  expect((await change.change('impl', id)).json['phase']).toBe('complete');
  const { json } = await change.pawl('undo', id);
  expect(json).toMatchObject({ restored: ['src/1.1.mjs'], left: ['src/1.2.mjs'] });
  expect(change.repository.read('README.md')).toContain('More.');
  expect(change.repository.read('src/1.2.mjs')).toContain('// mine');
  expect([...codeOf(change).keys()]).toEqual(['1.2.mjs', 'before.mjs', 'greet.mjs']);
});

test.concurrent('undo of a run that changed nothing, or is archived, is refused and changes nothing', async () => {
  const change = approved.copy();
  const refused = await change.pawl('undo', id);
  expect([refused.code, `${refused.stdout}${refused.stderr}`]).toEqual([4, expect.stringContaining('NothingToUndo')]);
  expect(stateOf(change)['phase']).toBe('challenged');

  const archived = complete.copy();
  await archived.change('archive', id);
  expect((await archived.pawl('undo', id)).code).toBe(4);
  expect(archived.repository.exists('src/1.1.mjs')).toBe(true);
});

test.concurrent('undo in the middle of a command: the step is given up first', async () => {
  const change = approved.copy([implement(['1.1']), { ...implement(['1.2']), fault: 'hang' }]);
  const { repository } = change;
  await change.change('impl', id, '--tasks', '1.1');
  const args = ['change', 'impl', id, '--agent', 'scripted', '--script', change.scriptFile, '--json'];
  await repository.pawl(args, {
    onSpawn: (child) =>
      void appears(`${repository.root}/src/1.2.mjs`).then(() => {
        child.kill('SIGKILL');
      }),
  });
  const refused = await change.pawl('undo', id);
  expect([refused.code, `${refused.stdout}${refused.stderr}`]).toEqual([
    4,
    expect.stringContaining('pawl cancel greet'),
  ]);
  expect((await change.pawl('cancel', id)).code).toBe(0);
  const { json } = await change.pawl('undo', id);
  expect(json).toMatchObject({ restored: ['src/1.1.mjs'], left: [], phase: 'challenged' });
  expect([...codeOf(change).keys()]).toEqual(['greet.mjs']);
});

test.concurrent('status, list, runs and log tell where a change is', async () => {
  const change = approved.copy([implement(['1.1']), implement(['1.2']), review('NEEDS_FIX')]);
  await change.change('impl', id, '--tasks', '1.1');
  const status = await change.pawl('change', 'status', id);
  expect(status.json).toMatchObject({
    run: id,
    phase: 'implementing',
    outcome: 'done',
    next: `pawl change impl ${id}`,
    tasks: { open: 1, total: 2 },
    stale: [],
    edited: null,
    owner: null,
  });
  const shown = await change.repository.pawl(['change', 'status', id]);
  expect(shown.stdout).toMatch(/^greet {2}phase implementing[^]*1 of 2 tasks are open[^]*Next: pawl change impl greet/);

  const { changes } = (await change.pawl('change', 'list')).json;
  expect(changes).toMatchObject([{ id, phase: 'implementing', next: `pawl change impl ${id}`, problem: null }]);
  const { runs } = (await change.pawl('runs')).json;
  expect(runs).toMatchObject([{ workflow: 'change', run: id, phase: 'implementing', problem: null }]);
  const log = await change.repository.pawl(['log', id]);
  expect(log.stdout).toMatch(/command impl[^]*filed update_task[^]*implementing/);
  const { records } = (await change.pawl('log', id)).json;
  expect(records.at(-1)).toMatchObject({ type: 'moved', signal: 'subset_done' });
});

test.concurrent('an edited plan shows in the status as stale, with what was made from it', async () => {
  const change = complete.copy();
  appendTo(change, `${folderOf()}/specs/greeting.md`, '\nMore.\n');
  const { json } = await change.pawl('change', 'status', id);
  expect(json['stale']).toMatchObject([{ path: 'specs/greeting.md', what: 'edited' }]);
});
