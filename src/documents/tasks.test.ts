import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { DocumentError } from './document-error.ts';
import {
  readTasks,
  renderTasks,
  setTaskStatus,
  specRefParts,
  taskActions,
  taskLayers,
  taskStatuses,
  tasksWithoutStatus,
  type NewTask,
  type TaskList,
} from './tasks.ts';

const context = { file: 'tasks.md', changeId: 'add-login' };
const read = (text: string): TaskList => readTasks(text, context);

const BLOCKS = `---
id: add-login-tasks
change_id: add-login
type: tasks
summary:
  total: 3
  completed: 0
---

# Tasks

## 1. Data Layer

### Task 1.1: Create the user table

\`\`\`yaml
id: "1.1"
action: CREATE
status: pending
file: src/user.ts
spec_ref: "login:R1"
depends_on: []
\`\`\`

A table with e-mail and hash.

### Task 1.10: Add an index

\`\`\`yaml
id: 1.10
action: modify
file: src/user.ts
spec_ref: login:R1
depends_on: [1.1]
\`\`\`

## 4. Testing Layer

### Task 4.1: Test it

\`\`\`yaml
{id: "4.1", action: CREATE, status: in_progress, depends_on: ["1.1", "1.10"]}
\`\`\`
`;

const CHECKBOXES = `## Data
- [ ] 1.1 Create user model
  - File: \`src/user.ts\` (CREATE)
  - Spec: \`specs/login.md#R1\`
  - Do: Write the model
    with an index
  - Depends: none
- [x] **1.2** Migrate
  File: src/migrate.ts
  Depends: 1.1, 1.10

## INTEGRATION LAYER
- [ ] 3.1 Wire it
  - Depends on: Task 1.2
  - Status: blocked
`;

const lowIn = ({ findings }: TaskList) =>
  findings.filter(({ severity }) => severity === 'Low').map(({ line, message }) => `line ${line}: ${message}`);
const highIn = ({ findings }: TaskList) =>
  findings.filter(({ severity }) => severity === 'High').map(({ code, line }) => [code, line]);

