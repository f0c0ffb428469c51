/** `acceptance.json`: what must hold in the end, and how one sees it. Reading is tolerant, writing is strict. */

import { inFile, readDocument } from '../../../documents/read-document.ts';
import { choose, list, mapped, never, refine, table } from '../../../schema/compound.ts';
import { ifFits, oneOrMany, unlessNull } from '../../../schema/lenient.ts';
import { leaf, schema, wrong, type Schema } from '../../../schema/schema.ts';
import { word } from '../../../schema/simple.ts';
import { isRecord, shown } from '../../../schema/values.ts';
import { argumentVector } from './argument-vector.ts';
import { isMap, readJsonLines } from './json-lines.ts';
import { extraOf, textOf } from './status-reading.ts';
import type { Extra } from './status-shape.ts';

const criterionStatuses = ['met', 'waived'] as const;

export type Criterion = {
  readonly id: string;
  readonly description: string;
  readonly verify: readonly string[];
  /** Set by Pawl at the end, with the evidence or the reason. */
  readonly status?: (typeof criterionStatuses)[number];
  readonly evidence?: string;
  /** Keys that Pawl does not know, as they were found. */
  readonly extra?: Extra;
};

/** Also takes a bare list, criteria that are only a text, and a single `verify`. */
export function readAcceptance(text: string, file: string): readonly Criterion[] {
  const lines = readJsonLines(text, file);
  const locate = inFile(file, (path) => lines.lineOf(path));
  return readDocument(acceptance, lines.value, locate, { unknownKeys: 'ignored' });
}

/** A criterion that breaks the rules is a mistake of the program, so it throws. */
export function renderAcceptance(criteria: readonly Criterion[]): string {
  const broken = criteria.filter(({ status, evidence }) => status !== undefined && (evidence ?? '').trim() === '');
  const ids = criteria.map(({ id }) => id);
  const repeated = ids.filter((id, index) => ids.indexOf(id) !== index);
  if (broken.length > 0 || repeated.length > 0) {
    const named = [
      ...broken.map(({ id }) => `${id} has a status without evidence`),
      ...repeated.map((id) => `${id} stands there twice`),
    ];
    throw new Error(`acceptance.json would break its rules: ${named.join('; ')}`);
  }
  const list = criteria.map(({ id, description, verify, status, evidence, extra }) => ({
    id,
    description,
    verify,
    ...(status && { status }),
    ...(evidence !== undefined && { evidence }),
    ...extra,
  }));
  return `${JSON.stringify({ acceptance_criteria: list }, null, 2)}\n`;
}

/** What criteria that can be read still lack; each problem is a sentence that says what to do. */
export function criteriaProblems(criteria: readonly Criterion[]): string[] {
  if (criteria.length === 0) return ['There are no acceptance criteria; state at least one.'];
  return criteria.flatMap(({ id, description, verify }) => [
    ...(CRITERION_ID.test(id) ? [] : [`${id} is no id of a criterion; number them AC-001, AC-002 and so on.`]),
    ...(description === '' ? [`${id} has no description; say what must hold.`] : []),
    ...(verify.length === 0 ? [`${id} has no verify; add one such as "cmd: npm test" or "manual: look at …".`] : []),
    ...verify.flatMap((entry) => verifyProblems(id, entry)),
  ]);
}

const CRITERION_ID = /^AC-\d{3,6}$/;

function verifyProblems(id: string, entry: string): string[] {
  const [, command] = /^cmd:\s*(.*)$/is.exec(entry) ?? [];
  if (command === undefined) return [];
  const read = argumentVector(command);
  return 'problem' in read ? [`${id}: "${entry}" cannot be run: ${read.problem}.`] : [];
}

const said = ifFits(leaf('a text', textOf));

const verifyEntry = leaf('a text such as "cmd: npm test"', (value) => (value === '' ? '' : textOf(value)));

const verifyEntries = mapped(oneOrMany(list(unlessNull(verifyEntry), 'a list')), (entries) =>
  entries.map((entry) => entry?.trim() ?? '').filter((entry) => entry !== ''),
);

const criterionFields = table(
  {
    id: said,
    description: said,
    text: said,
    criterion: said,
    verify: verifyEntries,
    status: ifFits(word(criterionStatuses)),
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

const criteria = refine(mapped(list(criterion, 'a list of criteria'), numbered), (all) => {
  const index = all.findIndex(({ id }, at) => all.findIndex((other) => other.id === id) < at);
  if (index === -1) return undefined;
  return { at: [index, 'id'], found: all[index]?.id, expected: 'an id no other criterion has' };
});

const acceptance = choose<readonly Criterion[]>((value) => {
  if (Array.isArray(value)) return criteria;
  if (!isRecord(value)) return never('an object with acceptance_criteria', `the file is ${shown(value)}`);
  const names = ['acceptance_criteria', 'acceptanceCriteria', 'criteria'];
  const key = names.find((name) => name in value) ?? 'acceptance_criteria';
  const fields: Readonly<Record<string, Schema<readonly Criterion[]>>> = { [key]: criteria };
  return mapped(table(fields), (read) => read[key] ?? []);
});

/** `ac_1` and `AC1` are AC-001; ids of other kinds stay as they are. */
function canonicalId(id: string): string {
  const number = /^ac[-_ ]?(\d{1,6})$/i.exec(id.trim())?.[1];
  return number === undefined ? id.trim() : `AC-${number.padStart(3, '0')}`;
}

/** Whoever has no id gets the next one. */
function numbered(all: readonly Criterion[]): readonly Criterion[] {
  let last = Math.max(0, ...all.map(({ id }) => Number(/^AC-(\d+)$/.exec(id)?.[1] ?? 0)));
  return all.map((each) => (each.id === '' ? { ...each, id: `AC-${String((last += 1)).padStart(3, '0')}` } : each));
}
