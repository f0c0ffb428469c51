import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { stripVTControlCharacters } from 'node:util';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { fixedAnswer } from '../runtime/answer-meant.ts';
import type { Person } from '../runtime/host.ts';
import { linePresenter, type Presenter } from './show/presenter.ts';
import { screenOf } from './show/screen.ts';
import { terminalPerson } from './terminal-person.ts';

const choice = {
  title: 'The plan still needs a revision',
  detail: 'The length is not checked.\n- Medium: no upper bound',
  answers: { implement_anyway: 'implement it as it is', continue: 'one more round', view: 'show the plan' },
  paths: ['proposal.md', 'gone.md'],
};

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'pawl-person-'));
  writeFileSync(join(root, 'proposal.md'), Array.from({ length: 250 }, (_, index) => `line ${index + 1}`).join('\n'));
});
afterEach(() => rmSync(root, { recursive: true, force: true, maxRetries: 5 }));

/** The presenter's side of the conversation: `suspend` and `resume`, in order. */
function withPerson(columns?: number) {
  const calls: string[] = [];
  const lines = linePresenter(screenOf(new PassThrough()));
  const presenter: Presenter = {
    ...lines,
    suspend: () => calls.push('suspend'),
    resume: () => calls.push('resume'),
  };
  const input = new PassThrough();
  const output = Object.assign(new PassThrough(), columns === undefined ? {} : { isTTY: true, columns });
  const interrupts = new AbortController();
  const person = terminalPerson(presenter, { interrupted: interrupts.signal, input, output });
  const shown = (): string => String(output.read() ?? '');
  const plain = (): string => stripVTControlCharacters(shown());
  const asked: Person = { ask: (choice, withdrawn) => person.ask({ ...choice, root }, withdrawn) };
  return { person: asked, input, calls, interrupts, output: plain, shown };
}

test.each([
  ['2', 'continue'],
  ['continue', 'continue'],
  ['  Continue ', 'continue'],
  ['implement anyway', 'implement_anyway'],
  ['implement-anyway', 'implement_anyway'],
  ['c', 'continue'],
])('%j means %s', (line, answer) => {
  expect(fixedAnswer(line, Object.keys(choice.answers))).toBe(answer);
});

test.each([
  ['', ['continue'], 'Nothing was typed'],
  ['0', ['continue'], '"0" is none of the answers'],
  ['4', ['keep', 'discard', 'view'], '"4" is none of the answers'],
  ['co', ['continue', 'commit'], '"co" could mean more than one'],
  ['yes', ['continue'], '"yes" is none of the answers'],
])('%j of %j means nothing', (line, answers, problem) => {
  expect(fixedAnswer(line, answers)).toMatchObject({ problem: expect.stringContaining(problem) });
});

test('an exact word wins over a longer one that begins with it', () => {
  expect(fixedAnswer('view', ['view_all', 'view'])).toBe('view');
});

test('shows the question, the files and what each answer means; the presenter steps aside meanwhile', async () => {
  const { person, input, calls, shown } = withPerson();
  const asked = person.ask(choice);
  expect(calls).toEqual(['suspend']);
  const text = shown();
  expect(text).toContain(
    '? The plan still needs a revision\n  The length is not checked.\n  - Medium: no upper bound\n',
  );
  expect(text).toContain('read  proposal.md\n        gone.md\n');
  expect(text).toContain('  1  implement_anyway  implement it as it is\n  2  continue          one more round\n');
  input.write('continue\n');
  expect(await asked).toBe('continue');
  expect(calls).toEqual(['suspend', 'resume']);
});

test('a mistake is named and asked again', async () => {
  const { person, input, shown } = withPerson();
  const asked = person.ask(choice);
  input.write('maybe\n2\n1\n');
  expect(await asked).toBe('continue');
  expect(shown()).toContain('"maybe" is none of the answers: implement_anyway, continue');
});

