/** Decisions: recorded before they are asked, answered once, by people only. */

import { beforeAll, describe, expect, test } from 'vitest';
import { AgentUnavailable } from '../../src/agents/agent.ts';
import { storeOf } from '../../src/cli/local-store.ts';
import { drive } from '../../src/runtime/drive.ts';
import { Run } from '../../src/runtime/run.ts';
import { thisComputer, type Person, type Host } from '../../src/runtime/host.ts';
import { bundled } from '../../src/workflows/bundled.ts';
import { change as workflow } from '../../src/workflows/change/change.ts';
import { challenge, config, issue, planned, propose, revise, type ChangeRepository } from '../change/scripts.ts';
import { copyOf, filesOf, folder, keepTidy, recordsOf, run, scratch, slowly, startUntil, stateOf } from './at-work.ts';

keepTidy();

const asked = [...planned.slice(0, 3), challenge('needs_revision', [issue])];
/** A run that waits with the question `revision`. */
let waiting: ChangeRepository;

beforeAll(async () => {
  waiting = scratch(asked, config.replace('[workflow]', '[workflow]\nplanning_iterations = 0'));
  const ran = await waiting.change('plan', run, 'Greet people');
  expect(ran.code, ran.stderr).toBe(3);
  expect(ran.json['decisions']).toMatchObject([{ id: 'revision' }]);
});

const answersOf = (change: ChangeRepository) =>
  recordsOf(change).filter((record) => record.type === 'moved' && record.by?.how === 'answer');

describe.concurrent('an answer while nobody works on the run', () => {
  test('is recorded, and resume continues with it', async () => {
    const change = copyOf(waiting, [...asked, revise, challenge('approved')]);
    const ran = await change.pawl('answer', run, 'revision', 'continue');
    expect(ran.code, ran.stderr).toBe(0);
    expect(ran.json).toEqual({ run, decision: 'revision', answer: 'continue', next: `pawl resume ${run}` });
    expect(answersOf(change)).toMatchObject([{ signal: 'continue', about: expect.any(String) }]);
    const resumed = await change.pawl('resume', run, '--agent', 'scripted', '--script', change.scriptFile);
    expect(resumed.code, resumed.stderr).toBe(0);
    expect(resumed.json['phase']).toBe('challenged');
  });

  test('given twice: the second is refused, the first stands', async () => {
    const change = copyOf(waiting, asked);
    expect((await change.pawl('answer', run, 'revision', 'implement_anyway')).code).toBe(0);
    const second = await change.pawl('answer', run, 'revision', 'continue');
    expect(second.code).toBe(4);
    expect(second.json['diagnostics'][0].code).toBe('NoPendingDecision');
    expect(answersOf(change)).toHaveLength(1);
    expect(stateOf(change)?.snapshot.state).toBe('challenged');
  });

  test('given at the same time as another: one of them counts', async () => {
    const change = copyOf(waiting, asked);
    const words = ['implement_anyway', 'continue', 'implement_anyway', 'continue'];
    const ran = await Promise.all(words.map((word) => change.pawl('answer', run, 'revision', word)));
    // Who gave the very answer that was recorded may be told so, whoever of them it came from.
    for (const { code } of ran) expect([0, 4, 6, 75]).toContain(code);
    const recorded = answersOf(change).map((record) => record.type === 'moved' && record.signal);
    expect(recorded).toHaveLength(1);
    expect(new Set(ran.filter(({ code }) => code === 0).map(({ json }) => json['answer']))).toEqual(new Set(recorded));
  });

  test.each([
    [['answer', run, 'revison', 'continue'], 'did you mean revision?'],
    [['answer', run, 'revision', 'continu'], 'did you mean continue?'],
    [['answer', run, 'revision', 'yes'], 'implement_anyway, continue'],
    [['answer', run, '../../x', 'continue'], 'is not a valid decision name'],
    [['answer', 'gret', 'revision', 'continue'], 'did you mean greet?'],
    [['answer', run, 'revision'], 'needs <answer>'],
  ])('an unknown word is named, with the nearest known one: %j', async (args, words) => {
    const change = copyOf(waiting, asked);
    const records = recordsOf(change);
    const ran = await change.pawl(...args);
    expect(ran.code).toBe(2);
    expect(ran.stderr).toContain(words);
    expect(recordsOf(change)).toEqual(records);
  });

  test('is refused when its subject has changed since', async () => {
    const change = copyOf(waiting, asked);
    const path = `${folder}/tasks.md`;
    change.repository.write(path, change.repository.read(path).replace('Do 1.1', 'Do it well'));
    const ran = await change.pawl('answer', run, 'revision', 'implement_anyway');
    expect(ran.code).toBe(4);
    expect(ran.json['diagnostics'][0].code).toBe('QuestionWithdrawn');
    expect(answersOf(change)).toEqual([]);
  });
});

