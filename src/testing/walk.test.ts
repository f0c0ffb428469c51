import { expect, test } from 'vitest';
import { toyMachine } from '../../test/toy.ts';
import { walk } from './walk.ts';

const toy = { machine: toyMachine };

test('returns the states of a run, the first included', () => {
  expect(walk(toy, [])).toEqual(['idle']);
  expect(walk(toy, ['go', 'written', 'approved'])).toEqual(['idle', 'write', 'review', 'done']);
});

test('counts budgets and faults as a real run does', () => {
  const round = ['written', 'needs_fix'];
  expect(walk(toy, ['go', ...round, ...round, ...round]).at(-1)).toBe('ask');
  expect(walk(toy, ['go', 'failed', 'failed'])).toEqual(['idle', 'write', 'write', 'stopped']);
});

test('loads one item unless the signal brings items', () => {
  const items = ['a', 'b'].map((id) => ({ id, after: [] }));
  expect(walk(toy, [{ name: 'go', items }, 'written', 'written'])).toEqual(['idle', 'write', 'write', 'review']);
  expect(walk(toy, ['go', 'written']).at(-1)).toBe('review');
});

test('rejects a signal that the state does not handle, and lists those it handles', () => {
  expect(() => walk(toy, ['go', 'approved'])).toThrow(
    'signal 2: write refuses "approved" (UnexpectedSignal); it takes written, failed',
  );
  expect(() => walk(toy, ['go', 'written', 'approved', 'go'])).toThrow(
    'signal 4: done refuses "go" (AlreadyDone); it takes go',
  );
  expect(() => walk(toy, ['constructor'])).toThrow('signal 1: idle refuses "constructor" (UnexpectedSignal)');
});
