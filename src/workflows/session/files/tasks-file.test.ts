import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { DocumentError } from '../../../documents/document-error.ts';
import { parseSimpleYaml } from '../../../documents/simple-yaml.ts';
import { flawText, planFlaws } from '../content-checks.ts';
import { readTasks, renderTasks, setTaskStatus, taskStatuses, type SessionTask, type TasksFile } from './tasks-file.ts';

const task = (id: string, more: Partial<SessionTask> = {}): SessionTask => ({
  id,
  status: 'not-started',
  type: 'feature',
  title: 'Do it',
  depends_on: [],
  goal: 'It is done',
  non_goals: [],
  context_files: [],
  files_expected: ['src/a.ts'],
  acceptance_checks: ['cmd: npm test'],
  risk_flags: [],
  done_when: ['tests pass'],
  ...more,
});
const planProblems = (...given: Parameters<typeof planFlaws>) => planFlaws(...given).map(flawText);
const fileOf = (...tasks: SessionTask[]): TasksFile => ({
  project: { name: 'x', definition_of_done: ['green'] },
  tasks,
});

test('tasks are written in one form', () => {
  expect(renderTasks(fileOf(task('T-001', { title: 'Say "hi": it\'s', goal: 'a\nb', risk_flags: ['yes', '1'] })))).toBe(
    `project:
  name: x
  definition_of_done:
    - green
tasks:
  - id: T-001
    status: not-started
    type: feature
    title: "Say \\"hi\\": it's"
    depends_on: []
    goal: "a\\nb"
    non_goals: []
    context_files: []
    files_expected:
      - src/a.ts
    acceptance_checks:
      - "cmd: npm test"
    risk_flags:
      - "yes"
      - "1"
    done_when:
      - tests pass
`,
  );
});

const text = fc.oneof(
  fc.constantFrom(
    '',
    'plain words',
    'cmd: npm test',
    "it's",
    'say "x"',
    'a #b',
    '- x',
    '1.10',
    '2026-05-01',
    'null',
    'e1',
    '[a]',
    '{a}',
    '&a',
    '*a',
    '@x',
    '%',
    '\\',
    'tab\there',
    '\u2028',
    '\u0085',
    ' x ',
  ),
  fc.string(),
  fc.string({ unit: 'grapheme' }),
);
const texts = fc.array(
  text.filter((each) => each.trim() !== ''),
  { maxLength: 3 },
);
const anyFile: fc.Arbitrary<TasksFile> = fc
  .tuple(text, texts, fc.array(fc.tuple(fc.constantFrom(...taskStatuses), text, text, texts), { maxLength: 4 }))
  .map(([name, done, tasks]) => ({
    project: { name: name.trim(), definition_of_done: done.map((each) => each.trim()) },
    tasks: tasks.map(([status, title, goal, list], index) =>
      task(`T-00${index + 1}`, {
        status,
        title: title.trim(),
        goal: goal.trim(),
        depends_on: index === 0 ? [] : ['T-001'],
        done_when: list.map((each) => each.trim()),
      }),
    ),
  }));

test('what is rendered reads as what it was', () => {
  fc.assert(
    fc.property(anyFile, (file) => {
      expect(readTasks(renderTasks(file), 'tasks.yaml')).toEqual(file);
    }),
    { numRuns: 250 },
  );
});

test('what is not a file of tasks is refused with a DocumentError and nothing else', () => {
  const value = fc.oneof(
    fc
      .record({
        project: fc.jsonValue(),
        tasks: fc.array(
          fc.dictionary(
            fc.constantFrom('id', 'status', 'depends_on', 'goal', 'done_when'),
            fc.oneof(fc.constantFrom('T-001', 'T-002', 'done'), fc.jsonValue()),
          ),
        ),
      })
      .map((each) => JSON.stringify(each)),
    fc.string(),
  );
  fc.assert(
    fc.property(value, (source) => {
      try {
        readTasks(source, 'tasks.yaml');
      } catch (error) {
        expect(error).toBeInstanceOf(DocumentError);
      }
    }),
    { numRuns: 250 },
  );
});

test.each([
  ['', 'tasks.yaml:1: the file is not a map'],
  ['project: x\n', 'tasks is missing; expected a list of tasks'],
  ['project: x\ntasks: many\n', 'tasks.yaml:2: tasks is "many"'],
  ['tasks:\n  - id: T-001\n  - just words\n', 'tasks.yaml:3: tasks[1] is "just words"'],
  ['tasks:\n  - id: T-001\n    depends_on: [T-001]\n', 'tasks.yaml:3: tasks wait for each other: T-001 → T-001'],
  [
    'tasks:\n  - id: T-001\n    done_when:\n      - { a: 1, b: 2 }\n',
    'tasks.yaml:4: tasks[0].done_when[0] is {"a":1,"b":2}',
  ],
  ['tasks:\n  - id: a b\n', 'tasks.yaml:2: tasks[0].id is "a b"; expected an id such as T-001'],
  ['tasks: [a\n', 'expected valid YAML'],
])('%j is refused', (source, message) => {
  expect(() => readTasks(source, 'tasks.yaml')).toThrow(message);
});