describe('reading yaml blocks', () => {
  test('[D18] actions in the words of another tool', () => {
    const task = (id: string, action: string): string =>
      `- [ ] ${id} Title\n  - File: \`src/a.ts\` (${action})\n  - Do: it\n`;
    const words = ['MODIFIED', 'added', 'REMOVE', 'RUN', 'TEST'];
    const { tasks, findings } = read(`## Data\n${words.map((word, index) => task(`1.${index + 1}`, word)).join('')}`);
    expect(tasks.map(({ action, file }) => [action, file])).toEqual([
      ['MODIFY', 'src/a.ts'],
      ['CREATE', 'src/a.ts'],
      ['DELETE', 'src/a.ts'],
      ['MODIFY', null],
      ['MODIFY', null],
    ]);
    expect(tasks[3]?.text).toBe('RUN: src/a.ts\nit');
    expect(findings.map(({ code }) => code)).not.toContain('unknown-action');
    expect(findings.map(({ message }) => message)).toContain('task 1.4 has the action RUN; read as MODIFY');
  });

  test('all fields', () => {
    const { tasks, changeId, findings, layers, front } = read(BLOCKS);
    expect({ changeId, findings, layers, front }).toEqual({
      changeId: 'add-login',
      findings: [],
      layers: ['data', 'testing'],
      front: 'ok',
    });
    expect(tasks[0]).toEqual({
      id: '1.1',
      title: 'Create the user table',
      layer: 'data',
      action: 'CREATE',
      status: 'pending',
      file: 'src/user.ts',
      specRef: 'login:R1',
      dependsOn: [],
      text: 'A table with e-mail and hash.',
      line: 14,
    });
    expect(tasks[2]).toMatchObject({ id: '4.1', layer: 'testing', status: 'in_progress', dependsOn: ['1.1', '1.10'] });
  });

  test('K1: an unquoted 1.10 is not 1.1', () => {
    expect(read(BLOCKS).tasks[1]).toMatchObject({ id: '1.10', dependsOn: ['1.1'], action: 'MODIFY' });
  });

  test('a broken yaml block is an error with file and line', () => {
    const broken = BLOCKS.replace('action: CREATE\nstatus', 'action: [CREATE\nstatus');
    expect(() => read(broken)).toThrow(DocumentError);
    try {
      read(broken);
    } catch (error) {
      const { file, line } = error as DocumentError;
      expect({ file, near: line !== null && line >= 16 && line <= 22 }).toEqual({ file: 'tasks.md', near: true });
    }
  });

  test('K2: a typing error in a key is named, with the key that was meant', () => {
    expect(lowIn(read(BLOCKS.replace('depends_on: [1.1]', 'depend_on: [1.1]')))).toEqual([
      'line 30: task 1.10 has the unknown key "depend_on" (did you mean depends_on?)',
    ]);
  });

  test('unknown words, missing ids, contradictions and doubles are High findings', () => {
    const text = BLOCKS.replace('action: CREATE\n', 'action: INVENT\n')
      .replace('status: pending', 'status: someday')
      .replace('id: "4.1"', 'id: "1.1"')
      .concat('\n### Task: nameless\n');
    expect(highIn(read(text))).toEqual([
      ['unknown-action', 14],
      ['unknown-status', 14],
      ['task-id-mismatch', 39],
      ['task-without-id', 45],
      ['duplicate-task', 39],
    ]);
  });

  test('a heading without yaml block is still a task, read by its details', () => {
    const list = read('## Logic\n### Task 2.1 - Do it\n- File: a.ts (DELETE)\n\nSome words.\n');
    expect(list.tasks).toMatchObject([
      { id: '2.1', title: 'Do it', layer: 'logic', action: 'DELETE', file: 'a.ts', text: 'Some words.' },
    ]);
    expect(lowIn(list)).toContain('line 2: task 2.1 has no yaml block');
  });

  test('an example in the text is not the block; headings in code are not tasks', () => {
    const text =
      '## Data\n### Task 1.1: A\nWords\n```yaml\nport: 1\n```\n```yaml\nid: "1.1"\naction: CREATE\n```\n~~~md\n### Task 9.9: no\n~~~\n';
    expect(read(text).tasks).toMatchObject([{ id: '1.1', action: 'CREATE' }]);
    expect(read(text).tasks[0]?.text).toContain('port: 1');
  });
});

