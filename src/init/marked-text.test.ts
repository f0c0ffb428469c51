import { describe, expect, test } from 'vitest';
import { compareMarked, markedText, ownership } from './marked-text.ts';

const older = markedText('name: x\n---\n\nOld text.\n', '---\n');
const wanted = markedText('name: x\n---\n\nNew text.\n', '---\n');

describe('a file that is there', () => {
  test('is the same, or updated where only Pawl wrote its part', () => {
    expect(compareMarked(wanted, wanted)).toBe('same');
    expect(compareMarked(older, wanted)).toEqual({ updated: wanted });
  });

  test('M3: keeps what the user wrote around the part, and its line ends', () => {
    expect(compareMarked(`${wanted}\nMine.\n`, wanted)).toBe('same');
    expect(compareMarked(`${older}\nMine.\n`, wanted)).toEqual({ updated: `${wanted}\nMine.\n` });
    const windows = (text: string): string => text.replaceAll('\n', '\r\n');
    expect(compareMarked(windows(older), wanted)).toEqual({ updated: windows(wanted) });
    expect(compareMarked(windows(wanted), wanted)).toBe('same');
  });

  test('M1, M2: is left alone where it is foreign or edited', () => {
    expect(compareMarked('---\nname: x\n---\n', wanted)).toBe('foreign');
    expect(compareMarked('we write # pawl:begin 0123 here\n# pawl:end\n', wanted)).toBe('foreign');
    expect(compareMarked(older.replace('Old', 'My'), wanted)).toBe('edited');
    expect(compareMarked(older.replace('<!-- pawl:end -->\n', ''), wanted)).toBe('foreign');
  });
});

test('a file is ours only as it was written', () => {
  expect(ownership(older)).toBe('ours');
  expect(ownership(markedText('a = 1\n'))).toBe('ours');
  expect(ownership(older.replaceAll('\n', '\r\n'))).toBe('ours');
  for (const edited of [`${older}mine`, `# mine\n${older}`, older.replace('Old', 'My')])
    expect(ownership(edited)).toBe('edited');
  expect(ownership('a = 1\n')).toBe('foreign');
});
