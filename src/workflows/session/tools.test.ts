import { describe, expect, test } from 'vitest';
import * as paths from './files/session-paths.ts';
import { readTasks } from './files/tasks-file.ts';
import {
  architecture,
  designFiles,
  dispatchOf,
  plannedFiles,
  run,
  spec,
  tasksFile,
  type DispatchSetting,
} from './session.fixture.ts';
import { toolArguments } from './tool-arguments.ts';
import { tools } from './tools.ts';
import { roles } from './session-words.ts';

const folder = paths.sessionFolder(run);
const call = (name: keyof typeof tools, args: Readonly<Record<string, unknown>>, setting: DispatchSetting) =>
  tools[name].call(args, dispatchOf({ files: plannedFiles, ...setting }));
const refused = (words: string) => ({ error: expect.stringContaining(words) });

test('each role has its own tools, and a report that ends its work [session/dispatch/own-tools]', () => {
  const of = (role: string) =>
    Object.entries(tools)
      .filter(([, tool]) => tool.roles.includes(role))
      .map(([name]) => name);
  expect(Object.fromEntries(roles.map((role) => [role, of(role)]))).toEqual({
    SpecAgent: ['write_document', 'write_acceptance', 'write_tasks', 'report'],
    Researcher: ['write_document', 'report'],
    Architect: ['write_document', 'report'],
    Designer: ['write_document', 'report'],
    Planner: ['write_tasks', 'report'],
    Coder: ['report'],
    Reviewer: ['report'],
    QA: ['report'],
    Security: ['report'],
    Integrator: ['report'],
    Docs: ['report'],
  });
  expect(tools.report.report).toEqual({ once: true });
});

describe('write_document', () => {
  test.each([
    ['intake', 'spec.md', '[session/roles/spec-agent]', spec],
    ['research', 'research/csv.md', '[session/roles/researcher]', '# Options'],
    ['architect', 'architecture.md', '[session/roles/architect]', architecture],
    ['architect', 'adr/ADR-001.md', '[session/roles/architect]', '# Streams'],
    ['design_ui', 'design-specs/table.md', '[session/roles/designer]', '# Table'],
  ])('%s may write %s %s', (state, path, _, content) => {
    expect(call('write_document', { path, content }, { state })).toMatchObject({
      writes: [{ path: `${folder}/${path}`, content: `${content.trimEnd()}\n` }],
    });
  });

  test.each([
    ['intake', 'architecture.md'],
    ['intake', 'status.json'],
    ['intake', '../spec.md'],
    ['intake', 'acceptance.json'],
    ['research', 'spec.md'],
    ['research', 'research/../spec.md'],
    ['research', 'research/<name>.md'],
    ['research', 'research/<name>.md'],
    ['architect', 'adr/ADR-1.md'],
    ['architect', 'tasks.yaml'],
    ['design_ui', 'design-specs/a/b.md'],
    ['plan', 'tasks.yaml'],
    ['code', 'report.md'],
  ])('%s may not write %s [session/roles/no-writes]', (state, path) => {
    expect(call('write_document', { path, content: 'x' }, { state })).toEqual(refused('nothing was written'));
  });

  test('a document that lacks something is refused with what it lacks [session/files/spec] [session/files/architecture]', () => {
    expect(call('write_document', { path: 'spec.md', content: '# x' }, { state: 'intake' })).toEqual(refused('Goals'));
    expect(call('write_document', { path: 'architecture.md', content: '# x' }, { state: 'architect' })).toEqual(
      refused('Overview'),
    );
    const lean = '## Goals\nx\n\n## Acceptance Criteria\ny';
    expect(call('write_document', { path: 'spec.md', content: lean }, { state: 'intake' })).toEqual(
      refused('Definition of Done'),
    );
    expect(call('write_document', { path: 'spec.md', content: lean }, { state: 'intake_lean' })).toHaveProperty(
      'writes',
    );
  });
});

describe('write_acceptance', () => {
  test('writes the criteria, open [session/files/acceptance]', () => {
    const answer = call('write_acceptance', toolArguments.write_acceptance.example, { state: 'intake' });
    expect(answer).toMatchObject({ writes: [{ path: paths.acceptancePath(run) }] });
    expect(JSON.stringify(answer)).not.toContain('status');
  });

  test('a status is not the agent’s to set [session/files/completed-by-engine]', () => {
    const criteria = [{ id: 'AC-001', description: 'x', verify: [], status: 'met' }];
    expect(call('write_acceptance', { criteria }, { state: 'intake' })).toEqual(refused('status'));
  });
});

