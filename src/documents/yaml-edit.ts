/**
 * Changes keys of a YAML file and leaves the rest of its bytes alone.
 *
 * E1. The result reads as the old values with the updates applied.
 * E2. What no update changes keeps its bytes: comments, order, blank lines, quoting.
 * E3. Editing again with the same updates changes nothing.
 */

import type { Document } from 'yaml';
import { DocumentError } from './document-error.ts';
import { isRecord } from '../schema/values.ts';
import { plainYaml } from './plain-yaml.ts';
import { sameValue } from './same-value.ts';
import { parseSimpleYaml } from './simple-yaml.ts';
import { yaml } from './yaml-package.ts';
import { keyOf, splice, WRITE } from './yaml-splice.ts';

export interface YamlEditOptions {
  readonly file: string;
  /** What the text holds, where it was read before. */
  readonly values?: unknown;
}

/** Sets top-level keys; `undefined` deletes one. A new file gets its keys in the order given. */
export function editYaml(
  text: string | undefined,
  updates: Readonly<Record<string, unknown>>,
  options: YamlEditOptions,
): string {
  const before = text ?? '';
  const quick = editOwn(before, updates, options.values);
  if (quick !== undefined) return quick;
  const document = parseMap(before, options.file);
  const old = readValues(document);
  const wanted = applyUpdates(old, updates);
  if (sameValue(old, wanted)) return before;
  const spliced = splice(before, document, wanted);
  return readsAs(spliced, wanted) ? spliced : rewrite(document, updates, { wanted, file: options.file });
}

/** A file that nobody but Pawl has written is rendered anew, which takes a hundredth of the time; else undefined. */
function editOwn(before: string, updates: Readonly<Record<string, unknown>>, values: unknown): string | undefined {
  const old = before === '' ? {} : (values ?? parseSimpleYaml(before));
  if (!isRecord(old) || plainYaml(old) !== before) return undefined;
  const wanted = applyUpdates(old, updates);
  return plainYaml(Object.fromEntries(Object.entries(wanted).map(([key, value]) => [key, inOrder(old[key], value)])));
}

/** The wanted value, with what is already there in the order in which it stands there (E2). */
function inOrder(old: unknown, wanted: unknown): unknown {
  if (!isRecord(old) || !isRecord(wanted)) return sameValue(old, wanted) ? old : wanted;
  const keys = new Set([...Object.keys(old), ...Object.keys(wanted)]);
  const kept = [...keys].filter((key) => Object.hasOwn(wanted, key));
  return Object.fromEntries(kept.map((key) => [key, inOrder(old[key], wanted[key])]));
}

export function parseMap(text: string, file: string): Document {
  const lineCounter = new (yaml().LineCounter)();
  const document = yaml().parseDocument(text, { ...READ, lineCounter });
  const [error] = document.errors;
  if (error) {
    const { line } = lineCounter.linePos(error.pos[0]);
    throw new DocumentError({ file, line: Math.max(line, 1) }, error.message, 'valid YAML', { cause: error });
  }
  const { contents } = document;
  if (contents !== null && !yaml().isMap(contents) && !(yaml().isScalar(contents) && contents.value === null)) {
    throw new DocumentError({ file, line: 1 }, 'the file is not a map', 'keys and values');
  }
  return document;
}

const READ = { schema: 'core', prettyErrors: false, logLevel: 'error' } as const;

export function readValues(document: Document): Record<string, unknown> {
  const values: unknown = document.toJS();
  return isRecord(values) ? values : {};
}

/** Key order: as in the file, new keys behind, in the order given. */
function applyUpdates(
  old: Record<string, unknown>,
  updates: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const wanted = new Map(Object.entries(old));
  for (const [key, value] of Object.entries(updates)) {
    if (value === undefined) wanted.delete(key);
    else wanted.set(key, plain(value));
  }
  return Object.fromEntries(wanted);
}

/** What YAML can hold of a value: nested `undefined` is left out, a Date is its ISO text. */
function plain(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}

export function readsAs(text: string, wanted: Record<string, unknown>): boolean {
  const document = yaml().parseDocument(text, READ);
  try {
    return document.errors.length === 0 && sameValue(readValues(document), wanted);
  } catch {
    return false; // An alias whose anchor is gone.
  }
}

/** Anchors, flow maps, explicit keys, document ends: rare enough to let the package write the whole file. */
function rewrite(
  document: Document,
  updates: Readonly<Record<string, unknown>>,
  target: { wanted: Record<string, unknown>; file: string },
): string {
  for (const [key, value] of Object.entries(updates)) {
    const pair = yaml().isMap(document.contents)
      ? document.contents.items.find((item) => keyOf(item) === key)
      : undefined;
    const node = document.createNode(target.wanted[key]);
    if (yaml().isNode(pair?.value)) {
      node.commentBefore = pair.value.commentBefore ?? null;
      node.comment = pair.value.comment ?? null;
    }
    if (value === undefined) document.delete(pair?.key ?? key);
    else document.set(pair?.key ?? key, node);
  }
  let text = '';
  try {
    text = document.toString(WRITE);
  } catch {
    // Told below, with what to do about it.
  }
  if (readsAs(text, target.wanted)) return text;
  throw new DocumentError(
    { file: target.file, line: null },
    `cannot change ${Object.keys(updates).join(', ')}`,
    'no other value to refer to these by an alias',
  );
}
