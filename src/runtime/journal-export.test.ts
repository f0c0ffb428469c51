import { tmpdir } from 'node:os';
import { describe, expect, test } from 'vitest';
import { decodeJournal, encodeRecord, type JournalRecord } from '../store/record.ts';
import { anonymizer, exportedJournal } from './journal-export.ts';

const owner = { workspace: '/home/ada/app', commonDir: '/home/ada/app/.git', home: '/home/ada', user: 'ada' };
const kept = (text: string): JournalRecord => ({
  type: 'edits.kept',
  seq: 1,
  epoch: 1,
  at: '2026-01-01T00:00:00.000Z',
  paths: [text],
  by: { who: 'ada', how: 'flag' },
});

describe('no folder of the user’s and no name', () => {
  test.each([
    ['see /home/ada/app/src/a.ts:1', 'see <workspace>/src/a.ts:1'],
    ['/home/ada/app', '<workspace>'],
    ['written to /home/ada/app.', 'written to <workspace>.'],
    ['"/home/ada/.claude.json"', '"~/.claude.json"'],
    ['file:///home/ada/x', 'file://~/x'],
    [`in ${tmpdir()}/x`, 'in <tmp>/x'],
    ['/home/ada/application', '~/application'],
    ['/home/adam/x', '/home/adam/x'],
    ['/mnt/home/ada', '/mnt/home/ada'],
    ['ada@example.org', '<user>@example.org'],
    ['canada, or ada', 'canada, or ada'],
    ['https://example.org/home/ada', 'https://example.org/home/ada'],
  ])('%s', (text, expected) => {
    expect(anonymizer(owner)(kept(text))).toMatchObject({ paths: [expected], by: { who: '<user>', how: 'flag' } });
  });

  test('also as keys, and in a worktree beside the repository', () => {
    const anonymize = anonymizer({ ...owner, workspace: '/home/ada/app-x' });
    const record = { ...kept('/home/ada/app/.git/pawl'), more: { '/home/ada/app-x/a': 1 } };
    expect(anonymize(record)).toMatchObject({ paths: ['<repository>/.git/pawl'], more: { '<workspace>/a': 1 } });
  });

  test('a script by its name alone', () => {
    const moved = { ...kept(''), type: 'moved', from: 'a', signal: 'b', change: {}, choice: { script: '/srv/s.yaml' } };
    expect(anonymizer(owner)(moved as JournalRecord)).toMatchObject({ choice: { script: 's.yaml' } });
  });

  test('the root as a home says nothing', () => {
    expect(anonymizer({ ...owner, home: '/' })(kept('a / b /c'))).toMatchObject({ paths: ['a / b /c'] });
  });
});

test('what is exported is a journal of its own', () => {
  const first = encodeRecord(kept('/home/ada/app/a'), '');
  const second = encodeRecord({ ...kept('/home/ada/b'), seq: 2, at: '2026-01-01T00:00:01.000Z' }, first.sum);
  const text = exportedJournal(first.line + second.line, owner);
  expect(text).not.toContain('ada');
  const { records } = decodeJournal(Buffer.from(text), 'exported');
  expect(records.map((record) => record.type === 'edits.kept' && record.paths)).toEqual([['<workspace>/a'], ['~/b']]);
});
