import { expect, test } from 'vitest';
import type { Entry, JournalRecord, RecordedText } from '../store/record.ts';
import type { FileView } from '../workflows/workflow.ts';
import { wholeWrite } from './recorded-writes.ts';
import { approvedTexts, documentsOnRecord } from './texts-on-record.ts';

type Moved = Extract<Entry, { type: 'moved' }>;

function moved(entry: Partial<Moved>): JournalRecord {
  const usual = { type: 'moved', from: 'ask', signal: 'yes', change: {}, seq: 1, epoch: 1, at: '' } as const;
  return { ...usual, ...entry };
}

const wrote = (path: string, content: string) => moved({ writes: [{ path, before: null, content }] });

function viewOf(texts: Readonly<Record<string, string | Error>>) {
  const files: FileView = {
    read: (path) => {
      const text = texts[path];
      if (text instanceof Error) throw text;
      return text;
    },
    exists: (path) => path in texts,
    list: (folder) => Object.keys(texts).filter((path) => path.startsWith(`${folder}/`)),
  };
  const snapshot = { state: 'ask', budgets: {}, flags: {}, lists: {}, data: {} };
  return { run: 'r', files, at: '', history: [], snapshot } as unknown as Parameters<typeof approvedTexts>[2];
}

const workflow = { documentsOf: (artifact: string) => (artifact === 'plan' ? ['plan.md', 'specs/'] : []) };

function approve(texts: Readonly<Record<string, string | Error>>, records: readonly JournalRecord[]) {
  return approvedTexts(workflow, ['plan'], viewOf(texts), () => records);
}

const long = 'a line of a long text\n'.repeat(100);

test('[trial 2 A6] what the journal holds verbatim is not recorded again', () => {
  const records = [wrote('plan.md', 'plan'), wrote('specs/a.md', long)];
  expect(approve({ 'plan.md': 'plan', 'specs/a.md': long }, records)).toEqual([]);
  expect(approvedTexts(workflow, ['code'], viewOf({ 'plan.md': 'other' }), () => records)).toEqual([]);
});

test('[trial 2 A6] of a long text the edit is recorded, and later edits of it lead back to the whole', () => {
  const records = [wrote('specs/a.md', long)];
  const edited = `${long}By a person.\n`;
  const texts = approve({ 'specs/a.md': edited, 'specs/new.md': 'new' }, records);
  expect(texts).toMatchObject([{ path: 'specs/a.md', edit: { inserted: 'By a person.\n' } }, { content: 'new' }]);
  const approval = moved({ texts });
  const all = documentsOnRecord([...records, approval]);
  expect([all.get('specs/a.md'), all.get('specs/new.md')]).toEqual([edited, 'new']);
  const [first] = texts as readonly [Extract<RecordedText, { edit: unknown }>];
  const later = { path: 'specs/a.md', before: first.after, after: '', edit: { at: 0, removed: 1, inserted: 'A' } };
  expect(wholeWrite(later, [...records, approval])).toEqual({ path: 'specs/a.md', content: `A${edited.slice(1)}` });
});

test('[trial 2 A6] what was deleted from a folder is gone; a lost document and what is no text are left out', () => {
  const records = [wrote('plan.md', 'plan'), wrote('specs/a.md', 'a')];
  const texts = approve({ 'specs/picture.png': new Error('not UTF-8') }, records);
  expect(texts).toMatchObject([{ path: 'specs/a.md', content: null }]);
  expect([...documentsOnRecord([...records, moved({ texts })])]).toEqual([['plan.md', 'plan']]);
});

test('[trial 2 A6] what an undo took back is no document any more', () => {
  const texts = approve({ 'plan.md': 'plan' }, []);
  const undo = moved({ signal: 'undo', change: { data: { undone: ['plan.md'] } } });
  expect(documentsOnRecord([moved({ texts }), undo]).size).toBe(0);
});
