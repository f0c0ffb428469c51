import { describe, expect, test } from 'vitest';
import { brief } from './brief.ts';
import { dispatchOf, dispatched, plannedFiles, tasksFile, tasksList, type DispatchSetting } from './session.fixture.ts';

const usual = { files: plannedFiles, lists: tasksList('T-001'), flags: { mode: 'per_batch' } };
const always = { projectType: 'cli', branch: 'main' };
const judged = { digest: 'now', files: [] };

function briefOf({ data, flags, ...setting }: DispatchSetting) {
  const merged = { ...usual, ...setting, flags: { ...usual.flags, ...flags }, data: { ...always, ...data } };
  return brief(dispatchOf({ judged, ...merged }));
}

const sent = { prompt: expect.stringContaining('# You are the'), closedBy: 'report', complexity: expect.any(String) };
const skipped = (name: string) => ({ signal: { name }, why: expect.stringMatching(/./) });

test.each([
  ['research', {}, skipped('not_needed')],
  ['research', { intake: { needsResearch: true } }, sent],
  ['design_ui', {}, skipped('not_needed')],
  ['design_ui', { intake: { hasUi: true } }, sent],
])('%s, with %j on record [session/design/order]', (state, data, expected) => {
  expect(briefOf({ state, data })).toEqual(expected);
});

test('a task that is implemented is not implemented again [session/schedule/done-stays-done]', () => {
  expect(briefOf({ state: 'code' })).toEqual(sent);
  const files = { ...plannedFiles, ...tasksFile({ status: 'implemented' }) };
  expect(briefOf({ state: 'code', files })).toEqual(skipped('reported'));
});

test('in a lean session the build goes to the Coder [session/integrate/lean]', () => {
  expect(briefOf({ state: 'fix_build', flags: { mode: 'lean' } })).toEqual(skipped('hand_over'));
  expect(briefOf({ state: 'fix_build' })).toEqual(sent);
});

describe('who judges', () => {
  const touched = (behaviour: boolean, risky: boolean) => ({ touched: { behaviour, risky } });
  const worked = (step: string) => [dispatched(step, { signal: 'passed', tree: 'before' })];

  test.each([
    ['per_batch', 'task'],
    ['per_batch', 'final'],
    ['single_final', 'final'],
    ['lean', 'task'],
    ['per_batch', 'release'],
  ])('%s, %s: the Reviewer always [session/roles/reviewer-never-skipped] [session/roles/lean-roles]', (mode, round) => {
    const files = { ...plannedFiles, ...statusOf(mode) };
    expect(briefOf({ state: 'review', files, flags: { mode, round }, data: touched(false, false) })).toEqual(sent);
  });

  test.each([
    ['qa', 'per_batch', 'task', touched(true, false), [], true],
    ['qa', 'per_batch', 'task', touched(false, false), [], false],
    ['security', 'per_batch', 'task', touched(true, false), [], false],
    ['security', 'per_batch', 'task', touched(true, true), [], true],
    ['qa', 'lean', 'task', touched(true, false), [], true],
    ['qa', 'lean', 'task', touched(false, false), [], false],
    ['security', 'lean', 'task', touched(true, true), [], true],
    ['security', 'lean', 'task', touched(true, false), [], false],
    ['security', 'lean', 'final', touched(true, false), [], false],
    ['qa', 'per_batch', 'final', touched(false, false), [], true],
    ['qa', 'per_batch', 'final', touched(false, false), worked('qa'), false],
    ['security', 'per_batch', 'final', touched(false, false), [], true],
    ['security', 'per_batch', 'final', touched(false, false), worked('security'), false],
    ['qa', 'single_final', 'final', touched(false, false), worked('qa'), true],
    ['security', 'single_final', 'final', touched(false, false), worked('security'), true],
  ])(
    '%s, %s, %s, %j, %j: %s [session/roles/every-core-role] [session/review/meta-joins] [session/strategy/per-batch-qa] [session/strategy/per-batch-security]',
    (...[state, mode, round, data, history, isSent]) => {
      const files = { ...plannedFiles, ...statusOf(mode) };
      expect(briefOf({ state, files, flags: { mode, round }, data, history })).toEqual(
        isSent ? sent : skipped('not_needed'),
      );
    },
  );

  function statusOf(mode: string): Readonly<Record<string, string>> {
    const [path = '', text = ''] = Object.entries(plannedFiles).find(([each]) => each.endsWith('status.json')) ?? [];
    return mode === 'single_final' ? { [path]: text.replace('"per-batch"', '"single-final"') } : {};
  }
});

describe('a judgement', () => {
  const data = { 'pass:review': 'T-001' };
  const passed = dispatched('review', { signal: 'passed', tree: 'now' });

  test('stands while the files are the same [session/review/unchanged-stands]', () => {
    expect(briefOf({ state: 'review', data, history: [passed] })).toEqual(skipped('unchanged'));
  });

  test.each([
    ['the files are others', { judged: { digest: 'other', files: [] } }],
    ['it was about another task', { data: { 'pass:review': 'T-002' } }],
    ['it was no pass', { history: [{ ...passed, signal: 'blocked' }] }],
    ['it came to nothing', { history: [{ ...passed, problem: 'crashed' }] }],
    ['it is for the whole session', { lists: {} }],
  ])('does not when %s [session/review/after-fix]', (_, setting) => {
    expect(briefOf({ state: 'review', data, history: [passed], ...setting })).toEqual(sent);
  });
});

test.each([
  ['architect', {}, 'high'],
  ['code', {}, 'medium'],
  ['code', { mode: 'lean' }, 'low'],
])('%s, %j: a model of %s complexity', (state, flags, complexity) => {
  expect(briefOf({ state, flags })).toMatchObject({ complexity });
});
