import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { DocumentError } from '../../documents/document-error.ts';
import { isRecord } from '../../schema/values.ts';
import { parseYaml } from '../../documents/yaml.ts';
import { phases } from '../../workflows/change/phases.ts';
import { readState, scanState } from './state-reading.ts';

const usual = [
  'change_id: add-login',
  'schema_version: "2.0"',
  'updated_at: 2026-03-01T10:00:00.000Z',
  'phase: implementing',
  'verdict: NEEDS_FIX',
  'iteration: 2',
  'checksums:',
  '  proposal.md:',
  '    hash: "sha256:abc"',
  'validations: []',
  'notes:',
  '- one: 1',
  '',
].join('\n');

describe('what a usual state file says', () => {
  test('is found without a parser', () => {
    expect(scanState(usual)).toEqual({
      phase: 'implementing',
      verdict: 'NEEDS_FIX',
      iteration: 2,
      updatedAt: '2026-03-01T10:00:00.000Z',
    });
  });

  test('a phase is read in any case', () => {
    expect(scanState('phase: COMPLETE\n')).toEqual({
      phase: 'complete',
      verdict: null,
      iteration: null,
      updatedAt: null,
    });
  });

  test('comments and blank lines of a person do not matter', () => {
    expect(scanState(`# mine\n\n${usual}\n# end\n`)?.phase).toBe('implementing');
  });
});

describe('Q2: what is not plain is left to the parser', () => {
  test.each([
    ['nothing', ''],
    ['no phase', 'verdict: APPROVED\n'],
    ['an unknown phase', 'phase: done\n'],
    ['a phase twice', 'phase: proposed\nphase: complete\n'],
    ['a phase that goes on', 'phase: proposed\n  or not\n'],
    ['a phase with a comment', 'phase: proposed # really\n'],
    ['an anchor', 'phase: &p proposed\n'],
    ['a flow list', 'phase: [proposed]\n'],
    ['an open list elsewhere', 'phase: proposed\nextra: [1,\n'],
    ['an open quote elsewhere', 'phase: proposed\nextra: "a\n'],
    ['two colons', 'phase: proposed\nextra: a: b\n'],
    ['text without a key', 'phase: proposed\nhello\n'],
    ['a list nobody asked for', 'phase: proposed\n- 1\n'],
    ['a document marker', '---\nphase: proposed\n'],
    ['Windows line ends before something nested', 'phase: proposed\r\nchecksums:\r\n  a: 1\r\n'],
    ['a tab', 'phase:\tproposed\n'],
    ['a map as verdict', 'phase: proposed\nverdict:\n  a: 1\n'],
    ['a number as verdict', 'phase: proposed\nverdict: 1\n'],
    ['an octal iteration', 'phase: proposed\niteration: 010\n'],
  ])('%s', (_name, text) => {
    expect(scanState(text)).toBeUndefined();
  });
});

test('Q1: whatever it returns is what the parser reads', () => {
  const scalar = fc.oneof(
    fc.constantFrom(
      ...phases,
      'APPROVED',
      'null',
      'Null',
      '~',
      'true',
      '1',
      '01',
      '1.5',
      '',
      '""',
      '{}',
      '[]',
      '2026-01-01',
    ),
    fc.constantFrom(
      '2026-03-01T10:00:00Z',
      '"a: b"',
      '"x',
      "'y'",
      'a # b',
      'a: b',
      'a:',
      '|',
      '>-',
      '*a',
      '!t x',
      '[1',
      '- 1',
    ),
    fc.string({ maxLength: 12 }),
  );
  const key = fc.constantFrom(
    'phase',
    'verdict',
    'iteration',
    'updated_at',
    'extra',
    'Phase',
    'a b',
    '"phase"',
    '?',
    'x-1',
  );
  const line = fc.oneof(
    { weight: 6, arbitrary: fc.tuple(key, fc.constantFrom(': ', ':', ':  '), scalar).map((parts) => parts.join('')) },
    fc.constantFrom('', '# note', '  nested: 1', '- item', '---', '...', '  # deep', ' x'),
  );
  const document = fc.array(line, { maxLength: 7 }).map((lines) => ['phase: proposed', ...lines, ''].join('\n'));
  let understood = 0;
  fc.assert(
    fc.property(document, (text) => {
      const head = scanState(text);
      const parsed = parsedOrNull(text);
      if (!head || !parsed) return;
      understood += 1;
      expect({ ...head, phase: String(parsed['phase']).toLowerCase() }).toEqual({
        phase: head.phase,
        verdict: parsed['verdict'] ?? null,
        iteration: parsed['iteration'] ?? null,
        updatedAt: parsed['updated_at'] ?? null,
      });
    }),
    { numRuns: 3_000 },
  );
  expect(understood).toBeGreaterThan(100);
});

function parsedOrNull(text: string): Record<string, unknown> | null {
  try {
    const value = parseYaml(text, { file: 'STATE.yaml', line: 1 });
    return isRecord(value) ? value : null;
  } catch (error) {
    if (error instanceof DocumentError) return null;
    throw error;
  }
}

describe('the whole file', () => {
  test('unusual YAML is read by the parser, checksums included', async () => {
    const text = '---\nphase: &p Proposed # still\nverdict: null\nchecksums: {proposal.md: {hash: "sha256:a"}}\n';
    expect(await readState(text, 'STATE.yaml')).toEqual({
      phase: 'proposed',
      verdict: null,
      iteration: null,
      updatedAt: null,
      checksums: { 'proposal.md': { hash: 'sha256:a' } },
    });
  });

  test.each([
    ['change_id: x\nphase: done\n', /^STATE\.yaml:2: phase is "done"; expected one of proposed, /],
    ['change_id: x\n', /^STATE\.yaml:?\d*: there is no phase; expected/],
    ['phase: [proposed\n', /^STATE\.yaml:\d+: /],
    ['', /^STATE\.yaml:1: /],
  ])('%j is an error with its line', async (text, message) => {
    await expect(readState(text, 'STATE.yaml')).rejects.toThrow(message);
    await expect(readState(text, 'STATE.yaml')).rejects.toBeInstanceOf(DocumentError);
  });
});
