/** Whole sessions as other tools leave them: every live one goes on, none is misread, nothing of theirs is lost. */

import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { PlayedSession } from './played-session.ts';
import { closed, code, qa, review, running, security } from './scripts.ts';
import { documentOf, keepTidy, SessionRepository } from './session-repository.ts';

keepTidy();

const fixtures = fileURLToPath(new URL('../fixtures/foreign/', import.meta.url));

interface Foreign {
  readonly folder: string;
  readonly answers?: Readonly<Record<string, string>>;
  /** The first dispatch: its step, and the task where there is one. */
  readonly next?: string;
  /** Of a finished one: words of its status. */
  readonly finished?: string;
  readonly files: Readonly<Record<string, string>>;
}

const all = readdirSync(fixtures).map((file): readonly [string, Foreign] => {
  const { folder, answers, next, finished, ...files } = parse(readFileSync(`${fixtures}${file}`, 'utf8'));
  return [file.replace('.yaml', ''), { folder, answers, next, finished, files }];
});
const live = all.filter(([, { next }]) => next !== undefined);
const done = all.filter(([, { finished }]) => finished !== undefined);

function lay(repository: SessionRepository, { folder, files }: Foreign): (file: string) => string {
  for (const [file, text] of Object.entries(files)) repository.scratch.write(`.agents-work/${folder}/${file}`, text);
  return (file) => repository.scratch.read(`.agents-work/${folder}/${file}`);
}

/** Every text that stands somewhere in a value. */
function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : [];
}

/** Words of the format, which may be read as others. */
const rewritten = new Set(['current_state', 'session', 'last_ci_result', 'gate_tracking', 'status', 'state_context']);

function kept(before: Record<string, unknown>): string[] {
  const decisions = Object.values(before['user_decisions'] ?? []);
  const said = decisions.flatMap((each) =>
    typeof each === 'string'
      ? [each]
      : textsIn(Object.fromEntries(Object.entries(each).filter(([key]) => !rewritten.has(key) && !key.endsWith('id')))),
  );
  const others = Object.entries(before).filter(([key]) => !rewritten.has(key) && key !== 'user_decisions');
  return [...said, ...others.flatMap(([key, value]) => (key === 'last_update' ? [] : textsIn(value)))];
}

function withoutStatus(text: string): unknown {
  const { tasks, ...rest } = parse(text);
  return { ...rest, tasks: tasks.map((task: Record<string, unknown>) => ({ ...task, status: null })) };
}

function fixture(name: string): Foreign {
  const found = all.find(([each]) => each === name)?.[1];
  if (!found) throw new Error(`there is no fixture ${name}`);
  return found;
}

test('there are enough of them to tell', () => {
  expect(live.length).toBeGreaterThanOrEqual(12);
  expect(done.length).toBeGreaterThanOrEqual(3);
});

describe.concurrent('[session row 128] a live session of another tool goes on to its next dispatch', () => {
  test.each(live)('%s [session/reading/imported-documents]', async (_, foreign) => {
    const { folder, files, answers = {}, next } = foreign;
    const repository = new SessionRepository();
    const read = lay(repository, foreign);
    const before = JSON.parse(files['status.json'] ?? '');
    const shown = await repository.session('status', folder);
    expect([shown.code, shown.stderr]).toEqual([0, '']);
    repository.scratch.write('../answers.yaml', JSON.stringify({ ...running, ...answers }));
    const ran = await repository.idly('resume', folder, '--accept-state', '--answers', '../answers.yaml', '--json');
    const { records } = documentOf(await repository.pawl(['log', folder, '--json']));
    const first = records.find(({ type }: { type: string }) => type === 'dispatch.started') ?? { step: 'none' };
    expect([first.step, first.item?.id].filter(Boolean).join(' '), ran.stdout).toBe(next);

    const after = JSON.parse(read('status.json'));
    for (const key of Object.keys(before)) expect(Object.keys(after), key).toContain(key);
    const text = textsIn(after).join('\n');
    for (const words of kept(before)) expect(text).toContain(words);
    for (const [file, content] of Object.entries(files)) {
      if (file === 'tasks.yaml') expect(withoutStatus(read(file))).toEqual(withoutStatus(content));
      else if (file !== 'status.json') expect(read(file)).toBe(content);
    }
  });
});

