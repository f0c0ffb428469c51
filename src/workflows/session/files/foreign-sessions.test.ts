/** Session files as other tools and people leave them, and what each becomes. */

import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { DocumentError } from '../../../documents/document-error.ts';
import { flawText, planFlaws } from '../content-checks.ts';
import { readStatus, writeStatus } from './status-file.ts';
import { readTasks, type TasksFile } from './tasks-file.ts';

const folder = fileURLToPath(new URL('../../../../test/fixtures/sessions/', import.meta.url));
const content = (name: string, file: string): string => readFileSync(`${folder}${name}/${file}`, 'utf8');
const statusFile = '.agents-work/2026-03-04_csv-export/status.json';
const inference = { context: 'IMPLEMENT_LOOP', designless: false } as const;

const decisions = ({ status }: ReturnType<typeof readStatus>): string[] =>
  status.user_decisions.map((each) =>
    [each.id, each.status, each.answer ?? '-', each.context, each.reason ?? '-'].join(' | '),
  );

interface StatusRow {
  readonly becomes: (read: ReturnType<typeof readStatus>) => unknown;
  readonly expected: unknown;
  readonly repairs: readonly string[];
}

const readable: Readonly<Record<string, StatusRow>> = {
  'bare-text-decisions': {
    becomes: (read) => [decisions(read), read.status.user_decisions.map(({ question }) => question)],
    expected: [
      [
        'UD-8 | pending | - | DESIGN | -',
        'UD-9 | answered | yes, always | DESIGN | -',
        'UD-7 | answered | no | INTAKE | -',
        'UD-10 | cancelled | - | DESIGN | out of scope',
      ],
      ['Which separator shall be used?', 'Header line?', 'Zip it?', 'Excel support'],
    ],
    repairs: [
      'The bare text "Which separator shall be used?" is read as UD-8, pending, asked in DESIGN.',
      'The bare text "Header line? answered: yes, always" is read as UD-9, answered, asked in DESIGN.',
      'The bare text "Excel support - cancelled: out of scope" is read as UD-10, cancelled, asked in DESIGN.',
    ],
  },
  'decisions-by-name': {
    becomes: decisions,
    expected: ['UD-1 | answered | yes | DESIGN | -'],
    repairs: expect.arrayContaining(['user_decisions[0].question is missing; read as "(no question recorded)".']),
  },
  'nothing-but-a-state': {
    becomes: ({ status }) => status,
    expected: {
      current_state: 'IMPLEMENT_LOOP',
      session: '2026-03-04_csv-export',
      mode: 'full',
      assumptions: [],
      user_decisions: [],
      gate_tracking: {},
      runtime_flags: { copilot_instructions_exists: false, copilot_checked_at: null },
      retry_counts: {},
      known_issues: [],
      last_ci_result: 'unknown',
      last_update: '1970-01-01T00:00:00.000Z',
    },
    repairs: [
      'current_state is "implement-loop"; read as "IMPLEMENT_LOOP".',
      'session is missing; read as "2026-03-04_csv-export".',
      'mode is missing; read as "full".',
      'assumptions is missing; read as [].',
      'user_decisions is missing; read as [].',
      'gate_tracking is missing; read as {}.',
      'runtime_flags is missing; read as {"copilot_instructions_exists":false,"copilot_checked_at":nu….',
      'retry_counts is missing; read as {}.',
      'known_issues is missing; read as [].',
      'last_ci_result is missing; read as "unknown".',
      'last_update is missing; read as "1970-01-01T00:00:00.000Z".',
    ],
  },
  'lost-in-ask-user': {
    becomes: (read) => [decisions(read), read.status.gate_tracking],
    expected: [
      ['UD-1 | pending | - | IMPLEMENT_LOOP | -', 'UD-APPROVE-DESIGN | pending | - | APPROVE_DESIGN | -'],
      { APPROVE_DESIGN: { correction_status: 'queued', last_correction_dispatch: null } },
    ],
    repairs: [
      'user_decisions[0].state_context is "ASK_USER"; read as "IMPLEMENT_LOOP".',
      'user_decisions[1].state_context is missing; read as "APPROVE_DESIGN".',
      'gate_tracking.APPROVE_DESIGN.correction_status is "Queued"; read as "queued".',
    ],
  },
  'gate-asked-twice': {
    becomes: decisions,
    expected: [
      'UD-APPROVE-DESIGN | answered | approved | APPROVE_DESIGN | -',
      'UD-1 | answered | a | DESIGN | -',
      'UD-2 | pending | - | DESIGN | -',
    ],
    repairs: [
      'UD-APPROVE-DESIGN is there twice; the newest counts, the other (answered, "changes-requested: smaller") is kept under "earlier".',
      'user_decisions[3].decision_id is "UD-1"; read as "UD-2".',
    ],
  },
  shouting: {
    becomes: (read) => {
      const { current_state, session, mode, assumptions, known_issues, last_ci_result } = read.status;
      return [decisions(read), current_state, session, mode, assumptions, known_issues, last_ci_result];
    },
    expected: [
      ['UD-1 | cancelled | - | IMPLEMENT_LOOP | no reason recorded', 'UD-2 | answered | 3 | IMPLEMENT_LOOP | -'],
      'FIX_REVIEW',
      '2026-03-04_csv-export',
      'lean',
      ['one file'],
      ['{"id":1,"text":"slow"}'],
      'green',
    ],
    repairs: [
      'user_decisions[0].decision_id is "ud_1"; read as "UD-1".',
      'user_decisions[0].status is "CANCELED"; read as "cancelled".',
      'user_decisions[0].answer is ""; read as null.',
      'user_decisions[0].resolved_at is missing; read as "2026-03-04T10:00:00Z".',
      'user_decisions[0].state_context is "implement_loop"; read as "IMPLEMENT_LOOP".',
      'user_decisions[0].resolution_reason is missing; read as "no reason recorded".',
      'user_decisions[1].status is "Answered"; read as "answered".',
      'user_decisions[1].answer is 3; read as "3".',
      'user_decisions[1].resolved_at is missing; read as "2026-03-04T10:00:00Z".',
      'current_state is "Fix Review"; read as "FIX_REVIEW".',
      'session is ".agents-work/2026-03-04_csv-export/"; read as "2026-03-04_csv-export".',
      'mode is "Lean mode"; read as "lean".',
      'assumptions is "one file"; read as ["one file"].',
      'gate_tracking is null; read as {}.',
      'runtime_flags is missing; read as {"copilot_instructions_exists":false,"copilot_checked_at":nu….',
      'known_issues is [{"id":1,"text":"slow"}]; read as ["{\\"id\\":1,\\"text\\":\\"slow\\"}"].',
      'last_ci_result is "PASSED"; read as "green".',
    ],
  },
  'answers-that-are-none': {
    becomes: decisions,
    expected: [
      'UD-1 | pending | - | INTEGRATE | -',
      'UD-2 | pending | - | INTEGRATE | -',
      'UD-3 | skipped | - | INTEGRATE | no reason recorded',
      'UD-4 | answered | blue | INTEGRATE | -',
    ],
    repairs: [
      'user_decisions[0].status is "answered"; read as "pending".',
      'user_decisions[0].answer is "  "; read as null.',
      'user_decisions[0].resolved_at is "2026-03-04T09:01:00Z"; read as null.',
      'user_decisions[1].answer is "yes"; read as null.',
      'user_decisions[2].resolved_at is null; read as "2026-03-04T10:00:00Z".',
      'user_decisions[2].resolution_reason is ""; read as "no reason recorded".',
      'user_decisions[3].question is missing; read as "(no question recorded)".',
      'user_decisions[3].status is missing; read as "answered".',
      'user_decisions[3].asked_at is missing; read as "2026-03-04T10:00:00Z".',
      'user_decisions[3].resolved_at is missing; read as "2026-03-04T10:00:00Z".',
      'user_decisions[3].state_context is missing; read as "INTEGRATE".',
    ],
  },
  'counts-of-another-tool': {
    becomes: ({ status }) => [status.retry_counts, status.extra, status.last_update],
    expected: [
      {
        'T-001': { FIX_REVIEW: 2, FIX_TESTS: 2, FIX_SECURITY: 2, FIX_BUILD: 2 },
        meta: { FIX_BUILD: 1 },
        'T-002': { FIX_REVIEW: 1, FIX_TESTS: 3 },
      },
      { project_type: 'cli', team: { lead: 'x' } },
      '2026-03-04T11:00:00Z',
    ],
    repairs: [
      'last_update is there more than once; only the last one counts.',
      'retry_counts.T-001 is 2; read as {"FIX_REVIEW":2,"FIX_TESTS":2,"FIX_SECURITY":2,"FIX_BUILD":2….',
      'retry_counts.meta is missing; read as {"FIX_BUILD":1}.',
      'retry_counts.T-002.FIX_REVIEW is missing; read as 1.',
      'retry_counts.T-002.review is "1"; left out.',
      'retry_counts.T-002.polish is 9; left out.',
      'retry_counts.FIX_BUILD is 1; left out.',
    ],
  },
};