test.each([
  ['dashes', `tasks:\n${'- '.repeat(20_000)}`],
  ['question marks', `tasks:\n  ${'? '.repeat(20_000)}`],
  ['brackets', `tasks: ${'['.repeat(20_000)}`],
  ['brackets with items', `tasks: ${'[a, '.repeat(20_000)}`],
  ['columns', Array.from({ length: 1000 }, (_, level) => `${' '.repeat(level)}a:`).join('\n')],
])('a file nested too deeply with %s is refused before it is read', (_, source) => {
  expect(() => readTasks(source, 'tasks.yaml')).toThrow('tasks.yaml: the file is nested too deeply');
  expect(() => setTaskStatus(source, ['T-001'], 'blocked', 'tasks.yaml')).toThrow(DocumentError);
});

describe('a plan', () => {
  test('with dependencies, checks and done_when has no problems', () => {
    const plan = fileOf(
      task('T-001'),
      task('T-002', { acceptance_checks: ['AC-001', 'manual: look'], depends_on: ['T-001'] }),
    );
    expect(planProblems(plan, ['AC-001'], false)).toEqual([]);
  });

  test.each<[Partial<SessionTask>, string]>([
    [{ acceptance_checks: [] }, 'T-001 has no acceptance_checks; add one such as "cmd: npm test".'],
    [{ done_when: [] }, 'T-001 has no done_when; say by what one sees that it is done.'],
    [{ left_out: ['depends_on'] }, 'T-001 does not say what it depends on; add depends_on, [] for nothing.'],
    [{ title: '', goal: '' }, 'T-001 has neither title nor goal; say what it is for.'],
    [
      { acceptance_checks: ['it works'] },
      'T-001: the acceptance check "it works" is neither "cmd: …" nor "manual: …"; begin it with one of them.',
    ],
    [{ acceptance_checks: ['cmd:'] }, 'T-001: an acceptance check "cmd:" is empty; say what is to be checked.'],
    [
      { acceptance_checks: ['AC-009'] },
      'T-001: the acceptance check AC-009 is not a criterion of acceptance.json; name one of its ids or write "cmd: …".',
    ],
    [
      { acceptance_checks: ['cmd: npm test | tee log'] },
      `T-001: "cmd: npm test | tee log" cannot be run: "|" is a pipe of a shell; quote it where it belongs to an argument, or write sh -c 'npm test | tee log'.`,
    ],
  ])('with %j has a problem', (change, problem) => {
    expect(planProblems(fileOf(task('T-001', change)), ['AC-001'], false)).toEqual([problem]);
  });

  test('has tasks, and exactly one in a lean session', () => {
    expect(planProblems(fileOf(), [], false)).toEqual(['There are no tasks; plan at least one.']);
    expect(planProblems(fileOf(task('T-001'), task('T-002')), [], true)).toEqual([
      'A lean session has exactly one task, not 2; put the work into one task.',
    ]);
    expect(planProblems(fileOf(task('T-001')), [], true)).toEqual([]);
  });
});

