import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { preparedAnswers, readAnswersFile } from './answers-file.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'pawl-answers-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));

describe('a text answers the first question, a list one question each', () => {
  test.each([
    ['YAML', '# mine\nUD-APPROVE-DESIGN:\n  - "changes-requested: smaller"\n  - approved\nrevision: continue\n'],
    ['JSON', '{\n\t"UD-APPROVE-DESIGN": ["changes-requested: smaller", "approved"],\n\t"revision": "continue"\n}\n'],
  ])('%s', (_, text) => {
    const { answerTo } = preparedAnswers(text, 'a.yaml');
    expect([0, 1, 2].map((nth) => answerTo('UD-APPROVE-DESIGN', nth))).toEqual([
      'changes-requested: smaller',
      'approved',
      undefined,
    ]);
    expect([0, 1].map((nth) => answerTo('revision', nth))).toEqual(['continue', undefined]);
    expect(answerTo('toString', 0)).toBe(undefined);
  });
});

const texts = 'a text that is not empty (numbers, true and false in quotes), or a list of such texts';

describe('a mistake is named with its line and what is expected', () => {
  test.each([
    ['- approved\n', 'a.yaml:1: this is not a map; expected decisions and their answers, such as UD-1: yes'],
    ['', 'a.yaml:1: this is not a map; expected decisions and their answers, such as UD-1: yes'],
    ['UD-1: yes\nUD-2: 3\n', `a.yaml:2: UD-2 is 3; expected ${texts}`],
    ['UD-1: yes\nUD-2:\n', `a.yaml:2: UD-2 is null; expected ${texts}`],
    ['UD-1: " "\n', `a.yaml:1: UD-1 is " "; expected ${texts}`],
    ['UD-1: []\n', `a.yaml:1: UD-1 is []; expected ${texts}`],
    ['UD-1:\n  - fine\n  - true\n', `a.yaml:3: UD-1[1] is true; expected ${texts}`],
    ['UD-1:\n  a: b\n', `a.yaml:1: UD-1 is {"a":"b"}; expected ${texts}`],
    [
      '../x: yes\n',
      'a.yaml:1: "../x" is not a valid decision name; expected an id of letters, digits, - and _, such as UD-1',
    ],
    ['UD-1: yes\nUD-1: no\n', 'a.yaml:2: Map keys must be unique; expected valid YAML'],
    ['{"UD-1": "yes"', 'expected valid YAML'],
  ])('%j', (text, message) => {
    expect(() => preparedAnswers(text, 'a.yaml')).toThrow(message);
  });

  test('refuses a missing file and one that is not text', () => {
    expect(readAnswersFile(join(folder, 'none.yaml'))).toMatchObject({
      outcome: 'usage',
      message: expect.stringMatching(/there is no answers file .*none\.yaml/),
    });
    writeFileSync(join(folder, 'bytes'), Buffer.from([0x61, 0xff]));
    expect(() => readAnswersFile(join(folder, 'bytes'))).toThrow(/it is not UTF-8/);
    writeFileSync(join(folder, 'long'), `UD-1: ${'x'.repeat(1024 * 1024)}`);
    expect(() => readAnswersFile(join(folder, 'long'))).toThrow(/it is too long/);
  });
});
