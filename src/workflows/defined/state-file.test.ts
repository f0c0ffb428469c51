import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { phaseOf } from '../../engine/phase.ts';
import { initialSnapshot } from '../../engine/snapshot.ts';
import { machineOf } from './machine-of.ts';
import { dispatched, page, viewOf } from './page.fixture.ts';
import { stateFile } from './defined-workflow.ts';

const machine = machineOf(page);
const file = stateFile('page', machine)('install');
const path = '.pawl/page/install/state.yaml';

test('where a run rests or asks is its phase, in between it works, before it begins there is none', () => {
  const phases = Object.keys(machine.states).map((state) => [
    state,
    phaseOf(machine, { ...initialSnapshot(machine), state }),
  ]);
  expect(Object.fromEntries(phases)).toEqual({
    new: null,
    list: 'working',
    draft: 'working',
    review: 'working',
    accept: 'accept',
    idle: 'idle',
    same: 'working',
    published: 'published',
    dropped: 'dropped',
    stopped: 'stopped',
  });
});

test('it lies in the folder of the run and tells where it is', () => {
  const history = [dispatched('review', 'reviewer', 'approved')];
  const view = viewOf({ state: 'accept', data: { description: 'how: to # install' } }, {}, history);
  expect(file.path(view)).toBe(path);
  expect(parse(file.render(undefined, view))).toEqual({
    workflow: 'page',
    run: 'install',
    description: 'how: to # install',
    phase: 'accept',
    state: 'accept',
    updated_at: '2026-01-01T00:00:00.000Z',
    budgets_left: { rounds: 2, retries: 2 },
    dispatches: 1,
    last_dispatch: { step: 'review', role: 'reviewer', agent: 'scripted', signal: 'approved' },
  });
});

test("a person's keys, comments and order stay", () => {
  const text = file.render(undefined, viewOf({ state: 'idle' }));
  const edited = `# mine\nowner: me # really\n${text}`;
  const next = file.render(edited, viewOf({ state: 'published' }));
  expect(next).toContain('# mine\nowner: me # really\nworkflow: page\n');
  expect(parse(next)).toMatchObject({ owner: 'me', phase: 'published', state: 'published' });
});

describe('reading it back', () => {
  test('identifies a projection by phase and time', () => {
    const text = file.render(undefined, viewOf({ state: 'idle' }));
    expect(file.identify(text)).toEqual({ phase: 'idle', updatedAt: '2026-01-01T00:00:00.000Z' });
    expect(file.identify('phase: idle\n')).toEqual({ phase: 'idle', updatedAt: '' });
  });

  test.each([
    ['run: install\n', `${path}:1: there is no phase; expected phase: and a state`],
    ['run: install\nphase: 3\n', `${path}:2: phase is 3; expected phase: and a state`],
    ['- phase\n', `${path}:1: this is not a map of keys; expected phase: … and the other keys of a state file`],
    ['phase: [idle\n', `${path}:`],
  ])('%j is refused with its line', (text, message) => {
    expect(() => file.identify(text)).toThrow(message);
  });
});

describe('a phase that was set by hand', () => {
  const adopt = (phase: string) =>
    file.adopt(phase, viewOf({ state: 'accept' }, { [path]: `run: a\nphase: ${phase}\n` }), '');

  test('is adopted where the run may rest; with gates a person confirms it', () => {
    expect(adopt('idle')).toEqual({ state: 'idle', data: {}, gate: 'out' });
    expect(adopt('stopped')).toEqual({ state: 'stopped', data: {}, gate: 'out' });
    const ungated = machineOf({ ...page, gates: {} });
    expect(stateFile('page', ungated)('install').adopt('idle', viewOf(), '')).toMatchObject({ gate: null });
  });

  test.each([
    ['published', 'phase was set to published by hand; expected a state it pauses in: idle, stopped'],
    ['accept', 'phase was set to accept by hand; expected a state it pauses in: idle, stopped'],
    ['new', 'phase was set to new by hand; expected a state it pauses in: idle, stopped'],
    ['working', 'phase was set to working by hand; expected a state it pauses in: idle, stopped'],
    ['idel', 'phase was set to idel by hand (did you mean idle?); expected a state it pauses in: idle, stopped'],
    ['constructor', 'phase was set to constructor by hand; expected a state it pauses in: idle, stopped'],
  ])('%s is refused', (phase, message) => {
    expect(() => adopt(phase)).toThrow(`${path}:2: ${message}`);
  });
});
