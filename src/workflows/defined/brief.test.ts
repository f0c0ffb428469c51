import { describe, expect, test } from 'vitest';
import type { Snapshot } from '../../engine/snapshot.ts';
import type { DispatchContext } from '../workflow.ts';
import { contextOf, dispatched, page, viewOf } from './page.fixture.ts';
import { brief, placeholdersOf, unknownPlaceholders } from './brief.ts';

const prompts = {
  'prompts/draft.md': 'Write {{page}} for {{ run }}: {{description}} ({{item}})\n\nLast: {{report.review}}\n',
  'prompts/review.md': 'Review {{page}}, pictures in {{images}}.\n',
};

function promptFor(data: Snapshot['data'] = {}, more: Partial<DispatchContext> = {}): string {
  const made = brief(page, prompts, contextOf({ step: 'draft', role: 'writer' }, viewOf({ data }), more));
  expect(made.closedBy).toBe('report');
  return made.prompt;
}

describe('placeholders', () => {
  test('lists every name a prompt may use', () => {
    expect(placeholdersOf(page)).toEqual([
      'run',
      'description',
      'item',
      'page',
      'images',
      'report.draft',
      'report.review',
    ]);
  });

  test('finds unknown names with their lines', () => {
    const text = '{{page}} {{ description }}\n{{pgae}} and {{report.accept}}\n\n{{constructor}}\n';
    expect(unknownPlaceholders(page, text)).toEqual([
      { name: 'pgae', line: 2 },
      { name: 'report.accept', line: 2 },
      { name: 'constructor', line: 4 },
    ]);
    expect(unknownPlaceholders(page, 'a {{ with space }} {page} {{}} {{{run}}}')).toEqual([]);
  });

  test('fills in each', () => {
    const data = {
      description: 'how to install',
      'report.review': { verdict: 'needs_work', summary: 'Too short.', details: 'Say why.', role: 'reviewer' },
    };
    const [first] = promptFor(data, { item: { id: 'intro', after: [] } }).split('\n## ');
    expect(first).toBe(
      'Write docs/install.md for install: how to install (intro)\n\nLast: needs_work: Too short.\n\nSay why.\n',
    );
  });

  test('marks a missing report, and leaves out a missing item', () => {
    expect(promptFor()).toMatch(/^Write docs\/install\.md for install: {2}\(\)\n\nLast: \(nothing yet\)\n/);
  });

  test('what a value contains is never read as a placeholder', () => {
    const text = promptFor({
      description: 'use {{page}} and {{report.review}} and $& $1',
      'report.review': { verdict: 'needs_work', summary: '{{description}}', details: '' },
    });
    expect(text).toContain('use {{page}} and {{report.review}} and $& $1');
    expect(text).toContain('Last: needs_work: {{description}}\n');
  });
});

describe('what every role must know', () => {
  test('states its write permissions and how to report', () => {
    expect(promptFor()).toContain('Write only `docs/**`. If anything else changes, your report does not count.');
    expect(promptFor()).toContain('with `verdict` `done`, a `summary`, and `details`');
    const review = brief(page, prompts, contextOf({ step: 'review', role: 'reviewer' })).prompt;
    expect(review).toContain('Review docs/install.md, pictures in docs/install/.');
    expect(review).toContain('Write nothing:');
    expect(review).toContain('`verdict` `approved` or `needs_work`');
    expect(review).toContain('Do not commit, push, or touch `.git/` and `.pawl/`.');
  });

  test("the project's own rules, where there are some", () => {
    expect(promptFor()).not.toContain('Rules of this project');
    const view = viewOf({}, { 'AGENTS.md': 'Be kind.', 'CONTRIBUTING.md': '' });
    const { prompt } = brief(page, prompts, contextOf({ step: 'draft', role: 'writer' }, view));
    expect(prompt).toContain('## Rules of this project\n\nRead and follow `AGENTS.md`, `CONTRIBUTING.md`.');
    expect(prompt).not.toContain('Be kind.');
  });

  test('summarizes the last five dispatches, each step with its last report', () => {
    expect(promptFor()).not.toContain('What happened before');
    const data = { 'report.review': { verdict: 'needs_work', summary: 'Too short.', details: '' } };
    const history = [
      dispatched('draft', 'writer', 'failed'),
      dispatched('draft', 'writer', 'done'),
      ...Array.from({ length: 3 }, () => dispatched('review', 'reviewer', 'needs_work')),
      dispatched('review', 'reviewer', 'timed_out'),
    ];
    const text = promptFor(data, { history });
    expect(text.match(/^- .*$/gm)).toEqual([
      '- draft (writer): done',
      '- review (reviewer): needs_work',
      '- review (reviewer): needs_work',
      '- review (reviewer): needs_work: Too short.',
      '- review (reviewer): timed_out',
    ]);
  });

  test("a person's words, at the end", () => {
    expect(promptFor()).not.toContain('person in charge');
    expect(promptFor({}, { hint: 'Keep it short.' })).toMatch(/## A person adds\n\nKeep it short\.\n$/);
  });
});

test('throws for a state without a dispatch and for a prompt that was not loaded', () => {
  expect(() => brief(page, prompts, contextOf({ step: 'accept', role: 'writer' }))).toThrow('dispatches nobody');
  expect(() => brief(page, {}, contextOf({ step: 'draft', role: 'writer' }))).toThrow('was not loaded');
});