describe('write_tasks', () => {
  const { example } = toolArguments.write_tasks;
  const [task] = example.tasks;

  test('writes tasks that nobody has begun [session/roles/planner] [session/files/tasks]', () => {
    const answer = call('write_tasks', example, { state: 'plan', files: designFiles });
    const [write] = 'writes' in answer ? (answer.writes ?? []) : [];
    expect(write).toMatchObject({ path: paths.tasksPath(run) });
    const { tasks } = readTasks(write && 'content' in write ? (write.content ?? '') : '', 'tasks.yaml');
    expect(tasks).toMatchObject([{ id: 'T-001', status: 'not-started' }]);
  });

  test('a status is not the agent’s to set [session/files/completed-by-engine]', () => {
    const tasks = [{ ...task, status: 'completed' }];
    expect(call('write_tasks', { ...example, tasks }, { state: 'plan' })).toEqual(refused('status'));
  });

  test('a new plan does not undo what was done [session/schedule/done-stays-done]', () => {
    const files = { ...designFiles, ...tasksFile({ status: 'completed', goal: task.goal }) };
    expect(JSON.stringify(call('write_tasks', example, { state: 'plan', files }))).toContain('status: completed');
  });

  test('nor does it take something else for done that has the id of what was done', () => {
    const files = { ...designFiles, ...tasksFile({ status: 'completed', goal: 'Another goal' }) };
    expect(JSON.stringify(call('write_tasks', example, { state: 'plan', files }))).toContain('status: not-started');
  });

  test('a plan that cannot be read any more can be written anew', () => {
    const files = { ...designFiles, [paths.tasksPath(run)]: 'tasks: 7\n' };
    expect(call('write_tasks', example, { state: 'plan', files })).toHaveProperty('writes');
  });

  test.each([
    [
      'a cycle',
      [
        { ...task, depends_on: ['T-002'] },
        { ...task, id: 'T-002', depends_on: ['T-001'] },
      ],
      'T-00',
    ],
    ['an unknown criterion', [{ ...task, acceptance_checks: ['AC-009'] }], 'AC-009'],
    ['twins', [task, task], 'T-001'],
  ])('%s is refused [session/reading/cycle] [session/reading/unknown-check]', (_, tasks, words) => {
    expect(call('write_tasks', { ...example, tasks }, { state: 'plan' })).toEqual(refused(words));
  });

  test('the SpecAgent plans one task, in a lean session only [session/roles/spec-agent]', () => {
    expect(call('write_tasks', example, { state: 'intake' })).toEqual(refused('leave planning to the Planner'));
    expect(call('write_tasks', example, { state: 'intake_lean' })).toHaveProperty('writes');
    const two = [task, { ...task, id: 'T-002' }];
    expect(call('write_tasks', { ...example, tasks: two }, { state: 'intake_lean' })).toEqual(
      refused('exactly one task'),
    );
  });
});