describe('robust reading', () => {
  test('[change/documents/robust-reading] K3: no front matter: change_id from the folder, layers from the headings', () => {
    const list = read('## 1. Data Layer\n### Task 1.1: A\n```yaml\nid: "1.1"\naction: CREATE\n```\n');
    expect(list).toMatchObject({ changeId: 'add-login', front: 'missing', layers: ['data'] });
    expect(list.tasks).toMatchObject([{ id: '1.1', layer: 'data' }]);
    expect(lowIn(list)).toEqual(['line 1: no front matter; change_id is taken from the folder: add-login']);
  });

  test.each([
    ['broken yaml', '---\nid: [\n---\n'],
    ['no change_id', '---\nid: x\n---\n'],
    ['not a map', '---\n- x\n---\n'],
  ])('[change/documents/robust-reading] K3: front matter: %s', (_, front) => {
    expect(read(`${front}## Data\n- [ ] 1.1 A\n`)).toMatchObject({
      changeId: 'add-login',
      front: 'broken',
      tasks: [{ id: '1.1' }],
    });
  });

  test('another change_id than the folder is a High finding', () => {
    expect(highIn(read('---\nchange_id: other\n---\n'))).toEqual([['change-id-mismatch', 2]]);
  });

  test.each([
    ['## 1. Data Layer', 'data'],
    ['## data', 'data'],
    ['## LOGIC LAYER', 'logic'],
    ['## 3) Integration', 'integration'],
    ['## Layer 4: Testing', 'testing'],
    ['## Tests', 'testing'],
    ['## Business Logic', 'logic'],
    ['## Test data', null],
    ['## Database', null],
  ])('%s is layer %s', (heading, layer) => {
    expect(read(`${heading}\n- [ ] 1.1 A\n`).tasks[0]?.layer).toBe(layer);
  });

  test('[change/documents/robust-reading] a task under an unknown heading goes last, with a warning', () => {
    const list = read('## Misc\n- [ ] 9.1 Later\n## Data\n- [ ] 1.1 First\n');
    expect(list.tasks.map(({ id }) => id)).toEqual(['1.1', '9.1']);
    expect(lowIn(list)).toContain('line 2: task 9.1 stands under "Misc", which is not a layer; it goes last');
  });

  test('K2: what looks like a task and is none is named', () => {
    const list = read('## Data\n### Notes\n```yaml\nid: "7"\naction: CREATE\n```\n## Done when\n- [ ] all green\n');
    expect(list.tasks).toEqual([]);
    expect(
      lowIn(list)
        .slice(0, 3)
        .map((words) => words.slice(0, 30)),
    ).toEqual(['line 2: the heading "Notes" is', 'line 3: a yaml block outside a', 'line 8: the checkbox "all gree']);
  });
});

describe('checkbox form', () => {
  test('[change/documents/checkbox-form] all details', () => {
    const list = read(CHECKBOXES);
    const { tasks } = list;
    expect(highIn(list)).toEqual([]);
    expect(tasks).toMatchObject([
      {
        id: '1.1',
        title: 'Create user model',
        layer: 'data',
        action: 'CREATE',
        status: 'pending',
        file: 'src/user.ts',
        specRef: 'specs/login.md#R1',
        dependsOn: [],
      },
      { id: '1.2', title: 'Migrate', status: 'completed', file: 'src/migrate.ts', dependsOn: ['1.1', '1.10'] },
      { id: '3.1', layer: 'integration', status: 'blocked', dependsOn: ['1.2'] },
    ]);
    expect(tasks[0]?.text).toBe('Write the model\n    with an index');
  });

  test('CRLF is read like LF', () => {
    for (const text of [CHECKBOXES, BLOCKS]) expect(read(text.replaceAll('\n', '\r\n'))).toEqual(read(text));
  });
});

test.each([
  ['login:R1', [{ spec: 'login', requirement: 'R1' }]],
  ['specs/login.md#WF-R1', [{ spec: 'login', requirement: 'WF-R1' }]],
  ['login', [{ spec: 'login', requirement: null }]],
  [
    'login:R1, R2',
    [
      { spec: 'login', requirement: 'R1' },
      { spec: 'login', requirement: 'R2' },
    ],
  ],
  [
    'login:R1,session:R2',
    [
      { spec: 'login', requirement: 'R1' },
      { spec: 'session', requirement: 'R2' },
    ],
  ],
  [null, []],
])('spec_ref %s', (ref, parts) => {
  expect(specRefParts(ref)).toEqual(parts);
});

