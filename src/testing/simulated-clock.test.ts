import { expect, test } from 'vitest';
import { SimulatedClock } from './simulated-clock.ts';

/** Everything that is due has been called once the queue of promises is empty. */
const settled = () => new Promise((resolve) => setImmediate(resolve));

test('the time changes only when it is advanced', () => {
  const clock = new SimulatedClock(1_000);
  expect(clock.now()).toBe(1_000);
  clock.advance(250);
  expect(clock.now()).toBe(1_250);
  expect(new SimulatedClock().now()).toBe(Date.UTC(2026, 0, 1));
});

test('wakes sleepers in the order of their times', async () => {
  const clock = new SimulatedClock(0);
  const woken: string[] = [];
  void clock.sleep(300).then(() => woken.push('late'));
  void clock.sleep(100).then(() => woken.push('early'));
  void clock.sleep(100).then(() => woken.push('as early'));
  expect(clock.sleeping).toBe(3);
  clock.advance(99);
  await settled();
  expect(woken).toEqual([]);
  clock.advance(1);
  await settled();
  expect(woken).toEqual(['early', 'as early']);
  clock.advance(1_000);
  await settled();
  expect(woken).toEqual(['early', 'as early', 'late']);
  expect(clock.sleeping).toBe(0);
});

test('advances to the next sleeper', async () => {
  const clock = new SimulatedClock(0);
  const woken: number[] = [];
  for (const ms of [50, 20]) void clock.sleep(ms).then(() => woken.push(clock.now()));
  expect(clock.advanceToNext()).toBe(true);
  await settled();
  expect(clock.advanceToNext()).toBe(true);
  await settled();
  expect(woken).toEqual([20, 50]);
  expect(clock.advanceToNext()).toBe(false);
  expect(clock.now()).toBe(50);
});

test('a sleep of zero milliseconds returns at once', async () => {
  const clock = new SimulatedClock(0);
  await clock.sleep(0);
  await clock.sleep(-5);
  await clock.sleep(100, AbortSignal.abort());
  expect(clock.sleeping).toBe(0);
});

test('an abort wakes one sleeper and leaves the others', async () => {
  const clock = new SimulatedClock(0);
  const stop = new AbortController();
  const aborted = clock.sleep(100, stop.signal);
  void clock.sleep(100);
  stop.abort();
  await aborted;
  expect(clock.sleeping).toBe(1);
  expect(clock.now()).toBe(0);
});