describe('report', () => {
  const filed = { text: expect.stringContaining('filed') };
  const ok = { status: 'OK', summary: 'Done.' };
  const comment = (severity: string) => ({ severity, category: 'x', file: 'a.ts', message: 'm' });
  const finding = (severity: string) => ({
    severity,
    category: 'x',
    file: 'a.ts',
    description: 'd',
    recommended_fix: 'f',
  });
  const review = { ...ok, verdict: 'PASS', checklist_summary: 'all' };

  test.each(['intake', 'research', 'architect', 'design_ui', 'plan', 'code', 'qa', 'release_notes', 'docs'])(
    '%s files what the contract asks for [session/dispatch/report]',
    (state) => {
      const gates = { meets_definition_of_done: true, needs_review: true, needs_tests: false, security_concerns: [] };
      const next = { recommended_agent: 'Reviewer', recommended_task_id: 'T-001', reason: 'done' };
      expect(call('report', { ...ok, gates, next, artifacts: { notes: 'none' } }, { state })).toEqual(filed);
    },
  );

  test('a research report has options with pros, cons and effort, confidence and sources [session/roles/researcher]', () => {
    const options = [{ option: 'csv', pros: ['plain'], cons: [], effort: 'small' }];
    expect(
      call(
        'report',
        { ...ok, artifacts: { options, confidence: 'high', sources: ['rfc4180'] } },
        { state: 'research' },
      ),
    ).toEqual(filed);
    expect(call('report', { ...ok, confidence: 'sure' }, { state: 'research' })).toEqual(refused('confidence'));
  });

  test.each([
    ['plan', { ...ok, status: 'GREAT' }, 'status'],
    ['plan', { status: 'OK' }, 'summary is missing'],
    ['plan', { ...ok, sumary: 'x' }, 'sumary is not known'],
    ['code', { ...ok, status: 'NEEDS_DECISION' }, 'for Security'],
    ['code', { ...ok, status: 'NEEDS_INFO' }, 'for the Researcher'],
    ['research', { ...ok, status: 'NEEDS_INFO' }, 'needs the questions'],
    ['review', ok, 'verdict is missing'],
    ['review', { ...review, checklist_summary: undefined }, 'checklist_summary is missing'],
    ['review', { ...review, verdict: 'FINE' }, 'verdict'],
    ['review', { ...review, review_comments: [comment('awful')] }, 'severity'],
    ['review', { ...review, review_comments: [comment('blocker')] }, 'expected NEEDS FIXES'],
    ['review', { ...review, verdict: 'PASS WITH NOTES', review_comments: [comment('major')] }, 'expected NEEDS FIXES'],
    ['review', { ...review, verdict: 'PASS WITH NOTES' }, 'without a note'],
    ['review', { ...review, verdict: 'NEEDS FIXES' }, 'without a review comment'],
    ['security', { ...ok, findings: [finding('critical')] }, 'expected BLOCKED'],
    ['security', { ...ok, findings: [finding('medium')] }, 'expected NEEDS_DECISION'],
    ['security', { ...ok, status: 'BLOCKED' }, 'without a finding'],
    ['security', { ...ok, status: 'NEEDS_DECISION' }, 'without a finding'],
    ['security', { ...ok, status: 'NEEDS_DECISION', findings: [finding('low')] }, 'expected OK'],
  ])(
    '%s: %j is refused: %s [session/roles/contradictions-refused] [session/dispatch/role-statuses]',
    (state, args, words) => {
      expect(call('report', args, { state })).toEqual(refused(words));
    },
  );

  test.each([
    ['research', { ...ok, status: 'NEEDS_INFO', questions: [{ question: 'Which?' }] }],
    ['review', { ...review, verdict: 'NEEDS FIXES', status: 'BLOCKED', review_comments: [comment('major')] }],
    ['review', { ...review, verdict: 'PASS WITH NOTES', review_comments: [comment('nit')] }],
    ['review', { status: 'FAIL', summary: 'No access.' }],
    ['security', { ...ok, findings: [finding('low')] }],
    ['security', { ...ok, status: 'NEEDS_DECISION', findings: [finding('medium')] }],
    ['security', { ...ok, status: 'BLOCKED', findings: [finding('high')] }],
  ])('%s: %j is filed [session/dispatch/role-statuses]', (state, args) => {
    expect(call('report', args, { state })).toEqual(filed);
  });
});

test('[DEF-24] [session/table/plan] a task that leaves out depends_on is refused, with the fix', () => {
  const { depends_on: _, ...task } = toolArguments.write_tasks.example.tasks[0];
  const given = { project: { name: 'x', definition_of_done: [] }, tasks: [task] };
  expect(call('write_tasks', given, { state: 'plan' })).toEqual(refused('depends_on'));
  expect(call('write_tasks', given, { state: 'plan' })).toEqual(refused('[] for none'));
  const whole = { ...given, tasks: [{ ...task, depends_on: [] }] };
  expect(call('write_tasks', whole, { state: 'plan' })).toHaveProperty('writes');
});

test('[DEF-11] [session/validators/placeholders] placeholders in paths are found when the plan is written', () => {
  const [task] = toolArguments.write_tasks.example.tasks;
  const given = (path: string) => ({ project: { name: 'x' }, tasks: [{ ...task, files_expected: [path] }] });
  expect(call('write_tasks', given('src/<name>.ts'), { state: 'plan' })).toEqual(refused('still has a placeholder'));
  expect(call('write_tasks', given('app/[...slug]/page.tsx'), { state: 'plan' })).toHaveProperty('writes');
});