describe.concurrent('prepared answers', () => {
  const rounds = [revise, challenge('needs_revision', [issue]), revise, challenge('approved')];
  const by = (change: ChangeRepository) =>
    recordsOf(change).flatMap((record) =>
      record.type === 'moved' && record.by ? [[record.signal, record.by.how]] : [],
    );

  test('each serves once, for any command; after the last, the run waits', async () => {
    const change = copyOf(waiting, [...asked, ...rounds]);
    change.repository.write('answers.yaml', 'revision: [continue]\n');
    const once = await change.change('plan', run, '--answers', 'answers.yaml');
    expect(once.code, once.stderr).toBe(3);
    expect(once.json['decisions']).toMatchObject([{ id: 'revision' }]);
    expect(by(change).at(-1)).toEqual(['continue', 'answers']);
    const again = await change.change('plan', run, '--answers', 'answers.yaml');
    expect(again.code, again.stderr).toBe(3);
    change.repository.write('answers.yaml', 'revision: [continue, continue]\n');
    const scripted = ['--agent', 'scripted', '--script', change.scriptFile];
    const more = await change.pawl('resume', run, ...scripted, '--answers', 'answers.yaml');
    expect(more.code, more.stderr).toBe(0);
    expect(more.json['phase']).toBe('challenged');
    expect(by(change).filter(([, how]) => how === 'answers')).toHaveLength(2);
    expect((await change.repository.pawl(['log', run])).stdout).toMatch(
      /revision answered: continue, by .* with an answers file/,
    );
  });

  test.each([
    ['revision: 3\n', /answers\.yaml:1: revision is 3; expected a text/],
    ['- continue\n', /answers\.yaml:1: this is not a map/],
    [null, /there is no answers file answers\.yaml/],
  ])('%j cannot be used: exit 2, and nothing is changed', async (text, message) => {
    const change = copyOf(waiting, asked);
    if (text !== null) change.repository.write('answers.yaml', text);
    const before = filesOf(change.repository);
    const records = recordsOf(change);
    const ran = await change.change('plan', run, '--answers', 'answers.yaml');
    expect(ran.code).toBe(2);
    expect(ran.stderr).toMatch(message);
    expect(filesOf(change.repository)).toEqual(before);
    expect(recordsOf(change)).toEqual(records);
  });
});

describe.concurrent('an answer while a process works on the run', () => {
  test('is refused when that process asks nothing', async () => {
    const change = scratch([slowly(propose())]);
    const work = await startUntil(change, ['change', 'plan', run, 'Greet'], { step: 'propose' });
    const ran = await change.pawl('answer', run, 'revision', 'continue');
    expect(ran.code).toBe(4);
    expect(ran.json['diagnostics'][0].code).toBe('NoPendingDecision');
    work.child.kill('SIGINT');
    expect((await work.ended).code).toBe(130);
  });

  test('is handed to a process that asks, and the command waits until it is recorded', async () => {
    const change = copyOf(waiting, asked);
    const owner = ownerOf(change);
    try {
      const driven = drive(owner);
      const wrong = await change.pawl('answer', run, 'revision', 'continu');
      expect(wrong.code, wrong.stderr).toBe(2);
      const ran = await change.pawl('answer', run, 'revision', 'continue');
      expect(ran.code, ran.stderr).toBe(0);
      expect(ran.json).toEqual({ run, decision: 'revision', answer: 'continue', next: null });
      expect(answersOf(change)).toHaveLength(1);
      expect((await driven).outcome).toBe('unavailable');
    } finally {
      owner.close();
    }
  });

  test('is recorded by the command when that process ends without it', async () => {
    const change = copyOf(waiting, asked);
    const owner = ownerOf(change);
    const answering = change.pawl('answer', run, 'revision', 'continue');
    const posted = '.git/pawl/change/greet/inbox/answer-revision.json';
    await expect.poll(() => change.repository.exists(posted), { timeout: 250_000 }).toBe(true);
    owner.close();
    const ran = await answering;
    expect(ran.code, ran.stderr).toBe(0);
    expect(answersOf(change)).toHaveLength(1);
  });

  /** This very process holds the run, and its person thinks for ever. */
  function ownerOf({ repository }: ChangeRepository): Run {
    const person: Person = { ask: () => new Promise(() => {}) };
    const host: Host = {
      ...thisComputer,
      agent: () => Promise.reject(new AgentUnavailable('there is none')),
      installed: () => [],
      toolServer: () => Promise.reject(new Error('not needed')),
      person,
      observe: () => {},
      now: () => Date.now(),
      sleep: () => Promise.resolve(),
      interrupted: new AbortController().signal,
      user: 'test',
    };
    const commonDir = `${repository.root}/.git`;
    const place = { workflow, run, store: storeOf(commonDir, bundled), workspace: repository.root, commonDir };
    return Run.open(place, host, { input: {}, limits: {} });
  }
});

describe.concurrent('an agent', () => {
  test.each([
    ['answer', run, 'revision', 'implement_anyway'],
    ['pause', run],
    ['cancel', run],
    ['undo', run],
    ['change', 'impl', run, '--accept-edits'],
    ['change', 'plan', run, '--edits', 'keep'],
    ['change', 'plan', run, '--accept-state'],
    ['change', 'plan', run, '--answers', 'answers.yaml'],
    ['change', 'plan', run, '--force'],
    ['resume', run, '--budget', 'dispatches=1000'],
  ])('may not: %s %s %s %s', async (...args) => {
    const change = copyOf(waiting, asked);
    const before = filesOf(change.repository);
    const records = recordsOf(change);
    const ran = await change.repository.pawl([...args.filter((word) => word !== undefined), '--json'], {
      env: { PAWL_DISPATCH: 'anything' },
    });
    expect(ran.code, ran.stderr).toBe(4);
    expect(JSON.parse(ran.stdout).diagnostics[0].code).toBe('AgentNotAllowed');
    expect(filesOf(change.repository)).toEqual(before);
    expect(recordsOf(change)).toEqual(records);
  });
});
