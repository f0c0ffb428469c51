import { describe, expect, test } from 'vitest';
import { faults, toneOf, type Machine } from '../../engine/machine.ts';
import { initialSnapshot, type Snapshot } from '../../engine/snapshot.ts';
import { transition } from '../../engine/transition.ts';
import { verify } from '../../verifier/verifier.ts';
import type { WorkflowDefinition } from './definition.ts';
import { machineOf, reportsOf, signalsOf } from './machine-of.ts';
import { page } from './page.fixture.ts';

const machine = machineOf(page);

function at(state: string, more: Partial<Snapshot> = {}): Snapshot {
  return { ...initialSnapshot(machine), state, ...more };
}

function after(snapshot: Snapshot, signal: string, of: Machine = machine): Snapshot {
  const step = transition(of, snapshot, { name: signal });
  if (step.kind === 'refusal') throw new Error(`refused: ${step.reason}`);
  return step.snapshot;
}

describe('M1: every dispatch handles every fault', () => {
  const transient = ['failed', 'timed_out', 'unparseable', 'out_of_bounds'];
  const outcomes: Readonly<Record<string, string>> = {
    rate_limited: 'temporary',
    unavailable: 'unavailable',
    over_budget: 'over_budget',
    interrupted: 'interrupted',
  };

  test.each(faults.map((fault) => [fault]))('%s', (fault) => {
    for (const state of ['draft', 'review']) {
      const stopped = after(at(state, { budgets: { rounds: 2, retries: 0 } }), fault);
      expect(stopped).toMatchObject({ state: 'stopped', outcome: outcomes[fault] ?? 'failed' });
      const tried = after(at(state), fault);
      if (transient.includes(fault)) expect(tried).toMatchObject({ state, budgets: { retries: 1 }, outcome: null });
      else expect(tried.state).toBe('stopped');
    }
  });

  test('retries twice by default, anew on every visit', () => {
    expect(machine.budgets['retries']).toEqual({ scope: 'visit', limit: 2 });
    expect(machineOf({ ...page, retries: 5 }).budgets['retries']).toEqual({ scope: 'visit', limit: 5 });
    const tired = at('draft', { budgets: { rounds: 2, retries: 0 } });
    expect(after(tired, 'done').budgets).toEqual({ rounds: 2, retries: 2 });
  });

  test('without retries the first fault stops the run, without a dead branch', () => {
    const never = machineOf({ ...page, retries: 0 });
    expect(never.budgets['retries']).toBe(undefined);
    expect(after(at('draft'), 'failed', never)).toMatchObject({
      state: 'stopped',
      outcome: 'failed',
      returnTo: 'draft',
    });
    expect(verify(never, { workflow: 'page', writers: ['writer'] }).proofs.filter(({ holds }) => !holds)).toEqual([]);
  });

  test('lets the author route a fault', () => {
    const other = machineOf({
      ...page,
      states: {
        ...page.states,
        review: { role: 'reviewer', prompt: 'p.md', on: { approved: 'accept', needs_work: 'list', failed: 'accept' } },
      },
    });
    expect(after(at('review'), 'failed', other).state).toBe('accept');
    expect(after(at('review'), 'timed_out', other).state).toBe('review');
  });
});

describe('M2: retry goes back to where the run stopped', () => {
  test('to the step, or to its retry_from', () => {
    expect(after(after(at('draft'), 'rate_limited'), 'retry').state).toBe('draft');
    expect(after(after(at('review'), 'rate_limited'), 'retry').state).toBe('list');
  });

  test('a question that is withdrawn stops the run, and retry asks it again', () => {
    const stopped = after(at('accept'), 'withdrawn');
    expect(stopped).toMatchObject({ state: 'stopped', outcome: 'needs_person', returnTo: 'accept' });
    expect(after(stopped, 'retry').state).toBe('accept');
  });

  test('a workflow of checks alone has no stopped state', () => {
    const checks: WorkflowDefinition = {
      name: 'checks',
      about: 'Looks.',
      begin: 'look',
      roles: {},
      states: {
        look: { run: ['true'], on: { passed: 'good', failed: 'bad' } },
        good: { ends: 'done' },
        bad: { ends: 'failed' },
      },
    };
    expect(Object.keys(machineOf(checks).states)).toEqual(['new', 'look', 'good', 'bad']);
    expect(machineOf(checks).budgets).toEqual({});
  });

  test("an author's own stopped is kept", () => {
    const stopped = { rests: 'needs_person', on: { retry: 'list' } } as const;
    const other = machineOf({ ...page, states: { ...page.states, stopped } });
    expect(other.states['stopped']).toMatchObject({ kind: 'parked', outcome: 'needs_person' });
    expect(after(after(at('draft'), 'interrupted', other), 'retry', other).state).toBe('list');
  });
});

