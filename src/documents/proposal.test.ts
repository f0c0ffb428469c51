import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  appendReview,
  carryReviews,
  proposalHeadings,
  readProposal,
  renderProposal,
  type ProposalContent,
} from './proposal.ts';
import { proposalWithoutReviews } from './proposal-blocks.ts';
import type { PlanReview } from './review.ts';

const FILE = 'agentd/changes/add-login/proposal.md';

const review: PlanReview = {
  iteration: 1,
  reviewer: 'codex',
  status: 'rejected',
  of: 'plan',
  summary: 's',
  issues: [],
  nextSteps: 'n',
};

const content: ProposalContent = {
  id: 'add-login',
  version: '1.0',
  createdAt: '2026-11-15T09:01:17Z',
  updatedAt: '2026-11-15T09:01:17Z',
  author: 'gemini',
  status: 'proposed',
  iteration: 1,
  summary: 'Adds a login: e-mail only',
  impact: { scope: 'minor', affectedFiles: 3, newFiles: 2 },
  affectedSpecs: [
    { id: 'login', path: 'specs/login.md', depends: [] },
    { id: 'session', path: 'specs/session.md', depends: ['login'] },
  ],
  body: '# Change: add-login\n\n## Summary\n\nx\n\n## Why\n\n## What Changes\n\n## Impact',
  reviews: [],
};

test('the document, byte for byte', () => {
  const text = `---
id: add-login
type: proposal
version: "1.0"
created_at: "2026-11-15T09:01:17Z"
updated_at: "2026-11-15T09:01:17Z"
author: gemini
status: proposed
iteration: 1
summary: "Adds a login: e-mail only"
impact:
  scope: minor
  affected_files: 3
  new_files: 2
affected_specs:
  - id: login
    path: specs/login.md
    depends: []
  - id: session
    path: specs/session.md
    depends:
      - login
---

<proposal>

# Change: add-login

## Summary

x

## Why

## What Changes

## Impact

</proposal>
`;
  expect(renderProposal(content)).toBe(text);
  expect(readProposal(text, FILE)).toEqual({ ...content, findings: [] });
});

describe('tolerant reading', () => {
  test('no tags, bare specs, lists for counts, unquoted version', () => {
    const text = `\ufeff---\r
id: add-login\r
version: 1.10\r
impact:\r
  affected_files: [a.ts, b.ts]\r
affected_specs: [login, specs/session.md]\r
---\r
# Change: add-login\r
\r
<review status="approved">\r
## Summary\r
ok\r
</review>\r
`;
    const proposal = readProposal(text, FILE);
    expect(proposal).toMatchObject({
      version: '1.10',
      iteration: 1,
      status: 'proposed',
      impact: { scope: 'minor', affectedFiles: 2, newFiles: 0 },
      affectedSpecs: [
        { id: 'login', path: 'specs/login.md', depends: [] },
        { id: 'session', path: 'specs/session.md', depends: [] },
      ],
      body: '# Change: add-login',
      reviews: [{ iteration: 1, status: 'approved', summary: 'ok' }],
    });
    const found = {
      code: 'incomplete-proposal',
      path: FILE,
      line: 1,
      fix: 'complete the front matter',
      severity: 'Low',
    };
    expect(proposal.findings).toEqual([
      { ...found, message: 'there are no <proposal> tags' },
      { ...found, message: 'impact.scope is missing; minor is assumed' },
    ]);
  });

  test('no front matter', () => {
    expect(readProposal('<proposal>\nx', FILE)).toMatchObject({
      id: 'add-login',
      body: 'x',
      findings: [
        { message: 'there is no front matter' },
        { message: '<proposal> is not closed' },
        { message: 'id is missing' },
        { message: 'impact.scope is missing; minor is assumed' },
        { message: 'affected_specs is missing' },
      ],
    });
  });

  test.each([
    ['minimal', 'patch'],
    ['Moderate', 'minor'],
    ['breaking', 'major'],
  ])('[D18] the scope %s of another tool is %s', (word, scope) => {
    expect(readProposal(`---\nid: x\nimpact:\n  scope: ${word}\n---\n`, FILE).impact.scope).toBe(scope);
  });

  test.each([
    ['- Affected specs: `python-env.md`, `import-resolution.md` (new)', ['python-env', 'import-resolution']],
    ['- **Affected specs:** `agentd/specs/workflows.md` (to reflect `x`)', ['workflows']],
    ['- Affected specs:\n  - `login.md`\n  - `session.md`\n- Affected code: `a.md`', ['login', 'session']],
    ['Affected specs: specs/login.md and specs/session.md', ['login', 'session']],
    ['- Affected specs: none', []],
  ])('[D18] specs that the impact names in words: %j', (line, ids) => {
    const { affectedSpecs } = readProposal(`# Change: x\n\n## Impact\n\n${line}\n`, FILE);
    expect(affectedSpecs).toEqual(ids.map((id) => ({ id, path: `specs/${id}.md`, depends: [] })));
  });

  test('an unclosed review ends where the next starts', () => {
    const text =
      '<proposal>x</proposal>\n<review status="rejected">\n## Summary\na\n<review status="approved">\n## Summary\nb\n</review>\n';
    const { reviews, findings } = readProposal(text, FILE);
    expect(reviews.map(({ summary, iteration }) => [iteration, summary])).toEqual([
      [1, 'a'],
      [2, 'b'],
    ]);
    expect(findings).toContainEqual(expect.objectContaining({ line: 2, message: 'the review block is not closed' }));
  });

  test('a review shown inside the proposal is not a review', () => {
    const text = '<proposal>\n```\n<review status="approved">\n</review>\n```\n</proposal>\n';
    expect(readProposal(text, FILE).reviews).toEqual([]);
  });
});

