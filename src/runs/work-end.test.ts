import { execFileSync } from 'node:child_process';
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { toyMachine } from '../../test/toy.ts';
import type { Machine } from '../engine/machine.ts';
import { initialSnapshot } from '../engine/snapshot.ts';
import { replay } from '../runtime/run-state.ts';
import type { Landed } from '../store/record.ts';
import { workEnd } from './work-end.ts';

let workspace: string;
beforeEach(() => {
  workspace = realpathSync(mkdtempSync(join(tmpdir(), 'pawl-end-')));
  execFileSync('git', ['init', '--quiet'], { cwd: workspace });
  execFileSync('git', ['commit', '--quiet', '--allow-empty', '--message=all of it'], { cwd: workspace });
});
afterEach(() => rmSync(workspace, { recursive: true, force: true, maxRetries: 5 }));

const own = { worktree: { source: '..', branch: 'toy/x', commit: 'c' } };
const end = (
  state = 'done',
  {
    machine = toyMachine,
    input = own,
    landed = null,
  }: { machine?: Machine; input?: object; landed?: Landed | null } = {},
) => {
  const snapshot = { ...initialSnapshot(machine, {}), state };
  const first = {
    type: 'created',
    format: 1,
    workflow: 'toy',
    run: 'x',
    workspace: '..',
    input: { ...input },
    snapshot,
  } as const;
  const records = [{ ...first, seq: 1, epoch: 1, at: '2026-01-01T00:00:00.000Z' }];
  const read = replay(records);
  if (!read) throw new Error('no run');
  const commonDir = join(workspace, '.git');
  const identify = () => ({ phase: state, updatedAt: '' });
  const workflow = { machine, writers: ['maker'], stateFile: () => ({ path: () => '.toy/x/state.yaml', identify }) };
  return workEnd({ workflow, state: { ...read, landed }, workspace, commonDir, folder: join(commonDir, 'x'), records });
};

test('a run that has committed its work leaves nothing to commit', async () => {
  expect(await end()).toEqual({ path: workspace, branch: 'toy/x', committed: true, next: 'pawl finish x' });
});

test('a change of a file that git knows is not committed', async () => {
  writeFileSync(join(workspace, 'new.txt'), '');
  execFileSync('git', ['add', '--all'], { cwd: workspace });
  expect(await end()).toMatchObject({ committed: false });
});

test('a run in the checkout of a person that left nothing has no end', async () => {
  writeFileSync(join(workspace, 'of-the-person.txt'), '');
  expect(await end('done', { input: {} })).toBeNull();
});

test('a run that is not over, or is finished, has no end', async () => {
  expect(await end('review')).toBeNull();
  expect(await end('done', { landed: { how: 'kept', branch: null, commit: null, url: null } })).toBeNull();
});

test('a run that failed says itself what to do with its work', async () => {
  const failed = { kind: 'final', outcome: 'failed', on: {} } as const;
  expect(await end('failed', { machine: { ...toyMachine, states: { ...toyMachine.states, failed } } })).toBeNull();
});