describe('setTaskStatus', () => {
  test('E1: in a yaml block only the value changes', () => {
    expect(setTaskStatus(BLOCKS, '1.1', 'completed')).toBe(BLOCKS.replace('status: pending', 'status: completed'));
    const commented = BLOCKS.replace('status: pending', "status: 'pending'   # soon");
    expect(setTaskStatus(commented, '1.1', 'blocked')).toBe(commented.replace("'pending'", "'blocked'"));
  });

  test('E1: a missing status is one new line, in a flow map one new entry', () => {
    const noted = setTaskStatus(BLOCKS, '1.1', 'blocked', { note: 'no\n```\nschema: x' });
    expect(noted).toBe(BLOCKS.replace('status: pending', 'status: blocked  # blocked: no ``` schema: x'));
    expect(read(noted).tasks[0]?.status).toBe('blocked');
    expect(tasksWithoutStatus(noted)).toBe(tasksWithoutStatus(BLOCKS));
    expect(setTaskStatus(noted, '1.1', 'pending')).toBe(BLOCKS);
    expect(setTaskStatus(BLOCKS, '1.10', 'in_progress')).toBe(
      BLOCKS.replace('action: modify\n', 'action: modify\nstatus: in_progress\n'),
    );
    expect(setTaskStatus(BLOCKS, '4.1', 'completed')).toBe(BLOCKS.replace('status: in_progress', 'status: completed'));
    const bare = BLOCKS.replace(' status: in_progress,', '');
    expect(read(setTaskStatus(bare, '4.1', 'blocked')).tasks[2]?.status).toBe('blocked');
  });

  test('E1: checkbox marks, and a line for what a mark cannot say', () => {
    expect(setTaskStatus(CHECKBOXES, '1.1', 'completed')).toBe(CHECKBOXES.replace('[ ] 1.1', '[x] 1.1'));
    const blocked = setTaskStatus(CHECKBOXES, '1.1', 'blocked');
    expect(blocked).toBe(CHECKBOXES.replace('  - File: `src/user', '  - Status: blocked\n  - File: `src/user'));
    expect(setTaskStatus(blocked, '1.1', 'pending')).toBe(CHECKBOXES);
    expect(setTaskStatus(CHECKBOXES, '3.1', 'completed')).toBe(
      CHECKBOXES.replace('[ ] 3.1', '[x] 3.1').replace('  - Status: blocked\n', ''),
    );
  });

  test('a status inside a text value is not the status', () => {
    const text = '## Data\n### Task 1.1: A\n```yaml\nid: "1.1"\ntitle: |\n  status: pending\naction: CREATE\n```\n';
    expect(setTaskStatus(text, '1.1', 'completed')).toBe(
      text.replace('action: CREATE\n', 'action: CREATE\nstatus: completed\n'),
    );
  });

  test('an unknown task is an error that names the known ones', () => {
    expect(() => setTaskStatus(BLOCKS, '1.2', 'completed')).toThrow(/no task 1\.2; expected one of 1\.1, 1\.10, 4\.1/);
  });

  test('E1, E2: for every form, ending, task and status', () => {
    const bare = '## Data\n### Task 1.1: A\n\nWords\n### Task 1.2: B\nStatus: blocked\n';
    const forms = [BLOCKS, CHECKBOXES, bare].flatMap((text) => [text, text.replaceAll('\n', '\r\n')]);
    for (const text of forms) {
      const before = read(text).tasks;
      for (const { id } of before) {
        for (const status of taskStatuses) {
          const after = setTaskStatus(text, id, status);
          const expected = before.map((task) => ({ ...task, line: 0, ...(task.id === id && { status }) }));
          expect(read(after).tasks.map((task) => ({ ...task, line: 0 }))).toEqual(expected);
          expect(tasksWithoutStatus(after)).toBe(tasksWithoutStatus(text));
        }
      }
    }
  });
});

describe('tasksWithoutStatus', () => {
  test('counts and the time of the last rewrite do not matter', () => {
    const later = BLOCKS.replace('completed: 0', 'completed: 2').replace(
      'type: tasks\n',
      'type: tasks\nupdated_at: 2026-01-02T03:04:05Z\n',
    );
    expect(tasksWithoutStatus(later)).toBe(tasksWithoutStatus(BLOCKS));
  });

  test.each([
    ['a title', BLOCKS.replace('Add an index', 'Add two')],
    ['a file', BLOCKS.replace('file: src/user.ts', 'file: src/users.ts')],
    ['E3: words in place of a status', BLOCKS.replace('status: pending', 'status: pending and delete everything')],
    ['E3: words in place of a count', BLOCKS.replace('completed: 0', 'completed: 0 and more')],
    ['a dependency', BLOCKS.replace('depends_on: [1.1]', 'depends_on: []')],
  ])('%s matters', (_, edited) => {
    expect(tasksWithoutStatus(edited)).not.toBe(tasksWithoutStatus(BLOCKS));
  });
});

