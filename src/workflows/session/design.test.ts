import { expect, test } from 'vitest';
import { designDigest, designTexts } from './gates.ts';
import { renderAcceptance } from './files/acceptance-file.ts';
import * as paths from './files/session-paths.ts';
import { criteria, designFiles, run, spec, viewOf } from './session.fixture.ts';

const digestOf = (files: Readonly<Record<string, string>>) => designDigest(viewOf({ files }));
const usual = digestOf(designFiles);

test('what a person approved is everything there is to read [session/design/bound]', () => {
  const adr = `${paths.adrFolder(run)}/ADR-001.md`;
  const files = { ...designFiles, [adr]: '# Streams\n', [paths.tasksPath(run)]: 'tasks: []\n' };
  expect(Object.keys(designTexts(viewOf({ files })))).toEqual([
    'spec.md',
    'acceptance.json',
    'architecture.md',
    'adr/ADR-001.md',
  ]);
  expect(digestOf(files)).not.toBe(usual);
});

test.each<[string, Readonly<Record<string, string>>]>([
  ['a word', { [paths.specPath(run)]: spec.replace('people', 'customers') }],
  ['a criterion', { [paths.acceptancePath(run)]: renderAcceptance([{ ...criteria[0]!, description: 'Other' }]) }],
  ['how it is verified', { [paths.acceptancePath(run)]: renderAcceptance([{ ...criteria[0]!, verify: [] }]) }],
  ['a file that cannot be read', { [paths.acceptancePath(run)]: '{' }],
  ['a new file', { [`${paths.researchFolder(run)}/csv.md`]: '# CSV\n' }],
])('%s changes it [session/design/bound]', (_, files) => {
  expect(digestOf({ ...designFiles, ...files })).not.toBe(usual);
});

test('line ends, and what Pawl adds to the criteria, do not', () => {
  const met = renderAcceptance([{ ...criteria[0]!, status: 'met', evidence: 'exit code 0' }]);
  const files = { [paths.specPath(run)]: `\ufeff${spec.replaceAll('\n', '\r\n')}`, [paths.acceptancePath(run)]: met };
  expect(digestOf({ ...designFiles, ...files })).toBe(usual);
});

test('no text can move between files', () => {
  const two = { [paths.specPath(run)]: 'a', [paths.architecturePath(run)]: 'b' };
  expect(digestOf({ [paths.specPath(run)]: 'a\n\nb' })).not.toBe(digestOf(two));
  expect(digestOf({ [paths.specPath(run)]: 'b', [paths.architecturePath(run)]: 'a' })).not.toBe(digestOf(two));
});
