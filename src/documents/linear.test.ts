/** attack 6.9: readers of documents take time in proportion to the text. Twice the text may take a few times as long, not hundreds. */

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { attempt } from './document-error.ts';
import { readHeadings } from './markdown.ts';
import { readSpec } from './spec.ts';
import { readTasks, setTaskStatus, tasksWithoutStatus } from './tasks.ts';

const readers: Readonly<Record<string, (text: string) => unknown>> = {
  readTasks: (text) => readTasks(text, { file: 'tasks.md', changeId: 'x' }),
  tasksWithoutStatus,
  setTaskStatus: (text) => setTaskStatus(text, '1.1', 'completed'),
  readSpec: (text) => readSpec(text, 'a.md'),
};

const block = '# T\n\n## 1. Data Layer\n\n### Task 1.1: a\n\n```yaml\nid: "1.1"\n';
const texts: Readonly<Record<string, (spaces: string) => string>> = {
  'a status': (spaces) => `${block}status: pending${spaces}x\n\`\`\`\n`,
  'a detail': (spaces) => `# T\n## 1. Data Layer\n### Task 1.1: a\nfile: a${spaces}b\n`,
  'a checkbox': (spaces) => `## 1. Data Layer\n- [ ] 1.1 a${spaces}b\n`,
  'a heading': (spaces) => `### a${spaces}b #\n#${spaces}x`,
  'a requirement': (spaces) => `## Requirements\n### R1${spaces}x\n`,
  'a step': (spaces) => `## Acceptance Criteria\n### Scenario: a\n- **GIVEN** a${spaces}b\n`,
  'a removal': (spaces) => `## Removed Requirements\n- R1${spaces}x\n- \`${spaces}x\n`,
  'the front matter': (spaces) => `---\nlayers:\n${'  a: 1\n'.repeat(spaces.length / 8)}---\n`,
};

describe.each(Object.entries(readers))('%s', (_, read) => {
  test.each(Object.entries(texts))('spaces in %s', (_, textOf) => {
    const cost = (length: number): number => {
      const text = textOf(' '.repeat(length));
      const begin = process.cpuUsage();
      attempt(() => read(text));
      return process.cpuUsage(begin).user / 1_000;
    };
    cost(20_000);
    // Quadratic ones took more than two minutes for this.
    expect(cost(200_000)).toBeLessThan(10_000);
  });
});

test('headings are what the pattern of CommonMark says', () => {
  const pattern = /^\uFEFF? {0,3}(#{1,6})(?:[ \t]+(.*?))?(?:[ \t]+#+)?[ \t]*\r?$/;
  const line = fc.array(fc.constantFrom('#', '##', ' ', '\t', 'a', 'b c', '\r', '\uFEFF'), { maxLength: 9 });
  fc.assert(
    fc.property(line, (parts) => {
      const text = parts.join('');
      const [, marks, title = ''] = pattern.exec(text) ?? [];
      const expected = marks === undefined ? [] : [{ level: marks.length, text: title.trim(), line: 1 }];
      expect(readHeadings(text)).toEqual(expected);
    }),
    { numRuns: 5_000 },
  );
});
