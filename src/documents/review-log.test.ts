import fc from 'fast-check';
import { expect, test } from 'vitest';
import { withIteration, type Iteration } from './review-log.ts';

const first: Iteration = {
  phase: 'specify',
  number: 1,
  at: '2026-01-01T00:00:00.000Z',
  summary: 'One requirement\ncannot be tested.',
  issues: [
    { severity: 'blocker', description: 'R1 has no\nlimit.', location: 'line 5', cites: 'E2' },
    { severity: 'note', description: 'Name it.', cites: 'R1' },
  ],
  dropped: [{ severity: 'blocker', description: 'Translate slugs.' }],
  corrected: 'the report claimed approved: true; there is a blocker, so it is false',
  changes: '- first version',
};

const approved: Iteration = {
  phase: 'specify',
  number: 2,
  at: '2026-01-01T00:05:00.000Z',
  summary: 'Fine.',
  issues: [],
  dropped: [],
  corrected: null,
  changes: '- docs/features/001-x/spec.md (+2 −1)',
};

const firstEntry = `## Phase: specify

### Iteration 1 - 2026-01-01T00:00:00.000Z

**Reviewer Feedback:**
One requirement cannot be tested.

**Corrected:** the report claimed approved: true; there is a blocker, so it is false

**Issues:**
- [blocker] R1 has no limit. (line 5) [E2]
- [note] Name it. [R1]
- [out of scope] [blocker] Translate slugs.

**Changes Made:**
- first version

---
`;

const secondEntry = `
### Iteration 2 - 2026-01-01T00:05:00.000Z

**Reviewer Feedback:**
Fine.

**Issues:**
- none

**Changes Made:**
- docs/features/001-x/spec.md (+2 −1)

---
`;

test('[feature/history/format] [feature/loop/logged] an entry has the parts of the specification', () => {
  expect(withIteration(undefined, first)).toBe(firstEntry);
});

test('[feature/history/format] iterations of one phase stand below one heading', () => {
  expect(withIteration(firstEntry, approved)).toBe(firstEntry + secondEntry);
  const design = withIteration(firstEntry, { ...approved, phase: 'design' });
  expect(design).toBe(`${firstEntry}\n## Phase: design\n${secondEntry}`);
  expect(withIteration(design, approved).match(/^## Phase: .*/gm)).toEqual([
    '## Phase: specify',
    '## Phase: design',
    '## Phase: specify',
  ]);
});

test.each([
  ['no line end', 'Mine.'],
  ['one line end', '# Notes\n\nMine.\n'],
  ['CRLF', '# Notes\r\n\r\n## Phase: specify\r\n\r\nMine.\r\n'],
  ['the file of the plugin', '## Phase: specify\n\n### Iteration 1 - 2025\nDecision: Needs revision\n'],
])('text of others stays as it is: %s', (_, text) => {
  const after = withIteration(text, approved);
  expect(after.startsWith(text)).toBe(true);
  expect(after.slice(text.length)).toContain('\n### Iteration 2 - 2026-01-01T00:05:00.000Z\n');
});

test('words of a reviewer add no heading, entry or rule to the file', () => {
  const line = fc.string({ unit: fc.constantFrom('#', '-', '\n', '\r', ' ', 'a', '\u2028', '*') });
  fc.assert(
    fc.property(line, line, (summary, description) => {
      const hostile = { ...approved, summary, issues: [{ severity: 'note' as const, description, location: summary }] };
      const text = withIteration(undefined, hostile);
      expect(text.match(/^## Phase/gm)).toHaveLength(1);
      expect(text.split('\n').filter((each) => each.startsWith('- ['))).toHaveLength(1);
      // Lines do not depend on what was said.
      expect(text.split('\n')).toHaveLength(
        withIteration(undefined, { ...hostile, summary: 'x', issues: [{ severity: 'note', description: 'x' }] }).split(
          '\n',
        ).length,
      );
    }),
  );
});
