import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import type { PreparedAnswers } from './host.ts';
import { AskingRun, statePath } from './asking.fixture.ts';
import { command, drive } from './drive.ts';
import { recover } from './recover.ts';
import { StateNotWritten } from './state-writing.ts';

let runs: AskingRun[] = [];
afterEach(() => {
  for (const asking of runs) asking.remove();
  runs = [];
});

function asking(words: readonly (string | null)[] | null, prepared?: PreparedAnswers): AskingRun {
  const made = new AskingRun(words, prepared);
  runs.push(made);
  return made;
}

function preparedOf(texts: Readonly<Record<string, readonly string[]>>): PreparedAnswers {
  return { answerTo: (decision, nth) => texts[decision]?.[nth] };
}

const saidOf = ({ choices }: AskingRun) => choices.map(({ id, problem }) => (problem ? `${id}: ${problem}` : id));
const warningsOf = ({ events }: AskingRun) =>
  events.flatMap((event) => (event.type === 'warning' ? [event.message] : []));

describe('a question of one part', () => {
  test.each([
    ['files', 'sandboxed'],
    ['none', 'same-user'],
  ] as const)('5: with agents at the level %s, an answer is recorded as %s', async (sandbox, assurance) => {
    const made = asking(['looks good', null]);
    const shared = { id: 'd1', role: 'r', step: 's', agent: 'a', model: null, prompt: '', tree: '', digest: '' };
    made.run.append({ type: 'dispatch.started', ...shared, sandbox });
    made.run.append({ type: 'dispatch.abandoned', id: 'd1', why: '', patch: null });
    await command(made.run, { name: 'go' });
    expect(made.run.records.at(-1)).toMatchObject({ by: { who: 'ada', how: 'terminal', assurance } });
  });

  test('records a free-text answer with who, how and about what, and shows how it was understood', async () => {
    const made = asking(['looks good', null]);
    expect((await command(made.run, { name: 'go' })).outcome).toBe('needs_person');
    expect(made.answers).toEqual([['UD-APPROVE', 'looks good', 'terminal']]);
    expect(made.run.records.at(-1)).toMatchObject({ signal: 'approved', about: 'digest', by: { who: 'ada' } });
    expect(made.events).toContainEqual({ type: 'understood', decision: 'UD-APPROVE', as: 'approved' });
    expect(made.choices[0]).toMatchObject({
      id: 'UD-APPROVE',
      freeText: true,
      nth: 0,
      paths: ['design.md'],
      part: { text: 'Is the design fine?', number: 1, of: 1 },
    });
  });

  test('an answer that writes files and stays in the state is followed by the question again', async () => {
    const made = asking(['changes-requested: smaller', null]);
    const rest = await command(made.run, { name: 'go' });
    expect(rest.outcome).toBe('needs_person');
    expect(readFileSync(join(made.folder, 'control/history.txt'), 'utf8')).toBe('changes-requested: smaller\n');
    expect(made.choices.map(({ nth }) => nth)).toEqual([0, 1]);
    expect(rest.decision?.question.freeText?.parts).toMatchObject([{ id: 'UD-APPROVE' }]);
  });

  test('[session row 24] Z2: asks again after unclear answers and empty lines, with the reason and the asks left, then stops', async () => {
    const made = asking(['hm', '', '  ']);
    const rest = await command(made.run, { name: 'go' });
    expect(rest.outcome).toBe('not_ready');
    expect(saidOf(made)).toEqual([
      'UD-APPROVE',
      'UD-APPROVE: say approved, or changes-requested: and what. 2 asks are left before the run stops.',
      'UD-APPROVE: an answer is needed. This is the last ask before the run stops.',
    ]);
    expect(made.choices.map(({ nth }) => nth)).toEqual([0, 1, 2]);
    expect(made.run.records.at(-1)).toMatchObject({ signal: 'given_up', by: { how: 'engine' } });
    expect(made.run.state.snapshot).toMatchObject({
      state: 'blocked',
      decisions: { 'UD-APPROVE': { status: 'cancelled', reason: 'no usable answer' } },
    });
    expect(made.answers).toEqual([]);
  });

  test('Z2: repeated questions of an earlier command do not count', async () => {
    const made = asking(['hm', 'hm', null, 'hm', 'hm', 'approved', null]);
    expect((await command(made.run, { name: 'go' })).outcome).toBe('needs_person');
    expect((await drive(made.run)).outcome).toBe('needs_person');
    expect(made.run.state.snapshot.state).toBe('asking');
  });
});

