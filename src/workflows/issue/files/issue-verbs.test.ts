import { expect, test } from 'vitest';
import { withWrites } from '../../staged-files.ts';
import { contents, filesOf, todoOf } from './backlog.fixture.ts';
import { readBacklog } from './backlog.ts';
import { create, list, next, view } from './issue-verbs.ts';

const todo = todoOf(
  {
    'GAL-1': { status: 'In Progress', labels: ['export'], body: '\n## Acceptance criteria\n\n- [x] a\n- [ ] b\n' },
    'GAL-2': { parent: 'GAL-1', dependsOn: ['GAL-3', 'GAL-10'] },
    'GAL-3': { status: 'Done', labels: ['bug', 'export'] },
    'GAL-10': {},
  },
  '# Issues\n\n## Export\n\n- [ ] [GAL-1](GAL-1.md) — one\n',
);
const files = filesOf(todo);
const given = (flags: Record<string, string | true> = {}, ...words: string[]) => ({ words, flags });

/** A repository where ids in `elsewhere` are taken by other branches, and those in `held` by other processes. */
function repository(present: Record<string, string> = todo, elsewhere: string[] = [], held: string[] = []) {
  const claimed: string[] = [];
  const claim = (id: string) => {
    if (held.includes(id)) return false;
    claimed.push(id);
    return true;
  };
  return { files: filesOf(present), claim, namesElsewhere: () => Promise.resolve(elsewhere), claimed };
}

test('lists issues in columns', () => {
  expect(list(given(), { files })).toMatchObject({
    lines: [
      'GAL-1   In Progress  Title of GAL-1   [export]',
      'GAL-2   Todo         Title of GAL-2',
      'GAL-3   Done         Title of GAL-3   [bug, export]',
      'GAL-10  Todo         Title of GAL-10',
    ],
    document: { problems: [], issues: [{ id: 'GAL-1', path: 'TODO/GAL-1.md' }, {}, {}, {}] },
  });
});

test.each<[Record<string, string>, string[]]>([
  [{ status: 'in-progress' }, ['GAL-1']],
  [{ status: 'Todo' }, ['GAL-2', 'GAL-10']],
  [{ label: 'export' }, ['GAL-1', 'GAL-3']],
  [{ label: 'export', status: 'done' }, ['GAL-3']],
  [{ parent: 'GAL-1' }, ['GAL-2']],
  [{ parent: 'GAL-2' }, []],
])('lists only those with %j', (flags, ids) => {
  const told = list(given(flags), { files });
  expect(told).toMatchObject({ document: { issues: ids.map((id) => ({ id })) } });
  if (ids.length === 0) expect(told).toMatchObject({ lines: ['no issues'] });
});

test.each([
  [{ status: 'open' }, 'UsageError', 'there is no status "open"'],
  [{ parent: 'GAL-11' }, 'IssueNotFound', 'there is no issue GAL-11; did you mean GAL-1?'],
  [{ parent: '../x' }, 'IssueNotFound', '"../x" is not an id such as GAL-42'],
])('refuses to list with %j', (flags, code, message) => {
  expect(list(given(flags), { files })).toMatchObject({ code, message: expect.stringContaining(message) });
});

const broken = { ...todo, 'TODO/GAL-4.md': '---\nid: GAL-4\ntitle: t\nstatus: Later\n---\n' };

test('lists what can be read and tells what cannot', () => {
  const told = list(given(), { files: filesOf(broken) });
  expect(told).toMatchObject({
    document: { problems: [{ code: 'unreadable', path: 'TODO/GAL-4.md', line: 4 }] },
    lines: expect.arrayContaining([expect.stringContaining('problem: TODO/GAL-4.md:4: status is "Later"')]),
  });
});

test('shows an issue with what it waits for', () => {
  expect(view(given({}, 'GAL-2'), { files })).toEqual({
    document: {
      id: 'GAL-2',
      title: 'Title of GAL-2',
      path: 'TODO/GAL-2.md',
      status: 'Todo',
      parent: 'GAL-1',
      labels: [],
      dependsOn: ['GAL-3', 'GAL-10'],
      criteria: [],
      subIssues: [],
      waitsFor: [{ id: 'GAL-10', status: 'Todo' }],
      problems: [],
    },
    lines: ['status     Todo', 'parent     GAL-1', 'waits for  GAL-10 (Todo)', '', '# GAL-2: Title of GAL-2'],
  });
});

test('shows criteria and sub-issues', () => {
  expect(view(given({}, 'GAL-1'), { files })).toMatchObject({
    document: {
      criteria: [
        { text: 'a', done: true },
        { text: 'b', done: false },
      ],
      subIssues: ['GAL-2'],
    },
    lines: expect.arrayContaining(['sub-issues  GAL-2 (Todo)', '- [ ] b']),
  });
});

