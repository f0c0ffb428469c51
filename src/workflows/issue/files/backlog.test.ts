import fc from 'fast-check';
import { expect, test } from 'vitest';
import { withWrites } from '../../staged-files.ts';
import { contents, filesOf, issueText, todoOf, type Setting } from './backlog.fixture.ts';
import { blockedBy, changeIssue, cycleIn, fileIssues, nextIssues, readBacklog } from './backlog.ts';
import { readIssue } from './issue-file.ts';

const backlogOf = (issues: Readonly<Record<string, Setting>>) => readBacklog(filesOf(todoOf(issues)));
const next = (issues: Readonly<Record<string, Setting>>) => nextIssues(backlogOf(issues)).map(({ id }) => id);

test('reads all issues by id and leaves other files alone', () => {
  const files = { ...todoOf({ 'GAL-10': {}, 'GAL-9': {} }), 'TODO/notes.md': 'x', 'TODO/GAL-1.txt': 'x' };
  const backlog = readBacklog(filesOf(files));
  expect([...backlog.issues.keys()]).toEqual(['GAL-9', 'GAL-10']);
  expect(backlog.findings).toEqual([]);
});

test('reports malformed issues, unknown ids and a missing index with file and line', () => {
  const backlog = readBacklog(
    filesOf({
      'TODO/GAL-1.md': '# no front matter\n',
      'TODO/GAL-2.md': issueText('GAL-2', { parent: 'GAL-7', dependsOn: ['GAL-1', 'GAL-22'] }),
    }),
  );
  expect([...backlog.issues.keys()]).toEqual(['GAL-2']);
  expect([...backlog.malformed.keys()]).toEqual(['GAL-1']);
  expect(backlog.findings.map(({ code, path, line }) => [code, path, line])).toEqual([
    ['missing-index', 'TODO/README.md', null],
    ['unreadable', 'TODO/GAL-1.md', 1],
    ['unknown-parent', 'TODO/GAL-2.md', 5],
    ['unknown-dependency', 'TODO/GAL-2.md', 7],
  ]);
});

test('names what an issue waits for, known or not', () => {
  const backlog = backlogOf({
    'GAL-1': { dependsOn: ['GAL-2', 'GAL-3', 'GAL-4', 'GAL-9'] },
    'GAL-2': { status: 'Done' },
    'GAL-3': {},
    'GAL-4': { status: 'In Progress' },
  });
  expect(blockedBy(backlog, 'GAL-1')).toEqual([
    { id: 'GAL-3', status: 'Todo' },
    { id: 'GAL-4', status: 'In Progress' },
    { id: 'GAL-9', status: null },
  ]);
  expect(blockedBy(backlog, 'GAL-3')).toEqual([]);
});

test.each<[string, Record<string, Setting>, string[]]>([
  ['Todo', { 'GAL-1': {}, 'GAL-2': { status: 'Done' } }, ['GAL-1']],
  ['what it depends on is Done', { 'GAL-1': { status: 'Done' }, 'GAL-2': { dependsOn: ['GAL-1'] } }, ['GAL-2']],
  ['not what depends on an open issue', { 'GAL-1': { dependsOn: ['GAL-2'] }, 'GAL-2': {} }, ['GAL-2']],
  ['not what depends on an unknown issue', { 'GAL-1': { dependsOn: ['GAL-9'] } }, []],
  ['not a parent with open sub-issues', { 'GAL-1': {}, 'GAL-2': { parent: 'GAL-1' } }, ['GAL-2']],
  ['one that is In Progress (trial D7)', { 'GAL-1': { status: 'In Progress' } }, ['GAL-1']],
  [
    'the parent, not what a failed run filed (trial D7)',
    { 'GAL-1': {}, 'GAL-2': { parent: 'GAL-1', labels: ['filed-by-failed-run'] } },
    ['GAL-1'],
  ],
  [
    'In Progress with all sub-issues Done',
    { 'GAL-1': { status: 'In Progress' }, 'GAL-2': { parent: 'GAL-1', status: 'Done' } },
    ['GAL-1'],
  ],
  [
    'none of a cycle, all others',
    { 'GAL-1': { dependsOn: ['GAL-2'] }, 'GAL-2': { dependsOn: ['GAL-1'] }, 'GAL-3': {} },
    ['GAL-3'],
  ],
  ['by number', { 'GAL-10': {}, 'GAL-9': {} }, ['GAL-9', 'GAL-10']],
])('can be run now: %s', (_, issues, wanted) => {
  expect(next(issues)).toEqual(wanted);
});

