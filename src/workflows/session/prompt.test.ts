import { describe, expect, test } from 'vitest';
import { contextFiles, contextFindings } from './documents.ts';
import * as paths from './files/session-paths.ts';
import { checklistFor, promptFor } from './prompt.ts';
import { appended, data as slots } from './run-data.ts';
import {
  answeredDecision,
  dispatchOf,
  plannedFiles,
  ledger,
  run,
  tasksFile,
  tasksList,
  type DispatchSetting,
} from './session.fixture.ts';
import { tools } from './tools.ts';
import { roles } from './session-words.ts';

const usual = {
  files: plannedFiles,
  lists: tasksList('T-001'),
  flags: { mode: 'per_batch' },
  data: { goal: 'Export CSV', projectType: 'cli', branch: 'main' },
};
const promptOf = (setting: DispatchSetting): string =>
  promptFor(dispatchOf({ ...usual, ...setting, data: { ...usual.data, ...setting.data } }));

interface Input {
  readonly task: Readonly<Record<string, unknown>>;
  readonly [key: string]: unknown;
}

function inputOf(setting: DispatchSetting): Input {
  const [, json = ''] = /```json\n([^]*?)\n```/.exec(promptOf(setting)) ?? [];
  return JSON.parse(json) as Input;
}

test('the parts come in the order of the contract [session/dispatch/prompt-order]', () => {
  const text = promptOf({ state: 'code', files: { ...plannedFiles, 'AGENTS.md': 'x' }, hint: 'Use a stream.' });
  const parts = [
    '# You are the Coder',
    'You may write',
    '## Contract',
    '## Project instructions',
    '## Session',
    '## Input',
    '## First steps',
    '## A person adds',
  ];
  const places = parts.map((part) => text.indexOf(part));
  expect(places).not.toContain(-1);
  expect(places).toEqual(places.toSorted((a, b) => a - b));
  expect(text).toContain('Use a stream.');
});

test.each([
  [{}, []],
  [{ 'AGENTS.md': 'x' }, ['AGENTS.md']],
  [{ '.github/copilot-instructions.md': 'x' }, ['.github/copilot-instructions.md']],
])(
  'project instructions are named only where they are there now: %j [session/dispatch/project-instructions]',
  (files, named) => {
    const text = promptOf({ state: 'code', files: { ...plannedFiles, ...files } });
    expect(text.includes('## Project instructions')).toBe(named.length > 0);
    for (const each of named) expect(text).toContain(`Read and follow \`${each}\``);
    if (named.length > 0) expect(text).toContain('rank below the contract, your role and the workflow');
  },
);

test('conflicts with project instructions are reported in notes [session/flags/conflicts]', () => {
  expect(promptOf({ state: 'code', files: { ...plannedFiles, 'AGENTS.md': 'x' } })).toContain(
    'report conflicts in `notes`',
  );
});

