import { describe, expect, test } from 'vitest';
import { givenAnswer } from './answer-command.ts';
import { Problem } from './problem.ts';

function problemOf(act: () => unknown): { exitCode: number; message: string } {
  try {
    act();
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return { exitCode: error.exitCode, message: error.diagnostic.message };
  }
  throw new Error('it was taken');
}

describe('the command line', () => {
  test.each([
    [['x', 'UD-APPROVE-DESIGN', 'changes-requested:', 'a', 'smaller', 'one'], {}, 'changes-requested: a smaller one'],
    [['x', 'revision', 'continue'], {}, 'continue'],
    [['x', 'UD-12'], { skip: true }, null],
  ] as const)('%j %j', (words, flags, answer) => {
    expect(givenAnswer({ words, flags })).toEqual({ decision: words[1], answer });
  });

  test.each([
    [['x', '../../x', 'yes'], {}, 'is not a valid decision name'],
    [['x', 'UD-1.json', 'yes'], {}, 'is not a valid decision name'],
    [['x', 'UD-1'], {}, 'needs <answer>'],
    [['x', 'UD-1', ' '], {}, 'needs <answer>'],
    [['x', 'UD-1', 'yes'], { skip: true }, 'exclude each other'],
  ] as const)('%j %j is refused', (words, flags, message) => {
    expect(problemOf(() => givenAnswer({ words, flags }))).toMatchObject({
      exitCode: 2,
      message: expect.stringContaining(message),
    });
  });
});
