import { describe, expect, test } from 'vitest';
import { DocumentError } from '../../documents/document-error.ts';
import { faults, type Machine } from '../../engine/machine.ts';
import { equalOdds, type Odds } from '../../simulation/odds.ts';
import { toyMachine } from '../../../test/toy.ts';
import { machine as changeMachine } from '../../workflows/change/transition-table.ts';
import { oddsText, readOdds } from './odds-file.ts';

const toy: Machine = toyMachine;
const change: Machine = changeMachine;
const file = 'odds.toml';

test('an empty file says nothing', () => {
  expect(readOdds('', file, toy)).toEqual(equalOdds(toy));
});

test('what is said counts, the rest stays as it was', () => {
  const odds = readOdds(
    `
[steps.review]
approved = 3
needs_fix = 1.5

[steps.ask]
stop = 1

[items.pages]
mean = 7

[faults]
failed = 0.1

[dispatch]
cost_usd = 0.5
seconds = [0.201, 2, 60]

[roles.reviewer]
cost_usd = [0, 0.1, 0.4]
`,
    file,
    toy,
  );
  const ms = { least: 201, typical: 2_000, most: 60_000 };
  expect(odds).toEqual({
    weights: { write: { written: 1 }, review: { approved: 3, needs_fix: 1.5 }, ask: { stop: 1 } },
    items: { pages: { mean: 7, most: 7 } },
    faults: { failed: 0.1 },
    roles: {
      writer: { costUsd: { least: 0.5, typical: 0.5, most: 0.5 }, ms },
      reviewer: { costUsd: { least: 0, typical: 0.1, most: 0.4 }, ms },
    },
  } satisfies Odds);
});

describe('mistakes are named with their line and what is expected', () => {
  test.each([
    ['[steps.reveiw]\napproved = 1', 1, 'there is no state "reveiw"; expected "review", perhaps'],
    ['[steps.review]\naproved = 1', 2, 'there is no signal "aproved" in steps.review; expected "approved", perhaps'],
    ['[steps.review]\nwhat = 1', 2, 'there is no signal "what" in steps.review; expected one of approved, needs_fix'],
    ['[steps.review]\n\napproved = -1', 3, 'steps.review.approved is -1; expected a number from 0 to 1000000000'],
    ['[steps.review]\napproved = nan', 2, 'steps.review.approved is NaN; expected a number from 0 to 1000000000'],
    ['[steps.review]\napproved = "often"', 2, 'steps.review.approved is "often"; expected a number from 0 to'],
    ['[steps.review]\napproved = 0\nneeds_fix = 0', 1, 'every weight of review is 0; expected one above 0'],
    ['[steps.review]', 1, 'every weight of review is 0; expected one above 0'],
    ['[steps.review]\nfailed = 1', 2, 'failed is a fault; expected it in the section [faults]'],
    ['[steps.done]\ngo = 1', 1, 'done is final: nothing follows; expected another state'],
    ['[steps]\nreview = 3', 2, 'steps.review is 3; expected a table'],
    ['[items.page]\nmean = 1', 1, 'there is no list "page"; expected "pages", perhaps'],
    ['[items.pages]\nmen = 1', 2, 'unknown key "items.pages.men"; expected "mean"'],
    ['[items.pages]\nmean = 3\nmost = 2', 2, 'items.pages.mean is 3; expected no more than most, which is 2'],
    ['[items.pages]\nmost = 1.5', 2, 'items.pages.most is 1.5; expected a whole number from 0 to 100'],
    ['[faults]\nfaild = 0.1', 2, 'there is no fault "faild"; expected "failed", perhaps'],
    ['[faults]\nfailed = 2', 2, 'faults.failed is 2; expected a number from 0 to 1'],
    ['[faults]\nfailed = 0.5\ntimed_out = 0.75', 1, 'the faults add up to 1.25; expected no more than 1 in all'],
    ['[roles.writter]\nseconds = 1', 1, 'there is no role "writter"; expected "writer", perhaps'],
    ['[roles.writer]\nseconds = [3, 2, 1]', 2, 'roles.writer.seconds is [3,2,1]; expected least, typical and most'],
    ['[dispatch]\ncost_usd = [1, 2]', 2, 'dispatch.cost_usd is [1,2]; expected least, typical and most'],
    ['[dispatch]\ncost = 1', 2, 'unknown key "dispatch.cost"; expected one of cost_usd, seconds'],
    ['step = 1', 1, 'unknown key "step"; expected "steps"'],
    ['[steps.review\napproved = 1', 1, 'expected valid TOML'],
  ])('%j', (text, line, message) => {
    const error = errorOf(text);
    expect(error.message).toContain(message);
    expect(error).toMatchObject({ file, line });
  });

  function errorOf(text: string): DocumentError {
    try {
      readOdds(text, file, toy);
    } catch (error) {
      if (error instanceof DocumentError) return error;
      throw error;
    }
    throw new Error('it was read without complaint');
  }
});

describe('what is written is read as the same odds', () => {
  const told: Odds = {
    weights: { ...equalOdds(toy).weights, stopped: { go: 2 } },
    items: { pages: { mean: 1.25, most: 9 } },
    faults: Object.fromEntries(faults.map((fault, index) => [fault, index / 1_000])),
    roles: {
      writer: { costUsd: { least: 0.0123, typical: 0.2, most: 1 }, ms: { least: 1, typical: 201, most: 60_001 } },
      reviewer: { costUsd: null, ms: null },
    },
  };

  test.each([
    ['nothing known of toy', toy, equalOdds(toy)],
    ['nothing known of change', change, equalOdds(change)],
    ['much known of toy', toy, told],
  ])('%s', (_, machine, odds) => {
    expect(readOdds(oddsText(odds, machine, 'made up'), file, machine)).toEqual(odds);
  });

  test('it says where it comes from, and what could be said of people', () => {
    const text = oddsText(equalOdds(toy), toy, 'made up');
    expect(text.split('\n')[0]).toBe('# Odds for pawl simulate: made up.');
    expect(text).toContain('# [steps.ask]  again, stop, withdrawn\n');
  });
});
