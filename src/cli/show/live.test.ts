import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { RunEvent } from '../../runtime/host.ts';
import { Columns } from './columns.ts';
import { checked, ended, moved, question, started } from './event-samples.fixture.ts';
import { LivePresenter } from './presenter.ts';
import { Narrator } from './lines.ts';
import { styleOf } from './screen.ts';
import { widthOf } from './text.ts';

const style = styleOf({}, { LANG: 'C.UTF-8' });
const output = (text: string): RunEvent => ({ type: 'dispatch.output', id: 'change.x#1', text });

const parts = new RegExp(String.raw`\u001B\[\d*[A-Za-z]|[\r\n]|[^\u001B\r\n]+`, 'g');

/** As much of a terminal as the presenter uses: anything else it writes fails the test. */
class Terminal {
  columns = 80;
  readonly rows: string[] = [''];
  #row = 0;
  #column = 0;

  write(text: string): void {
    for (const [part] of text.matchAll(parts)) this.#take(part);
  }

  #take(part: string): void {
    if (part === '\r') this.#column = 0;
    else if (part === '\n') this.#lineFeed();
    else if (part === '\u001B[K') this.#keep();
    else if (part === '\u001B[J') {
      this.#keep();
      this.rows.length = this.#row + 1;
    } else if (part.endsWith('A') && part.startsWith('\u001B')) this.#row -= Number(part.slice(2, -1));
    else if (part.startsWith('\u001B')) throw new Error(`unknown sequence ${JSON.stringify(part)}`);
    else this.#print(part);
  }

  #lineFeed(): void {
    this.#row += 1;
    this.#column = 0;
    this.rows[this.#row] ??= '';
  }

  #keep(): void {
    this.rows[this.#row] = (this.rows[this.#row] ?? '').slice(0, this.#column);
  }

  #print(text: string): void {
    const row = (this.rows[this.#row] ?? '').padEnd(this.#column);
    this.rows[this.#row] = row.slice(0, this.#column) + text + row.slice(this.#column + text.length);
    this.#column += text.length;
  }

  get shown(): string[] {
    return this.rows.at(-1) === '' ? this.rows.slice(0, -1) : [...this.rows];
  }
}

function stage(columns = 80) {
  const terminal = new Terminal();
  terminal.columns = columns;
  const clock = { nowMs: 0, ticks: new Set<() => void>() };
  const screen = {
    style,
    live: true,
    columns: () => terminal.columns,
    write: (text: string) => terminal.write(text),
    draw: (text: string) => terminal.write(text),
  };
  const presenter = new LivePresenter(
    screen,
    {
      now: () => clock.nowMs,
      every: (_ms, tick) => {
        clock.ticks.add(tick);
        return () => clock.ticks.delete(tick);
      },
    },
    { verbose: true },
  );
  const pass = (ms: number): void => {
    clock.nowMs += ms;
    for (const tick of clock.ticks) tick();
  };
  return { terminal, presenter, pass, ticking: () => clock.ticks.size > 0 };
}

test('what runs is one block below what stays: role, agent, step, time, tokens, last words, budget', () => {
  const { terminal, presenter, pass } = stage(100);
  presenter.observe({ type: 'opened', phase: 'proposed' });
  presenter.observe(started({ model: 'flash', item: 'limits' }));
  pass(12_300);
  presenter.observe(output('first\n\u001B[2Jlast words\n\n'));
  presenter.observe({ type: 'dispatch.usage', id: 'change.x#1', usage: ended().usage });
  pass(100);
  expect(terminal.shown).toEqual([
    'Current state: phase=proposed',
    '⠹ planner      gemini flash  propose limits                                  12s   1.5k tok  $0.010',
    '└ last words                                                            39 agent calls, $49.99 left',
  ]);
});

test('L2: the line that stays takes its place, and nothing ticks any more', () => {
  const { terminal, presenter, pass, ticking } = stage();
  presenter.observe(started());
  pass(100);
  expect(ticking()).toBe(true);
  presenter.observe(moved('propose', 'reported', 'order', null));
  presenter.observe(ended());
  expect(terminal.shown).toEqual(['✓ planner      gemini    propose → order                           1.4s  $0.010']);
  expect(ticking()).toBe(false);
});

test('checks and waits are shown while they last', () => {
  const { terminal, presenter, pass } = stage();
  presenter.observe({ type: 'check.started', check: 'run_checks' });
  pass(61_000);
  expect(terminal.shown).toEqual(['⠙ check                  run checks                                    1m 01s']);
  presenter.observe({ type: 'waiting', ms: 5_000, attempt: 1, why: 'it failed' });
  pass(1_500);
  expect(terminal.shown).toEqual(['⠹ waiting                retry 1 in 4s']);
});

test('preparing a worktree is shown while it lasts', () => {
  const { terminal, presenter, pass } = stage();
  presenter.observe({ type: 'preparing', what: 'worktree: npm ci' });
  pass(2_000);
  expect(terminal.shown).toEqual(['⠙ preparing              worktree: npm ci                                2.0s']);
  presenter.observe({ type: 'prepared', notes: [] });
  expect(terminal.shown.at(-1)).toBe('· prepared               the worktree is ready');
});

describe('L1: no width makes a row wrap', () => {
  test.each([20, 36, 60, 80, 200])('%i columns', (columns) => {
    const { terminal, presenter, pass } = stage(columns);
    presenter.observe(started({ model: 'a-model-with-a-very-long-name', item: 'an-item-with-a-long-name' }));
    presenter.observe(output('日本語 '.repeat(100)));
    presenter.observe({ type: 'dispatch.usage', id: 'change.x#1', usage: ended().usage });
    pass(3_700_000);
    expect(terminal.shown).toHaveLength(2);
    for (const row of terminal.shown) expect(widthOf(row)).toBeLessThan(columns);
  });

  test('the rows follow a resize', () => {
    const { terminal, presenter, pass } = stage(120);
    presenter.observe(started());
    terminal.columns = 40;
    pass(100);
    expect(terminal.shown).toHaveLength(2);
    for (const row of terminal.shown) expect(widthOf(row)).toBeLessThan(40);
  });
});

test('L3: the rows step aside while a person is asked', () => {
  const { terminal, presenter, pass } = stage();
  presenter.say('before');
  presenter.observe(started());
  presenter.suspend();
  pass(500);
  presenter.observe(output('still working'));
  presenter.say('between');
  expect(terminal.shown).toEqual(['before', 'between']);
  presenter.resume();
  expect(terminal.shown).toHaveLength(4);
  presenter.close();
  pass(500);
  expect(terminal.shown).toEqual(['before', 'between']);
});

test('whatever happens in whatever order, what stays is on the screen, in order, and nothing else after the end', () => {
  const events: fc.Arbitrary<RunEvent> = fc.constantFrom<RunEvent>(
    { type: 'opened', phase: 'proposed' },
    started(),
    started({ id: 'change.x#2', step: 'challenge', role: 'challenger' }),
    output('words'),
    moved('propose', 'reported', 'order'),
    moved('challenge', 'approved', 'challenged', 'challenged'),
    ended(),
    ended({ signal: 'failed', problem: 'two\nlines' }),
    { type: 'check.started', check: 'order' },
    checked('order', 'complete', ['a note']),
    { type: 'waiting', ms: 100, attempt: 1, why: 'x' },
    { type: 'recovered', message: 'finished writing a.md' },
    { type: 'asked', decision: 'revision', question },
    { type: 'rested', outcome: 'done', phase: 'challenged' },
  );
  fc.assert(
    fc.property(fc.array(events, { maxLength: 25 }), (sequence) => {
      const { terminal, presenter, pass } = stage(100);
      const narrator = new Narrator(new Columns(style, () => 100), { beginnings: false, verbose: true });
      const stays: string[] = [];
      for (const event of sequence) {
        presenter.observe(event);
        pass(100);
        stays.push(...narrator.tell(event));
        expect(terminal.shown.slice(0, stays.length)).toEqual(stays);
        expect(terminal.shown.length - stays.length).toBeLessThanOrEqual(2);
      }
      presenter.close();
      expect(terminal.shown).toEqual([...stays, ...narrator.flush()]);
    }),
  );
});
