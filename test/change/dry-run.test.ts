/** `archive --dry-run` where `archive` would stop. */

import { execFileSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { appendTo, everyFile, folderOf, id, Prepared, setPhase } from './prepared.ts';
import { implemented, planned, type ChangeRepository } from './scripts.ts';

let approved: Prepared;
let complete: Prepared;
beforeAll(async () => {
  approved = await Prepared.make({ turns: [...planned, ...implemented] });
  const change = approved.copy([...planned, ...implemented]);
  await change.change('impl', id);
  complete = Prepared.of(change);
});
afterAll(() => approved.remove());

/** What keeps `archive` from its work, and what it is called. */
const stops: readonly (readonly [
  what: string,
  code: number,
  action: string,
  stop: (change: ChangeRepository) => void,
])[] = [
  [
    'the code changed',
    4,
    'code_changed',
    (change) => change.repository.write('src/1.1.mjs', 'export const made = 0;\n'),
  ],
  [
    'the plan was edited',
    4,
    'plan_edited',
    (change) => appendTo(change, `${folderOf()}/specs/greeting.md`, '\nMore.\n'),
  ],
  ['the phase was set back', 4, 'not_complete', (change) => setPhase(change, 'proposed')],
];

test.concurrent.each(stops)(
  '[change/archive/dry-run-stops-alike] %s: --dry-run says and exits what archive does, and writes nothing',
  async (_what, code, action, stop) => {
    const change = complete.copy();
    stop(change);
    const before = everyFile(change.repository.folder);
    const foreseen = await change.change('archive', id, '--dry-run');
    expect(everyFile(change.repository.folder)).toEqual(before);
    const real = await change.change('archive', id);
    expect([foreseen.code, foreseen.json['action']]).toEqual([code, action]);
    const { state, phase, outcome, next, diagnostics } = real.json;
    expect({ code: real.code, ...real.json }).toMatchObject({ code, action });
    expect(foreseen.json).toMatchObject({ state, phase, outcome, next, diagnostics, exitCode: code });
  },
);

test.concurrent('[change/archive/dry-run-stops-alike] a phase set past the gate by hand needs the same person', async () => {
  const change = approved.copy();
  setPhase(change, 'complete');
  const foreseen = await change.change('archive', id, '--dry-run');
  expect(foreseen.code).toBe(3);
  const kept = await change.change('archive', id, '--dry-run', '--edits', 'keep');
  expect([kept.code, kept.json['action']]).toEqual([0, 'dry_run']);
  const real = await change.change('archive', id);
  expect([real.code, real.json['diagnostics']]).toEqual([3, foreseen.json['diagnostics']]);
});

test.concurrent('[change/archive/dry-run-stops-alike] without a journal it needs the same vouching, and archived stays archived', async () => {
  const change = complete.copy();
  rmSync(join(change.repository.root, '.git/pawl'), { recursive: true });
  const foreseen = await change.change('archive', id, '--dry-run');
  const real = await change.change('archive', id);
  expect([foreseen.code, foreseen.json]).toEqual([3, real.json]);
  const vouched = await change.change('archive', id, '--dry-run', '--accept-state');
  expect([vouched.code, vouched.json['action']]).toEqual([0, 'dry_run']);
  expect((await change.change('archive', id, '--accept-state')).json['action']).toBe('archived');
  const again = await change.change('archive', id, '--dry-run');
  expect([again.code, again.json['action']]).toEqual([0, 'already_archived']);
});

test.concurrent('[change/archive/dry-run-stops-alike] output redirected into the work tree is nobody’s change', async () => {
  const change = complete.copy();
  const run = `"${process.execPath}" "${change.repository.program}" change archive ${id} --dry-run > out.txt`;
  execFileSync('sh', ['-c', run], { cwd: change.repository.root });
  expect(change.repository.read('out.txt')).toContain('would move');
});
