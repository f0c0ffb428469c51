/** Session files as other tools and people leave them, and what each becomes. */

import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { DocumentError } from '../../../documents/document-error.ts';
import { flawText, planFlaws } from '../content-checks.ts';
import { readStatus, type ReadStatus } from './read-status.ts';
import { writeStatus } from './status-file.ts';
import { readTasks, type TasksFile } from './tasks-file.ts';

const folder = fileURLToPath(new URL('../../../../test/fixtures/sessions/', import.meta.url));
const content = (name: string, file: string): string => readFileSync(`${folder}${name}/${file}`, 'utf8');
const statusFile = '.agents-work/2026-03-04_csv-export/status.json';

const decisions = ({ status }: ReadStatus): string[] =>
  status.user_decisions.map((each) =>
    [each.id, each.status, each.answer ?? '-', each.context, each.reason ?? '-'].join(' | '),
  );

interface StatusRow {
  readonly becomes: (read: ReadStatus) => unknown;
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
      'Decision 1 in the list is the bare text "Which separator shall be used?"; it becomes UD-8.',
      'UD-8: state_context is missing; taken to be DESIGN.',
      'Decision 2 in the list is the bare text "Header line? answered: yes, always"; it becomes UD-9.',
      'UD-9: state_context is missing; taken to be DESIGN.',
      'Decision 4 in the list is the bare text "Excel support - cancelled: out of scope"; it becomes UD-10.',
      'UD-10: state_context is missing; taken to be DESIGN.',
    ],
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
      'current_state "implement-loop" is read as IMPLEMENT_LOOP.',
      'last_update is missing; taken to be 1970-01-01T00:00:00.000Z.',
      'session is missing; taken from its folder: 2026-03-04_csv-export.',
      'mode is missing; taken to be full.',
      'assumptions is missing; taken to be empty.',
      'user_decisions is missing; taken to be empty.',
      'gate_tracking is missing; taken to be empty.',
      'runtime_flags are missing or incomplete; they are to be detected again.',
      'retry_counts is missing; taken to be empty.',
      'known_issues is missing; taken to be empty.',
      'last_ci_result is missing; taken to be unknown.',
    ],
  },
  'lost-in-ask-user': {
    becomes: (read) => [decisions(read), read.status.gate_tracking],
    expected: [
      ['UD-1 | pending | - | IMPLEMENT_LOOP | -', 'UD-APPROVE-DESIGN | pending | - | APPROVE_DESIGN | -'],
      { APPROVE_DESIGN: { correction_status: 'queued', last_correction_dispatch: null } },
    ],
    repairs: [
      'UD-1: state_context is "ASK_USER"; taken to be IMPLEMENT_LOOP.',
      'UD-APPROVE-DESIGN: state_context is missing; taken to be APPROVE_DESIGN.',
      'correction_status "Queued" is read as queued.',
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
      'UD-APPROVE-DESIGN stands there twice; the newest counts, the other (answered, answer "changes-requested: smaller") is dropped.',
      'Decision 4 in the list repeats UD-1; it becomes UD-2.',
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
      'current_state "Fix Review" is read as FIX_REVIEW.',
      'session ".agents-work/2026-03-04_csv-export/" is read as 2026-03-04_csv-export.',
      'mode "Lean mode" is read as lean.',
      'assumptions is not a list of texts; its content is kept as texts.',
      'Decision "ud_1" is read as UD-1.',
      'UD-1: status "CANCELED" is read as cancelled.',
      'UD-1: state_context "implement_loop" is read as IMPLEMENT_LOOP.',
      'UD-1 does not say when it was resolved; taken to be 2026-03-04T10:00:00Z.',
      'UD-1 is cancelled without a reason.',
      'UD-2: status "Answered" is read as answered.',
      'UD-2: the answer 3 is kept as the text "3".',
      'UD-2 does not say when it was resolved; taken to be 2026-03-04T10:00:00Z.',
      'gate_tracking is missing; taken to be empty.',
      'runtime_flags are missing or incomplete; they are to be detected again.',
      'known_issues is not a list of texts; its content is kept as texts.',
      'last_ci_result is "PASSED"; taken to be green.',
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
      'UD-1 is answered without an answer; it is pending again.',
      'UD-2 is pending with the answer "yes", which is dropped; it is asked again.',
      'UD-3 does not say when it was resolved; taken to be 2026-03-04T10:00:00Z.',
      'UD-3 is skipped without a reason.',
      'UD-4 has no question.',
      'UD-4: asked_at is missing; taken to be 2026-03-04T10:00:00Z.',
      'UD-4 has no status; taken to be answered.',
      'UD-4: state_context is missing; taken to be INTEGRATE.',
      'UD-4 does not say when it was resolved; taken to be 2026-03-04T10:00:00Z.',
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
      'last_update stands there more than once; the last one counts, the others are dropped.',
      'retry_counts.T-001 names no kind; 2 is counted for each of them.',
      'retry_counts.FIX_BUILD names no task; counted for the whole session ("meta").',
      'retry_counts.T-002.review is read as FIX_REVIEW.',
      'retry_counts.T-002.review "1" is read as 1.',
      'retry_counts.T-002.polish (9) is no repair loop; left out.',
    ],
  },
};