const refusedStatus: Readonly<Record<string, string>> = {
  'trailing-comma': `${statusFile}:5: unexpected "]"; expected valid JSON`,
  'cut-short': `${statusFile}:5: the text ends too early; expected valid JSON`,
  'unknown-state': `${statusFile}:3: current_state is "IMPLEMENT_LOP"; expected one of the states; did you mean IMPLEMENT_LOOP?`,
  'a-number-for-a-decision': `${statusFile}:6: user_decisions[1] is 42; expected a decision: an object, or its question`,
  'a-list': `${statusFile}:1: found ["DESIGN"]; expected an object with current_state`,
};

const refusedTasks: Readonly<Record<string, string>> = {
  'tasks-in-a-circle':
    'tasks.yaml:4: tasks wait for each other: T-001 → T-003 → T-002 → T-001; expected dependencies without a cycle',
  'a-task-that-is-not-there':
    'tasks.yaml:8: T-002 depends on T-012, which is not a task; expected the id of another task; did you mean T-011?',
  tabs: 'tasks.yaml:4: Tabs are not allowed as indentation; expected valid YAML',
  'a-task-twice': 'tasks.yaml:4: tasks[1].id is "T-001"; expected an id no other task has',
  'a-status-of-ones-own':
    'tasks.yaml:4: tasks[0].status is "nearly there"; expected one of not-started, in-progress, implemented, completed, blocked',
  'an-id-of-ones-own':
    'tasks.yaml:3: tasks[0].id is "task 1/2"; expected an id such as T-001: letters, digits, ".", "_" and "-", at most 64',
};

