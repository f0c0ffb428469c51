import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parse, stringify } from 'yaml';
import { plainYaml } from './plain-yaml.ts';
import { WRITE } from './yaml-edit.ts';

const state = {
  change_id: 'add-limit',
  schema_version: '2.0',
  created_at: '2026-11-15T09:51:42.305Z',
  phase: 'challenged',
  iteration: 2,
  session_id: null,
  checksums: { 'specs/slug.md': { hash: 'sha256:0f', validated_at: '2026-11-15T09:51:45Z' } },
  validations: [{ at: '2026-11-15T09:51:44.195Z', valid: true, findings: 0, fixed: [], more: { a: [1, 'b'] } }],
  telemetry: { calls: [], totals: { calls: 0, cost_usd: 0.034, lost: {} } },
};

test('P1: a state file is written as the package writes it', () => {
  expect(plainYaml(state)).toBe(stringify(state, WRITE));
});

test('nothing at all is an empty file', () => {
  expect(plainYaml({})).toBe('');
});

const word = fc.oneof(
  fc.stringMatching(/^[A-Za-z0-9 :._/#"'\n-]{0,12}$/),
  fc.stringMatching(/^[a-z]{1,4}:? ?[a-z0-9]{0,4}$/),
  fc.constantFrom('yes', 'No', 'null', 'TRUE', 'y', 'e1', 'sha256:0', 'a: b', 'a #b', '1.10', '2026-01-01', 'x:1', '~'),
);
const value = fc.letrec((tie) => ({
  any: fc.oneof(
    { depthSize: 'small' },
    word,
    fc.integer(),
    fc.double({ noNaN: true }),
    fc.boolean(),
    fc.constant(null),
    tie('list'),
    tie('map'),
  ),
  list: fc.array(tie('any'), { maxLength: 3 }),
  map: fc.dictionary(fc.oneof(word, fc.stringMatching(/^[a-z_][a-z.]{0,5}$/)), tie('any'), { maxKeys: 3 }),
}));

describe('any value', () => {
  test('P1, P2: is written as the package writes it, or not at all', () => {
    let written = 0;
    fc.assert(
      fc.property(value.map, (map) => {
        const plain: unknown = JSON.parse(JSON.stringify(map));
        const text = plainYaml(plain as Record<string, unknown>);
        if (text === undefined || text === '') return;
        written += 1;
        expect(text).toBe(stringify(plain, WRITE));
        expect(parse(text, { schema: 'core' })).toEqual(plain);
      }),
      { numRuns: 6_000 },
    );
    // Not so few that the property says nothing.
    expect(written).toBeGreaterThan(100);
  });
});
