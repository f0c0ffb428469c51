import { describe, expect, test } from 'vitest';
import { featureFiles, run } from './feature-files.fixture.ts';
import { findingLine, issueText, sortIssues, type Issue } from '../../documents/review-issues.ts';
import { citationsFor } from './phase-artifacts.ts';

const spec = `# Spec

## Requirements

- R1: A slug has at most 60 characters.
- FR-2.1: A slug is cut at the **end of a word**.
`;
const files = featureFiles({ 'spec.md': spec, 'design.md': '# Design\n\nD4: one function\n' });
const isValid = citationsFor(files, run, 'create-plan', 'Short slugs for AB-7');

describe('[feature/loop/citation] a citation is valid', () => {
  test.each([
    ['an expectation of the phase', 'E1'],
    ['an expectation among words', 'expectation E2: all items are covered'],
    ['an id of the spec', 'R1'],
    ['ids in small letters', 'e1'],
    ['an id in small letters among words', 'see fr-2.1'],
    ['an id with parts', 'FR-2.1'],
    ['an id of an earlier artifact', 'D4'],
    ['an id of the description', 'AB-7'],
    ['words of the spec', '"A slug is cut at the end of a word"'],
    ['words of the spec in another case and with marks', 'at most 60   CHARACTERS'],
  ])('%s', (_, citation) => {
    expect(isValid(citation)).toBe(true);
  });
});

describe('[feature/loop/citation] a citation is not valid', () => {
  test.each([
    ['an expectation that the phase does not have', 'E3'],
    ['an id that nothing has', 'R9'],
    ['an id that is a part of another', 'FR-2'],
    ['words that nobody wrote', 'slugs are translated into Latin'],
    ['words that are too few to mean something', 'a slug'],
    ['nothing', ''],
    ['the name of a document', 'spec.md'],
  ])('%s', (_, citation) => {
    expect(isValid(citation)).toBe(false);
  });

  test('words that only the artifact itself has: it would cite itself', () => {
    const own = featureFiles({ 'spec.md': '# Spec\n\nNobody asked for this sentence.\n' });
    expect(citationsFor(own, run, 'specify', 'Slugs')('Nobody asked for this sentence.')).toBe(false);
  });
});

test('the description stands for a spec that is not there', () => {
  const cites = citationsFor(featureFiles({}), run, 'implement', 'The login fails on Mondays');
  expect([cites('login fails on mondays'), cites('the logout fails'), cites('E3')]).toEqual([true, false, true]);
});

const blocker: Issue = { severity: 'blocker', description: 'No step deals with R1.', cites: 'R1' };

describe('[feature/loop/computed] approved is computed', () => {
  const uncited: Issue = { severity: 'blocker', description: 'Translate slugs.' };
  const wrong: Issue = { ...uncited, cites: 'R9' };
  const warning: Issue = { severity: 'warning', description: 'Vague.', cites: 'E1' };
  const note: Issue = { severity: 'note', description: 'Nice.', cites: 'E1' };

  test.for<[string, readonly Issue[], boolean, number, number]>([
    ['no issues', [], true, 0, 0],
    ['warnings and notes', [warning, note], true, 2, 0],
    ['a blocker', [note, blocker], false, 2, 0],
    ['[feature/loop/scope] a blocker without a citation', [uncited], true, 0, 1],
    ['[feature/loop/scope] a blocker with a wrong citation', [wrong, warning], true, 1, 1],
    ['both kinds of blockers', [wrong, blocker], false, 1, 1],
  ])('%s', ([, issues, approved, counting, dropped]) => {
    const sorted = sortIssues(issues, isValid);
    expect([sorted.approved, sorted.counting.length, sorted.dropped.length]).toEqual([approved, counting, dropped]);
  });
});

test('issues and findings are one line each', () => {
  expect(issueText({ ...blocker, description: 'a\nb', location: 'x\ny' })).toBe('[blocker] a b (x y) [R1]');
  expect(issueText({ severity: 'note', description: 'a' })).toBe('[note] a');
  expect(findingLine({ category: 'missing', requirement: 'R1', place: 'src/a.ts:3', description: 'not\nthere' })).toBe(
    '[missing] R1, src/a.ts:3: not there',
  );
  expect(findingLine({ category: 'extra', requirement: 'R1', description: 'd' })).toBe('[extra] R1: d');
});
