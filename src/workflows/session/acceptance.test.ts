import { describe, expect, test } from 'vitest';
import { judgedCriteria, openQueries } from './closing.ts';
import { acceptanceEntries } from './commands.ts';
import { renderAcceptance, type Criterion } from './files/acceptance-file.ts';
import * as paths from './files/session-paths.ts';
import type { DataPatch } from '../data-slots.ts';
import { data as slots } from './run-data.ts';
import { run, tasksFile, viewOf } from './session.fixture.ts';

const view = (verify: readonly string[], data: DataPatch = {}, checks: readonly string[] = ['cmd: npm test']) => {
  const criteria: readonly Criterion[] = [{ id: 'AC-001', description: 'All rows', verify }];
  const files = {
    [paths.acceptancePath(run)]: renderAcceptance(criteria),
    ...tasksFile({ acceptance_checks: checks }),
  };
  return viewOf({ files, data });
};
const ran = (entry: string, status: string): DataPatch => ({
  checks: { results: [{ entry, status, evidence: 'exit code 0' }] },
});

test('every check once, those of the criteria first; ids of criteria are no checks [session/integrate/checks]', () => {
  const found = acceptanceEntries(
    view(['manual: look', 'cmd: npm test'], {}, ['cmd: npm test', 'AC-001', 'cmd: make']),
  );
  expect(found).toEqual(['manual: look', 'cmd: npm test', 'cmd: make']);
});

test('CMD: and Manual: are the same words, and the same check [session/integrate/checks] [session/integrate/manual]', () => {
  const loud = view(['CMD: npm test', 'Manual: look'], {}, ['cmd: npm test', 'manual: look']);
  expect(acceptanceEntries(loud)).toEqual(['cmd: npm test', 'manual: look']);
  expect(openQueries(loud).map(({ about }) => about)).toEqual(['manual: look']);
  const seen = {
    ...ran('cmd: npm test', 'passed'),
    ...slots.verdict.set('manual: look', { status: 'met', words: '' }),
  };
  expect(judgedCriteria(view(['CMD: npm test', 'Manual: look'], seen))[0]?.status).toBe('met');
});

describe('a criterion is', () => {
  test.each<[string, readonly string[], DataPatch, string | undefined]>([
    ['met by a check that passed', ['cmd: npm test'], ran('cmd: npm test', 'passed'), 'met'],
    ['open after one that failed', ['cmd: npm test'], ran('cmd: npm test', 'failed'), undefined],
    ['open before anything ran', ['cmd: npm test'], {}, undefined],
    ['open without anything to verify it by', [], {}, undefined],
    ['met by a person', [], slots.verdict.set('AC-001', { status: 'met', words: 'saw it' }), 'met'],
    ['waived by a person', [], slots.verdict.set('AC-001', { status: 'waived', words: 'later' }), 'waived'],
    [
      'open when a person says it is not met',
      [],
      slots.verdict.set('AC-001', { status: 'unmet', words: 'slow' }),
      undefined,
    ],
    [
      'waived when one of its checks is',
      ['manual: look'],
      slots.verdict.set('manual: look', { status: 'waived', words: 'x' }),
      'waived',
    ],
    ['met by a manual check', ['manual: look'], slots.verdict.set('manual: look', { status: 'met', words: '' }), 'met'],
    ['open when only one of two checks holds', ['cmd: npm test', 'cmd: x'], ran('cmd: npm test', 'passed'), undefined],
  ])('%s [session/done/criteria] [session/acceptance/waiver]', (_, verify, data, status) => {
    const [criterion] = judgedCriteria(view(verify, data));
    expect(criterion?.status).toBe(status);
    if (status !== undefined) expect(criterion?.evidence).toMatch(/./);
  });

  test('waived with the reason as evidence [session/acceptance/waiver]', () => {
    const data = slots.verdict.set('AC-001', { status: 'waived', words: 'no scanner here' });
    expect(judgedCriteria(view([], data))[0]?.evidence).toBe('waived by a person: no scanner here');
  });
});

describe('what only a person can say', () => {
  test('manual checks, and criteria nothing vouches for; each must be answered [session/integrate/manual]', () => {
    expect(openQueries(view(['cmd: npm test'], {}, ['cmd: npm test', 'manual: look']))).toEqual([
      {
        about: 'manual: look',
        question: expect.stringMatching(/^T-001 \(.+\): look$/),
        suggestions: expect.any(Array),
        binding: true,
      },
      { about: 'AC-001', question: 'AC-001: All rows', suggestions: expect.any(Array), binding: true },
    ]);
  });

  test('a criterion that hangs on a manual check is not asked about beside it', () => {
    expect(openQueries(view(['manual: look'])).map(({ about }) => about)).toEqual(['manual: look']);
  });

  test('what was not met is asked about again', () => {
    const unmet = slots.verdict.set('manual: look', { status: 'unmet', words: 'ugly' });
    expect(openQueries(view(['manual: look'], unmet)).map(({ about }) => about)).toEqual(['manual: look']);
  });
});

test('[DEF-25] [session/reading/bare-commands] "npm test" of another tool is run, not asked', () => {
  const bare = view(['npm test', './check.sh --all', 'look at the page'], {}, []);
  expect(acceptanceEntries(bare)).toEqual(['cmd: npm test', 'cmd: ./check.sh --all', 'look at the page']);
  const one = view(['npm test'], ran('cmd: npm test', 'passed'), []);
  expect(judgedCriteria(one)[0]).toMatchObject({ status: 'met' });
});
