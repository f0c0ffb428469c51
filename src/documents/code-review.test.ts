import { describe, expect, test } from 'vitest';
import { readCodeReview, renderCodeReview, type CodeReview } from './review.ts';

const review: CodeReview = {
  iteration: 2,
  verdict: 'NEEDS_FIX',
  testResults: '12 passed, 1 failed',
  security: 'npm audit: not available',
  issues: [
    {
      title: 'Crash on empty input',
      severity: 'High',
      category: 'logic',
      description: 'Reads [0].',
      location: 'src/a.ts:3',
      recommendation: 'Check.',
    },
    { title: 'No test', severity: 'Low', category: 'tests', description: 'b', location: '', recommendation: '' },
  ],
  nextSteps: 'Fix the crash.',
};

const TEXT = `# Code Review (Iteration 2)

## Test Results

12 passed, 1 failed

## Security

npm audit: not available

## Issues

### High

#### Crash on empty input

- **Category**: logic
- **Description**: Reads [0].
- **Location**: src/a.ts:3
- **Recommendation**: Check.

### Low

#### No test

- **Category**: tests
- **Description**: b
- **Location**:
- **Recommendation**:

## Verdict

NEEDS_FIX

## Next Steps

Fix the crash.
`;

test('the file, byte for byte', () => {
  expect(renderCodeReview(review)).toBe(TEXT);
  expect(readCodeReview(TEXT, 'REVIEW.md')).toEqual(review);
});

test('issues are sorted by severity when written', () => {
  expect(renderCodeReview({ ...review, issues: review.issues.toReversed() })).toBe(TEXT);
});

describe('the verdict', () => {
  test.each([
    ['APPROVED', 'APPROVED'],
    ['approved', 'APPROVED'],
    ['**Needs Fix**', 'NEEDS_FIX'],
    ['NEEDS_CHANGES', 'NEEDS_FIX'],
    ['needs-changes.', 'NEEDS_FIX'],
    ['Verdict: `MAJOR_ISSUES`', 'MAJOR_ISSUES'],
    ['- [ ] APPROVED\n- [x] **NEEDS_CHANGES** - see above\n- [ ] MAJOR_ISSUES', 'NEEDS_FIX'],
    ['* [X] APPROVED: ready to merge', 'APPROVED'],
  ])('%s is %s', (word, verdict) => {
    expect(readCodeReview(`## Verdict\n\n${word}\n`, 'REVIEW.md').verdict).toBe(verdict);
  });

  test.each([
    [
      'prose',
      '## Verdict\n\nI would say APPROVED\n',
      'REVIEW.md:3: the verdict is "I would say APPROVED"; expected one of APPROVED, NEEDS_FIX, MAJOR_ISSUES',
    ],
    ['negated', '## Verdict\nnot APPROVED\n', 'REVIEW.md:2: the verdict is "not APPROVED"'],
    ['empty', '## Verdict\n\n## Next Steps\nx', 'the verdict is empty'],
    ['ticked twice', '## Verdict\n- [x] APPROVED\n- [x] NEEDS_FIX\n', 'REVIEW.md:2: several verdicts are ticked'],
    ['not ticked', '## Verdict\n- [ ] APPROVED\n', 'the verdict is "- [ ] APPROVED"'],
    ['missing', '# Code Review\nAPPROVED\n', 'REVIEW.md: there is no "## Verdict" section'],
    ['twice', '## Verdict\nAPPROVED\n## Verdict\nNEEDS_FIX\n', 'REVIEW.md:3: there is a second "## Verdict" section'],
  ])('%s is refused', (_, text, message) => {
    expect(() => readCodeReview(text, 'REVIEW.md')).toThrow(message);
  });
});

describe('issues by hand', () => {
  test('a severity beside the issue counts more than its group', () => {
    const text = '## Issues\n### medium (2):\n#### a\ntext\n#### b\n- Severity: high\n## Verdict\nAPPROVED';
    expect(readCodeReview(text, 'REVIEW.md').issues).toMatchObject([
      { title: 'b', severity: 'High', description: '' },
      { title: 'a', severity: 'Medium', description: 'text' },
    ]);
  });

  test.each([
    [
      'unknown group',
      '## Issues\n\n### Blocker\n#### a\n## Verdict\nAPPROVED',
      'REVIEW.md:3: found "### Blocker" among the issues; expected ### followed by one of High, Medium, Low',
    ],
    ['no group', '## Issues\n\n#### a\n## Verdict\nAPPROVED', 'REVIEW.md:3: the issue has no severity'],
  ])('%s is refused', (_, text, message) => {
    expect(() => readCodeReview(text, 'REVIEW.md')).toThrow(message);
  });
});
