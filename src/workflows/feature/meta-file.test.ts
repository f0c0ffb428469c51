import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { attempt, DocumentError } from '../../documents/document-error.ts';
import { run } from './feature-files.fixture.ts';
import { differingFields, readMeta, recordOf, renderMeta, statuses, type Meta } from './meta-file.ts';
import { modeNames, phases } from './phases.ts';

const unstarted = {
  started: null,
  completed: null,
  verified: false,
  iterations: null,
  reviewerNotes: [],
  summary: null,
  reviewSkipped: false,
  stale: false,
};

const meta: Meta = {
  id: '001',
  name: 'Short slugs',
  mode: 'quick',
  status: 'active',
  created: '2026-01-01T00:00:00.000Z',
  completed: null,
  worktree: '../repo-001-short-slugs',
  currentPhase: 'specify',
  updated: '2026-01-02T00:00:00.000Z',
  phases: {
    specify: {
      ...unstarted,
      started: '2026-01-01T01:00:00.000Z',
      completed: '2026-01-01T02:00:00.000Z',
      iterations: 2,
      reviewerNotes: ['[blocker] R1 has no limit. [E2]'],
      summary: 'Fine.',
      stale: true,
    },
  },
};

const read = (value: unknown) => readMeta(JSON.stringify(value), run);

test('[feature/meta/fields] what is written is read back, with the fields of the specification', () => {
  const text = renderMeta(undefined, meta, run);
  expect(readMeta(text, run)).toEqual({ meta, repairs: [] });
  const keys = Object.keys(JSON.parse(text));
  for (const key of ['id', 'name', 'mode', 'status', 'created', 'completed', 'worktree', 'currentPhase', 'phases'])
    expect(keys).toContain(key);
  expect(JSON.parse(text).phases.specify).toEqual({
    started: '2026-01-01T01:00:00.000Z',
    completed: '2026-01-01T02:00:00.000Z',
    verified: false,
    iterations: 2,
    reviewerNotes: ['[blocker] R1 has no limit. [E2]'],
    summary: 'Fine.',
    stale: true,
  });
  expect(text.endsWith('}\n')).toBe(true);
});

test('[feature/meta/defaults] missing fields have defaults, and none of them is a repair', () => {
  const wanted: Meta = {
    id: '001',
    name: 'short slugs',
    mode: 'standard',
    status: 'active',
    created: '',
    completed: null,
    worktree: null,
    currentPhase: null,
    updated: '',
    phases: {},
  };
  expect(read({})).toEqual({ meta: wanted, repairs: [] });
  expect(read({ currentPhase: null, worktree: null, completed: null, phases: null })).toEqual({
    meta: wanted,
    repairs: [],
  });
  expect(recordOf(read({ phases: { design: {} } }).meta.phases, 'design')).toEqual(unstarted);
  expect(recordOf({}, 'design')).toEqual(unstarted);
});

describe('[feature/meta/foreign] values that do not fit are repaired, and each is told', () => {
  test.each<[string, unknown, keyof Meta, unknown]>([
    ['mode', { mode: 'fast' }, 'mode', 'standard'],
    ['mode', { mode: 7 }, 'mode', 'standard'],
    ['status', { status: 'done' }, 'status', 'active'],
    ['id', { id: {} }, 'id', '001'],
    ['name', { name: ['x'] }, 'name', 'short slugs'],
    ['currentPhase', { currentPhase: 'testing' }, 'currentPhase', null],
    ['phases', { phases: [] }, 'phases', {}],
    ['phases.design', { phases: { design: 'done' } }, 'phases', {}],
    ['worktree', { worktree: '/etc' }, 'worktree', null],
    ['worktree', { worktree: '../../etc' }, 'worktree', null],
    ['worktree', { worktree: '../..' }, 'worktree', null],
    ['worktree', { worktree: '../.' }, 'worktree', null],
    ['worktree', { worktree: 'docs' }, 'worktree', null],
    ['worktree', { worktree: '../a\0b' }, 'worktree', null],
    ['worktree', { worktree: 7 }, 'worktree', null],
  ])('%s in %j', (key, value, field, used) => {
    const found = read(value);
    expect(found.meta[field]).toEqual(used);
    expect(found.repairs).toHaveLength(1);
    expect(found.repairs[0]?.key).toBe(key);
    expect(found.repairs[0]?.message).toMatch(new RegExp(`^${key.replace('.', '\\.')} is .*; .* is used$`));
  });

  test('spellings that can only mean one thing are no repair', () => {
    const { meta: found, repairs } = read({
      id: 1,
      mode: ' Full ',
      status: 'COMPLETED',
      currentPhase: 'create_tasks',
      worktree: '../repo-007/',
      phases: {
        specify: { started: true, completed: '2026-01-01', reviewerNotes: 'one note', iterations: 2 },
        design: { reviewerNotes: [{ severity: 'note' }, 'two'], iterations: -1, completed: '  ' },
      },
    });
    expect(found).toMatchObject({
      id: '001',
      mode: 'full',
      status: 'completed',
      currentPhase: 'create-tasks',
      worktree: '../repo-007',
    });
    expect(found.phases.specify).toMatchObject({
      started: 'unknown',
      completed: '2026-01-01',
      reviewerNotes: ['one note'],
      iterations: 2,
    });
    expect(found.phases.design).toMatchObject({
      reviewerNotes: ['{"severity":"note"}', 'two'],
      iterations: null,
      completed: null,
    });
    expect(repairs).toEqual([]);
  });

  test.each([['[]'], ['"text"'], ['null'], ['7'], ['{'], [''], ['{"a": 1,}'], ['['.repeat(100) + ']'.repeat(100)]])(
    'what is no object is told with its line: %.20s',
    (text) => {
      const error = attempt(() => readMeta(text, run));
      expect(error).toBeInstanceOf(DocumentError);
      expect(error).toMatchObject({ message: expect.stringContaining('.meta.json:1') });
    },
  );
});