describe.concurrent('[session row 128] a finished session of another tool is shown as it ended, and stays as it is', () => {
  test.each(done)('%s [session/reading/finished-shown]', async (_, foreign) => {
    const { folder, finished } = foreign;
    const repository = new SessionRepository();
    lay(repository, foreign);
    const before = repository.everything();
    const shown = await repository.session('status', folder);
    expect([shown.code, shown.stderr]).toEqual([0, '']);
    expect(shown.stdout).toContain(finished);
    expect(shown.stdout).not.toContain('not chosen yet');
    const listed = documentOf(await repository.session('list', '--json'))['sessions'];
    expect(listed).toMatchObject([{ run: folder, phase: 'DONE', pending: 0, problem: null }]);
    expect((await repository.session('resume', folder, '--accept-state')).stdout).toContain('read-only');
    expect(repository.everything()).toEqual(before);
  });
});

test.concurrent('[DEF-20] who was sent to correct the design, and what was asked for, stay on record', async () => {
  const repository = new SessionRepository();
  const read = lay(repository, fixture('correction-queued'));
  const before = JSON.parse(read('status.json'));
  const { folder } = fixture('correction-queued');
  await repository.idly('resume', folder, '--accept-state');
  expect(JSON.parse(read('approve-design-history.jsonl'))).toEqual({
    at: '2026-05-01T11:44:00Z',
    decision_id: 'UD-APPROVE-DESIGN',
    answer: 'changes-requested: post the brief to a chat service too',
    state_context: 'APPROVE_DESIGN',
  });
  const { gate_tracking: gates } = JSON.parse(read('status.json'));
  expect(gates.APPROVE_DESIGN.last_correction_dispatch).toEqual({
    agent: 'Architect',
    task_id: 'meta',
    at: expect.any(String),
  });
  const untouched = lay(repository, fixture('fork-document'));
  await repository.idly('resume', fixture('fork-document').folder, '--accept-state');
  expect(JSON.parse(untouched('status.json')).gate_tracking).toMatchObject({
    APPROVE_DESIGN: { last_correction_dispatch: { agent: 'Architect', task_id: 'meta', at: '2026-03-09T08:50:00Z' } },
    APPROVE_SPEC: before.gate_tracking.APPROVE_SPEC ?? {},
  });
});

test.concurrent('[DEF-26] status says of a decision in ASK_USER what resume says', async () => {
  const repository = new SessionRepository();
  lay(repository, fixture('asked-in-ask-user'));
  const { folder } = fixture('asked-in-ask-user');
  const { repairs } = documentOf(await repository.session('status', folder, '--json'));
  expect(repairs).toContain('user_decisions[3].state_context is "ASK_USER"; read as "IMPLEMENT_LOOP".');
  await repository.idly('resume', folder, '--accept-state');
  const [created] = documentOf(await repository.pawl(['log', folder, '--json']))['records'];
  expect(created.input.repairs).toEqual(repairs);
});

test.concurrent('[session row 128] a folder without a valid session name: list, status and resume say the same', async () => {
  const repository = new SessionRepository();
  repository.status('csv.export', { current_state: 'PLAN' });
  const message = '.agents-work/csv.export is not a valid session name; rename it to a date and a short name';
  expect((await repository.session('list')).stdout.replaceAll(/\s+/g, ' ')).toContain(message);
  for (const verb of ['status', 'resume']) {
    const refused = await repository.session(verb, 'csv.export');
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining(message)]);
  }
});

test.concurrent('[session row 128] a session of another tool is carried to its end, in its own language', async () => {
  const { folder, files } = fixture('italian-app');
  const session = PlayedSession.create([code(), review(), qa(), ...closed, security()]);
  session.run = folder;
  for (const [file, text] of Object.entries(files)) session.write(file, text);
  const answers = { ...running, 'UD-2': 'met', 'UD-3': 'met', 'UD-4': 'met' };
  const done = await session.resume(answers, '--accept-state');
  expect([done.code, done.json['phase']], `${done.stderr}${done.stdout}`).toEqual([0, 'DONE']);
  expect(session.tasks).toEqual({ 'T-003': 'completed', 'T-003A': 'completed', 'T-004': 'completed' });
  const acceptance = JSON.parse(session.read('acceptance.json'));
  expect(acceptance).toMatchObject({
    version: '1.0.0',
    scope: 'MVP',
    acceptance_criteria: [
      { id: 'AC-001', status: 'met', preconditions: ['ricette presenti'], verification_method: ['manual', 'unit'] },
      { id: 'AC-002', status: 'met' },
    ],
  });
  expect(session.read('report.md')).toContain('Vuoi fixare ora le due note minori?');
  session.repository.remove();
});
