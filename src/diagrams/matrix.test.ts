import { expect, test } from 'vitest';
import type { Machine } from '../engine/machine.ts';
import { branchesOf } from '../engine/transition.ts';
import { toyMachine } from '../../test/toy.ts';
import { machine } from '../workflows/change/transition-table.ts';
import { machine as session } from '../workflows/session/transition-table.ts';
import { diagramOf, type Diagram } from './diagram.ts';
import { matrix } from './matrix.ts';

const change: Diagram = diagramOf('change', machine);

test('renders a small workflow', () => {
  expect(matrix(diagramOf('toy', toyMachine))).toBe(`## States

| state   | kind     | who or what               | notes |
|---|---|---|---|
| idle    | parked   |                           | the start; outcome not_ready |
| write   | dispatch | writer, for each of pages | makes text |
| review  | dispatch | reviewer                  | can pass reviewed |
| ask     | decide   | spent                     |  |
| stopped | parked   |                           | outcome needs_person |
| done    | final    |                           | outcome done; guarded by reviewed |

## At rest

| from    | signal / guard | to |
|---|---|---|
| idle    | go             | write (loads pages) |
| stopped | go, asked: yes | write (loads pages) |
| stopped | go, asked: no  | review |

## At work

| from   | signal / guard                      | to |
|---|---|---|
| write  | written, more pages                 | write (finishes the item) |
| write  | written, last of pages              | review (finishes the item) |
| review | approved                            | done |
| review | needs_fix, fixes left               | write (spends fixes, loads pages) |
| review | needs_fix, fixes spent, total left  | ask (spends total, sets asked: yes) |
| review | needs_fix, fixes spent, total spent | stopped |
| ask    | again                               | write (grants fixes, spends fixes, loads pages) |
| ask    | stop or withdrawn                   | stopped |

## Faults

| from           | fault / guard                                    | to |
|---|---|---|
| every dispatch | failed, timed_out, unparseable or out_of_bounds, retries left | the same step again (spends retries) |
| every dispatch | failed, timed_out, unparseable or out_of_bounds, retries spent | stopped (outcome failed, remembers the step) |
| every dispatch | rate_limited, unavailable, over_budget or interrupted | stopped (outcome failed, remembers the step) |

## Refusals

| at   | signal / guard | with        | outcome |
|---|---|---|---|
| done | go             | AlreadyDone | done |

## Budgets

| budget  | limit | renewed |
|---|---|---|
| fixes   | 2     | by every command |
| retries | 1     | whenever a state is entered |
| total   | 5     | never |

## Gates

| gate     | approved | guards | passed by       | stays valid after | ends with |
|---|---|---|---|---|---|
| reviewed | text     | done   | review.approved |                   | new text |
`);
});

/** Cells of every row, without their padding. */
const rowsOf = (text: string): string[][] =>
  text
    .split('\n')
    .filter((line) => line.startsWith('|'))
    .map((line) => line.slice(1, -1).split('|'))
    .map((cells) => cells.map((cell) => cell.trim()));
const rows = rowsOf(matrix(change));

test('every state of change has its row', () => {
  for (const [name, { kind }] of Object.entries(machine.states))
    expect(rows.filter(([state, second]) => state === name && second === kind)).toHaveLength(1);
});

test.each(branches(machine))('%s, %s leads to %s', (from, signal, to) => {
  const named = (cell = ''): string[] => cell.split(/[^\w]+/);
  const found = rows.filter(
    ([at, signals, target]) =>
      (named(at).includes(from) || at === 'every dispatch') &&
      named(signals).includes(signal) &&
      (to === 'return'
        ? target?.startsWith('back to ')
        : to === 'again'
          ? /\bagain\b/.test(target ?? '')
          : named(target)[0] === to),
  );
  expect(found.length).toBeGreaterThanOrEqual(1);
});

test.each([
  [
    [
      'challenge',
      'needs_revision or needs_minor_revision, planning left',
      'revise (spends planning, sets repaired: no)',
    ],
  ],
  [['challenge', 'needs_revision, planning spent', 'ask_revision (sets high: yes)']],
  [['confirm_plan', 'edited', 'back to challenged or implementing (outcome not_ready)']],
  [['review', 'needs_fix, rereview: no, implementation spent', 'implementing (sets rereview: no)']],
  [['ask_revision', 'implement_anyway, high: yes', 'HighIssueOpen', 'needs_person']],
  [['new', 'impl, review, archive, retry or undo', 'ChangeNotFound', 'not_ready']],
])('in words: %j', (row) => {
  expect(rows).toContainEqual(row);
});

test('lists a fault once that every dispatch treats alike', () => {
  const again = rows.filter(([, , to]) => to === 'the same step again (spends retries)');
  const unchecked =
    'propose, specify, list_tasks, repair, revise, make_lean, implement, fix, merge_by_hand, review_merge';
  expect(again.map(([from]) => from)).toEqual([unchecked]);
  const others = rowsOf(matrix(diagramOf('session', session)));
  expect(others.filter(([, , to]) => to === again[0]?.[2])).toHaveLength(1);
});

test('a dispatch that runs after a check is repeated through it', () => {
  const faults = 'failed, timed_out, unparseable or out_of_bounds, retries left';
  expect(rows).toContainEqual(['review', faults, 'run_checks (spends retries)']);
});

test.each([
  ['begin_task', 'check', 'for each of tasks', ''],
  ['fix_review', '3', 'with every item of a list'],
  ['ask_fix_build', 'try_again', 'recheck (renews fix_build, spends fix_build, remembers fix_build)'],
])('of session: %s, %s, %s', (...row) => {
  expect(rowsOf(matrix(diagramOf('session', session)))).toContainEqual(row);
});

function branches({ states }: Pick<Machine, 'states'>): [from: string, signal: string, to: string][] {
  const checkOf = (name: string): string | undefined => {
    const state = states[name];
    return state?.kind === 'dispatch' ? state.after : undefined;
  };
  return Object.entries(states).flatMap(([from, { on }]) =>
    Object.entries(on).flatMap(([signal, route]) =>
      branchesOf(route).flatMap((branch): [string, string, string][] =>
        'refuse' in branch ? [] : [[from, signal, branch.to === 'again' ? (checkOf(from) ?? 'again') : branch.to]],
      ),
    ),
  );
}