const refusedStatus: Readonly<Record<string, string>> = {
  'trailing-comma': `${statusFile}:5: unexpected "]"; expected valid JSON`,
  'cut-short': `${statusFile}:5: the text ends too early; expected valid JSON`,
  'unknown-state': `${statusFile}:3: current_state is "IMPLEMENT_LOP"; expected one of the states; did you mean IMPLEMENT_LOOP?`,
  'decisions-by-name': `${statusFile}:4: user_decisions is {"UD-1":"yes"}; expected a list of decisions`,
  'a-number-for-a-decision': `${statusFile}:6: user_decisions[1] is 42; expected a decision: an object, or its question`,
  'a-list': `${statusFile}:1: found ["DESIGN"]; expected an object with current_state`,
};

const refusedTasks: Readonly<Record<string, string>> = {
  'tasks-in-a-circle':
    'tasks.yaml:4: tasks wait for each other: T-001 → T-003 → T-002 → T-001; expected dependencies without a cycle',
  'a-task-that-is-not-there':
    'tasks.yaml:8: T-002 depends on T-012, which is no task; expected the id of another task; did you mean T-011?',
  tabs: 'tasks.yaml:4: Tabs are not allowed as indentation; expected valid YAML',
  'a-task-twice': 'tasks.yaml:4: tasks[1].id is "T-001"; expected an id no other task has',
  'a-status-of-ones-own':
    'tasks.yaml:4: tasks[0].status is "nearly there"; expected one of not-started, in-progress, implemented, completed, blocked',
  'an-id-of-ones-own': 'tasks.yaml:3: tasks[0].id is "task-1"; expected T- and at least three digits, such as T-001',
};

test('every fixture is in a table', () => {
  const known = [readable, refusedStatus, refusedTasks].flatMap((table) => Object.keys(table));
  expect([...known, 'unquoted-commands'].toSorted()).toEqual(readdirSync(folder).toSorted());
});

describe('status.json that can be read [session/reading/tolerant]', () => {
  test.each(Object.entries(readable))('%s', (name, { becomes, expected, repairs }) => {
    const read = readStatus(content(name, 'status.json'), statusFile, { inferContext: 'IMPLEMENT_LOOP' });
    expect(becomes(read)).toEqual(expected);
    expect(read.repairs).toEqual(repairs);
  });

  test.each(Object.keys(readable))('%s can be written and is then whole (S3)', (name) => {
    const text = content(name, 'status.json');
    const { status } = readStatus(text, statusFile, { inferContext: 'IMPLEMENT_LOOP' });
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
  expect(planFlaws(file).map(flawText)).toEqual([
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