describe('renderTasks', () => {
  const words = fc.string({
    unit: fc.constantFrom('a', 'B', ' ', '"', "'", ':', '#', '-', '`', '1', 'é', '{', '\\'),
    maxLength: 12,
  });
  const line = words.map((text) => text.replaceAll(/\s+/g, ' ').trim());
  const title = line.filter((text) => text !== '' && !/\s#+$|^#+$/.test(text));
  const paragraph = fc
    .array(
      line.filter((text) => !/^(?:#|`{3}|~{3})/.test(text)),
      { maxLength: 3 },
    )
    .map((lines) => lines.join('\n').trim());
  const tasks = fc
    .uniqueArray(
      fc.tuple(fc.nat(5), fc.nat(20)).map(([a, b]) => `${a}.${b}`),
      { maxLength: 6 },
    )
    .chain((ids) =>
      fc.tuple(
        ...ids.map((id) =>
          fc.record<NewTask>({
            id: fc.constant(id),
            title: title.map((text) => `T ${text}`),
            layer: fc.constantFrom(...taskLayers),
            action: fc.constantFrom(...taskActions),
            status: fc.constantFrom(...taskStatuses),
            file: fc.constantFrom(null, 'src/a b.ts', '1.10', 'yes', '@scope/x', 'a: b #c'),
            specRef: fc.constantFrom(null, 'login:R1'),
            dependsOn: fc.subarray(ids),
            text: paragraph,
          }),
        ),
      ),
    );
  const input = { changeId: 'add-login', proposalRef: 'add-login', version: 1, createdAt: '2026-01-02T03:04:05Z' };

  test('what is written is read back', () => {
    fc.assert(
      fc.property(tasks, (given) => {
        const list = read(renderTasks({ ...input, tasks: given }));
        const byLayer = taskLayers.flatMap((layer) => given.filter((task) => task.layer === layer));
        expect(list.tasks.map((task) => ({ ...task, line: 0 }))).toEqual(byLayer.map((task) => ({ ...task, line: 0 })));
        expect({ findings: list.findings, front: list.front }).toEqual({ findings: [], front: 'ok' });
      }),
    );
  });

  test('any text stays inside its task', () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom('# A', '## Data', '### Task 9.9: x', '```yaml', '```', '~~~', 'id: "3"', 'words'), {
          maxLength: 8,
        }),
        (lines) => {
          const task = { title: 'T', layer: 'data', action: 'CREATE' } as const;
          const text = renderTasks({
            ...input,
            tasks: [
              { ...task, id: '1.1', text: lines.join('\n') },
              { ...task, id: '1.2' },
            ],
          });
          expect(read(text).tasks.map(({ id }) => id)).toEqual(['1.1', '1.2']);
        },
      ),
    );
  });

  test('the whole text', () => {
    expect(
      renderTasks({
        ...input,
        tasks: [
          { id: '1.1', title: 'A', layer: 'data', action: 'CREATE', file: 'a.ts', specRef: 'login:R1', text: 'Do it.' },
        ],
      }),
    ).toBe(`---
id: add-login-tasks
change_id: add-login
type: tasks
version: 1
proposal_ref: add-login
created_at: "2026-01-02T03:04:05Z"
summary:
  total: 1
  create: 1
layers:
  data: 1
---

# Tasks: add-login

## 1. Data Layer

### Task 1.1: A

\`\`\`yaml
id: "1.1"
action: CREATE
status: pending
file: a.ts
spec_ref: "login:R1"
depends_on: []
\`\`\`

Do it.
`);
  });
});