test('many questions leave no listener behind', async () => {
  const { person, input } = withPerson();
  for (let count = 0; count < 12; count += 1) {
    const asked = person.ask(choice);
    input.write('2\n');
    expect(await asked).toBe('continue');
  }
  expect(input.listenerCount('end')).toBe(0);
});

test('A3: lines typed before a question is shown are not its answer', async () => {
  const { person, input, shown } = withPerson();
  input.write('1\n\n');
  const asked = person.ask(choice);
  expect(shown()).toContain('! Discarded, typed before the question was shown: 1\n');
  input.write('2\n');
  expect(await asked).toBe('continue');
});

describe('A2: the question stays open', () => {
  test('after five mistakes', async () => {
    const { person, input, shown } = withPerson();
    const asked = person.ask(choice);
    input.write('a\nb\nd\ne\nf\ncontinue\n');
    expect(await asked).toBe(null);
    expect(shown()).toContain('The question stays open');
  });

  test('when the person leaves with Ctrl-D', async () => {
    const { person, input } = withPerson();
    const asked = person.ask(choice);
    input.end();
    expect(await asked).toBe(null);
  });

  test('when it was answered elsewhere, and that is said', async () => {
    const { person, shown, calls } = withPerson();
    const withdrawn = new AbortController();
    const asked = person.ask(choice, withdrawn.signal);
    withdrawn.abort();
    expect(await asked).toBe(null);
    expect(shown()).toContain('This was answered elsewhere.');
    expect(calls).toEqual(['suspend', 'resume']);
  });

  test('when Pawl is interrupted, before or while it is asked', async () => {
    const { person, interrupts, shown } = withPerson();
    const asked = person.ask(choice);
    interrupts.abort();
    expect(await asked).toBe(null);
    expect(shown()).not.toContain('elsewhere');
    expect(await person.ask(choice)).toBe(null);
    expect(shown()).toBe('');
  });
});

test('an answer given here is not taken back by a late withdrawal', async () => {
  const { person, input, shown } = withPerson();
  const withdrawn = new AbortController();
  const asked = person.ask(choice, withdrawn.signal);
  input.write('2\n');
  expect(await asked).toBe('continue');
  withdrawn.abort();
  expect(shown()).not.toContain('elsewhere');
});

test('view shows the files, at most 200 lines of each, and asks again', async () => {
  const { person, input, shown } = withPerson();
  const asked = person.ask(choice);
  input.write('view\n');
  await new Promise(setImmediate);
  const text = shown();
  expect(text).toContain(' proposal.md ');
  expect(text).toContain('\nline 200\n');
  expect(text).not.toContain('line 201');
  expect(text).toContain('50 more lines in proposal.md');
  expect(text).toContain('(there is no such file)');
  expect(text).toMatch(/Your answer \(1-3 or a word; Ctrl-D leaves it open\): $/);
  input.write('1\n');
  expect(await asked).toBe('implement_anyway');
});

test('view without files is an answer like any other', async () => {
  const { person, input } = withPerson();
  const asked = person.ask({ ...choice, paths: [] });
  input.write('view\n');
  expect(await asked).toBe('view');
});

