import { expect, test } from 'vitest';
import { claimId, compareIds, isIssueId, issueIdIn, issuePath, nextId, prefixOf, runFolder } from './ids.ts';

test.each(['GAL-42', 'g-1', 'WEB-API-7', 'A1-000000001'])('%s is an issue id', (id) => {
  expect(isIssueId(id)).toBe(true);
});

test.each([
  ['README'],
  ['CON'],
  ['GAL'],
  ['42'],
  ['-1'],
  ['GAL--1'],
  ['GAL-1-'],
  ['GAL_1'],
  ['GAL-1x'],
  ['GAL-1\n'],
  ['../GAL-1'],
  ['GAL/1-1'],
  ['GAL 1-1'],
  ['ГАЛ-1'],
  [`${'A'.repeat(63)}-1`],
  ['GAL-1234567890'],
  [''],
])('%j is not an issue id', (id) => {
  expect(isIssueId(id)).toBe(false);
});

test('no path is built from anything that is not an id', () => {
  expect(issuePath('GAL-42')).toBe('TODO/GAL-42.md');
  expect(runFolder('GAL-42')).toBe('.workflow/run-GAL-42');
  expect(() => issuePath('../x')).toThrow('names no issue');
  expect(() => runFolder('..')).toThrow('names no issue');
});

test('finds the id that a file is named after', () => {
  expect(['TODO/GAL-1.md', 'GAL-2.md', 'TODO/README.md', 'TODO/GAL-1.txt', 'TODO/GAL-1'].map(issueIdIn)).toEqual([
    'GAL-1',
    'GAL-2',
    undefined,
    undefined,
    undefined,
  ]);
});

test('sorts by prefix, then by number', () => {
  expect(['GAL-10', 'WEB-1', 'GAL-9', 'ABC-11'].toSorted(compareIds)).toEqual(['ABC-11', 'GAL-9', 'GAL-10', 'WEB-1']);
});

test('allocates the highest number of the same prefix plus one', () => {
  expect(prefixOf('WEB-API-7')).toBe('WEB-API');
  expect(nextId('GAL', ['GAL-2', 'GAL-10', 'WEB-99', 'GALX-50'])).toBe('GAL-11');
  expect(nextId('GAL', [])).toBe('GAL-1');
});

test('takes ids that differ in case only for the same, because some file systems do', () => {
  expect(nextId('GAL', ['gal-7'])).toBe('GAL-8');
});

test('claims the next id that no other run holds', async () => {
  const held = new Set(['GAL-4', 'GAL-5']);
  const tried: string[] = [];
  const claim = (id: string) => {
    tried.push(id);
    return !held.has(id);
  };
  await expect(claimId('GAL', ['GAL-3'], claim)).resolves.toBe('GAL-6');
  expect(tried).toEqual(['GAL-4', 'GAL-5', 'GAL-6']);
});

test('gives up when every id is claimed', async () => {
  await expect(claimId('GAL', [], () => false)).rejects.toThrow('internal error');
});
