/**
 * The texts of documents that a journal holds: everything that Pawl wrote, and what was approved.
 *
 * T1. Whoever passes a gate approves documents as they are then, also where somebody edited them by hand: what of them
 *     the journal does not hold verbatim is recorded with the approval; of a long text that it knows, only the edit.
 *     A document that is missing was lost, not approved; of a folder, what is left of it is approved.
 * T2. The last text on record counts. What an undo took back is no document of the run any more.
 */

import { orElse } from '../disk/disk-error.ts';
import type { Machine } from '../engine/machine.ts';
import type { JournalRecord, RecordedText } from '../store/record.ts';
import type { RunView, Workflow } from '../workflows/workflow.ts';
import { sha256 } from '../workspace/files.ts';
import { applyEdit, recordedIn, textEdit } from './recorded-writes.ts';

/** The artifacts that a step approves. */
export function approvedBy({ gates }: Machine, from: string, signal: string): readonly string[] {
  const step = `${from}.${signal}`;
  const passed = Object.values(gates).filter(
    ({ passedBy, waivedBy = [] }) => passedBy.includes(step) || waivedBy.includes(step),
  );
  return passed.map(({ of }) => of);
}

/** Those that a person may approve by setting the phase by hand. */
export function approvable({ gates }: Machine): readonly string[] {
  return Object.values(gates).map(({ of }) => of);
}

/** T1. `records` is asked for only where something is approved: those of a long run take long to read. */
export function approvedTexts(
  { documentsOf }: Pick<Workflow, 'documentsOf'>,
  artifacts: readonly string[],
  view: RunView,
  records: () => readonly JournalRecord[],
): readonly RecordedText[] {
  const places = [...new Set(artifacts.flatMap((artifact) => documentsOf?.(artifact, view.run) ?? []))];
  if (places.length === 0) return [];
  const known = documentsOnRecord(records());
  const { files } = view;
  const there = places.flatMap((place) => (place.endsWith('/') ? files.list(place.slice(0, -1)) : [place]));
  const gone = [...known.keys()].filter((path) =>
    places.some((place) => place.endsWith('/') && path.startsWith(place)),
  );
  return [...new Set([...there, ...gone])].flatMap((path): readonly RecordedText[] => {
    const before = known.get(path);
    // What is no text is none that Pawl wrote.
    const content = orElse(null, () => files.read(path));
    const isLost = content === undefined && places.includes(path);
    if (content === before || content === null || isLost) return [];
    const whole = { path, before: before === undefined ? null : sha256(before), content: content ?? null };
    return [textEdit(whole, before) ?? whole];
  });
}

/** T2. The text of every document as the run left it last, or as it was approved since. */
export function documentsOnRecord(records: readonly JournalRecord[]): ReadonlyMap<string, string> {
  const texts = new Map<string, string>();
  for (const record of records) {
    const undone = record.type === 'moved' && record.signal === 'undo' ? record.change.data?.['undone'] : undefined;
    if (Array.isArray(undone)) for (const path of undone) texts.delete(String(path));
    for (const write of recordedIn(record)) {
      if ('moveTo' in write) moveAll(texts, write);
      else if ('edit' in write) texts.set(write.path, applyEdit(texts.get(write.path) ?? '', write.edit));
      else if (write.content === null) texts.delete(write.path);
      else texts.set(write.path, write.content);
    }
  }
  return texts;
}

function moveAll(
  texts: Map<string, string>,
  { path: from, moveTo }: { readonly path: string; readonly moveTo: string },
) {
  for (const [path, text] of [...texts].filter(([each]) => each.startsWith(`${from}/`))) {
    texts.delete(path);
    texts.set(`${moveTo}${path.slice(from.length)}`, text);
  }
}
