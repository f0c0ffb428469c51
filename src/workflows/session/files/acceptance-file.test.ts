import fc from 'fast-check';
import { expect, test } from 'vitest';
import { DocumentError } from '../../../documents/document-error.ts';
import { criteriaFlaws, flawText } from '../content-checks.ts';
import { readAcceptance, renderAcceptance, type Criterion } from './acceptance-file.ts';

const criteriaProblems = (criteria_: readonly Criterion[]) => criteriaFlaws(criteria_).map(flawText);

const criteria: readonly Criterion[] = [
  { id: 'AC-001', description: 'It opens', verify: ['cmd: npm test'] },
  { id: 'AC-002', description: 'It looks right', verify: ['manual: look'], status: 'waived', evidence: 'no screen' },
];

test('criteria are written in one form and read as they were', () => {
  const text = renderAcceptance(criteria);
  expect(text.startsWith('{\n  "acceptance_criteria": [\n    {\n      "id": "AC-001",\n')).toBe(true);
  expect(readAcceptance(text, 'acceptance.json')).toEqual(criteria);
  expect(criteriaProblems(criteria)).toEqual([]);
});

test.each([
  [
    'a bare list',
    '[{"id": "ac1", "description": "x", "verify": "cmd: a"}]',
    [{ id: 'AC-001', description: 'x', verify: ['cmd: a'] }],
  ],
  [
    'texts',
    '{"criteria": ["x", {"id": "AC-2", "text": "y"}]}',
    [
      { id: 'AC-003', description: 'x', verify: [] },
      { id: 'AC-002', description: 'y', verify: [], extra: { text: 'y' } },
    ],
  ],
  [
    'a status of its own',
    '[{"id": "AC-001", "description": "x", "status": "pending", "prio": 1}]',
    [{ id: 'AC-001', description: 'x', verify: [], extra: { status: 'pending', prio: 1 } }],
  ],
  [
    'our status in capitals',
    '[{"id": "AC-001", "description": "x", "status": "MET", "evidence": "ran"}]',
    [{ id: 'AC-001', description: 'x', verify: [], status: 'met', evidence: 'ran' }],
  ],
])('%s', (_, text, expected) => {
  expect(readAcceptance(text, 'acceptance.json')).toEqual(expected);
});

test.each([
  ['{"acceptance_criteria":\n{}}', 'acceptance.json:1: acceptance_criteria is {}; expected a list of criteria'],
  ['{}', 'acceptance.json:1: acceptance_criteria is missing'],
  ['3', 'acceptance.json:1: the file is 3'],
  ['[\n3]', 'acceptance.json:2: [0] is 3; expected a criterion'],
  [
    '[{"id": "AC-001"},\n{"id": "AC-1"}]',
    'acceptance.json:2: [1].id is "AC-001"; expected an id no other criterion has',
  ],
  ['[{"id": "AC-001", "verify": [\n{}]}]', 'acceptance.json:2: [0].verify[0] is {}'],
  ['[', 'acceptance.json:1: the text ends too early'],
])('%j is refused', (text, message) => {
  expect(() => readAcceptance(text, 'acceptance.json')).toThrow(message);
});

test('whatever JSON it is, it is read or refused with a DocumentError', () => {
  const value = fc.array(
    fc.oneof(
      fc.string(),
      fc.dictionary(fc.constantFrom('id', 'description', 'verify', 'status', 'evidence'), fc.jsonValue()),
    ),
  );
  fc.assert(
    fc.property(value, (list) => {
      try {
        readAcceptance(JSON.stringify(list), 'acceptance.json');
      } catch (error) {
        expect(error).toBeInstanceOf(DocumentError);
      }
    }),
  );
});

test('what criteria lack is told', () => {
  expect(criteriaProblems([])).toEqual(['There are no acceptance criteria; state at least one.']);
  expect(
    criteriaProblems([
      { id: 'X-1', description: '', verify: [] },
      { id: 'AC-001', description: 'x', verify: ['cmd: a | b', 'somehow'] },
    ]),
  ).toEqual([
    'X-1 is not an id of a criterion; number them AC-001, AC-002 and so on.',
    'X-1 has no description; say what must hold.',
    'X-1 has no verify; add one such as "cmd: npm test" or "manual: look at …".',
    expect.stringContaining('AC-001: "cmd: a | b" cannot be run: "|" is a pipe of a shell'),
    expect.stringContaining('AC-001: the acceptance check "somehow" is neither'),
  ]);
});

test('a status without evidence and a repeated id are not written', () => {
  expect(() => renderAcceptance([{ id: 'AC-001', description: 'x', verify: [], status: 'met' }])).toThrow(
    'AC-001 has a status without evidence',
  );
  expect(() => renderAcceptance([...criteria, ...criteria])).toThrow('AC-001 stands there twice');
});