test.each([
  ['broken YAML', '---\nid: x\nid: y\n---\n', `${FILE}:3: `],
  [
    'scope',
    '---\nid: x\nimpact:\n  scope: huge\n---\n',
    `${FILE}:3: impact.scope is "huge"; expected one of patch, minor, major`,
  ],
  ['count', '---\nid: x\niteration: many\n---\n', `${FILE}:3: iteration is "many"; expected a whole number`],
  ['specs', '---\nid: x\n\naffected_specs: login\n---\n', `${FILE}:4: affected_specs is "login"; expected a list of`],
  [
    'spec without id',
    '---\naffected_specs:\n  - depends: []\n---\n',
    `${FILE}:2: affected_specs is [{"depends":[]}]; expected an id for each spec`,
  ],
  ['list as front matter', '---\n- a\n---\n', `${FILE}:2: found ["a"]; expected a map`],
  ['review', '<proposal>\n</proposal>\n\n<review status="ok">\n</review>', `${FILE}:4: status is "ok"`],
])('%s is refused with its line', (_, text, message) => {
  expect(() => readProposal(text, FILE)).toThrow(message);
});

test.each([
  ['2', 'version: 2'],
  ['1.10', 'version: "1.10"'],
])('version %s is written as in specs and tasks', (version, line) => {
  const text = renderProposal({ ...content, version });
  expect(text).toContain(`\n${line}\n`);
  expect(readProposal(text, 'proposal.md').version).toBe(version);
});

test('required headings; code does not count', () => {
  expect(proposalHeadings(content.body)).toEqual({ changeId: 'add-login', missing: [] });
  expect(proposalHeadings('# change: x\n```\n## Why\n```\n## what changes\n## Impact')).toEqual({
    changeId: 'x',
    missing: ['## Summary', '## Why'],
  });
  expect(proposalHeadings('## Summary\n## Why\n## What Changes\n## Impact')).toEqual({
    changeId: null,
    missing: ['# Change: <id>'],
  });
});

