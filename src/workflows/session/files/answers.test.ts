import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  readApproval,
  readFindingAnswer,
  readLeanAnswer,
  readManualAnswer,
  readNotesAnswer,
  readRepairAnswer,
  readStrategy,
  suggestRole,
} from './answers.ts';

describe('an approval', () => {
  test.each([
    'approved',
    'Approved',
    '  APPROVED.  ',
    '"approved"',
    'approved!',
    'approve',
    'I approve the design',
    'looks good',
    'Looks good to me!',
    'LGTM',
    'lgtm, go ahead',
    'go ahead',
    'Go ahead please',
    'yes',
    'Yes, please go ahead.',
    'ok, go ahead',
    'OK',
    'sounds good',
    'Approved, thanks!',
    'looks good and go ahead',
    'ship it',
    '👍',
  ])('%j is taken as approved (A1)', (words) => {
    expect(readApproval(words)).toEqual({ kind: 'approved', canonical: 'approved' });
  });

  test.each([
    ['approved: nice and small', 'approved: nice and small'],
    ['Approved with the second layout', 'approved: with the second layout'],
    ['approved:ship it today', 'approved: ship it today'],
    ['approved :', 'approved'],
  ])('%j is kept as %j', (words, canonical) => {
    expect(readApproval(words)).toEqual({ kind: 'approved', canonical });
  });

  test.each([
    '',
    '   ',
    'approved-later',
    'approved? not yet',
    'approved?',
    'not approved',
    'Not approved.',
    'disapproved',
    'unapproved',
    'approvedish',
    'looks good but rename the module',
    'looks good, except for the cache',
    'approved, but fix the typo first',
    'approved if the tests pass',
    'approved once the ADR is there',
    'approved with changes',
    "I don't approve",
    'I don’t think this is approved',
    'yes and no',
    'no',
    'ok?',
    'thanks',
    '...',
    'approved aber nicht so',
    'approved pero no así',
    'утверждаю, но не всё',
    'whatever',
    'good morning',
  ])('%j is never taken as an approval (A2)', (words) => {
    const answer = readApproval(words);
    expect(answer.kind).toBe('unclear');
    expect(answer.kind === 'unclear' && answer.why).toMatch(/"approved"/);
  });

  const yes = fc.constantFrom(
    'approved',
    'Approved:',
    'looks good',
    'go ahead',
    'yes',
    'lgtm',
    'ok',
    'approved,',
    'fine.',
  );
  const doubt = fc.constantFrom(
    'but',
    'not',
    'no',
    "don't",
    'don’t',
    'never',
    'except',
    'unless',
    'however',
    'if',
    'until',
    'after',
    'without',
    'yet',
    'BUT',
    'Not',
    'later',
    'pending',
    '?',
    'maybe',
    'should',
    'change',
    'only',
    "isn't",
    'aber',
    'pas',
  );
  const filler = fc.constantFrom(
    'the design',
    'this',
    'it',
    'works',
    'for me',
    'soon',
    'approved',
    'great',
    '-',
    'yes',
    ':',
  );

  test('words with a negation or a reservation never approve, wherever it stands (A2)', () => {
    const sentence = fc.tuple(
      fc.array(fc.oneof(yes, filler), { maxLength: 4 }),
      doubt,
      fc.array(fc.oneof(yes, filler), { maxLength: 4 }),
    );
    fc.assert(
      fc.property(sentence, ([before, word, after]) => {
        expect(readApproval([...before, word, ...after].join(' ')).kind).not.toBe('approved');
      }),
      { numRuns: 1000 },
    );
  });

  test('whatever is said, only canonical values come out (A1)', () => {
    const words = fc.oneof(
      fc.string(),
      fc.string({ unit: 'grapheme' }),
      fc.array(fc.oneof(yes, filler, doubt)).map((all) => all.join(' ')),
    );
    fc.assert(
      fc.property(words, (said) => {
        const answer = readApproval(said);
        if (answer.kind === 'approved') {
          expect(answer.canonical).toMatch(/^approved(?:: \S|$)/);
          expect(answer.canonical).toMatch(/^approved(\s|:|$)/);
        }
        if (answer.kind === 'changes') expect(answer.summary.trim()).not.toBe('');
        if (answer.kind === 'defer' || answer.kind === 'cancel') expect(answer.reason.trim()).not.toBe('');
      }),
      { numRuns: 1000 },
    );
  });
});

describe('changes requested', () => {
  test.each([
    ['changes-requested: split the parser', { summary: 'split the parser' }],
    ['Changes requested: split the parser', { summary: 'split the parser' }],
    ['changes requested - split the parser', { summary: 'split the parser' }],
    ['changes-requested(Architect): split it', { summary: 'split it', role: 'Architect' }],
    ['changes-requested (spec agent): less scope', { summary: 'less scope', role: 'SpecAgent' }],
    ['changes-requested: [Designer] bigger buttons', { summary: 'bigger buttons', role: 'Designer' }],
    ['changes-requested: bigger buttons (for Designer)', { summary: 'bigger buttons', role: 'Designer' }],
    ['changes-requested: name it (or not)', { summary: 'name it (or not)' }],
    ['changes-requested: not approved, split it', { summary: 'not approved, split it' }],
  ])('%j', (words, expected) => {
    expect(readApproval(words)).toEqual({ kind: 'changes', ...expected });
  });

  test.each([
    'changes-requested',
    'changes-requested:',
    'changes requested:   ',
    'changes-requested: [Architect]',
    'changes-requested: ...',
    'changes-requested(Plumber): leaks',
  ])('%j does not say enough', (words) => {
    expect(readApproval(words).kind).toBe('unclear');
  });

  test.each([
    ['The layout breaks on a small screen', 'Designer'],
    ['Put the data access behind an interface', 'Architect'],
    ['The scope is too wide, drop the second goal', 'SpecAgent'],
    ['Hm, I am not convinced', 'Architect'],
  ])('%j is suggested for %s', (summary, role) => {
    expect(suggestRole(summary)).toBe(role);
  });
});