describe('a question of several parts', () => {
  test('Z1: records and projects each answer before it asks the next part', async () => {
    const made = asking(['sqlite', 'everybody', 'Otto']);
    expect((await command(made.run, { name: 'detail' })).outcome).toBe('done');
    expect(made.choices.map(({ part }) => `${part?.number} of ${part?.of}`)).toEqual(['1 of 3', '2 of 3', '3 of 3']);
    expect(made.shownWhenAsked.map((text) => Object.keys(JSON.parse(text).answers))).toEqual([
      [],
      ['UD-1'],
      ['UD-1', 'UD-2'],
    ]);
    expect(Object.values(made.run.state.snapshot.decisions).map(({ id, answer }) => [id, answer])).toEqual([
      ['UD-1', 'sqlite (ada)'],
      ['UD-2', 'everybody (ada)'],
      ['UD-3', 'Otto (ada)'],
    ]);
  });

  test('Q4: keeps the answers given before Ctrl-D, and asks the open parts next time', async () => {
    const made = asking(['', 'everybody', null, null]);
    const rest = await command(made.run, { name: 'detail' });
    expect(rest.outcome).toBe('needs_person');
    expect(made.answers).toEqual([['UD-2', 'everybody', 'terminal']]);
    expect(rest.decision?.question.freeText?.parts.map(({ id }) => id)).toEqual(['UD-1', 'UD-3']);
    await drive(made.run);
    expect(made.choices.at(-1)).toMatchObject({ id: 'UD-1', part: { number: 1, of: 2 } });
  });

  test('Z3: settles a part that is skipped while others are answered', async () => {
    const made = asking(['', 'everybody', '']);
    expect((await command(made.run, { name: 'detail' })).outcome).toBe('done');
    expect(made.answers).toEqual([
      ['UD-2', 'everybody', 'terminal'],
      ['UD-1', null, 'terminal'],
      ['UD-3', null, 'terminal'],
    ]);
    expect(made.run.state.snapshot.decisions).toMatchObject({
      'UD-1': { status: 'cancelled', answer: null, reason: 'no response provided' },
      'UD-2': { status: 'answered' },
    });
  });

  test('Z3: asks a required part again, then leaves it open', async () => {
    const made = asking(['sqlite', '', '', '', '']);
    const rest = await command(made.run, { name: 'detail' });
    expect(rest.outcome).toBe('needs_person');
    const again = expect.stringContaining('UD-2: this one stays open until it is answered. ');
    expect(saidOf(made)).toEqual(['UD-1', 'UD-2', 'UD-3', again, again]);
    expect(made.answers).toEqual([
      ['UD-1', 'sqlite', 'terminal'],
      ['UD-3', null, 'terminal'],
    ]);
    expect(rest.decision?.question.freeText?.parts.map(({ id }) => id)).toEqual(['UD-2']);
  });

  test('Z3: leaves all parts open when none was answered', async () => {
    const made = asking(['', '', '']);
    const rest = await command(made.run, { name: 'detail' });
    expect(rest.outcome).toBe('needs_person');
    expect(made.answers).toEqual([]);
    expect(rest.decision?.question.freeText?.parts).toHaveLength(3);
  });

  test('Z2: after too many unclear answers, a question without a signal for that stays open', async () => {
    const made = asking(['huh', 'huh', 'huh']);
    expect((await command(made.run, { name: 'detail' })).outcome).toBe('needs_person');
    expect(made.choices).toHaveLength(3);
    expect(made.run.state.snapshot.state).toBe('asking');
  });
});