test.each([
  ['GAL-4', 'IssueMalformed', 'TODO/GAL-4.md:4: status is "Later"; expected one of "Todo"'],
  ['GAL-99', 'IssueNotFound', 'there is no issue GAL-99'],
  ['README', 'IssueNotFound', '"README" is not an id'],
])('refuses to show %s', (id, code, message) => {
  const problem = view(given({}, id), { files: filesOf(broken) });
  expect(problem).toMatchObject({ code, message: expect.stringContaining(message) });
});

test('lists what can be run now as commands to paste', () => {
  expect(next(given(), { files })).toMatchObject({
    document: { issues: [{ id: 'GAL-10' }], waiting: [{ id: 'GAL-2', waitsFor: ['GAL-10'] }], problems: [] },
    lines: ['pawl issue run GAL-10  Title of GAL-10'],
  });
});

test('tells what everything waits for when nothing can be run', () => {
  const stuck = todoOf({ 'GAL-1': { dependsOn: ['GAL-2'] }, 'GAL-2': { dependsOn: ['GAL-1'] } });
  expect(next(given(), { files: filesOf(stuck) })).toMatchObject({
    document: { issues: [], problems: [{ code: 'dependency-cycle', path: 'TODO/GAL-1.md' }] },
    lines: [
      'nothing can be run now',
      'GAL-1 waits for GAL-2',
      'GAL-2 waits for GAL-1',
      expect.stringContaining('issues wait for each other: GAL-1 → GAL-2 → GAL-1'),
    ],
  });
});

test('creates a top-level issue and lists it in its category', async () => {
  const place = repository();
  const told = await create(given({ category: 'export' }, 'Quote: fields'), place);
  if (!('writes' in told)) throw new Error('was refused');
  expect(told).toMatchObject({ document: { id: 'GAL-11', path: 'TODO/GAL-11.md' } });
  expect(contents(told.writes ?? [])).toEqual({
    'TODO/GAL-11.md': `---
id: GAL-11
title: "Quote: fields"
status: Todo
parent: null
labels: []
depends-on: []
---

# GAL-11: Quote: fields

## Acceptance criteria

- [ ] Quote: fields
`,
    'TODO/README.md': `${todo['TODO/README.md']}- [ ] [GAL-11](GAL-11.md) — Quote: fields\n`,
  });
  const { issues, findings } = readBacklog(withWrites(place.files, told.writes ?? []));
  expect([issues.has('GAL-11'), findings]).toEqual([true, []]);
});

test('creates a sub-issue and lists it in its parent alone', async () => {
  const told = await create(given({ parent: 'GAL-1' }, 'Sub'), repository());
  const written = contents(('writes' in told && told.writes) || []);
  expect(Object.keys(written)).toEqual(['TODO/GAL-11.md', 'TODO/GAL-1.md']);
  expect(written['TODO/GAL-1.md']).toContain(
    '## Sub-issues\n\n- [ ] [GAL-2](GAL-2.md) — Title of GAL-2\n- [ ] [GAL-11](GAL-11.md) — Sub\n',
  );
});

test('takes an id that no branch, worktree or process has', async () => {
  const place = repository(broken, ['GAL-12.md', 'README.md', 'OTHER-99.md'], ['GAL-13', 'GAL-14']);
  await expect(create(given({}, 'New'), place)).resolves.toMatchObject({ document: { id: 'GAL-15' } });
  expect(place.claimed).toEqual(['GAL-15']);
});

test.each([
  ['the first issue of all', {}, [], 'ISSUE-1'],
  ['the first issue of this branch', {}, ['GAL-7.md', 'GAL-8.md', 'X-1.md'], 'GAL-9'],
  ['the usual prefix', todoOf({ 'A-1': {}, 'B-1': {}, 'B-2': {} }), ['A-8.md'], 'B-3'],
])('numbers %s', async (_, present, elsewhere, id) => {
  const told = await create(given({}, 'New'), repository(present, elsewhere));
  expect(told).toMatchObject({ document: { id } });
  expect(contents(('writes' in told && told.writes) || [])['TODO/README.md']).toContain(`## Other\n\n- [ ] [${id}]`);
});

test.each<[string, Record<string, string>, string, string, string]>([
  ['an empty title', {}, ' ', 'UsageError', 'an issue needs a title'],
  ['a category of a sub-issue', { parent: 'GAL-1', category: 'x' }, 't', 'UsageError', 'it has no category'],
  ['an unknown parent', { parent: 'GAL-99' }, 't', 'IssueNotFound', 'there is no issue GAL-99'],
  ['a malformed parent', { parent: 'GAL-4' }, 't', 'IssueMalformed', 'TODO/GAL-4.md:4'],
])('refuses %s and claims nothing', async (_, flags, title, ...[code, message]) => {
  const place = repository(broken);
  const problem = await create(given(flags, title), place);
  expect(problem).toMatchObject({ code, message: expect.stringContaining(message), fix: expect.any(String) });
  expect(problem).not.toHaveProperty('writes');
  expect(place.claimed).toEqual([]);
});
