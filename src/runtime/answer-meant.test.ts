import { describe, expect, test } from 'vitest';
import { freeAnswer } from './answer-meant.ts';

const answers = ['different approach', 'accept with known issues', 'guidance: <what to do>', 'defer'];

describe('[DEF-9] numbers where own words are taken', () => {
  test.each([
    ['2', 'accept with known issues'],
    ['2: the build server is down', 'accept with known issues: the build server is down'],
    ['4: waiting for ops', 'defer: waiting for ops'],
    ['3: use a map', 'guidance: use a map'],
    ['use a map', 'use a map'],
    ['2 tests are wrong', '2 tests are wrong'],
  ])('%s means %s', (words, meant) => {
    expect(freeAnswer(words, answers, true)).toEqual({ words: meant });
  });

  test.each(['0', '5', '5: why', '2:'])('%s means nothing', (words) => {
    expect(freeAnswer(words, answers, true)).toEqual({ unclear: expect.stringContaining('the answers are 1 to 4') });
  });

  test('is a word of its own where the list has numbers, or there is none', () => {
    expect(freeAnswer('15', ['10', '20'], true)).toEqual({ words: '15' });
    expect(freeAnswer('15', [], true)).toEqual({ words: '15' });
  });
});
