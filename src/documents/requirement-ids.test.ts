import { expect, test } from 'vitest';
import { requirementIds } from './review-issues.ts';

test.each([
  ['a list', '- R1: a\n* R2 b\n+ **R3** c\n', ['R1', 'R2', 'R3']],
  ['headings', '### R1: a\n#### REQ-12 b\n', ['R1', 'REQ-12']],
  ['numbers and boxes', '1. FR-1.2: a\n- [ ] NFR3: b\n', ['FR-1.2', 'NFR3']],
  ['CRLF', '- R1: a\r\n- R2: b\r\n', ['R1', 'R2']],
  ['mentions are no requirements', 'As R1 says, and (R2).\n- see R3\n', []],
  ['each is named once', '- R1: a\n- R1: again\n', ['R1']],
  ['other words', '- R1x: a\n- Room 12\n- RFC-2119: b\n', []],
])('[feature/final/evidence] the ids of a spec: %s', (_, text, ids) => {
  expect(requirementIds(text)).toEqual(ids);
});

test('there are none without a spec', () => {
  expect(requirementIds('')).toEqual([]);
});
