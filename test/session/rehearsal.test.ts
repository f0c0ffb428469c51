/** The bundled rehearsals, exactly as the examples run them. */

import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { PlayedSession, worked, type Result } from './played-session.ts';

const answersOf = (mode: string) => new URL(`../../examples/session/${mode}.answers.yaml`, import.meta.url).pathname;

async function rehearse(mode: string, ...words: readonly string[]): Promise<[PlayedSession, Result]> {
  const session = PlayedSession.create();
  const given = ['session', 'start', ...words, '--agent', 'scripted', '--answers', answersOf(mode)];
  const result = await session.pawl(...given);
  session.run = String(result.json['run']);
  return [session, result];
}

let full: PlayedSession;
let ended: Result;
let lean: PlayedSession;
let leanEnded: Result;

beforeAll(async () => {
  [[full, ended], [lean, leanEnded]] = await Promise.all([
    rehearse('full', 'Shorter and unique slugs'),
    rehearse('lean', 'Trim slugs at the end', '--lean'),
  ]);
});

afterAll(() => {
  full.repository.remove();
  lean.repository.remove();
});

const answersIn = ({ status }: PlayedSession) =>
  status['user_decisions'].map((each: Record<string, string>) => [
    each['decision_id'],
    each['state_context'],
    each['status'],
    each['answer'],
  ]);