describe('the input', () => {
  test('has all parts [session/dispatch/input]', () => {
    expect(inputOf({ state: 'code', data: { ci: { result: 'red', failedStep: 'cmd: npm test' } } })).toMatchObject({
      project_type: 'cli',
      repo_state: { branch: 'main', ci_status: 'red', last_failed_step: 'cmd: npm test' },
      tools_available: ['report'],
      artifact_list: expect.arrayContaining([paths.specPath(run), paths.tasksPath(run)]),
    });
  });

  test('has the task as planned [session/dispatch/task-input]', () => {
    const files = { ...plannedFiles, ...tasksFile({ non_goals: ['no Excel'], risk_flags: ['security'] }) };
    expect(inputOf({ state: 'code', files }).task).toEqual({
      id: 'T-001',
      title: 'Write rows',
      goal: 'Rows become lines',
      non_goals: ['no Excel'],
      context_files: expect.any(Array),
      files_expected: ['src/csv.ts'],
      constraints: [expect.stringContaining('You may write')],
      acceptance_checks: ['cmd: npm test'],
      done_when: ['a file is written'],
      risk_flags: ['security'],
    });
  });

  test('has what the session changed, by git, for those who judge [session/strategy/changed-files] [session/review/change-type]', () => {
    const files = [
      { path: 'a.ts', change: 'added' },
      { path: 'c.ts', change: 'renamed', oldPath: 'b.ts' },
      { path: 'd.ts', change: 'deleted' },
    ] as const;
    expect(inputOf({ state: 'review', judged: { digest: 'x', files } }).task['session_changed_files']).toEqual([
      { path: 'a.ts', change_type: 'added' },
      { path: 'c.ts', change_type: 'renamed', old_path: 'b.ts' },
      { path: 'd.ts', change_type: 'deleted' },
    ]);
    expect(inputOf({ state: 'code' }).task).not.toHaveProperty('session_changed_files');
  });

  test.each([
    ['per_batch', 'final', 'Cross-task final review of all session changes', '[session/strategy/per-batch-meta]'],
    ['single_final', 'final', 'Single-final review of all session changes', '[session/strategy/single-final-pass]'],
    ['per_batch', 'release', 'Review of what the release changed', '[session/release/order]'],
  ])('%s, %s: task meta, "%s" %s', (mode, round, goal) => {
    const judged = { digest: 'x', files: [] };
    expect(inputOf({ state: 'review', flags: { mode, round }, judged, lists: {} }).task).toMatchObject({
      id: 'meta',
      goal,
    });
  });

  test('has the checklist of the type of project; what does not apply is N/A [session/roles/project-type-checklist]', () => {
    const items = inputOf({ state: 'review' })['checklist'] as readonly { id: string; text: string }[];
    expect(items.map(({ id }) => id)).toEqual(checklistFor('cli').map(({ id }) => id));
    const skipped = items.filter(({ text }) => text.startsWith('N/A')).map(({ id }) => id);
    expect(skipped).toEqual(expect.arrayContaining(['csrf', 'xss', 'tenancy', 'templates']));
    expect(skipped).not.toContain('exit-codes');
  });

  test('has what a person decided, which binds', () => {
    const decisions = ledger(answeredDecision('UD-1', 'tabs'));
    expect(inputOf({ state: 'code', decisions })['user_decisions']).toEqual([
      { id: 'UD-1', question: 'Which format?', answer: 'tabs' },
    ]);
  });

  test('has what is to be fixed, what was tried and what a person said [session/budgets/repairs-asked]', () => {
    const data = {
      'judgement:qa': { scope: 'T-001', summary: 'Red.', findings: [{ gap: 'x' }] },
      attempts: [{ kind: 'fix_tests', tried: 'Waited.' }],
      guidance: 'guidance: use a clock',
      handedOver: null,
    };
    expect(inputOf({ state: 'fix_tests', data })).toMatchObject({
      to_fix: { gate: 'qa', summary: 'Red.', findings: [{ gap: 'x' }] },
      tried_before: ['fix_tests: Waited.'],
      guidance: 'guidance: use a clock',
    });
  });

  test.each([
    ['fix_review', 'review'],
    ['fix_own_tests', 'qa'],
    ['fix_security', 'security'],
    ['fix_build', 'integrate'],
    ['fix_build_code', 'integrate'],
  ])('%s fixes what %s found', (state, gate) => {
    const data = { [`judgement:${gate}`]: { scope: 'T-001', summary: 'Wrong.', findings: [] } };
    expect(inputOf({ state, data })['to_fix']).toMatchObject({ gate, summary: 'Wrong.' });
  });

  test.each([
    ['research', { intake: { research: 'Which format?' } }, { research_question: 'Which format?' }],
    ['correct_ui', { correction: { summary: 'wider' } }, { correction: 'wider' }],
    ['intake', { leanOutcome: 'Needs a store.' }, { lean_outcome: 'Needs a store.' }],
    ['qa', { 'issue:1': 'slow' }, { known_issues: ['slow'] }],
  ])('%s knows what it needs in particular [session/table/lean-complex]', (state, data, part) => {
    expect(inputOf({ state, data })).toMatchObject(part);
  });

  test('shows the last fifty known issues [session/scale/500-tasks]', () => {
    const issues = Array.from({ length: 60 }, (_, n) => `issue ${n + 1}`);
    expect(inputOf({ state: 'qa', data: appended(slots.issue, { data: {} }, issues) })['known_issues']).toEqual(
      issues.slice(10),
    );
  });
});

const everything = {
  ...plannedFiles,
  [`${paths.researchFolder(run)}/csv.md`]: '# r',
  [`${paths.designFolder(run)}/table.md`]: '# d',
};
const short = (path: string): string => path.slice(paths.sessionFolder(run).length + 1).split('/')[0] ?? '';