describe('answers from another process', () => {
  test('are accepted for any open part; the current part is then asked again', async () => {
    const made = asking(null);
    made.run.close();
    const reasons: unknown[] = [];
    const asked: (string | undefined)[] = [];
    const run = made.open({
      ask: ({ id }, withdrawn) => {
        asked.push(id);
        return new Promise((resolve) => {
          withdrawn?.addEventListener('abort', () => {
            reasons.push(withdrawn.reason);
            resolve(null);
          });
        });
      },
    });
    const driven = command(run, { name: 'detail' });
    await expect.poll(() => asked.length, { timeout: 250_000 }).toBe(1);
    for (const [decision, answer] of [
      ['UD-2', 'nobody'],
      ['UD-1', null],
      ['UD-3', 'Otto'],
    ] as const) {
      made.store.post({ workflow: run.workflow.name, run: run.id }, { kind: 'answer', decision, answer, by: 'answer' });
      await expect.poll(() => made.answers.at(-1), { timeout: 250_000 }).toEqual([decision, answer, 'answer']);
    }
    expect((await driven).outcome).toBe('done');
    expect(asked).toEqual(['UD-1', 'UD-1', 'UD-3']);
    expect(reasons[0]).toBe('UD-2 was answered elsewhere.');
  });

  test('attack 1.5: are dropped when they were posted before the question', async () => {
    const made = asking(null);
    made.run.close();
    const run = made.open({ ask: () => new Promise((resolve) => setTimeout(() => resolve(null), 600)) });
    made.store.post(
      { workflow: run.workflow.name, run: run.id },
      { kind: 'answer', decision: 'UD-1', answer: 'planted', by: 'answer' },
    );
    expect((await command(run, { name: 'detail' })).outcome).toBe('needs_person');
    expect(made.answers).toEqual([]);
  });
});

describe('prepared answers', () => {
  test('serve one question each without a person, and are recorded as prepared', async () => {
    const texts = { 'UD-APPROVE': ['changes-requested: a', 'changes-requested: b', 'approved'], 'UD-2': ['me'] };
    const made = asking(null, preparedOf(texts));
    const rest = await command(made.run, { name: 'go' });
    expect(rest.outcome).toBe('needs_person');
    expect(made.answers).toEqual([
      ['UD-APPROVE', 'changes-requested: a', 'answers'],
      ['UD-APPROVE', 'changes-requested: b', 'answers'],
      ['UD-APPROVE', 'approved', 'answers'],
      ['UD-2', 'me', 'answers'],
    ]);
    expect(rest.decision?.question.freeText?.parts.map(({ id }) => id)).toEqual(['UD-1', 'UD-3']);
  });

  test('continue after a crash: none is used twice, unclear ones included', async () => {
    const texts = { 'UD-APPROVE': ['hm', 'changes-requested: a'] };
    const made = asking(null, preparedOf(texts));
    expect((await command(made.run, { name: 'go' })).outcome).toBe('needs_person');
    expect(warningsOf(made)[0]).toContain('"hm" is not an answer to UD-APPROVE: say approved');
    made.run.close();
    const again = made.open(null, preparedOf(texts));
    expect((await drive(again)).outcome).toBe('needs_person');
    expect(made.answers).toEqual([['UD-APPROVE', 'changes-requested: a', 'answers']]);
    made.run.close();
    const longer = made.open(null, preparedOf({ 'UD-APPROVE': [...texts['UD-APPROVE'], 'approved'] }));
    await drive(longer);
    expect(made.answers.at(-1)).toEqual(['UD-APPROVE', 'approved', 'answers']);
  });

  test('after the last one, the person is asked', async () => {
    const made = asking(['approved', null], preparedOf({ 'UD-APPROVE': ['hm'] }));
    await command(made.run, { name: 'go' });
    expect(saidOf(made)[0]).toMatch(/^UD-APPROVE: say approved/);
    expect(made.answers).toEqual([['UD-APPROVE', 'approved', 'terminal']]);
  });

  test('Z2: as many unclear ones as the question allows end it', async () => {
    const made = asking(null, preparedOf({ 'UD-APPROVE': ['a', 'b', 'c', 'approved'] }));
    expect((await command(made.run, { name: 'go' })).outcome).toBe('not_ready');
    expect(made.run.state.snapshot.state).toBe('blocked');
  });

  test('answer questions with fixed answers too; an unknown one is reported and skipped', async () => {
    const made = asking(null, preparedOf({ side: ['up', 'Left', 'right'] }));
    expect((await command(made.run, { name: 'choose' })).outcome).toBe('done');
    expect(made.answers).toEqual([
      ['side', 'left', 'answers'],
      ['side', 'right', 'answers'],
    ]);
    expect(warningsOf(made)).toEqual(['the prepared answer "up" to side is not taken; possible answers: left, right']);
  });
});