test('every fixture is in a table', () => {
  const known = [readable, refusedStatus, refusedTasks].flatMap((table) => Object.keys(table));
  expect([...known, 'unquoted-commands'].toSorted()).toEqual(readdirSync(folder).toSorted());
});

describe('status.json that can be read [session/reading/tolerant]', () => {
  test.each(Object.entries(readable))('%s', (name, { becomes, expected, repairs }) => {
    const read = readStatus(content(name, 'status.json'), statusFile, inference);
    expect(becomes(read)).toEqual(expected);
    expect(read.repairs).toEqual(repairs);
  });

  test.each(Object.keys(readable))('%s can be written and is then whole (S3)', (name) => {
    const text = content(name, 'status.json');
    const { status } = readStatus(text, statusFile, inference);
    const written = writeStatus(text, status);
    const again = readStatus(written, statusFile);
    expect(again.status).toEqual(status);
    expect(again.repairs).toEqual([]);
    expect(writeStatus(written, status)).toBe(written);
  });

  test('gates and flags of other tools survive a write [session/reading/nothing-lost]', () => {
    const text = content('lost-in-ask-user', 'status.json');
    const written: unknown = JSON.parse(writeStatus(text, readStatus(text, statusFile).status));
    expect(written).toMatchObject({ gate_tracking: { LEGAL: { signed: true } }, runtime_flags: { color: 'never' } });
  });
});

test.each(Object.entries(refusedStatus))(
  'status.json of %s is refused [session/reading/malformed-status]',
  (name, message) => {
    expect(refusal(() => readStatus(content(name, 'status.json'), statusFile))).toBe(message);
  },
);

test.each(Object.entries(refusedTasks))(
  'tasks.yaml of %s is refused [session/reading/malformed-tasks]',
  (name, message) => {
    expect(refusal(() => readTasks(content(name, 'tasks.yaml'), 'tasks.yaml'))).toBe(message);
  },
);

test('commands without quotes are commands, and "done" is no more than implemented', () => {
  const file = readTasks(content('unquoted-commands', 'tasks.yaml'), 'tasks.yaml');
  expect(file).toEqual({
    project: { name: 'CSV export', definition_of_done: [] },
    tasks: [
      {
        id: 'T-001',
        status: 'in-progress',
        type: '',
        title: 'Write the exporter',
        depends_on: [],
        goal: '',
        non_goals: [],
        context_files: [],
        files_expected: ['src/export.ts'],
        acceptance_checks: ['cmd: npm test', 'manual: open the file'],
        risk_flags: [],
        done_when: ['the file opens'],
        left_out: ['depends_on', 'non_goals', 'context_files', 'risk_flags'],
      },
      {
        id: 'T-002',
        status: 'implemented',
        type: '',
        title: 'Wire it up',
        depends_on: ['T-001'],
        goal: 'The menu calls the exporter.',
        non_goals: [],
        context_files: [],
        files_expected: [],
        acceptance_checks: ["cmd: npm test -- --run 'a b'"],
        risk_flags: ['security'],
        done_when: ['Menu: it has an entry'],
        left_out: ['non_goals', 'context_files', 'files_expected'],
      },
    ],
  } satisfies TasksFile);
  expect(planFlaws(file, [], false).map(flawText)).toEqual([
    'T-001 does not say what it depends on; add depends_on, [] for nothing.',
  ]);
});

/** A refusal is a DocumentError and nothing else (S1). */
function refusal(read: () => unknown): string {
  try {
    read();
  } catch (error) {
    expect(error).toBeInstanceOf(DocumentError);
    return String(error).replace('DocumentError: ', '');
  }
  return 'not refused';
}