test('running what is next, one after the other, reaches every issue without a cycle after what it depends on', () => {
  const ids = ['A-1', 'A-2', 'A-3', 'A-4', 'A-5', 'A-6'];
  const issue = (at: number) =>
    fc.record({
      dependsOn: fc.subarray(ids.slice(0, at)),
      parent: at === 0 ? fc.constant(undefined) : fc.constantFrom(undefined, ...ids.slice(at + 1)),
    });
  fc.assert(
    fc.property(fc.tuple(...ids.map((_, at) => issue(at))), (settings) => {
      const issues: Record<string, Setting> = {};
      for (const [at, { dependsOn, parent }] of settings.entries())
        issues[ids[at] ?? ''] = { dependsOn, ...(parent !== undefined && { parent }) };
      const done: string[] = [];
      for (let [first] = next(issues); first !== undefined; [first] = next(issues)) {
        expect(issues[first]?.dependsOn?.every((each) => done.includes(each))).toBe(true);
        issues[first] = { ...issues[first], status: 'Done' };
        done.push(first);
      }
      expect(cycleIn(backlogOf(issues))).toBeNull();
      expect(done.toSorted()).toEqual(ids);
    }),
  );
});

test('finds a cycle of dependencies with its file and ids', () => {
  const backlog = backlogOf({
    'GAL-1': {},
    'GAL-2': { dependsOn: ['GAL-3'] },
    'GAL-3': { dependsOn: ['GAL-4'] },
    'GAL-4': { dependsOn: ['GAL-2', 'GAL-1'] },
  });
  expect(cycleIn(backlog)).toMatchObject({
    ids: ['GAL-2', 'GAL-3', 'GAL-4', 'GAL-2'],
    finding: {
      code: 'dependency-cycle',
      path: 'TODO/GAL-2.md',
      message: expect.stringContaining('GAL-2 → GAL-3 → GAL-4'),
    },
  });
  expect(cycleIn(backlog, 'GAL-1')).toBeNull();
  expect(cycleIn(backlog, 'GAL-4')?.ids).toHaveLength(4);
});

test('a sub-issue that depends on its parent is a cycle: both would wait for ever', () => {
  const issues = { 'GAL-1': {}, 'GAL-2': { parent: 'GAL-1', dependsOn: ['GAL-1'] } };
  expect(cycleIn(backlogOf(issues))?.ids).toEqual(['GAL-1', 'GAL-2', 'GAL-1']);
  expect(next(issues)).toEqual([]);
});

test('issues that are Done wait for nothing', () => {
  expect(
    cycleIn(backlogOf({ 'GAL-1': { dependsOn: ['GAL-2'], status: 'Done' }, 'GAL-2': { dependsOn: ['GAL-1'] } })),
  ).toBeNull();
});

const index = '# Issues\n\n## A\n\n- [ ] [GAL-1](GAL-1.md) — one\n- [x] [GAL-5](GAL-5.md) — five\n';
const parentBody = '\n## Sub-issues\n\n- [ ] [GAL-2](GAL-2.md) — two\n\n## Acceptance criteria\n\n- [ ] a\n- [ ] b\n';
const todo = todoOf(
  { 'GAL-1': { body: parentBody }, 'GAL-2': { parent: 'GAL-1' }, 'GAL-5': { status: 'Done' } },
  index,
);

test('[issue/files/index] a flip to Done ticks a top-level issue in the index', () => {
  expect(contents(changeIssue(filesOf(todo), 'GAL-1', { status: 'Done' }))).toEqual({
    'TODO/GAL-1.md': todo['TODO/GAL-1.md']?.replace('status: Todo', 'status: Done'),
    'TODO/README.md': index.replace('- [ ] [GAL-1]', '- [x] [GAL-1]'),
  });
});

test('[issue/files/index] a flip from Done unticks it', () => {
  expect(contents(changeIssue(filesOf(todo), 'GAL-5', { status: 'Todo' }))).toEqual({
    'TODO/GAL-5.md': todo['TODO/GAL-5.md']?.replace('status: Done', 'status: Todo'),
    'TODO/README.md': index.replace('- [x] [GAL-5]', '- [ ] [GAL-5]'),
  });
});