const hostile = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        '---\n',
        '\n---\n',
        '<proposal>',
        '\n<proposal>\n',
        '</proposal>',
        '\n<review status="approved">\n',
        '</review>',
        '<review',
        '\n',
        '\r\n',
        '```\n',
        'a: 1\n',
        '\nstatus: x\n',
        ' ',
      ),
      fc.string({ maxLength: 6 }),
    ),
    { maxLength: 8 },
  )
  .map((parts) => parts.join(''));
const tidied = hostile.map((text) => text.replaceAll(/\r\n?/g, '\n').trim());

const contents: fc.Arbitrary<ProposalContent> = fc.record({
  id: fc.stringMatching(/^[a-z0-9][a-z0-9-]{0,9}$/),
  version: fc.constantFrom('1', '1.10', '2.0'),
  createdAt: fc.constant('2026-11-15T09:01:17Z'),
  updatedAt: fc.constant('2026-11-15T09:01:18Z'),
  author: fc.constantFrom('gemini', 'null', 'a: b #c'),
  status: fc.constantFrom('proposed', 'true'),
  iteration: fc.nat({ max: 9 }),
  summary: hostile.map((text) => text.replaceAll(/\s+/g, ' ').trim()),
  impact: fc.record({
    scope: fc.constantFrom('patch', 'minor', 'major'),
    affectedFiles: fc.nat({ max: 99 }),
    newFiles: fc.nat({ max: 99 }),
  }),
  affectedSpecs: fc.array(
    fc.record({
      id: fc.constantFrom('a', '1.10', 'true'),
      path: fc.constantFrom('specs/a.md', 'x y.md'),
      depends: fc.array(fc.constantFrom('b', '1', 'no')),
    }),
    { maxLength: 2 },
  ),
  body: tidied,
  reviews: fc.array(
    tidied.map((summary): PlanReview => ({ ...review, summary })),
    { maxLength: 3 },
  ),
});

describe('for any content', () => {
  test('reading gives back what was written', () => {
    fc.assert(
      fc.property(contents, (any) => {
        expect(readProposal(renderProposal(any), FILE)).toEqual({ ...any, findings: [] });
      }),
      { numRuns: 500 },
    );
  });

  test('B2: appending only appends, and does not change what a judgement is bound to', () => {
    fc.assert(
      fc.property(hostile, tidied, (text, summary) => {
        const longer = appendReview(text, { ...review, summary });
        expect(longer.startsWith(text)).toBe(true);
        expect(proposalWithoutReviews(longer)).toBe(proposalWithoutReviews(text));
      }),
      { numRuns: 2000 },
    );
  });

  test('a revision carries the reviews over byte for byte', () => {
    fc.assert(
      fc.property(contents, contents, (old, revised) => {
        const before = renderProposal(old);
        const after = carryReviews(before, renderProposal({ ...revised, reviews: [] }));
        expect(readProposal(after, FILE)).toEqual({ ...revised, reviews: old.reviews, findings: [] });
        expect(after.endsWith(before.slice(renderProposal({ ...old, reviews: [] }).length))).toBe(true);
      }),
      { numRuns: 300 },
    );
  });
});

describe('what a judgement is bound to', () => {
  const text = renderProposal(content);
  const canonical = proposalWithoutReviews(text);

  test('changes of state do not count', () => {
    const later = renderProposal({
      ...content,
      updatedAt: '2027-01-01T00:00:00Z',
      status: 'challenged',
      iteration: 2,
      reviews: [review, review],
    });
    expect(proposalWithoutReviews(later)).toBe(canonical);
    expect(proposalWithoutReviews(later.replaceAll('\n', '\r\n'))).toBe(canonical);
  });

  test('everything else does', () => {
    for (const changed of [
      { ...content, summary: 'y' },
      { ...content, body: `${content.body}\n\nx` },
      { ...content, id: 'b' },
      { ...content, createdAt: '2020-01-01' },
    ]) {
      expect(proposalWithoutReviews(renderProposal(changed))).not.toBe(canonical);
    }
    expect(proposalWithoutReviews(`${text}\nA note.\n`)).not.toBe(canonical);
  });
});