test.each([
  ['SpecAgent', [], [], '[session/context/spec-agent]'],
  ['Researcher', ['spec.md'], ['acceptance.json', 'architecture.md'], '[session/context/researcher]'],
  ['Architect', ['spec.md', 'acceptance.json'], ['research'], '[session/context/architect]'],
  ['Designer', ['spec.md', 'acceptance.json', 'architecture.md'], [], '[session/context/designer]'],
  [
    'Planner',
    ['spec.md', 'acceptance.json', 'architecture.md'],
    ['design-specs', 'research'],
    '[session/context/planner]',
  ],
  ['Coder', ['spec.md', 'tasks.yaml'], ['architecture.md', 'design-specs'], '[session/context/coder]'],
  ['Reviewer', ['spec.md', 'tasks.yaml'], ['architecture.md', 'design-specs'], '[session/context/reviewer]'],
  ['QA', ['spec.md', 'acceptance.json', 'tasks.yaml'], ['design-specs'], '[session/context/qa]'],
  ['Security', ['tasks.yaml'], ['architecture.md'], '[session/context/security]'],
  ['Integrator', ['acceptance.json', 'tasks.yaml'], [], '[session/context/integrator]'],
  ['Docs', ['spec.md', 'acceptance.json', 'tasks.yaml'], ['architecture.md'], '[session/context/docs]'],
])('the %s is sent to %j, and to %j where they exist %s', (role, needs, reads) => {
  const context = { ...dispatchOf({ state: 'code', files: everything }), role };
  expect(contextFiles(context).map(short)).toEqual([...needs, ...reads]);
  const none = { ...dispatchOf({ state: 'code', files: {} }), role };
  expect([contextFindings(none).map(({ path }) => short(path)), contextFiles(none)]).toEqual([needs, []]);
});

test('the files a role is sent to are what it is told to read first [session/dispatch/task-input]', () => {
  const text = promptOf({ state: 'security' });
  expect(text).toContain(`1. Read \`${paths.tasksPath(run)}\`, \`${paths.architecturePath(run)}\`.`);
});

test.each([
  ['intake', ['write_document', 'write_acceptance', 'report']],
  ['intake_lean', ['write_document', 'write_acceptance', 'write_tasks', 'report']],
  ['research', ['write_document', 'report']],
  ['architect', ['write_document', 'report']],
  ['design_ui', ['write_document', 'report']],
  ['plan', ['write_tasks', 'report']],
  ['code', ['report']],
  ['review', ['report']],
])('%s is told of its own tools [session/dispatch/own-tools]', (state, named) => {
  expect(inputOf({ state })['tools_available']).toEqual(named);
});

test('every tool a prompt names is one of its role [session/dispatch/own-tools]', () => {
  const states = {
    SpecAgent: 'intake',
    Researcher: 'research',
    Architect: 'architect',
    Designer: 'design_ui',
    Planner: 'plan',
    Coder: 'code',
    Reviewer: 'review',
    QA: 'qa',
    Security: 'security',
    Integrator: 'release_notes',
    Docs: 'docs',
  };
  for (const role of roles) {
    const text = promptOf({ state: states[role] });
    const named = Object.entries(tools).filter(([tool]) => text.includes(`\`${tool}\``));
    expect([role, named.filter(([, tool]) => !tool.roles.includes(role)).map(([tool]) => tool)]).toEqual([role, []]);
  }
});

test.each([
  ['review', 'deeply', '[session/review/depth]'],
  ['review', 'deleted ones by their diff', '[session/review/depth]'],
  ['review', 'duplicated logic, conflicting assumptions, regressions', '[session/review/depth]'],
  ['design_ui', 'accessibility, breakpoints', '[session/roles/designer]'],
])('whoever works in %s is told: %s %s', (state, words) => {
  expect(promptOf({ state, data: { intake: { hasUi: true } } })).toContain(words);
});

test.each([
  ['correct_spec', ['spec.md', 'acceptance.json']],
  ['correct_architecture', ['architecture.md', 'adr/ADR-001.md']],
  ['correct_ui', ['design-specs/table.md']],
  ['intake', ['spec.md', 'acceptance.json', 'tasks.yaml']],
])('[DEF-10] [session/dispatch/corrected-documents] %s is sent to what it writes anew', (state, names) => {
  const folder = paths.sessionFolder(run);
  const more = { [`${folder}/adr/ADR-001.md`]: '# Rows\n', [`${folder}/design-specs/table.md`]: '# Table\n' };
  const given = { state, files: { ...plannedFiles, ...more }, flags: { mode: 'full' } };
  const expected = names.map((name) => `${folder}/${name}`);
  expect(inputOf(given).task['context_files']).toEqual(expect.arrayContaining(expected));
  for (const path of expected) expect(promptOf(given)).toMatch(new RegExp(`Read .*\`${path}\``));
});

test('[rule 123] [session/dispatch/task-context] the context files of a task reach the Coder', () => {
  const files = { ...plannedFiles, ...tasksFile({ context_files: ['src/rows.ts'] }) };
  expect(inputOf({ state: 'code', files }).task['context_files']).toContain('src/rows.ts');
});

test('[rule 77] [session/release/changed-files] the reviewer of a release is told what the release changed', () => {
  const released = {
    state: 'review',
    flags: { mode: 'per_batch', round: 'release' },
    data: { released: ['README.md'] },
  };
  expect(inputOf(released)['release_changed_files']).toEqual(['README.md']);
  expect(inputOf({ ...released, flags: { mode: 'per_batch', round: 'final' } })).not.toHaveProperty(
    'release_changed_files',
  );
});
