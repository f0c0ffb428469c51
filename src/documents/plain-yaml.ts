/**
 * Writes and edits simple values as YAML, without the `yaml` package: the state file is written at every rest of a run.
 *
 * P1. What it returns is, byte for byte, what `yaml` writes with the options of `yaml-edit.ts`.
 * P2. Whatever needs thought (quotes, line breaks, odd keys, words with a meaning) is `undefined`, never a guess.
 */

import { isRecord, sameValue } from '../schema/values.ts';
import { parseSimpleYaml } from './simple-yaml.ts';

export type Values = Readonly<Record<string, unknown>>;

/** A file that nobody but Pawl has written is rendered anew, which takes a hundredth of the time; else undefined. */
export function editOwn(before: string, updates: Values): string | undefined {
  const old = before === '' ? {} : parseSimpleYaml(before);
  if (!isRecord(old) || plainYaml(old) !== before) return undefined;
  const wanted = applyUpdates(old, updates);
  return plainYaml(Object.fromEntries(Object.entries(wanted).map(([key, value]) => [key, inOrder(old[key], value)])));
}

/** The wanted value, with what is already there in the order in which it stands there (E2 of yaml-edit.ts). */
function inOrder(old: unknown, wanted: unknown): unknown {
  if (!isRecord(old) || !isRecord(wanted)) return sameValue(old, wanted) ? old : wanted;
  const keys = [...new Set([...Object.keys(old), ...Object.keys(wanted)])].filter((key) => Object.hasOwn(wanted, key));
  return Object.fromEntries(keys.map((key) => [key, inOrder(old[key], wanted[key])]));
}

/** Key order: as in the file, new keys behind, in the order given. */
export function applyUpdates(old: Values, updates: Values): Values {
  const wanted = new Map(Object.entries(old));
  for (const [key, value] of Object.entries(updates)) {
    if (value === undefined) wanted.delete(key);
    // What YAML can hold of a value: nested `undefined` is left out, a Date is its ISO text.
    else wanted.set(key, JSON.parse(JSON.stringify(value)));
  }
  return Object.fromEntries(wanted);
}

export function plainYaml(map: Values): string | undefined {
  const lines: string[] = [];
  if (!writeMap(lines, map, '')) return undefined;
  return lines.length === 0 ? '' : `${lines.join('\n')}\n`;
}

/** Each of these is false when something cannot be written; the lines are then of no use. */
function writeMap(lines: string[], map: Values, pad: string): boolean {
  for (const key of Object.keys(map)) {
    if (!PLAIN_KEY.test(key) || RESERVED.test(key)) return false;
    const value = map[key];
    const scalar = scalarText(value);
    if (scalar !== undefined) lines.push(`${pad}${key}: ${scalar}`);
    else {
      lines.push(`${pad}${key}:`);
      if (!writeNested(lines, value, `${pad}  `)) return false;
    }
  }
  return true;
}

function writeNested(lines: string[], value: unknown, pad: string): boolean {
  if (isRecord(value)) return writeMap(lines, value, pad);
  return Array.isArray(value) && value.every((item: unknown) => writeItem(lines, item, pad));
}

function writeItem(lines: string[], item: unknown, pad: string): boolean {
  const scalar = scalarText(item);
  if (scalar !== undefined) {
    lines.push(`${pad}- ${scalar}`);
    return true;
  }
  const first = lines.length;
  if (!isRecord(item) || !writeMap(lines, item, `${pad}  `)) return false;
  lines[first] = `${pad}- ${lines[first]?.slice(pad.length + 2) ?? ''}`;
  return true;
}

const PLAIN_KEY = /^[A-Za-z][\w./-]{0,255}$/;
/** Words, and digests such as `sha256:00ff`; a letter in front keeps it from being a number or a date. */
const PLAIN = /^[A-Za-z](?:[\w./-]| (?=[A-Za-z])|:(?=[A-Za-z0-9]))*$/;
/** YAML 1.1 has more words with a meaning than 1.2, and takes `e1` for a number. */
const RESERVED = /^(?:true|false|null|yes|no|on|off|y|n|e-?\d+)$/i;
/** YAML 1.1 takes these for dates and numbers. */
const QUOTED = /^(?:\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{3})?Z|\d{1,9}\.\d{1,9})$/;
const NUMBER = /^-?(?:0|[1-9]\d{0,14})(?:\.\d{1,9})?$/;

/** What ends on the line of its key; undefined for the rest. */
function scalarText(value: unknown): string | undefined {
  if (typeof value === 'string') {
    if (PLAIN.test(value)) return RESERVED.test(value) ? undefined : value;
    return QUOTED.test(value) ? `"${value}"` : undefined;
  }
  if (typeof value === 'number') return NUMBER.test(String(value)) && !Object.is(value, -0) ? String(value) : undefined;
  if (value === null || typeof value === 'boolean') return String(value);
  if (Array.isArray(value)) return value.length === 0 ? '[]' : undefined;
  return isRecord(value) && Object.keys(value).length === 0 ? '{}' : undefined;
}
