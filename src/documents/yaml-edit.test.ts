import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parse, stringify } from 'yaml';
import { DocumentError } from './document-error.ts';
import { editYaml } from './yaml-edit.ts';

const file = 'agentd/changes/x/STATE.yaml';

const STATE = `# The state of the change. Edit "phase" if you know what you do.
change_id: add-login


phase: proposed   # by hand
owner:   'Ann'  # ours
checksums:
  # the plan
  proposal.md: {hash: "sha256:1",   validated_at: x}
  tasks.md:          # volatile
    hash: "sha256:2"
  # end of checksums
iteration: 1

# the end
`;

describe('editing leaves the rest alone (E2)', () => {
  test('a scalar', () => {
    expect(editYaml(STATE, { phase: 'challenged' }, file)).toBe(STATE.replace('proposed ', 'challenged '));
  });

  test('equal values, whatever their style, are not touched', () => {
    expect(editYaml(STATE, { owner: 'Ann', change_id: 'add-login', gone: undefined }, file)).toBe(STATE);
  });

  test('nested keys', () => {
    const checksums = {
      'proposal.md': { hash: 'sha256:9' },
      'tasks.md': { hash: 'sha256:2', validated_at: '2026-11-15T09:01:17Z' },
      'specs/a.md': { hash: 'h' },
    };
    expect(editYaml(STATE, { checksums }, file)).toBe(
      STATE.replace('{hash: "sha256:1",   validated_at: x}', '\n    hash: sha256:9')
        .replace('proposal.md: \n', 'proposal.md:\n')
        .replace('    hash: "sha256:2"\n', '    hash: "sha256:2"\n    validated_at: "2026-11-15T09:01:17Z"\n')
        .replace('  # end of checksums\n', '  # end of checksums\n  specs/a.md:\n    hash: h\n'),
    );
  });

  test('deleting and adding', () => {
    expect(editYaml(STATE, { owner: undefined, checksums: undefined, verdict: 'APPROVED' }, file)).toBe(
      `# The state of the change. Edit "phase" if you know what you do.
change_id: add-login


phase: proposed   # by hand
# ours
# the plan
# volatile
  # end of checksums
iteration: 1

# the end
verdict: APPROVED
`,
    );
  });

  test('a list that only gets longer', () => {
    expect(
      editYaml('calls: # all\n- {a: 1} # first\n# last\nb: 1\n', { calls: [{ a: 1 }, { a: 2, c: [3] }] }, file),
    ).toBe('calls: # all\n- {a: 1} # first\n# last\n- a: 2\n  c:\n    - 3\nb: 1\n');
  });

  test('comments inside a replaced value move above it', () => {
    expect(
      editYaml(
        'a: 1\nb:\n  c: # all\n    - "#x" # first\n    # next\n    - #y\n    - 2\nd: 1\n',
        { b: { c: [3] } },
        file,
      ),
    ).toBe('a: 1\nb:\n  # all\n  # first\n  # next\n  #y\n  c:\n    - 3\nd: 1\n');
  });

  test('windows line ends', () => {
    expect(editYaml('a: 1\r\nb: 2 # x\r\n', { a: [1], c: 3 }, file)).toBe('a:\r\n  - 1\r\nb: 2 # x\r\nc: 3\r\n');
  });

  test('no final newline', () => {
    expect(editYaml('a: 1', { b: 2 }, file)).toBe('a: 1\nb: 2\n');
  });
});

test('a new file has its keys in the order given, strings quoted where another type would be read', () => {
  expect(
    editYaml(
      undefined,
      { z: '2.0', a: 1, at: '2026-11-15T09:01:17Z', yes: 'no', empty: {}, list: [], text: 'a\nb', none: undefined },
      file,
    ),
  ).toBe('z: "2.0"\na: 1\nat: "2026-11-15T09:01:17Z"\n"yes": "no"\nempty: {}\nlist: []\ntext: "a\\nb"\n');
});

test('a file of comments keeps them', () => {
  expect(editYaml('# mine\n', { a: 1 }, file)).toBe('# mine\na: 1\n');
});