test("a flip to Done ticks a sub-issue in the parent's list and not in the index", () => {
  expect(contents(changeIssue(filesOf(todo), 'GAL-2', { status: 'Done' }))).toEqual({
    'TODO/GAL-2.md': todo['TODO/GAL-2.md']?.replace('status: Todo', 'status: Done'),
    'TODO/GAL-1.md': todo['TODO/GAL-1.md']?.replace('- [ ] [GAL-2]', '- [x] [GAL-2]'),
  });
});

test('Todo to In Progress changes the issue alone, and no change writes nothing', () => {
  expect(Object.keys(contents(changeIssue(filesOf(todo), 'GAL-1', { status: 'In Progress' })))).toEqual([
    'TODO/GAL-1.md',
  ]);
  expect(changeIssue(filesOf(todo), 'GAL-1', { status: 'Todo' })).toEqual([]);
  expect(changeIssue(filesOf(todo), 'GAL-5', { status: 'Done' })).toEqual([]);
});

test('criteria, status and comment are one write', () => {
  const comment = { date: '2026-02-03', words: 'done' };
  const [write, ...others] = changeIssue(filesOf(todo), 'GAL-1', { ticked: [1], status: 'In Progress', comment });
  expect(others).toEqual([]);
  const text = contents(write ? [write] : [])['TODO/GAL-1.md'] ?? '';
  expect(readIssue(text, 'TODO/GAL-1.md')).toMatchObject({
    status: 'In Progress',
    criteria: [{ done: false }, { done: true }],
  });
  expect(text.endsWith('\n## Comments\n\n- 2026-02-03 — done\n')).toBe(true);
});

test('a malformed issue is refused, not changed', () => {
  expect(() => changeIssue(filesOf({ 'TODO/GAL-1.md': 'x' }), 'GAL-1', { status: 'Done' })).toThrow('TODO/GAL-1.md:1');
});

const draft = (id: string, dependsOn: readonly string[] = [], title = `Title of ${id}`) => ({
  id,
  title,
  labels: ['bug'],
  dependsOn,
  text: 'Text.',
  criteria: ['c'],
  sections: [],
});

test('files sub-issues and lists them in dependency order', () => {
  const files = filesOf(todo);
  const written = contents(fileIssues(files, 'GAL-1', [draft('GAL-7', ['GAL-6']), draft('GAL-6', ['GAL-2'])]));
  expect(Object.keys(written)).toEqual(['TODO/GAL-7.md', 'TODO/GAL-6.md', 'TODO/GAL-1.md']);
  expect(readIssue(written['TODO/GAL-7.md'] ?? '', 'TODO/GAL-7.md')).toMatchObject({
    status: 'Todo',
    parent: 'GAL-1',
    labels: ['bug'],
    dependsOn: ['GAL-6'],
  });
  const rows = [
    '- [ ] [GAL-2](GAL-2.md) — two',
    '  - [ ] [GAL-6](GAL-6.md) — Title of GAL-6',
    '    - [ ] [GAL-7](GAL-7.md) — Title of GAL-7',
  ];
  expect(written['TODO/GAL-1.md']).toBe(todo['TODO/GAL-1.md']?.replace(rows[0] ?? '', rows.join('\n')));
});

test('filing again updates and never duplicates; what a later plan drops is withdrawn', () => {
  const files = filesOf(todo);
  const first = withWrites(files, fileIssues(files, 'GAL-1', [draft('GAL-6'), draft('GAL-7')]));
  expect(fileIssues(first, 'GAL-1', [draft('GAL-6'), draft('GAL-7')])).toEqual([]);
  const writes = fileIssues(first, 'GAL-1', [draft('GAL-6', [], 'Better')], ['GAL-7']);
  expect(contents(writes)['TODO/GAL-7.md']).toBeNull();
  const second = withWrites(first, writes);
  expect(
    readIssue(second.read('TODO/GAL-1.md') ?? '', 'TODO/GAL-1.md').subIssues.map(({ id, text }) => [id, text]),
  ).toEqual([
    ['GAL-2', 'two'],
    ['GAL-6', 'Better'],
  ]);
});
