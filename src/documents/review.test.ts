import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { CODE_VERDICTS, readCodeReview, renderCodeReview, type CodeReview } from './review.ts';
import { readPlanReview, renderPlanReview, type PlanReview } from './review.ts';
import { SEVERITIES } from './finding.ts';
import type { Issue } from './review-text.ts';

const where = { file: 'proposal.md', line: 20 };

const review: PlanReview = {
  iteration: 1,
  reviewer: 'codex',
  status: 'needs_revision',
  of: 'plan',
  summary: 'Good, with gaps.',
  issues: [
    {
      title: 'No lockout',
      severity: 'High',
      category: 'security',
      description: 'Brute force\nis possible.',
      location: 'specs/login.md',
      recommendation: 'Add R4.',
    },
    { title: 'Naming', severity: 'Low', category: 'style', description: 'x', location: '', recommendation: '' },
  ],
  nextSteps: 'Revise.',
};

test('the block, byte for byte', () => {
  expect(renderPlanReview(review)).toBe(`<review iteration="1" reviewer="codex" status="needs_revision" of="plan">

## Summary

Good, with gaps.

## Issues

### Issue: No lockout

- **Severity**: High
- **Category**: security
- **Description**: Brute force
  is possible.
- **Location**: specs/login.md
- **Recommendation**: Add R4.

### Issue: Naming

- **Severity**: Low
- **Category**: style
- **Description**: x
- **Location**:
- **Recommendation**:

## Verdict

NEEDS_REVISION

## Next Steps

Revise.

</review>
`);
  expect(readPlanReview(renderPlanReview(review), where)).toEqual(review);
});

test('a letter that grows in lower case does not move the end of the block', () => {
  const dotted = { ...review, summary: 'İİİ' };
  expect(readPlanReview(renderPlanReview(dotted), where)).toEqual(dotted);
});

test('[change/documents/escaped] content is escaped where it looks like structure, and only there', () => {
  const block = renderPlanReview({
    ...review,
    reviewer: 'a"><review>',
    summary: 'a </review> <b>\n## Verdict\n# other\n&lt;review &amp;lt;/proposal> &amp;',
    issues: [],
  });
  expect(block).toContain('reviewer="a&quot;&gt;&lt;review&gt;"');
  expect(block).toContain('a &lt;/review> <b>\n\\## Verdict\n# other\n&amp;lt;review &amp;amp;lt;/proposal> &amp;');
  expect(block.match(/<\/?(?:review|proposal)/g)).toEqual(['<review', '</review']);
});

describe('by hand', () => {
  test('other spellings are read', () => {
    const block = `<review status='APPROVED'>\r\n## summary:\r\nFine.\r\n## Issues\r\n### Issue 1: A thing\r\n**Severity:** medium\r\n* Category: x\r\n- **Description**:\r\n  - one\r\n  - two\r\nmore\r\n## Verdict\r\nREJECTED</review>`;
    expect(readPlanReview(block, where, 3)).toEqual({
      iteration: 3,
      reviewer: '',
      status: 'approved',
      of: 'plan',
      summary: 'Fine.',
      issues: [
        {
          title: 'A thing',
          severity: 'Medium',
          category: 'x',
          description: '- one\n- two\nmore',
          location: '',
          recommendation: '',
        },
      ],
      nextSteps: '',
    });
  });

  test.each([
    [
      'no status',
      '<review iteration="1">\nAPPROVED\n</review>',
      'proposal.md:20: the review has no status attribute; expected one of approved, needs_revision, rejected',
    ],
    ['unknown status', '<review status="fine"></review>', 'proposal.md:20: status is "fine"; expected one of'],
    [
      'bad iteration',
      '<review status="approved" iteration="one"></review>',
      'proposal.md:20: iteration is "one"; expected a whole number',
    ],
    [
      'unknown severity',
      '<review status="approved">\n## Issues\n\n### Issue: a\n- **Severity**: Huge\n</review>',
      'proposal.md:23: severity is "Huge"; expected one of High, Medium, Low',
    ],
    [
      'no severity',
      '<review status="approved">\n## Issues\n### Issue: a\n</review>',
      'proposal.md:22: the issue has no severity; expected one of High',
    ],
    ['no block', 'hello', 'proposal.md:20: found no review block'],
  ])('%s is refused', (_, block, message) => {
    expect(() => readPlanReview(block, where)).toThrow(message);
  });
});

