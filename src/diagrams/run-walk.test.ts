import { expect, test } from 'vitest';
import { initialSnapshot } from '../engine/snapshot.ts';
import { toyMachine } from '../../test/toy.ts';
import { diagramOf } from './diagram.ts';
import { runMatrix } from './matrix.ts';
import { toyWalk } from './toy-walk.fixture.ts';
import { walkOf } from './run-walk.ts';

const round = ['written', 'written', 'needs_fix'];

test('counts each transition by the branch that was taken', () => {
  const { state, outcome, path, taken } = toyWalk(['go', ...round, 'written', 'failed', 'written', 'needs_fix']);
  expect({ state, outcome }).toEqual({ state: 'write', outcome: null });
  expect(path.join(' ')).toBe('idle write write review write write write review write');
  expect(taken).toEqual([
    { from: 'idle', signal: 'go', branch: 0, to: 'write', times: 1 },
    { from: 'write', signal: 'written', branch: 0, to: 'write', times: 2 },
    { from: 'write', signal: 'written', branch: 1, to: 'review', times: 2 },
    { from: 'review', signal: 'needs_fix', branch: 0, to: 'write', times: 2 },
    { from: 'write', signal: 'failed', branch: 0, to: 'write', times: 1 },
  ]);
});

test('gives no branch to a hand edit or to a transition that today’s table does not have', () => {
  const { state, taken } = walkOf(toyMachine, 'old', initialSnapshot(toyMachine), [
    { signal: 'go', change: { state: 'review' } },
    { signal: 'praised', change: { state: 'ask' } },
    { change: { state: 'stopped' } },
  ]);
  expect(state).toBe('stopped');
  expect(taken).toEqual([
    { from: 'idle', signal: 'go', branch: null, to: 'review', times: 1 },
    { from: 'review', signal: 'praised', branch: null, to: 'ask', times: 1 },
    { from: 'ask', signal: null, branch: null, to: 'stopped', times: 1 },
  ]);
});

test('renders a run: its state, its path and its next transitions', () => {
  const walk = toyWalk(['go', ...round, ...round, ...round, 'stop'], [{ change: { state: 'review', outcome: null } }]);
  expect(runMatrix(diagramOf('toy', toyMachine), walk)).toBe(`Run first of toy: at review, after 12 steps.

Left: fixes 0, retries 1, total 4.

## Path

idle → write ×2 → review → write ×2 → review → write ×2 → review → ask → stopped → review

## Transitions taken

| from    | signal / guard                     | to                                  | times |
|---|---|---|---|
| idle    | go                                 | write (loads pages)                 | ×1 |
| write   | written, more pages                | write (finishes the item)           | ×3 |
| write   | written, last of pages             | review (finishes the item)          | ×3 |
| review  | needs_fix, fixes left              | write (spends fixes, loads pages)   | ×2 |
| review  | needs_fix, fixes spent, total left | ask (spends total, sets asked: yes) | ×1 |
| ask     | stop                               | stopped                             | ×1 |
| stopped | edited by hand                     | review                              | ×1 |

## Next transitions

| signal / guard                      | to |
|---|---|
| approved                            | done |
| needs_fix, fixes left               | write (spends fixes, loads pages) |
| needs_fix, fixes spent, total left  | ask (spends total, sets asked: yes) |
| needs_fix, fixes spent, total spent | stopped |
`);
});

test('renders a run that has only begun', () => {
  const text = runMatrix(diagramOf('toy', toyMachine), toyWalk([]));
  expect(text).toContain('at idle, after 0 steps.');
  expect(text).not.toContain('## Transitions taken');
});