describe('[feature/meta/unknown] [feature/meta/merge] a write keeps what it does not know', () => {
  const before = {
    $schema: 'plugin',
    id: '001',
    branch: 'feature/x',
    phases: { specify: { started: 'then', reviewer: 'someone' }, retro: { done: true }, design: 'done' },
  };

  test('keys of the file, of phases, and phases it has not heard of', () => {
    const after = JSON.parse(renderMeta(JSON.stringify(before), meta, run));
    expect(after).toMatchObject({ $schema: 'plugin', branch: 'feature/x', mode: 'quick' });
    expect(after.phases.retro).toEqual({ done: true });
    expect(after.phases.design).toBe('done');
    expect(after.phases.specify).toMatchObject({ reviewer: 'someone', started: '2026-01-01T01:00:00.000Z' });
  });

  test('a mark that no longer holds is taken away', () => {
    const stale = renderMeta(undefined, meta, run);
    const specify = { ...recordOf(meta.phases, 'specify'), stale: false };
    const after = JSON.parse(renderMeta(stale, { ...meta, phases: { specify } }, run));
    expect(after.phases.specify).not.toHaveProperty('stale');
  });

  test('whatever a file holds, a write changes nothing else', () => {
    const json = fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 3 }), { maxKeys: 5 });
    fc.assert(
      fc.property(json, json, (file, own) => {
        const written = renderMeta(JSON.stringify({ ...file, phases: { ...own } }), meta, run);
        const after = JSON.parse(written) as Record<string, unknown>;
        const kept = JSON.parse(JSON.stringify({ ...file })) as Record<string, unknown>;
        for (const key of Object.keys(kept)) if (!Object.hasOwn(meta, key)) expect(after[key]).toEqual(kept[key]);
        expect(readMeta(written, run).meta).toEqual(meta);
      }),
      { numRuns: 200 },
    );
  });
});

test('[feature/meta/foreign] no JSON object makes the reader fail, and whatever it reads it can write', () => {
  const anything = fc.jsonValue({ maxDepth: 3 });
  const record = fc.record(
    { started: anything, completed: anything, iterations: anything, reviewerNotes: anything, summary: anything },
    { requiredKeys: [] },
  );
  const file = fc.record(
    {
      id: anything,
      name: anything,
      mode: fc.oneof(anything, fc.constantFrom(...modeNames)),
      status: fc.oneof(anything, fc.constantFrom(...statuses)),
      worktree: anything,
      currentPhase: fc.oneof(anything, fc.constantFrom(...phases)),
      phases: fc.oneof(anything, fc.dictionary(fc.constantFrom(...phases), fc.oneof(record, anything))),
    },
    { requiredKeys: [] },
  );
  fc.assert(
    fc.property(file, (value) => {
      const first = read(value).meta;
      expect(readMeta(renderMeta(JSON.stringify(value), first, run), run).meta).toEqual(first);
    }),
    { numRuns: 500 },
  );
});

test('differences are named by their fields', () => {
  expect(differingFields(meta, meta)).toEqual([]);
  expect(differingFields(meta, { ...meta, mode: 'full', phases: { design: unstarted } })).toEqual([
    'mode',
    'phases.specify',
  ]);
});
