import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { setTaskStatus, taskStatuses } from '../../documents/tasks.ts';
import { plannedChange, type ChangeFixture } from './change.fixture.ts';
import { textDigest } from '../digest.ts';
import { planDigest } from './documents.ts';
import { proposalPath, specPath, tasksPath } from './change-paths.ts';

const digest = (change: ChangeFixture) => planDigest(change.view, change.id);
const edit = (change: ChangeFixture, path: string, by: (text: string) => string) => {
  change.files.set(path, by(change.read(path)));
  return digest(change);
};

describe('[change/approval/bound-to-plan] the digest of a plan', () => {
  test('G1: stays when a review is appended', () => {
    const change = plannedChange();
    const before = digest(change);
    change.callExample('append_review', {}, { step: 'challenge', role: 'challenger' });
    expect(digest(change)).toBe(before);
  });

  test('G1: stays when task status changes, whatever the status', () => {
    const change = plannedChange();
    const before = digest(change);
    fc.assert(
      fc.property(fc.constantFrom('1.1', '2.1'), fc.constantFrom(...taskStatuses), (id, status) => {
        expect(edit(change, tasksPath(change.id), (text) => setTaskStatus(text, id, status))).toBe(before);
      }),
    );
  });

  test('G1: stays with other line ends', () => {
    const change = plannedChange();
    const before = digest(change);
    for (const path of change.files.keys()) edit(change, path, (text) => text.replaceAll('\n', '\r\n'));
    expect(digest(change)).toBe(before);
  });

  test.each([
    ['a word of the proposal', proposalPath('add-login'), 'Passwords', 'Secrets'],
    ['an affected spec', proposalPath('add-login'), 'id: login', 'id: logout'],
    ['a requirement', specPath('add-login', 'tokens'), 'MUST', 'MAY'],
    ['the file of a task', tasksPath('add-login'), 'src/token.ts', 'src/other.ts'],
    ['the text of a task', tasksPath('add-login'), 'expiry', 'birth'],
  ])('G1: changes with %s', (_, path, from, to) => {
    const change = plannedChange();
    const before = digest(change);
    expect(edit(change, path, (text) => text.replace(from, to))).not.toBe(before);
  });

  test('changes when a spec is added or tasks are missing', () => {
    const change = plannedChange();
    const before = digest(change);
    change.files.delete(tasksPath(change.id));
    const without = digest(change);
    change.files.set(tasksPath(change.id), '');
    const empty = digest(change);
    change.files.set(specPath(change.id, 'more'), '');
    expect(new Set([before, without, empty, digest(change)]).size).toBe(4);
  });

  test('G2: changes when text moves from one file to another', () => {
    const [a, b] = [plannedChange(), plannedChange()];
    a.files.set(specPath(a.id, 'tokens'), 'one\ntwo');
    a.files.set(specPath(a.id, 'login'), 'three');
    b.files.set(specPath(b.id, 'tokens'), 'one');
    b.files.set(specPath(b.id, 'login'), 'two\nthree');
    expect(digest(a)).not.toBe(digest(b));
  });
});

test('a text has the digest other tools compute too', () => {
  expect(textDigest('abc')).toBe('sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
});
