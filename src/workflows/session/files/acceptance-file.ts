/** `acceptance.json`: reading is tolerant, writing is strict. */

import { attempt, DocumentError } from '../../../documents/document-error.ts';
import { readJsonLines } from '../../../documents/json-lines.ts';
import { inFile, readDocument } from '../../../documents/read-document.ts';
import * as compound from '../../../schema/compound.ts';
import { list, mapped, table } from '../../../schema/compound.ts';
import { differing, ifFits } from '../../../schema/lenient.ts';
import { leaf, schema, wrong, type Schema } from '../../../schema/schema.ts';
import { word } from '../../../schema/simple.ts';
import { isRecord, shown } from '../../../schema/values.ts';
import { extraOf, isMap, textOf, type JsonMap } from './decisions-file.ts';
import { texts } from './tasks-file.ts';

export type Criterion = {
  readonly id: string;
  readonly description: string;
  readonly verify: readonly string[];
  readonly status?: 'met' | 'waived';
  readonly evidence?: string;
  /** Keys that Pawl does not know, as they were found. */
  readonly extra?: JsonMap;
};

/** Also takes a bare list, criteria that are only a text, and a single `verify`. */
export function readAcceptance(text: string, file: string): readonly Criterion[] {
  const lines = readJsonLines(text, file);
  return readDocument(acceptance, lines.value, inFile(file, lines.lineOf), { unknownKeys: 'ignored' });
}

/** What `before` has beside the criteria stays. A criterion that breaks the rules is a mistake of the program. */
export function renderAcceptance(criteria: readonly Criterion[], before = '{}'): string {
  const ids = criteria.map(({ id }) => id);
  const broken = criteria.flatMap(({ id, status, evidence = '' }, index) => [
    ...(status !== undefined && evidence.trim() === '' ? [`${id} has a status without evidence`] : []),
    ...(ids.indexOf(id) === index ? [] : [`${id} stands there twice`]),
  ]);
  if (broken.length > 0) throw new Error(`acceptance.json would break its rules: ${broken.join('; ')}`);
  const old = attempt(() => readJsonLines(before, 'acceptance.json').value);
  const others =
    isMap(old) && !(old instanceof DocumentError)
      ? Object.entries(old).filter(([key]) => !listNames.includes(key))
      : [];
  const list = criteria.map(({ extra, ...known }) => ({ ...known, ...extra, ...known }));
  return `${JSON.stringify({ ...Object.fromEntries(others), acceptance_criteria: list }, null, 2)}\n`;
}

const listNames: readonly string[] = ['acceptance_criteria', 'acceptanceCriteria', 'criteria'];

const said = ifFits(leaf('a text', textOf));

const criterionFields = table(
  {
    id: said,
    description: said,
    text: said,
    criterion: said,
    verify: texts,
    status: ifFits(word(['met', 'waived'])),
    evidence: said,
  },
  { expected: 'a criterion: an object, or its description' },
);

const criterion = schema<Criterion>((value, at) => {
  if (typeof value === 'string') return { id: '', description: value.trim(), verify: [] };
  const read = criterionFields.read(value, at);
  if (read === wrong || !isMap(value)) return wrong;
  const { id = '', description, text, criterion: other, ...rest } = read;
  // Any other status than ours ("pending", "failed") means not yet met, and is kept as it was found.
  const known = ['id', 'description', 'verify', 'evidence', ...(rest.status ? ['status'] : [])];
  const extra = extraOf(value, known);
  const told = (description ?? text ?? other ?? '').trim();
  return { id: canonicalId(id), description: told, ...rest, ...(extra && { extra }) };
});

const criteria = differing(mapped(list(criterion, 'a list of criteria'), numbered), 'an id no other criterion has');

const acceptance = compound.choose<readonly Criterion[]>((value) => {
  if (Array.isArray(value)) return criteria;
  if (!isRecord(value)) return compound.never('an object with acceptance_criteria', `the file is ${shown(value)}`);
  const key = listNames.find((name) => name in value) ?? 'acceptance_criteria';
  const fields: Readonly<Record<string, Schema<readonly Criterion[]>>> = { [key]: criteria };
  return mapped(table(fields), (read) => read[key] ?? []);
});

/** `ac_1` and `AC1` are AC-001; ids of other kinds stay as they are. */
function canonicalId(id: string): string {
  const number = /^ac[-_ ]?(\d{1,6})$/i.exec(id.trim())?.[1];
  return number === undefined ? id.trim() : `AC-${number.padStart(3, '0')}`;
}

function numbered(all: readonly Criterion[]): readonly Criterion[] {
  let last = Math.max(0, ...all.map(({ id }) => Number(/^AC-(\d+)$/.exec(id)?.[1] ?? 0)));
  return all.map((each) => (each.id === '' ? { ...each, id: `AC-${String((last += 1)).padStart(3, '0')}` } : each));
}