describe('a decision in own words', () => {
  const free = {
    title: 'Some details are open',
    detail: 'They decide how it is built.',
    answers: { approved: 'go on', 'per-batch': 'after each task', 'changes: <what>': 'have it corrected' },
    paths: ['proposal.md'],
    id: 'UD-2',
    freeText: true,
    ownWords: true,
    nth: 0,
    part: { text: 'Which one?', number: 1, of: 3, optional: true },
  };

  test.each([
    ['1', 'approved'],
    ['Approved', 'approved'],
    ['per batch', 'per-batch'],
    ['approved-later', 'approved-later'],
    ['app', 'app'],
    ['4', '4'],
    ['  take the \u001B[31mred\u001B[0m one ', 'take the red one'],
    ['', ''],
  ])('%j is taken as %j', async (line, answer) => {
    const { person, input } = withPerson();
    const asked = person.ask(free);
    input.write(`${line}\n`);
    expect(await asked).toBe(answer);
  });

  test('[DEF-21] own words are offered only where they are taken', async () => {
    const { person, input, shown } = withPerson();
    const asked = person.ask({ ...free, ownWords: false });
    const text = shown();
    expect(text).toContain('1-3 or the answer itself');
    expect(text).not.toContain('own words');
    input.write('1\n');
    expect(await asked).toBe('approved');
  });

  test('[DEF-28] question, problem, part and meanings are broken at words', async () => {
    const { person, input, output } = withPerson(40);
    const asked = person.ask({
      ...free,
      title: 'Which of the two storage formats shall be used in future?',
      detail: 'Scope:\n  - REQ-001: titles become slugs that are cut between words',
      answers: { approved: 'continue with planning, where all is as it was shown' },
      part: { ...free.part, text: 'One that is read by everybody, or one that is small?' },
      problem: 'this is not understood, so it is asked again',
    });
    const text = output();
    expect(Math.max(...text.split('\n').map((line) => line.length))).toBeLessThanOrEqual(40);
    expect(text).toContain(
      `
? Which of the two storage formats shall
  be used in future?
  Scope:
    - REQ-001: titles become slugs that
      are cut between words
`,
    );
    expect(text).toContain('! this is not understood, so it is asked\n  again\n');
    expect(text).toContain('  1  approved  continue with planning,\n               where all is as it was\n');
    input.write('1\n');
    expect(await asked).toBe('approved');
  });

  test('an answer with an open end is completed', async () => {
    const { person, input, shown } = withPerson();
    const asked = person.ask(free);
    input.write('3\n');
    await expect.poll(shown).toMatch(/changes: $/);
    input.write('smaller\n');
    expect(await asked).toBe('changes: smaller');
  });

  test('shows the whole question once, then part by part, and what was wrong with an answer', async () => {
    const { person, input, shown } = withPerson();
    const first = person.ask(free);
    expect(shown()).toBe(
      `
? Some details are open
  They decide how it is built.
  read  proposal.md

  1 of 3  Which one?

  1  approved         go on
  2  per-batch        after each task
  3  changes: <what>  have it corrected

  1-3 or your own words - view shows the files - Enter skips it - Ctrl-D leaves it open
Your answer: `.replaceAll(' - ', ` ${screenOf(new PassThrough()).style.symbols.dot} `),
    );
    input.write('hm\n');
    await first;
    const again = person.ask({ ...free, problem: 'say more' });
    expect(shown()).toMatch(/^\n! say more\n\? 1 of 3 {2}Which one\?\n\n {2}1 {2}approved/);
    input.write('more\n');
    await again;
    const second = person.ask({
      ...free,
      id: 'UD-3',
      answers: {},
      part: { text: 'Who?', number: 2, of: 3, optional: false },
    });
    expect(shown()).toMatch(
      /^\n\? 2 of 3 {2}Who\?\n\n {2}in your own words . view shows the files . Ctrl-D leaves it open\nYour answer: $/,
    );
    input.write('me\n');
    expect(await second).toBe('me');
    const anew = person.ask({ ...free, id: 'UD-3', nth: 1 });
    expect(shown()).toContain('? Some details are open\n');
    input.end();
    expect(await anew).toBe(null);
  });

  test('view shows the files as they are now, and asks again', async () => {
    const { person, input, shown } = withPerson();
    const asked = person.ask(free);
    shown();
    writeFileSync(join(root, 'proposal.md'), 'as it is now');
    input.write('view\n');
    await expect.poll(shown).toMatch(/as it is now[^]*1 {2}approved[^]*Your answer: $/);
    input.write('2\n');
    expect(await asked).toBe('per-batch');
  });

  test('what was answered elsewhere is named', async () => {
    const { person, shown } = withPerson();
    const withdrawn = new AbortController();
    const asked = person.ask(free, withdrawn.signal);
    withdrawn.abort('UD-3 was answered elsewhere.');
    expect(await asked).toBe(null);
    expect(shown()).toContain('\nUD-3 was answered elsewhere.\n');
  });
});
