/** `acceptance.json`: what must hold in the end, and how one sees it. Reading is tolerant, writing is strict. */

import { DocumentError } from '../../../documents/document-error.ts';
import { findWord } from '../../../documents/fields.ts';
import { nameOf, type Path } from '../../../documents/settings-fields.ts';
import type { Json } from '../../../engine/snapshot.ts';
import { argumentVector } from './argument-vector.ts';
import { isList, isMap, readJsonLines, type JsonLines, type JsonMap } from './json-lines.ts';
import { extraOf, shown, textOf } from './status-reading.ts';
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
  const reading: Reading = { file, lines };
  const { list, path } = listOf(reading);
  const ids = list.map((item) => (isMap(item) ? canonicalId(textOf(item['id']) ?? '') : ''));
  const taken = new Set<string>();
  return list.map((item, index) => {
    const place = [...path, index];
    const id = ids[index] || nextId([...ids, ...taken]);
    if (taken.has(id)) throw wrong(reading, [...place, 'id'], id, 'an id no other criterion has');
    taken.add(id);
    return readCriterion(reading, item, { id, path: place });
  });
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

interface Reading {
  readonly file: string;
  readonly lines: JsonLines;
}

function listOf(reading: Reading): { readonly list: readonly Json[]; readonly path: Path } {
  const { value } = reading.lines;
  if (isList(value)) return { list: value, path: [] };
  if (!isMap(value)) throw wrong(reading, [], value, 'an object with acceptance_criteria');
  const key =
    ['acceptance_criteria', 'acceptanceCriteria', 'criteria'].find((name) => name in value) ?? 'acceptance_criteria';
  const list = value[key];
  if (!isList(list)) throw wrong(reading, [key], list, 'a list of criteria');
  return { list, path: [key] };
}

function readCriterion(reading: Reading, item: Json, { id, path }: { id: string; path: Path }): Criterion {
  if (typeof item === 'string') return { id, description: item.trim(), verify: [] };
  if (!isMap(item)) throw wrong(reading, path, item, 'a criterion: an object, or its description');
  const description = textOf(item['description']) ?? textOf(item['text']) ?? textOf(item['criterion']);
  const evidence = textOf(item['evidence']);
  const status = findWord(item['status'], criterionStatuses);
  const extra = extraOf(item, knownKeys(status !== undefined));
  return {
    id,
    description: description?.trim() ?? '',
    verify: readVerify(reading, item, path),
    ...(status && { status }),
    ...(evidence !== undefined && { evidence }),
    ...(extra && { extra }),
  };
}

/** Any other status than ours ("pending", "failed") means not yet met, and is kept as it was found. */
function knownKeys(hasStatus: boolean): string[] {
  return ['id', 'description', 'verify', 'evidence', ...(hasStatus ? ['status'] : [])];
}

function readVerify(reading: Reading, item: JsonMap, path: Path): string[] {
  const value = item['verify'] ?? [];
  const entries = isList(value) ? value : [value];
  return entries.flatMap((entry, index) => {
    if (entry === null || entry === '') return [];
    const text = textOf(entry);
    if (text === undefined) throw wrong(reading, [...path, 'verify', index], entry, 'a text such as "cmd: npm test"');
    return [text.trim()];
  });
}

/** `ac_1` and `AC1` are AC-001; ids of other kinds stay as they are. */
function canonicalId(said: string): string {
  const number = /^ac[-_ ]?(\d{1,6})$/i.exec(said.trim())?.[1];
  return number === undefined ? said.trim() : `AC-${number.padStart(3, '0')}`;
}

function nextId(ids: readonly string[]): string {
  const numbers = ids.map((id) => Number(/^AC-(\d+)$/.exec(id)?.[1] ?? 0));
  return `AC-${String(numbers.reduce((max, n) => Math.max(max, n), 0) + 1).padStart(3, '0')}`;
}

function wrong({ file, lines }: Reading, path: Path, value: Json | undefined, expected: string): DocumentError {
  const problem =
    value === undefined ? `${nameOf(path)} is missing` : `${nameOf(path) || 'the file'} is ${shown(value)}`;
  return new DocumentError({ file, line: lines.lineOf(path) }, problem, expected);
}
