/** What people and agents say of a session: understood the same everywhere, shown back, and in its final report. */

import { readdirSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { noTerminal, Terminal } from '../terminal/terminal.ts';
import { PlayedSession } from './played-session.ts';
import { Prepared } from './prepared.ts';
import {
  closed,
  code,
  comment,
  designed,
  docs,
  finding,
  intakeLean,
  perBatch,
  plan,
  qa,
  release,
  report,
  review,
  running,
  security,
  task,
} from './scripts.ts';

const why = noTerminal === null ? '' : ` (skipped: ${noTerminal})`;
const flagged = [task('T-001', { risk_flags: ['security'] })];
const judged = [
  { role: 'Coder', write: { 'src/T-001.mjs': 'export {};\n' }, call: [report({ notes: 'AGENTS.md wants tabs.' })] },
  review('PASS', { review_comments: [{ ...comment, line: 3, suggested_fix: 'Call it greet.' }] }),
  qa('OK', { coverage_gaps: ['empty names'] }),
  security('NEEDS_DECISION', [finding('medium'), finding('low', 'Names are logged.')]),
];

let medium: Prepared;
let noted: Prepared;
let design: Prepared;

beforeAll(async () => {
  const start = [...designed, plan(flagged)];
  [medium, noted, design] = await Promise.all([
    Prepared.make({ turns: [...start, ...judged], answers: perBatch }),
    Prepared.make({ turns: [...designed, plan(), code(), review('PASS WITH NOTES')], answers: perBatch }),
    Prepared.make(),
  ]);
});

afterAll(() => {
  for (const prepared of [medium, noted, design]) prepared?.remove();
});

const issuesIn = (session: PlayedSession): string => session.read('report.md').split('## Known issues')[1] ?? '';

test('[DEF-8] [DEF-19] [session/answering/reasons] [session/files/report-complete] [session row 64] [session row 125] reasons, low findings, comments beside PASS, gaps and notes are in the final report', async () => {
  const session = medium.copy([...closed]);
  const done = await session.resume({ 'UD-1': 'accept: it is internal' });
  expect([done.code, done.json['phase']], done.stderr).toEqual([0, 'DONE']);
  expect(session.decision('UD-1')?.['answer']).toBe('accept: it is internal');
  const accepted = 'T-001: [medium, access] src/T-001.mjs Anybody can greet. Suggested: Ask who is there.';
  expect(session.status['known_issues']).toEqual([`Accepted (it is internal): ${accepted}`]);
  for (const issue of [
    `- Accepted (it is internal): ${accepted}`,
    '- T-001: security: [low, access] src/T-001.mjs Names are logged. Suggested: Ask who is there.',
    '- T-001: review comment: [minor, naming] src/T-001.mjs:3 Odd name. Suggested: Call it greet.',
    '- T-001: not covered by tests: empty names',
  ])
    expect(issuesIn(session)).toContain(issue);
  expect(session.read('report.md')).toContain('### Notes\n\n- Coder, code of T-001: AGENTS.md wants tabs.');
});

test('[DEF-8] [session/answering/reasons] the reason for a strategy and for leaving notes is on record and in the final report', async () => {
  const why = { strategy: 'two small tasks', notes: 'the name is fine' };
  const session = PlayedSession.create([
    ...designed,
    plan(),
    code(),
    review('PASS WITH NOTES'),
    qa(),
    security(),
    ...closed,
  ]);
  onTestFinished(() => session.repository.remove());
  const done = await session.start({
    ...perBatch,
    'UD-REVIEW-STRATEGY': `Per batch: ${why.strategy}`,
    'UD-1': `no: ${why.notes}`,
  });
  expect([done.code, done.json['phase']], done.stderr).toEqual([0, 'DONE']);
  expect(session.decision('UD-REVIEW-STRATEGY')).toMatchObject({
    answer: 'per-batch',
    resolution_reason: why.strategy,
  });
  expect(session.decision('UD-1')).toMatchObject({ answer: 'none', resolution_reason: why.notes });
  expect(session.read('report.md')).toContain(`**per-batch** (${why.strategy})`);
  expect(session.read('report.md')).toContain(`**none** (${why.notes})`);
  expect(issuesIn(session)).toContain(`- Review note (${why.notes}): `);
});

test('[session row 63] to put off a security question is shown back as what it is taken for', async () => {
  const session = medium.copy();
  const { stdout } = await session.repository.pawl(['answer', session.run, 'UD-1', 'postpone: next sprint']);
  expect(stdout).toContain('understood as: fix-later: next sprint');
  expect(session.decision('UD-1')?.['answer']).toBe('fix-later: next sprint');
  expect(session.status['known_issues']).toEqual([
    expect.stringMatching(/^To be fixed later \(next sprint\): T-001: /),
  ]);
});

test('[DEF-17] an approval of a design that was edited meanwhile is refused with the difference, then taken', async () => {
  const session = design.copy();
  session.edit('spec.md', 'by name', 'by surname');
  const refused = await session.repository.pawl(['answer', session.run, 'UD-APPROVE-DESIGN', 'approved']);
  expect([refused.code, refused.stdout]).toEqual([3, '']);
  expect(refused.stderr).toContain('Nothing is approved yet: the design was changed since you were shown it.');
  expect(refused.stderr).toMatch(/Changed since you were asked last:\n *spec\.md:[^]*\+- .*by surname/);
  expect(session.decision('UD-APPROVE-DESIGN')).toMatchObject({ status: 'pending', answer: null });
  expect((await session.answer('UD-APPROVE-DESIGN', 'approved')).code).toBe(0);
  expect(session.decision('UD-APPROVE-DESIGN')).toMatchObject({ status: 'answered', answer: 'approved' });
});

describe('[DEF-9] [session/answering/numbers] a number means the answer in that place', () => {
  test('with pawl answer and in an answers file; ids are never numbers', async () => {
    const session = noted.copy();
    const { json } = await session.answer('UD-1', '1');
    expect(json).toMatchObject({ understood: 'none' });
    expect(session.decision('UD-1')?.['answer']).toBe('none');

    const prepared = noted.copy();
    await prepared.resume({ 'UD-1': '1' });
    expect(prepared.decision('UD-1')?.['answer']).toBe('none');

    const ids = noted.copy();
    for (const words of ['fix: 1', '3', '7', '1, 2']) expect((await ids.answer('UD-1', words)).code, words).toBe(2);
    expect(ids.decision('UD-1')?.['status']).toBe('pending');
    expect((await ids.answer('UD-1', 'N1')).code).toBe(0);
    expect(ids.decision('UD-1')?.['answer']).toBe('N1');
  });

  test.skipIf(noTerminal !== null)(`at the terminal${why}`, async () => {
    const session = noted.copy();
    const terminal = Terminal.pawl(session.repository, ['session', 'resume', session.run, ...session.scripted]);
    onTestFinished(() => terminal.kill());
    await terminal.shows('Which notes on T-001 should be fixed?');
    await terminal.shows('1-3 or the answer itself');
    terminal.type('1\n');
    await terminal.ended;
    expect(session.decision('UD-1')?.['answer']).toBe('none');
  });
});

test('[DEF-28] evidence, a finished session and the folder of the run: nothing leads nowhere', async () => {
  const session = PlayedSession.create([intakeLean(), code(), review(), qa()]);
  onTestFinished(() => session.repository.remove());
  const done = await session.start(running, ['--lean']);
  expect([done.code, done.json['phase']], done.stderr).toEqual([0, 'DONE']);
  const [, log = ''] = /output in (\S+)\)/.exec(session.criteria[0]?.['evidence']) ?? [];
  expect(session.repository.exists(log)).toBe(true);
  // [session row 80] In lean nobody else tells how it is run.
  expect(session.read('report.md')).toContain('## How to run\n\nNobody recorded how it is run.');
  expect(readdirSync(`${session.runFolder}/shadow`).filter((name) => name.startsWith('index.'))).toEqual([]);
  const again = await session.repository.pawl(['session', 'start', 'Greet people by name', ...session.scripted]);
  expect([again.code, again.stderr]).toEqual([2, expect.stringContaining('is finished')]);
  expect(again.stderr).not.toContain('resume');
});

test('[DEF-28] four answers that are none are recorded as unanswered, not as deferred', async () => {
  const session = design.copy();
  const blocked = await session.resume({ 'UD-APPROVE-DESIGN': ['a', 'b', 'c', 'd'] });
  expect([blocked.code, blocked.json['phase']]).toEqual([3, 'BLOCKED']);
  expect(session.journal.at(-1)).toMatchObject({ signal: 'unanswered', by: { how: 'engine' } });
});

test('[session row 80] what Docs claims is quoted as its words', async () => {
  const claims = report({ summary: 'All 500 tests pass.', how_to_run: 'node src/greet.mjs' });
  const session = medium.copy([review(), { ...docs(), call: [claims] }, release(), review()]);
  const done = await session.resume({ 'UD-1': 'accept' });
  expect([done.code, done.json['phase']], done.stderr).toEqual([0, 'DONE']);
  expect(session.read('report.md')).toContain('## What was done\n\nDocs says:\n\n> All 500 tests pass.\n');
  expect(session.read('report.md')).toContain('## How to run\n\nDocs says:\n\n> node src/greet.mjs\n');
});