/** A folder in the place of the state file: no user can write there, not even root. */
function obstruct({ folder }: AskingRun): void {
  rmSync(join(folder, statePath), { force: true });
  mkdirSync(join(folder, statePath));
}

describe('a state file that cannot be written', () => {
  test('Q1: nobody is asked; a state with a route for it takes that route, and the run rests with a warning', async () => {
    const made = asking(['approved', null]);
    obstruct(made);
    const rest = await command(made.run, { name: 'go' });
    expect(rest.outcome).toBe('not_ready');
    expect(made.choices).toEqual([]);
    expect(made.run.state.snapshot).toMatchObject({
      state: 'blocked',
      problem: { code: 'state_not_written', message: expect.stringContaining('tried 3 times') },
      decisions: { 'UD-APPROVE': { status: 'cancelled', reason: expect.stringContaining('tried 3 times') } },
    });
    expect(warningsOf(made)).toEqual([expect.stringContaining('there is a folder in its place')]);
    rmSync(join(made.folder, statePath), { recursive: true });
    expect((await command(made.run, { name: 'retry' })).outcome).toBe('needs_person');
    expect(made.answers).toEqual([['UD-APPROVE', 'approved', 'terminal']]);
  });

  test('Q1: without such a route, the error says what is wrong and what to do', async () => {
    const made = asking(['right']);
    obstruct(made);
    const driven = command(made.run, { name: 'choose' });
    await expect(driven).rejects.toThrow(StateNotWritten);
    await expect(driven).rejects.toMatchObject({
      code: 'StateNotWritten',
      file: statePath,
      fix: expect.stringContaining('pawl resume x'),
    });
    expect(made.choices).toEqual([]);
  });

  test('Q2: a recorded answer is not asked for again', async () => {
    const made = asking(null);
    made.run.close();
    const words = ['sqlite'];
    const run = made.open({
      ask: () => {
        obstruct(made);
        return Promise.resolve(words.shift() ?? null);
      },
    });
    expect((await command(run, { name: 'detail' })).outcome).toBe('not_ready');
    expect(made.answers).toEqual([['UD-1', 'sqlite', 'terminal']]);
    expect(run.state.snapshot.state).toBe('blocked');
  });

  test('K2: an answer that ends the run counts, with a warning', async () => {
    const made = asking(null);
    made.run.close();
    const run = made.open({
      ask: () => {
        obstruct(made);
        return Promise.resolve('right');
      },
    });
    expect((await command(run, { name: 'choose' })).outcome).toBe('done');
    expect(warningsOf(made)).toHaveLength(1);
  });
});

test('E1: an earlier projection is rolled forward once the run is recovered', async () => {
  const made = asking(['sqlite', null]);
  await command(made.run, { name: 'detail' });
  const earlier = made.shownWhenAsked[0] ?? '';
  const now = made.stateText;
  expect(now).not.toBe(earlier);
  made.run.close();
  writeFileSync(join(made.folder, statePath), earlier);
  const run = made.open(null);
  expect(await recover(run, undefined)).toEqual({ kind: 'ready' });
  expect(made.stateText).toBe(now);
});