describe('rare layouts are written anew, comments kept', () => {
  test.each([
    ['flow', '{a: 1, b: 2} # c\n', { a: 3 }, { a: 3, b: 2 }],
    ['document end', 'a: 1\n...\n', { b: 2 }, { a: 1, b: 2 }],
    ['explicit key', '? a # c\n: 1\n', { a: [2], b: 1 }, { a: [2], b: 1 }],
    ['block scalar kept', 'a: |+\n  x\n\n', { b: 1 }, { a: 'x\n\n', b: 1 }],
    ['number key', '1: a\n', { 1: 'b' }, { 1: 'b' }],
  ])('%s', (_, text, updates, wanted) => {
    const result = editYaml(text, updates, file);
    expect(parse(result)).toEqual(wanted);
    expect(result.includes('# c')).toBe(text.includes('# c'));
    expect(editYaml(result, updates, file)).toBe(result);
  });

  test('an anchor that is needed elsewhere is not taken away', () => {
    const text = 'a: &x [1]\nb: *x\n';
    expect(() => editYaml(text, { a: undefined }, file)).toThrow(DocumentError);
    expect(parse(editYaml(text, { c: 1 }, file))).toEqual({ a: [1], b: [1], c: 1 });
  });
});

test('broken files are refused with the line', () => {
  expect(() => editYaml('a: 1\nb: "x\n', { a: 2 }, file)).toThrow(/STATE\.yaml:\d+: .*expected valid YAML/);
  expect(() => editYaml('a: 1\na: 2\n', { a: 2 }, file)).toThrow(/STATE\.yaml:2: /);
  expect(() => editYaml('- a\n', { a: 2 }, file)).toThrow(/not a map; expected keys and values/);
});

describe('E1 and E3 for any values', () => {
  const key = fc.oneof(fc.constantFrom('a', 'b', 'c', 'd'), fc.string({ maxLength: 5 }));
  const { value } = fc.letrec<{ value: unknown; map: unknown }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 3 },
      fc.string(),
      fc.integer(),
      fc.boolean(),
      fc.constant(null),
      tie('map'),
      fc.array(tie('value'), { maxLength: 3 }),
    ),
    map: fc.dictionary(key, tie('value'), { maxKeys: 4 }),
  }));
  const map = fc.dictionary(key, value, { maxKeys: 5 });
  const updates = fc.dictionary(
    key,
    fc.oneof({ weight: 1, arbitrary: fc.constant(undefined) }, { weight: 3, arbitrary: value }),
    { maxKeys: 4 },
  );

  function expectEdited(text: string, old: object, changes: Record<string, unknown>): void {
    const result = editYaml(text, changes, file);
    const wanted = Object.fromEntries(Object.entries({ ...old, ...changes }).filter(([, item]) => item !== undefined));
    expect(parse(result, { logLevel: 'error' }) ?? {}).toEqual(wanted);
    expect(editYaml(result, changes, file)).toBe(result);
    for (const comment of text.match(/^# [a-z]+$/gm) ?? []) expect(result).toContain(comment);
  }

  test('written by the package', () => {
    fc.assert(
      fc.property(map, updates, (old, changes) =>
        expectEdited(Object.keys(old).length === 0 ? '' : stringify(old), old, changes),
      ),
      { numRuns: 500 },
    );
  });

  test('with comments and blank lines between', () => {
    const parts = fc.array(
      fc.tuple(fc.constantFrom('', '\n', '# above\n', '\n\n# apart\n'), fc.constantFrom('', ' # beside')),
      { minLength: 5, maxLength: 5 },
    );
    fc.assert(
      fc.property(map, updates, parts, (old, changes, around) => {
        const text = Object.entries(old).map(([name, item], index) => {
          const [above = '', beside = ''] = around[index] ?? [];
          const source = stringify({ [name]: item }, { blockQuote: false, lineWidth: 0 });
          return above + (source.trimEnd().includes('\n') ? source : `${source.trimEnd()}${beside}\n`);
        });
        expectEdited(`${text.join('')}# end\n`, old, changes);
      }),
      { numRuns: 500 },
    );
  });
});