describe('M3: every resting state answers every command', () => {
  const resting = Object.entries(machine.states).filter(([, { kind }]) => kind === 'parked' || kind === 'final');

  test('adds a refusal for every other command', () => {
    expect(resting.map(([name]) => name).toSorted()).toEqual(['dropped', 'idle', 'new', 'published', 'stopped']);
    expect(machine.commands).toEqual(['start', 'retry', 'undo', 'publish']);
    for (const [, state] of resting)
      expect(Object.keys(state.on)).toEqual(expect.arrayContaining([...machine.commands]));
  });

  test.each([
    ['new', 'retry', 'NothingToRetry'],
    ['new', 'undo', 'NothingToUndo'],
    ['new', 'publish', 'NotNow'],
    ['idle', 'start', 'AlreadyStarted'],
    ['stopped', 'publish', 'NotNow'],
    ['published', 'undo', 'NothingToUndo'],
    ['dropped', 'start', 'AlreadyStarted'],
  ])('%s refuses %s as %s', (state, command, reason) => {
    expect(transition(machine, at(state), { name: command })).toEqual({
      kind: 'refusal',
      reason,
      outcome: 'not_ready',
    });
  });

  test("keeps the author's routes, and undo returns to the start", () => {
    expect(after(at('new'), 'start').state).toBe('list');
    expect(after(at('idle'), 'publish').state).toBe('same');
    expect(after(at('idle'), 'undo').state).toBe('new');
    expect(after(at('stopped'), 'undo').state).toBe('new');
  });
});

test('signals follow from the kind of a state', () => {
  const signals = (name: string) => signalsOf(page, page.states[name]);
  expect(signals('list')).toEqual(['passed', 'failed', 'empty']);
  expect(signalsOf(page, { run: ['true'], on: { passed: 'idle', failed: 'idle' } })).toEqual(['passed', 'failed']);
  expect(signals('draft')).toEqual(['done']);
  expect(signals('review')).toEqual(['approved', 'needs_work']);
  expect(signals('accept')).toEqual(['good', 'bad']);
  expect(signals('same')).toEqual(['yes', 'no']);
  expect(signals('idle')).toEqual([]);
  expect(signals('stopped')).toEqual([]);
  const check = () => ({ signal: { name: 'fine' } });
  expect(signalsOf(page, { check, signals: ['fine', 'odd'], on: {} })).toEqual(['fine', 'odd']);
  expect(reportsOf(page, { role: 'reviewer', prompt: 'p.md', reports: ['passed'], on: {} })).toEqual(['passed']);
});

test('shows usual words in their tone, faults as bad and all others plainly', () => {
  const role = { role: Object.keys(page.roles)[0] ?? '', prompt: 'p.md', reports: ['needs_sources', 'done'] };
  const sought: WorkflowDefinition = {
    ...page,
    states: { ...page.states, sources: { ...role, on: { needs_sources: 'stopped', done: 'stopped' } } },
  };
  const tones = ['approved', 'needs_sources', 'rejected', 'timed_out', 'done', 'toString'].map((signal) =>
    toneOf(machineOf(sought), signal),
  );
  expect(tones).toEqual(['good', 'warn', 'bad', 'bad', null, null]);
});

test('flags start with their first value, checks and questions have the names of their states', () => {
  expect(machine.flags).toEqual({ seen: 'no' });
  expect(machine.states['list']).toMatchObject({ kind: 'check', check: 'list' });
  expect(machine.states['accept']).toMatchObject({ kind: 'decide', question: 'accept' });
  expect(machine.states['draft']).toMatchObject({ kind: 'dispatch', role: 'writer', each: 'parts', makes: 'page' });
});

test('a budget of an item is renewed with the next one, and by a person; the verifier proves it whatever its limit', () => {
  const parts: WorkflowDefinition = {
    name: 'parts',
    about: 'Part by part.',
    begin: 'list',
    roles: { writer: { writes: ['src/**'], reports: ['done', 'bad'] } },
    budgets: { repairs: { scope: 'item', limit: 2 } },
    lists: ['parts'],
    states: {
      list: {
        run: ['./list'],
        on: { passed: { to: 'write', load: 'parts' }, failed: { to: 'stopped', remember: true }, empty: 'over' },
      },
      write: {
        role: 'writer',
        prompt: 'write.md',
        each: 'parts',
        makes: 'part',
        on: {
          done: [
            { when: { more: 'parts' }, to: 'write', finish: true },
            { to: 'over', finish: true },
          ],
          bad: [{ when: { left: 'repairs' }, to: 'write', spend: 'repairs' }, { to: 'ask' }],
        },
      },
      ask: {
        ask: 'Go on?',
        answers: { yes: 'it is tried again' },
        on: { yes: { to: 'write', renew: 'repairs', spend: 'repairs' } },
      },
      over: { ends: 'done' },
    },
  };
  const made = machineOf(parts);
  const items = ['1', '2'].map((id) => ({ id, after: [] }));
  const writing: Snapshot = {
    ...initialSnapshot(made),
    state: 'write',
    budgets: { repairs: 0, retries: 2 },
    lists: { parts: { items, done: [] } },
  };
  expect(after(writing, 'done', made).budgets['repairs']).toBe(2);
  expect(after(after(writing, 'bad', made), 'yes', made).budgets['repairs']).toBe(1);
  const { holds, proofs } = verify(made, { workflow: 'parts', writers: ['writer'] });
  expect([holds, proofs.flatMap(({ refutations }) => refutations)]).toEqual([true, []]);
});