test.each([
  ['defer', { kind: 'defer', reason: 'the person chose to defer' }],
  ['Defer: need to ask the team', { kind: 'defer', reason: 'need to ask the team' }],
  ['not now', { kind: 'defer', reason: 'the person chose to defer' }],
  ['cancel', { kind: 'cancel', reason: 'the person chose to cancel' }],
  ['Cancelled because the budget is gone', { kind: 'cancel', reason: 'because the budget is gone' }],
])('%j puts a mandatory decision off', (words, expected) => {
  expect(readApproval(words)).toEqual(expected);
  expect(readStrategy(words)).toEqual(expected);
});

test('a wish that begins like a cancellation is none', () => {
  expect(readApproval('cancel button is missing').kind).toBe('unclear');
});

describe('the review strategy', () => {
  test.each([
    ['per-batch', 'per-batch'],
    ['Per batch', 'per-batch'],
    ['per_batch please', 'per-batch'],
    ['after each task', 'per-batch'],
    ['per task', 'per-batch'],
    ['review each task', 'per-batch'],
    ['single-final', 'single-final'],
    ['Single final review', 'single-final'],
    ['one final review', 'single-final'],
    ['once at the end', 'single-final'],
    ['at the end.', 'single-final'],
    ['per-batch: it is a risky one', 'per-batch'],
  ] as const)('%j is %s', (words, strategy) => {
    expect(readStrategy(words)).toBe(strategy);
  });

  test.each(['', 'yes', 'both', 'not per-batch', 'per-batch or single-final', 'constructor', '__proto__'])(
    '%j is unclear',
    (words) => {
      expect(readStrategy(words)).toMatchObject({ kind: 'unclear' });
    },
  );
});

test.each([
  ['fix-now', 'fix-now'],
  ['Fix it now!', 'fix-now'],
  ['fix', 'fix-now'],
  ['later', 'fix-later'],
  ['fix later', 'fix-later'],
  ['accept the risk', 'accept'],
  ["won't fix", 'accept'],
  ['accept: not reachable from outside', 'accept'],
] as const)('a finding: %j is %s', (words, expected) => {
  expect(readFindingAnswer(words)).toBe(expected);
});

test.each(['', 'do not fix', 'not acceptable', 'accept or fix', 'ok'])('a finding: %j is unclear', (words) => {
  expect(readFindingAnswer(words)).toMatchObject({ kind: 'unclear' });
});

test.each([
  ['different approach', { kind: 'different-approach', text: '' }],
  ['Different approach: use a queue', { kind: 'different-approach', text: 'use a queue' }],
  ['accept with known issues', { kind: 'accept', text: '' }],
  ['simplify scope: drop CSV', { kind: 'simplify', text: 'drop CSV' }],
  ['guidance: the port is taken', { kind: 'guidance', text: 'the port is taken' }],
  ['Look at line 3: it is off by one', { kind: 'guidance', text: 'Look at line 3: it is off by one' }],
])('a spent repair budget: %j', (words, expected) => {
  expect(readRepairAnswer(words)).toEqual(expected);
});

test.each(['', ' … ', 'guidance:', 'guidance'])('a spent repair budget: %j says nothing', (words) => {
  expect(readRepairAnswer(words)).toMatchObject({ kind: 'unclear' });
});

describe('which notes to fix', () => {
  const ids = ['N1', 'N2', 'N3', 'N12'];
  test.each([
    ['none', []],
    ['No', []],
    ['all', ids],
    ['N1, N3', ['N1', 'N3']],
    ['n3 and n1', ['N1', 'N3']],
    ['fix N2', ['N2']],
    ['1 2', ['N1', 'N2']],
    ['#12', ['N12']],
    ['all but N2', ['N1', 'N3', 'N12']],
  ])('%j', (words, fix) => {
    expect(readNotesAnswer(words, ids)).toEqual({ fix });
  });

  test.each(['', 'N9', 'some', 'N1 maybe'])('%j is unclear', (words) => {
    expect(readNotesAnswer(words, ids)).toMatchObject({
      kind: 'unclear',
      why: expect.stringContaining('N1, N2, N3, N12'),
    });
  });
});

test.each([
  ['met', { kind: 'met', evidence: '' }],
  ['Yes: seen in Firefox', { kind: 'met', evidence: 'seen in Firefox' }],
  ['not met: the title is cut', { kind: 'not-met', why: 'the title is cut' }],
  ['waive: no Windows machine here', { kind: 'waived', reason: 'no Windows machine here' }],
])('a manual check: %j', (words, expected) => {
  expect(readManualAnswer(words)).toEqual(expected);
});

test.each(['', 'waive', 'waive:', 'not met', 'met, but slow', 'met: but only on Linux', 'hm'])(
  'a manual check: %j is unclear',
  (words) => {
    expect(readManualAnswer(words)).toMatchObject({ kind: 'unclear' });
  },
);

test.each([
  ['lean', 'lean'],
  ['go lean', 'lean'],
  ['Lean mode please', 'lean'],
  ['the full workflow', 'full'],
  ['FULL', 'full'],
] as const)('lean or full: %j is %s', (words, expected) => {
  expect(readLeanAnswer(words)).toBe(expected);
});

test.each(['', 'yes', 'not lean', 'lean or full'])('lean or full: %j is unclear', (words) => {
  expect(readLeanAnswer(words)).toMatchObject({ kind: 'unclear' });
});
