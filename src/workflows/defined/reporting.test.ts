import { describe, expect, test } from 'vitest';
import { contextOf, dispatched, goodPage, page, viewOf } from './page.fixture.ts';
import { conclude, reportTool, tools } from './reporting.ts';

const path = 'docs/install.md';
const written = viewOf({}, { [path]: goodPage });
const writer = contextOf({ step: 'draft', role: 'writer' }, written);
const reviewer = contextOf({ step: 'review', role: 'reviewer' });
const tool = tools(page)[reportTool];
const call = (args: Readonly<Record<string, unknown>>, context = reviewer) => tool?.call(args, context);
const filed = (args: Readonly<Record<string, string>>) => [{ tool: reportTool, args }];

test('one tool for all roles, filed once', () => {
  expect(Object.keys(tools(page))).toEqual(['report']);
  expect(tool).toMatchObject({
    roles: ['writer', 'reviewer'],
    report: { once: true },
    schema: {
      properties: { verdict: { enum: ['done', 'approved', 'needs_work'] } },
      required: ['verdict', 'summary'],
      additionalProperties: false,
    },
  });
});

describe('a mistake is answered with a fix', () => {
  const summaryExpected = 'a text of 1 to 2000 characters; put more into details';
  const detailsExpected = 'a text of at most 100000 characters';

  test.each<[string, Readonly<Record<string, unknown>>, string]>([
    ['no verdict', { summary: 'x' }, 'verdict is missing; expected one of "approved", "needs_work"'],
    [
      "another role's verdict",
      { verdict: 'done', summary: 'x' },
      'verdict is "done"; expected one of "approved", "needs_work"',
    ],
    [
      'a verdict in capitals',
      { verdict: 'APPROVED', summary: 'x' },
      'verdict is "APPROVED"; expected one of "approved", "needs_work"; did you mean approved?',
    ],
    [
      'a list',
      { verdict: ['approved'], summary: 'x' },
      'verdict is ["approved"]; expected one of "approved", "needs_work"',
    ],
    ['no summary', { verdict: 'approved' }, `summary is missing; expected ${summaryExpected}`],
    ['an empty summary', { verdict: 'approved', summary: ' ' }, `summary is " "; expected ${summaryExpected}`],
    [
      'a long summary',
      { verdict: 'approved', summary: 'x'.repeat(2_001) },
      `summary is "${'x'.repeat(59)}…"; expected ${summaryExpected}`,
    ],
    [
      'details that are a list',
      { verdict: 'approved', summary: 'x', details: [] },
      `details is []; expected ${detailsExpected}`,
    ],
    [
      'long details',
      { verdict: 'approved', summary: 'x', details: 'x'.repeat(100_001) },
      `details is "${'x'.repeat(59)}…"; expected ${detailsExpected}`,
    ],
    [
      'something else',
      { verdict: 'approved', summary: 'x', score: 3 },
      'score is not known; expected one of verdict, summary, details',
    ],
  ])('%s', (_, args, mistake) => {
    const lines = [
      'report was refused, nothing was written. Fix the following and call it again:',
      `- ${mistake}`,
      'Example: {"verdict":"approved","summary":"Everything asked for is done."}',
    ];
    expect(call(args)).toEqual({ error: lines.join('\n') });
  });

  test('refuses a report while the artifact is missing or incomplete', () => {
    const args = { verdict: 'done', summary: 'x' };
    expect(call(args, contextOf({ step: 'draft', role: 'writer' }))).toEqual({
      error: 'docs/install.md is missing or empty: write it first, then report',
    });
    const half = viewOf({}, { [path]: '# Usage\n' });
    expect(call(args, contextOf({ step: 'draft', role: 'writer' }, half))).toEqual({
      error: 'docs/install.md lacks the heading "Limits": write it first, then report',
    });
  });
});

test('accepts a complete report', () => {
  expect(call({ verdict: 'done', summary: 'x' }, writer)).toEqual({ text: 'Filed: done. You are done.' });
  expect(call({ verdict: 'approved', summary: 'x'.repeat(2_000), details: '' })).toEqual({
    text: 'Filed: approved. You are done.',
  });
});

describe('what reports amount to', () => {
  test('a signal, the report in the data, and a file that stays readable', () => {
    const context = { ...writer, history: [dispatched('draft', 'writer', 'failed')] };
    expect(conclude(page, context, filed({ verdict: 'done', summary: ' Written. ', details: 'See there.' }))).toEqual({
      signal: {
        name: 'done',
        data: { 'report.draft': { verdict: 'done', summary: 'Written.', details: 'See there.', role: 'writer' } },
      },
      writes: [
        {
          path: '.pawl/page/install/reports/002-draft.md',
          content: '# draft: done\n\nwriter (scripted), 2026-01-01T00:00:00.000Z\n\nWritten.\n\nSee there.\n',
        },
      ],
    });
  });

  test('without details there is no empty paragraph', () => {
    expect(conclude(page, reviewer, filed({ verdict: 'approved', summary: 'Good.' }))).toMatchObject({
      writes: [{ content: '# review: approved\n\nreviewer (scripted), 2026-01-01T00:00:00.000Z\n\nGood.\n' }],
    });
  });

  test('is insufficient without a report', () => {
    const insufficient = 'the reviewer ended without calling report';
    expect(conclude(page, reviewer, [])).toEqual({ insufficient });
    expect(conclude(page, reviewer, [{ tool: 'other', args: {} }])).toEqual({ insufficient });
  });

  test('is insufficient when its artifact is gone again', () => {
    expect(
      conclude(page, contextOf({ step: 'draft', role: 'writer' }), filed({ verdict: 'done', summary: 'x' })),
    ).toEqual({
      insufficient: 'docs/install.md is missing or empty',
    });
  });

  test('a verdict that passes a gate approves the current artifact', () => {
    const gates = { out: { of: 'page', guards: ['published'], passedBy: ['review.approved'] } };
    const context = contextOf({ step: 'review', role: 'reviewer' }, written);
    expect(conclude({ ...page, gates }, context, filed({ verdict: 'approved', summary: 'x' }))).toMatchObject({
      signal: { data: { 'approved.page': expect.stringMatching(/^sha256:/) } },
    });
    const other = conclude({ ...page, gates }, context, filed({ verdict: 'needs_work', summary: 'x' }));
    expect(JSON.stringify(other)).not.toContain('approved.page');
  });

  test('throws for a state that dispatches nobody', () => {
    expect(() => conclude(page, contextOf({ step: 'idle', role: 'writer' }), [])).toThrow(
      'dispatches nobody in "idle"',
    );
  });
});