describe('the status of one task', () => {
  test('is all that changes in a file of our own (U1, U2)', () => {
    const change = fc.tuple(
      anyFile.filter(({ tasks }) => tasks.length > 0),
      fc.nat(3),
      fc.constantFrom(...taskStatuses),
    );
    fc.assert(
      fc.property(change, ([file, pick, status]) => {
        const index = pick % file.tasks.length;
        const id = file.tasks[index]?.id ?? '';
        const tasks = file.tasks.map((each) => (each.id === id ? { ...each, status } : each));
        expect(setTaskStatus(renderTasks(file), [id], status, 'tasks.yaml')).toBe(renderTasks({ ...file, tasks }));
      }),
      { numRuns: 150 },
    );
  });

  test.each([
    [
      'a comment',
      'tasks:\n  - id: T-001\n    status: not-started # first\n',
      'tasks:\n  - id: T-001\n    status: blocked # first\n',
    ],
    ['quotes', 'tasks:\n  - id: T-001\n    status: "not-started"\n', 'tasks:\n  - id: T-001\n    status: "blocked"\n'],
    ['no indent', 'tasks:\n- id: T-001\n  status: done\n', 'tasks:\n- id: T-001\n  status: blocked\n'],
    ['another order', 'tasks:\n  - status: done\n    id: T-001\n', 'tasks:\n  - status: blocked\n    id: T-001\n'],
    [
      'flow',
      'tasks: [{id: T-001, status: done}, {id: T-002}]\n',
      'tasks: [{id: T-001, status: blocked}, {id: T-002}]\n',
    ],
    ['flow without', 'tasks: [{id: T-001}]\n', 'tasks: [{status: blocked, id: T-001}]\n'],
    [
      'no status',
      'tasks:\n  - id: T-001 # one\n    title: x\n',
      'tasks:\n  - id: T-001 # one\n    status: blocked\n    title: x\n',
    ],
    ['no status, no line end', 'tasks:\n  - id: T-001', 'tasks:\n  - id: T-001\n    status: blocked\n'],
    [
      'an empty status',
      'tasks:\n  - id: T-001\n    status:\n    title: x\n',
      'tasks:\n  - id: T-001\n    status: blocked\n    title: x\n',
    ],
    [
      'line ends of Windows',
      'tasks:\r\n  - id: T-001\r\n    status: done\r\n',
      'tasks:\r\n  - id: T-001\r\n    status: blocked\r\n',
    ],
    [
      'Windows without status',
      'tasks:\r\n  - id: T-001\r\n    title: x\r\n',
      'tasks:\r\n  - id: T-001\r\n    status: blocked\r\n    title: x\r\n',
    ],
    [
      'a decoy in a text',
      'note: |\n  tasks:\n  - id: T-001\n    status: done\ntasks:\n  - id: T-001\n    status: done\n',
      'note: |\n  tasks:\n  - id: T-001\n    status: done\ntasks:\n  - id: T-001\n    status: blocked\n',
    ],
    [
      'a decoy behind',
      'tasks:\n  - title: x\n    id: T-001\n    status: done\nold:\n  - id: T-001\n    status: done\n',
      'tasks:\n  - title: x\n    id: T-001\n    status: blocked\nold:\n  - id: T-001\n    status: done\n',
    ],
    [
      'a decoy in front',
      'old:\n  - id: T-001\n    status: done\ntasks:\n  - id: T-001\n    status: done\n',
      'old:\n  - id: T-001\n    status: done\ntasks:\n  - id: T-001\n    status: blocked\n',
    ],
  ])('with %s', (_, before, after) => {
    expect(setTaskStatus(before, ['T-001'], 'blocked', 'tasks.yaml')).toBe(after);
    expect(setTaskStatus(after, ['T-001'], 'blocked', 'tasks.yaml')).toBe(after);
  });

  test.each([
    [
      'tasks:\n  - id: T-001\n',
      'T-002',
      'tasks.yaml: there is no task T-002; expected the id of a task; did you mean T-001?',
    ],
    ['tasks: []\n', 'T-002', 'tasks.yaml: there is no task T-002'],
    [
      'tasks:\n  - id: T-001\n    status: &s done\n  - id: T-002\n    status: *s\n',
      'T-001',
      'the status of T-001 cannot be changed',
    ],
    ['a: 1\ntasks: [}', 'T-001', 'tasks.yaml:2: '],
  ])('%j: %s is refused', (source, id, message) => {
    expect(() => setTaskStatus(source, [id], 'blocked', 'tasks.yaml')).toThrow(message);
  });

  test('a large file of our own is read without the yaml package, so that the work is linear (U3)', () => {
    const many = fileOf(
      ...Array.from({ length: 500 }, (_, n) =>
        task(`T-${String(n + 1).padStart(3, '0')}`, { goal: 'Reads "x" & writes: y' }),
      ),
    );
    const source = renderTasks(many);
    expect(parseSimpleYaml(source)).toMatchObject({ tasks: many.tasks });
    const some = many.tasks.filter((_, index) => index % 25 === 0);
    const ids = some.map(({ id }) => id);
    const edited = setTaskStatus(source, ids, 'completed', 'tasks.yaml');
    expect(readTasks(edited, 'tasks.yaml').tasks.filter(({ status }) => status === 'completed')).toHaveLength(
      some.length,
    );
  });
});

test.each([
  ['T-003A', 'T-003A'],
  ['T-625r', 'T-625r'],
  ['T-003-B', 'T-003-B'],
  ['1', '1'],
  ['meta', 'T-meta'],
])('[session row 128] the id %s is read as %s, and its status is written where it stands', (written, id) => {
  const source = `tasks:\n  - id: ${written}\n    status: todo # soon\n  - id: T-900\n    dependencies: ["${written} (done)"]\n`;
  const { tasks } = readTasks(source, 'tasks.yaml');
  expect(tasks.map((task) => [task.id, task.depends_on])).toEqual([
    [id, []],
    ['T-900', [id]],
  ]);
  expect(setTaskStatus(source, [id], 'completed', 'tasks.yaml')).toBe(source.replace('todo', 'completed'));
});

test('[session row 128] acceptance checks that are maps', () => {
  const checks = [
    '{id: AC-001, verify: "cmd: npm test"}',
    '{id: AC-002, verify: ["cmd: a", "manual: b"]}',
    '{type: command, command: node --version}',
    '{type: manual, description: look}',
    '{cmd: npm run lint}',
    '{id: AC-003, note: later}',
  ];
  const source = `tasks:\n  - id: T-001\n    acceptance_checks:\n${checks.map((each) => `      - ${each}\n`).join('')}`;
  expect(readTasks(source, 'tasks.yaml').tasks[0]?.acceptance_checks).toEqual([
    'cmd: npm test',
    'cmd: a',
    'manual: b',
    'cmd: node --version',
    'manual: look',
    'cmd: npm run lint',
    'AC-003',
  ]);
});