describe('the full rehearsal', () => {
  test('[session/commands/rehearsals] [session/roles/every-core-role] [session/release/order] [session/done/current-state] ends DONE; every role works, in the order of the states, with one repair of each kind', () => {
    expect([ended.code, ended.json['phase'], ended.json['outcome']], ended.stderr.slice(-2000)).toEqual([
      0,
      'DONE',
      'done',
    ]);
    expect(worked(ended)).toEqual([
      'intake:reported',
      'research:reported',
      'architect:reported',
      'correct_architecture:reported',
      'plan:reported',
      'code:reported',
      'review:blocked',
      'fix_review:reported',
      'review:passed',
      'qa:blocked',
      'fix_tests:reported',
      'qa:passed_unreviewed',
      'review:passed',
      'security:decision',
      'code:reported',
      'review:passed',
      'qa:passed_unreviewed',
      'review:passed',
      'security:blocked',
      'fix_security:reported',
      'security:passed',
      'review:passed',
      'qa:passed',
      'review:notes',
      'fix_build:reported',
      'review:passed',
      'qa:passed',
      'docs:reported',
      'release_notes:reported',
      'review:passed',
    ]);
  });

  test('[session/files/history] [session/done/no-pending] [session/decisions/correction-status] exactly the decisions of its answers, each with its place, all answered', () => {
    expect(answersIn(full)).toEqual([
      ['UD-APPROVE-DESIGN', 'APPROVE_DESIGN', 'answered', 'approved'],
      ['UD-REVIEW-STRATEGY', 'REVIEW_STRATEGY', 'answered', 'per-batch'],
      ['UD-1', 'IMPLEMENT_LOOP', 'answered', 'fix-later'],
      ['UD-2', 'IMPLEMENT_LOOP', 'answered', 'none'],
      ['UD-3', 'INTEGRATE', 'answered', 'met: read three of them aloud'],
    ]);
    expect(full.status['gate_tracking']['APPROVE_DESIGN']).toEqual({
      correction_status: 'completed',
      last_correction_dispatch: { agent: expect.any(String), task_id: 'meta', at: expect.stringMatching(/^\d{4}-/) },
    });
    expect(
      full
        .read('approve-design-history.jsonl')
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line)),
    ).toEqual([
      {
        at: expect.stringMatching(/^\d{4}-.*Z$/),
        decision_id: 'UD-APPROVE-DESIGN',
        answer: 'changes-requested: say where a long slug is cut',
        state_context: 'APPROVE_DESIGN',
      },
    ]);
  });

  test('[session/budgets/repairs-own-counter] [session/budgets/repairs-persisted] [session/done/criteria] [session/files/status] tasks are completed, repairs are counted, criteria are met with evidence, issues are known', () => {
    expect(full.tasks).toEqual({ 'T-001': 'completed', 'T-002': 'completed' });
    const none = { FIX_REVIEW: 0, FIX_TESTS: 0, FIX_SECURITY: 0, FIX_BUILD: 0 };
    expect(full.status['retry_counts']).toEqual({
      'T-001': { ...none, FIX_REVIEW: 1, FIX_TESTS: 1 },
      'T-002': { ...none, FIX_SECURITY: 1 },
      meta: { ...none, FIX_BUILD: 1 },
    });
    expect(full.criteria.map(({ id, status, evidence }) => [id, status, evidence])).toEqual([
      [
        'AC-001',
        'met',
        expect.stringMatching(/^cmd: node slug\/slug-test\.mjs passed \(exit code 0, output in \.git\/pawl\/session\//),
      ],
      ['AC-002', 'met', expect.stringMatching(/unique-test\.mjs passed .*check-slugs\.mjs passed/)],
      ['AC-003', 'met', 'manual: read some long slugs aloud: a person saw it: read three of them aloud'],
    ]);
    expect(full.status).toMatchObject({ current_state: 'DONE', mode: 'full', last_ci_result: 'green', blocked: null });
    expect(full.status['known_issues']).toEqual([
      expect.stringContaining('A title of many megabytes'),
      expect.stringContaining('taken could be called slugs'),
    ]);
  });

  test('[session/files/report] [session/files/report-from-record] [session/done/report-sections] [session/files/journal-exported] every document is there, and report.md says what happened', () => {
    for (const name of ['spec.md', 'architecture.md', 'adr/ADR-001.md', 'research/slug-length.md', 'journal.jsonl'])
      expect(full.repository.exists(full.path(name)), name).toBe(true);
    const text = full.read('report.md');
    expect(text.match(/^## .*$/gm)).toEqual(['## What was done', '## How to run', '## How to test', '## Known issues']);
    for (const part of [
      '- T-001 Shorten slugs (completed)',
      '- T-002 Unique slugs (completed)',
      'AC-003 Cut slugs can still be read out: **met**',
      'UD-1 (IMPLEMENT_LOOP)',
      '**fix-later**',
      'Import `slugOf`',
      '`node scripts/check-slugs.mjs`',
      'A title of many megabytes',
    ])
      expect(text).toContain(part);
  });

  test('[session/files/folder] the session is ignored by git, and nothing is in the index or committed', () => {
    const changed = full.repository.git('status', '--porcelain', '--untracked-files=all').trimEnd().split('\n');
    expect(changed.filter((line) => line.includes('.agents-work'))).toEqual([]);
    expect(changed.filter((line) => !line.startsWith('?? ') && !line.startsWith(' '))).toEqual([]);
    expect(full.repository.read('.agents-work/.gitignore')).toBe('*\n');
    expect(full.repository.git('rev-list', '--count', 'HEAD').trim()).toBe('1');
  });

  test('[session/files/finished-read-only] [session/commands/same-slug-same-day] what is finished is read-only: resume and a second start change nothing', async () => {
    const before = full.read('status.json');
    const again = await full.resume();
    expect([again.code, again.json['action'], worked(again).length]).toEqual([0, 'finished', worked(ended).length]);
    const start = await full.pawl('session', 'start', 'Shorter and unique slugs', '--agent', 'scripted');
    expect([start.code, start.stdout + start.stderr]).toEqual([
      expect.any(Number),
      expect.stringMatching(/is finished[^]*--slug/),
    ]);
    expect(start.code).not.toBe(0);
    expect(full.read('status.json')).toBe(before);
  });
});

describe('the lean rehearsal', () => {
  test('[session/commands/rehearsals] [session/table/integrate-green-lean] [session/strategy/lean] ends DONE by INTAKE_LEAN, IMPLEMENT_LOOP and INTEGRATE, with a question, a repair and a report the engine writes', () => {
    expect([leanEnded.code, leanEnded.json['phase']], leanEnded.stderr.slice(-2000)).toEqual([0, 'DONE']);
    expect(worked(leanEnded)).toEqual([
      'intake_lean:reported',
      'code:questions',
      'code:reported',
      'review:blocked',
      'fix_review:reported',
      'review:passed',
      'qa:passed',
    ]);
    // Attack 3.18: in a sandbox commands run without a question.
    const { sandbox = 'none' } = lean.journal.find(({ type }) => type === 'dispatch.started') ?? {};
    const commands = ['UD-RUN-COMMANDS', 'INTEGRATE', 'answered', 'run'];
    expect(answersIn(lean)).toEqual([
      ['UD-1', 'IMPLEMENT_LOOP', 'answered', 'at both ends'],
      ...(sandbox === 'none' ? [commands] : []),
    ]);
    expect(lean.tasks).toEqual({ 'T-001': 'completed' });
    expect(lean.criteria[0]).toMatchObject({ id: 'AC-001', status: 'met' });
    expect(lean.status).toMatchObject({ mode: 'lean', current_state: 'DONE', last_ci_result: 'green' });
    expect(lean.status['retry_counts']['T-001']['FIX_REVIEW']).toBe(1);
    const text = lean.read('report.md');
    expect(text.match(/^## .*$/gm)).toEqual(['## What was done', '## How to run', '## How to test', '## Known issues']);
    expect(text).toContain('UD-1 (IMPLEMENT_LOOP): At which end are slugs trimmed? **at both ends**');
    expect(lean.repository.exists(lean.path('architecture.md'))).toBe(false);
    expect(phasesOf(lean)).toEqual([
      'INTAKE_LEAN',
      'IMPLEMENT_LOOP',
      'ASK_USER',
      'IMPLEMENT_LOOP',
      'FIX_REVIEW',
      'IMPLEMENT_LOOP',
      'INTEGRATE',
      'DONE',
    ]);
  });
});

/** In the order in which the command showed them. */
function phasesOf(session: PlayedSession): string[] {
  const log = leanEnded.stderr.matchAll(/phase +(\S+) → (\S+)/g);
  const moves = [...log].map(([, from = '', to = '']) => [from, to]);
  expect(session.run).toBe(lean.run);
  return moves.map(([, to = '']) => to);
}

test('the examples name the commands that were run here', () => {
  expect(readFileSync(answersOf('full'), 'utf8')).toContain(
    'pawl session start "Shorter and unique slugs" --agent scripted',
  );
  expect(readFileSync(answersOf('lean'), 'utf8')).toContain(
    'pawl session start "Trim slugs at the end" --lean --agent scripted',
  );
});
