/** Documents that were lost or damaged come back from the journal, for every workflow. */

import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { challenge, config as changeConfig, planned as changePlan } from '../change/scripts.ts';
import { copyOf, folder, keepTidy, run as change, scratch } from '../durability/at-work.ts';
import { worked, type PlayedSession } from './played-session.ts';
import { Prepared } from './prepared.ts';
import { closed, code, perBatch, plan, qa, review, security } from './scripts.ts';
import { DocsRepository, keepTidy as keepDocsTidy, page } from '../own/docs-review.ts';

let planned: Prepared;
let designed: Prepared;
keepTidy();
keepDocsTidy();
beforeAll(async () => {
  planned = await Prepared.planned();
  designed = await Prepared.make();
});
afterAll(() => {
  planned.remove();
  designed.remove();
});

const toTheEnd = [code(), review(), qa(), review(), security(), ...closed.slice(1)];
const delete_ = (session: PlayedSession, name: string): void =>
  rmSync(join(session.repository.root, session.path(name)), { recursive: true });

describe('[session/files/restored] documents of a session', () => {
  test.concurrent.each(['tasks.yaml', '', 'spec.md'])(
    '[DEF-4] "%s" is deleted: the message names the way out, and the session goes on',
    async (name) => {
      const session = planned.copy(toTheEnd);
      const before = session.read('tasks.yaml');
      delete_(session, name);
      const lost = await session.resume(perBatch);
      expect(lost.code).not.toBe(0);
      const approved = name === 'spec.md' ? await session.answer('UD-APPROVE-DESIGN', 'approved') : lost;
      expect(approved.stderr + approved.stdout).toContain(`pawl restore ${session.run}`);
      const restored = await session.pawl('restore', session.run);
      expect([restored.code, restored.json['left']], restored.stderr).toEqual([0, []]);
      expect(restored.json['restored'].map(({ was }: { was: string }) => was)).toContain('missing');
      expect(session.read('tasks.yaml')).toBe(before);
      const again = { 'UD-APPROVE-DESIGN': Array(6).fill('approved'), 'UD-REVIEW-STRATEGY': 'per-batch' };
      const ended = await session.resume(again);
      expect([ended.code, ended.json['phase']], ended.stderr + ended.stdout).toEqual([0, 'DONE']);
    },
  );

  test.concurrent('[DEF-4] what was edited is restored only when it is named, and a copy is kept', async () => {
    const session = planned.copy();
    const before = session.read('tasks.yaml');
    session.write('tasks.yaml', 'tasks: []\n');
    const listed = await session.pawl('restore', session.run);
    expect([listed.json['restored'], listed.json['left']]).toEqual([[], [session.path('tasks.yaml')]]);
    const dry = await session.pawl('restore', session.run, 'tasks.yaml', '--dry-run');
    expect([dry.json['restored'][0]['was'], session.read('tasks.yaml')]).toEqual(['changed', 'tasks: []\n']);
    const restored = await session.pawl('restore', session.run, 'tasks.yaml');
    const [{ path, copy }] = restored.json['restored'];
    expect([path, session.read('tasks.yaml')]).toEqual([session.path('tasks.yaml'), before]);
    expect(readFileSync(copy, 'utf8')).toBe('tasks: []\n');
    expect((await session.pawl('restore', session.run, 'poem.md')).code).toBe(2);
  });

  test.concurrent('[DEF-6] status.json is not JSON: the message names the way out, and nothing is lost', async () => {
    const session = planned.copy(toTheEnd);
    const broken = '{"current_state": ';
    session.write('status.json', broken);
    for (const args of [
      ['session', 'resume', session.run],
      ['answer', session.run, 'UD-REVIEW-STRATEGY', 'per-batch'],
    ]) {
      const refused = await session.pawl(...args);
      expect([refused.code, refused.json['diagnostics']?.[0]?.fix]).toEqual([2, `pawl restore ${session.run}`]);
    }
    const { json } = await session.pawl('restore', session.run);
    const [{ path, was, copy }] = json['restored'];
    expect([path, was]).toEqual([session.path('status.json'), 'unreadable']);
    expect(readFileSync(copy, 'utf8')).toBe(broken);
    const ended = await session.resume(perBatch);
    expect([ended.code, ended.json['phase']], ended.stderr).toEqual([0, 'DONE']);
  });

  test.concurrent('[DEF-4] [DEF-6] status, list and result name pawl restore where it is the way out', async () => {
    const restore = `pawl restore ${planned.run}`;
    const nexts = async (session: PlayedSession): Promise<unknown> => [
      (await session.pawl('session', 'status')).json['next'],
      (await session.pawl('runs')).json['runs'][0]['next'],
    ];
    for (const name of ['tasks.yaml', 'spec.md', 'acceptance.json']) {
      const session = planned.copy();
      delete_(session, name);
      expect(await nexts(session), name).toEqual([restore, restore]);
      const { json } = await session.resume(perBatch);
      expect(json['next'] ?? json['diagnostics'][0]['fix'], name).toBe(restore);
    }
    const broken = planned.copy();
    broken.write('status.json', '{{{');
    expect(await nexts(broken)).toEqual([restore, restore]);
    expect((await broken.repository.pawl(['runs'])).stdout).toMatch(/broken .*pawl restore greet-people-name \(/);
    const binary = planned.copy();
    writeFileSync(join(binary.repository.root, binary.path('status.json')), Buffer.from([0xff, 0xfe, 0]));
    expect((await binary.pawl('restore', binary.run)).json['restored']).toMatchObject([{ was: 'unreadable' }]);
    const whole = `pawl session resume ${planned.run}`;
    expect(await nexts(binary)).toEqual([whole, whole]);
  });

  test.concurrent('[DEF-6] [session row 109] status.json lost with an answered decision: nothing is asked again', async () => {
    const session = planned.copy([
      { ...code(), fault: 'crash' },
      { ...code(), fault: 'crash' },
    ]);
    await session.pawl('answer', session.run, 'UD-REVIEW-STRATEGY', 'per-batch');
    delete_(session, 'status.json');
    session.script([]);
    const { json } = await session.resume({}, '--edits', 'keep');
    expect([json['phase'], session.decision('UD-REVIEW-STRATEGY')?.['status']]).toEqual(['BLOCKED', 'answered']);
  });

  test.concurrent('[DEF-7] edits of status.json beside the phase are reported and kept aside', async () => {
    const session = planned.copy();
    const edited = { ...session.status, known_issues: ['mine'], retry_counts: { meta: { FIX_BUILD: 2 } }, own: 1 };
    session.write('status.json', JSON.stringify(edited));
    const { stderr } = await session.resume();
    expect(stderr).toMatch(/the edit of (?:retry_counts, known_issues|known_issues, retry_counts) is not adopted/);
    const [, copy = ''] = /a copy is kept in (\S+)/.exec(stderr) ?? [];
    expect(JSON.parse(readFileSync(copy, 'utf8'))).toEqual(edited);
    expect(session.status).toMatchObject({ known_issues: [], own: 1 });
    expect((await session.resume()).stderr).not.toContain('is not adopted');
  });
});

test('[DEF-4] documents of a change come back as well', async () => {
  const made = scratch(changePlan, changeConfig);
  expect((await made.change('plan', change, 'Greet people')).code).toBe(0);
  const lost = copyOf(made, [challenge('approved')]);
  const before = lost.repository.read(`${folder}/proposal.md`);
  rmSync(join(lost.repository.root, folder), { recursive: true });
  const { json } = await lost.pawl('restore', change);
  expect(json['restored'].length).toBeGreaterThan(2);
  expect(lost.repository.read(`${folder}/proposal.md`)).toBe(before);
  expect(lost.repository.exists(`${folder}/STATE.yaml`)).toBe(true);
});

test('[DEF-4] [change row 68] [D21] of a change, status and list name pawl restore, then the command with its agent', async () => {
  const made = scratch(changePlan, changeConfig);
  await made.change('plan', change, 'Greet people');
  const impl = `pawl change impl ${change} --agent scripted --script ${made.scriptFile}`;
  const shown = async (...args: readonly string[]): Promise<string> => (await made.repository.pawl(args)).stdout;
  const nexts = async (): Promise<unknown> => [
    (await made.pawl('change', 'status', change)).json['next'],
    (await made.pawl('runs')).json['runs'][0]['next'],
  ];
  for (const list of [['runs'], ['change', 'list']]) expect(await shown(...list)).toContain(`${impl}\n`);
  for (const name of ['tasks.md', 'proposal.md', 'specs/greeting.md']) {
    rmSync(join(made.repository.root, folder, name));
    expect(await nexts(), name).toEqual([`pawl restore ${change}`, `pawl restore ${change}`]);
    expect((await made.change('impl', change)).json['next'], name).toBe(`pawl restore ${change}`);
    expect(await shown('restore', change)).toContain(`Next: ${impl}\n`);
  }
  made.repository.write(`${folder}/STATE.yaml`, 'phase: chalenged\n');
  expect(await nexts()).toEqual([`pawl restore ${change}`, `pawl restore ${change}`]);
  expect((await made.change('impl', change)).stderr).toContain('did you mean challenged?');
});

describe('[trial 2 A6] what a person edited and approved comes back, not what was first written', () => {
  const edit = (text: string): string => `${text}\nEdited by a person.\n`;

  test.concurrent('a session: the design that was approved', async () => {
    const session = designed.copy([plan()]);
    const spec = edit(session.read('spec.md'));
    session.write('spec.md', spec);
    for (const asking of ['asked again', 'recorded'])
      expect((await session.answer('UD-APPROVE-DESIGN', 'approved')).code, asking).toBe(asking === 'recorded' ? 0 : 3);
    expect(session.decision('UD-APPROVE-DESIGN')?.['status']).toBe('answered');
    delete_(session, 'spec.md');
    await session.pawl('restore', session.run);
    expect(session.read('spec.md')).toBe(spec);
    session.write('spec.md', edit(spec));
    await session.pawl('restore', session.run, 'spec.md');
    expect(session.read('spec.md')).toBe(spec);
  });

  const specPath = `${folder}/specs/greeting.md`;

  test.concurrent.each([
    ['challenged again', ['plan', change]],
    ['accepted', ['impl', change, '--accept-edits']],
    ['approved by setting the phase', ['plan', change, '--edits', 'keep']],
  ])('a change whose plan was %s', async (how, command) => {
    const made = scratch(changePlan, changeConfig);
    await made.change('plan', change, 'Greet people');
    const { repository } = made;
    const other = `${folder}/specs/other.md`;
    const spec = edit(repository.read(specPath));
    repository.write(specPath, spec);
    repository.write(other, spec.replaceAll('greeting', 'other'));
    const setPhase = (phase: string): void =>
      repository.write(`${folder}/STATE.yaml`, repository.read(`${folder}/STATE.yaml`).replace(/^phase: .*$/m, phase));
    if (how.includes('phase')) {
      setPhase('phase: proposed');
      await made.change('impl', change, '--edits', 'keep');
      setPhase('phase: challenged');
    }
    made.script([...changePlan, challenge('approved')]);
    const { stderr } = await made.change(...command);
    rmSync(join(repository.root, specPath));
    rmSync(join(repository.root, other));
    expect((await made.pawl('restore', change)).code, stderr).toBe(0);
    expect([repository.read(specPath), repository.exists(other)]).toEqual([spec, true]);
  });

  test.concurrent('a workflow of the project: the artifact of its gate', async () => {
    const docs = DocsRepository.create();
    await docs.start();
    const text = edit(docs.repository.read(page));
    docs.repository.write(page, text);
    const { json } = await docs.pawl('runs');
    const question = String(json['runs'][0]['next']).split(' ').slice(1, -1);
    const answered = await docs.pawl(...question, 'publish');
    expect(answered.code, answered.stderr).toBe(0);
    rmSync(join(docs.repository.root, page));
    expect((await docs.pawl('restore', 'install')).json['restored']).toMatchObject([{ path: page }]);
    expect(docs.repository.read(page)).toBe(text);
  });
});

describe('[trial 2 A8] the last phase, set by hand', () => {
  test.concurrent('of a session: every command names pawl restore, and it leads on', async () => {
    const session = planned.copy(toTheEnd);
    const edit = (): void => session.write('status.json', JSON.stringify({ ...session.status, current_state: 'DONE' }));
    edit();
    const restore = `pawl restore ${session.run}`;
    for (const args of [
      ['session', 'resume', session.run],
      ['answer', session.run, 'UD-REVIEW-STRATEGY', 'per-batch'],
    ]) {
      const refused = await session.pawl(...args);
      expect(refused.json['diagnostics']?.[0]?.fix, refused.stdout).toBe(restore);
    }
    expect((await session.pawl('session', 'status', session.run)).json['next']).toBe(restore);
    expect((await session.pawl('restore', session.run)).json['restored']).toMatchObject([{ was: 'changed' }]);
    edit();
    const ended = await session.resume(perBatch, '--edits', 'discard');
    expect([ended.code, ended.json['phase']], ended.stderr).toEqual([0, 'DONE']);
  });

  test.concurrent('of a workflow of the project', async () => {
    const docs = DocsRepository.create();
    await docs.start();
    const path = '.pawl/docs-review/install/state.yaml';
    const before = docs.repository.read(path);
    docs.repository.write(path, before.replace(/^phase: .*$/m, 'phase: published'));
    const refused = await docs.pawl('resume', 'install');
    expect(refused.json['diagnostics'][0].fix).toBe('pawl restore install');
    await docs.pawl('restore', 'install');
    expect(docs.repository.read(path)).toBe(before);
  });
});

describe('trial 2 B7: a journal that cannot be used', () => {
  const journalIn = (session: PlayedSession): string =>
    join(session.repository.runFolder('session', session.run), 'journal.jsonl');

  test.concurrent.each([
    ['is empty', ''],
    ['has half a record', '{"seq":1,"epo'],
    ['has one line that is no record', 'garbage\n'],
  ])(
    '%s: the session is listed and shown by its files, and goes on when a person vouches for them',
    async (_, text) => {
      const session = planned.copy(toTheEnd);
      writeFileSync(journalIn(session), text);
      const [status, list, runs, resumed] = await Promise.all([
        session.pawl('session', 'status'),
        session.pawl('session', 'list'),
        session.pawl('runs'),
        session.pawl('session', 'resume'),
      ]);
      const next = `pawl session resume ${session.run} --accept-state`;
      expect([status.code, status.json['run'], status.json['next']]).toEqual([0, session.run, next]);
      expect(list.json['sessions']).toMatchObject([{ run: session.run, journal: false, problem: null }]);
      expect(runs.json['runs']).toMatchObject([{ run: session.run }]);
      expect([resumed.code, resumed.json['diagnostics'][0].code]).toEqual([3, 'StateWithoutJournal']);
      const unknown = await session.pawl('log', session.run);
      expect(unknown.stderr).not.toContain('did you mean');
      const ended = await session.pawl(
        ...next.split(' ').slice(1),
        ...session.scripted,
        ...session.answersFlag(perBatch),
      );
      expect(ended.stderr).not.toContain('internal error');
      expect(ended.json['phase'], ended.stderr).not.toBeNull();
    },
  );

  test.concurrent.each(['two damaged lines', 'a folder in its place'])('%s: an error with a way on', async (what) => {
    const session = planned.copy();
    const file = journalIn(session);
    rmSync(file);
    if (what.startsWith('a folder')) mkdirSync(file);
    else writeFileSync(file, 'gar\nbage\n');
    const list = await session.pawl('session', 'list');
    expect(list.json['sessions']).toMatchObject([{ run: session.run, problem: expect.stringContaining(file) }]);
    for (const words of [['status'], ['status', session.run], ['resume'], ['resume', session.run]]) {
      const { code: exit, stderr, json } = await session.pawl('session', ...words);
      expect([exit, json['diagnostics'][0].code], words.join(' ')).toEqual([1, 'JournalCorrupt']);
      expect(stderr).toContain('fix: restore the file from a backup, or move its folder away');
      expect(stderr).not.toMatch(/internal error|^ {4,}at /m);
    }
    // Others are not affected.
    expect((await session.pawl('runs')).code).toBe(0);
  });
});

test('[session row 44] a task that a person completes in tasks.yaml is not coded, but its files are judged', async () => {
  const session = planned.copy([review(), qa(), security(), ...closed.slice(1)]);
  session.edit('tasks.yaml', 'status: not-started', 'status: completed');
  const done = await session.resume(perBatch);
  expect([done.code, done.json['phase']], done.stderr).toEqual([0, 'DONE']);
  expect(worked(done, 3).slice(0, 3)).toEqual(['review:passed', 'qa:passed', 'security:passed']);
});