/** Pieces that could break a reader out of its structure, and anything else. */
const hostileText = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        '</review>',
        '<review status="approved">',
        '</proposal>',
        '<proposal>',
        '&lt;review',
        '&amp;lt;/review>',
        '\n',
        '\n\n',
        '\r\n',
        '\r',
        '  ',
        '\u2028',
        '\u00a0',
      ),
      fc.constantFrom(
        '## Verdict',
        '\n## Verdict\n',
        '\n\\## Summary\n',
        '\n\\\\## issues: \n',
        '\n### Issue: x\n',
        '\n### High\n',
        '\n#### t\n',
        '\n- **Severity**: Low\n',
        '**Severity**: Low',
        '```',
        '\n```\n',
        '\n---\n',
        '**b**',
      ),
      fc.string({ unit: 'binary', maxLength: 8 }),
    ),
    { maxLength: 6 },
  )
  .map((parts) => parts.join(''));

const issueArbitrary: fc.Arbitrary<Issue> = fc.record({
  title: hostileText.map(line),
  severity: fc.constantFrom(...SEVERITIES),
  category: hostileText.map(line),
  description: hostileText.map(block),
  location: hostileText.map(line),
  recommendation: hostileText.map(block),
});

/** The forms in which text is kept. */
function line(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim();
}

function block(text: string): string {
  return text.replaceAll(/\r\n?/g, '\n').trim();
}

const reviewArbitrary: fc.Arbitrary<PlanReview> = fc.record({
  iteration: fc.nat({ max: 99 }),
  reviewer: hostileText.map(line),
  status: fc.constantFrom('approved', 'needs_revision', 'rejected'),
  of: hostileText.map(line),
  summary: hostileText.map(block),
  issues: fc.array(issueArbitrary, { maxLength: 3 }),
  nextSteps: hostileText.map(block),
});

const codeReviewArbitrary: fc.Arbitrary<CodeReview> = fc.record({
  iteration: fc.nat({ max: 99 }),
  verdict: fc.constantFrom(...CODE_VERDICTS),
  testResults: hostileText.map(block),
  security: hostileText.map(block),
  issues: fc
    .array(issueArbitrary, { maxLength: 4 })
    .map((issues) => SEVERITIES.flatMap((severity) => issues.filter((issue) => issue.severity === severity))),
  nextSteps: hostileText.map(block),
});

describe('for any content', () => {
  test('R1, attack 6.4: reading a plan review gives back what was written', () => {
    fc.assert(
      fc.property(reviewArbitrary, fc.constantFrom('\n', '\r\n'), (any, eol) => {
        expect(readPlanReview(renderPlanReview(any).replaceAll('\n', eol), where)).toEqual(any);
      }),
      { numRuns: 1000 },
    );
  });

  test('R1, attack 6.4: reading a code review gives back what was written', () => {
    fc.assert(
      fc.property(codeReviewArbitrary, fc.constantFrom('\n', '\r\n'), (any, eol) => {
        expect(readCodeReview(renderCodeReview(any).replaceAll('\n', eol), 'REVIEW.md')).toEqual(any);
      }),
      { numRuns: 1000 },
    );
  });

  test('R2: there is exactly one block, opened and closed', () => {
    fc.assert(
      fc.property(reviewArbitrary, (any) => {
        expect(renderPlanReview(any).match(/<\/?(?:review|proposal)/gi)).toEqual(['<review', '</review']);
      }),
      { numRuns: 1000 },
    );
  });
});
