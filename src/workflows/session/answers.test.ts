import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  readApproval,
  readCriterion,
  readFinding,
  readLean,
  readNotes,
  readRepair,
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
    expect(readApproval(words)).toEqual({ approved: 'approved' });
  });

  test.each([
    ['approved: nice and small', 'approved: nice and small'],
    ['Approved with the second layout', 'approved: with the second layout'],
    ['approved:ship it today', 'approved: ship it today'],
    ['approved :', 'approved'],
  ])('%j is kept as %j', (words, approved) => {
    expect(readApproval(words)).toEqual({ approved });
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
    expect(readApproval(words)).toEqual({ unclear: expect.stringContaining('"approved"') });
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
        expect(readApproval([...before, word, ...after].join(' '))).not.toHaveProperty('approved');
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
        if ('approved' in answer) {
          expect(answer.approved).toMatch(/^approved(?:: \S|$)/);
          expect(answer.approved).toMatch(/^approved(\s|:|$)/);
        }
        if ('changes' in answer) expect(answer.changes.trim()).not.toBe('');
        if ('putOff' in answer) expect(answer.putOff.trim()).not.toBe('');
      }),
      { numRuns: 1000 },
    );
  });
});

describe('changes requested', () => {
  test.each([
    ['changes-requested: split the parser', { changes: 'split the parser' }],
    ['Changes requested: split the parser', { changes: 'split the parser' }],
    ['changes-requested(Architect): split it', { changes: 'split it', role: 'Architect' }],
    ['changes-requested (spec agent): less scope', { changes: 'less scope', role: 'SpecAgent' }],
    ['changes-requested: name it (or not)', { changes: 'name it (or not)' }],
    ['changes-requested: not approved, split it', { changes: 'not approved, split it' }],
  ])('%j', (words, expected) => {
    expect(readApproval(words)).toEqual(expected);
  });

  test.each([
    'changes-requested',
    'changes-requested:',
    'changes requested:   ',
    'changes-requested: ...',
    'changes-requested(Plumber): leaks',
  ])('%j does not say enough', (words) => {
    expect(readApproval(words)).toHaveProperty('unclear');
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
  ['defer', 'the person chose to defer'],
  ['Defer: need to ask the team', 'need to ask the team'],
  ['not now', 'the person chose to defer'],
  ['cancel', 'the person chose to cancel'],
  ['Cancelled: the budget is gone', 'the budget is gone'],
])('%j puts a mandatory decision off', (words, putOff) => {
  expect(readApproval(words)).toEqual({ putOff });
  expect(readStrategy(words)).toEqual({ putOff });
});

test('a wish that begins like a cancellation is none', () => {
  expect(readApproval('cancel button is missing')).toHaveProperty('unclear');
});

describe('the review strategy', () => {
  test.each([
    ['per-batch', 'per-batch'],
    ['Per batch', 'per-batch'],
    ['after each task', 'per-batch'],
    ['per task', 'per-batch'],
    ['single-final', 'single-final'],
    ['Single final review', 'single-final'],
    ['once at the end', 'single-final'],
    ['at the end.', 'single-final'],
  ] as const)('%j is %s', (words, answer) => {
    expect(readStrategy(words)).toEqual({ answer });
  });

  test('[DEF-8] a reason behind it is kept beside the canonical word', () => {
    const reason = 'it is a risky one';
    expect(readStrategy(`Per batch: ${reason}`)).toEqual({ answer: 'per-batch', reason });
    expect(readLean(`full: ${reason}`)).toEqual({ answer: 'full', reason });
    expect(readNotes(`no: ${reason}`, 2)).toEqual({ fix: [], reason });
    expect(readNotes(`all: ${reason}`, 2)).toEqual({ fix: [1, 2], reason });
  });

  test.each(['', 'yes', 'both', 'not per-batch', 'per-batch or single-final', 'constructor', '__proto__'])(
    '%j is unclear',
    (words) => {
      expect(readStrategy(words)).toHaveProperty('unclear');
    },
  );
});

test.each([
  ['fix-now', 'fix-now'],
  ['fix', 'fix-now'],
  ['later', 'fix-later'],
  ['fix later', 'fix-later'],
  ['accept: not reachable from outside', 'accept'],
] as const)('a finding: %j is %s', (words, expected) => {
  const [, text = ''] = words.split(': ');
  expect(readFinding(words)).toEqual({ word: expected, text });
});

test.each(['', 'do not fix', 'not acceptable', 'accept or fix', 'ok'])('a finding: %j is unclear', (words) => {
  expect(readFinding(words)).toHaveProperty('unclear');
});

test.each([
  ['different approach', { word: 'different approach', text: '' }],
  ['Different approach: use a queue', { word: 'different approach', text: 'use a queue' }],
  ['accept with known issues', { word: 'accept with known issues', text: '' }],
  ['simplify scope: drop CSV', { word: 'simplify scope', text: 'drop CSV' }],
  ['guidance: the port is taken', { word: 'guidance', text: 'the port is taken' }],
  ['Look at line 3: it is off by one', { word: 'guidance', text: 'Look at line 3: it is off by one' }],
])('a spent repair budget: %j', (words, expected) => {
  expect(readRepair(words)).toEqual(expected);
});

test.each(['', ' … ', 'guidance:', 'guidance'])('a spent repair budget: %j says nothing', (words) => {
  expect(readRepair(words)).toHaveProperty('unclear');
});

describe('which notes to fix', () => {
  test.each([
    ['none', []],
    ['No', []],
    ['all', [1, 2, 3, 4]],
    ['N1, N3', [1, 3]],
    ['n3 and n1', [1, 3]],
    ['fix: N1, N3', [1, 3]],
    ['fix n4', [4]],
  ])('%j', (words, fix) => {
    expect(readNotes(words, 4)).toEqual({ fix });
  });

  test.each(['', 'N9', 'some', 'N1 maybe', '1 2', '#4', 'fix: 1'])('%j is unclear', (words) => {
    expect(readNotes(words, 4)).toEqual({ unclear: expect.stringContaining('N1, N2, N3, N4') });
  });
});

test.each([
  ['met', { status: 'met', words: '' }],
  ['Yes: seen in Firefox', { status: 'met', words: 'seen in Firefox' }],
  ['not met: the title is cut', { status: 'unmet', words: 'the title is cut' }],
  ['waive: no Windows machine here', { status: 'waived', words: 'no Windows machine here' }],
])('a manual check: %j', (words, expected) => {
  expect(readCriterion(words)).toEqual(expected);
});

test.each(['', 'waive', 'waive:', 'not met', 'met, but slow', 'met: but only on Linux', 'hm'])(
  'a manual check: %j is unclear',
  (words) => {
    expect(readCriterion(words)).toHaveProperty('unclear');
  },
);

test.each([
  ['lean', 'lean'],
  ['FULL', 'full'],
] as const)('lean or full: %j is %s', (words, answer) => {
  expect(readLean(words)).toEqual({ answer });
});

test.each(['', 'yes', 'not lean', 'lean or full'])('lean or full: %j is unclear', (words) => {
  expect(readLean(words)).toHaveProperty('unclear');
});
