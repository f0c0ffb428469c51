/**
 * What lists and status show of a state file, as far as possible without loading a YAML parser.
 *
 * Q1. Of a valid file `scanState` returns what a YAML parser reads from the same keys.
 * Q2. Whatever is not plain at the top level is `undefined`, never a guess; what is wrong deeper down is not seen here.
 */

import { findWord, isRecord } from '../../schema/values.ts';
import { parseSimpleYaml } from '../../documents/simple-yaml.ts';
import { phases, type Phase } from '../../workflows/change/phases.ts';
import { detached } from '../quick-reading.ts';

export interface StateHead {
  readonly phase: Phase;
  readonly verdict: string | null;
  readonly iteration: number | null;
  readonly updatedAt: string | null;
}

/** Character by character where it can, because lists have ten thousand of these files to read. */
export function scanState(text: string): StateHead | undefined {
  const found: Found = {};
  let mayNest = false;
  for (let start = 0, end = 0; start < text.length; start = end + 1) {
    end = text.indexOf('\n', start);
    if (end === -1) end = text.length;
    const first = text.charCodeAt(start);
    if (start === end || first === HASH) continue;
    if (first === SPACE || (first === DASH && isItem(text, start, end))) {
      if (!mayNest) return undefined;
      continue;
    }
    if (!isOrdinary(text, start, end)) return undefined;
    const key = wantedKey(text, start);
    mayNest = key === undefined && text.charCodeAt(end - 1) === COLON;
    if (key === undefined) continue;
    const value = scalarOf(text.slice(start + key.length + 1, end));
    if (value === undefined || found[key] !== undefined) return undefined;
    found[key] = typeof value === 'string' ? detached(value) : value;
  }
  return stateHead(found);
}

interface Found {
  phase?: string | number | null;
  verdict?: string | number | null;
  iteration?: string | number | null;
  updated_at?: string | number | null;
}

export interface StateText extends StateHead {
  /** Path → {hash, validated_at}, as it stands there. */
  readonly checksums: unknown;
}

/** The whole file; what is wrong with it is a DocumentError that names the line. */
export async function readState(text: string, file: string): Promise<StateText> {
  const value = parseSimpleYaml(text) ?? (await import('../../documents/yaml.ts')).parseYaml(text, { file, line: 1 });
  const head = isRecord(value) ? stateHead(value) : undefined;
  if (isRecord(value) && head) return { ...head, checksums: value['checksums'] };
  const { identify } = await import('../../workflows/change/state-file.ts');
  return { ...identify(text, file), verdict: null, iteration: null, checksums: null };
}

/** Undefined when one of the keys is not what it should be. */
function stateHead(value: { readonly [K in keyof Found]: unknown }): StateHead | undefined {
  const phase = phases.find((word) => word === value.phase) ?? findWord(value.phase, phases);
  const { verdict = null, iteration = null, updated_at: updatedAt = null } = value;
  if (phase === undefined) return undefined;
  if (verdict !== null && typeof verdict !== 'string') return undefined;
  if (iteration !== null && typeof iteration !== 'number') return undefined;
  if (updatedAt !== null && typeof updatedAt !== 'string') return undefined;
  return { phase, verdict, iteration, updatedAt };
}

const SPACE = 32;
const QUOTE = 34;
const HASH = 35;
const DASH = 45;
const COLON = 58;
const OPEN_BRACKET = 91;
const OPEN_BRACE = 123;

function isItem(text: string, start: number, end: number): boolean {
  return start + 1 === end || text.charCodeAt(start + 1) === SPACE;
}

/** A key, alone or with a value that is plain and ends on its line. */
function isOrdinary(text: string, start: number, end: number): boolean {
  const colon = text.indexOf(':', start);
  if (colon === -1 || colon >= end || !isWordCharacter(text.charCodeAt(start))) return false;
  if (colon + 1 === end) return true;
  if (text.charCodeAt(colon + 1) !== SPACE) return false;
  const value = colon + 2;
  switch (text.charCodeAt(value)) {
    case QUOTE:
      return text.indexOf('"', value + 1) === end - 1;
    case OPEN_BRACKET:
      return value + 2 === end && text.endsWith(']', end);
    case OPEN_BRACE:
      return value + 2 === end && text.endsWith('}', end);
    default: {
      const another = text.indexOf(': ', value);
      return isWordCharacter(text.charCodeAt(value)) && (another === -1 || another > end);
    }
  }
}

function isWordCharacter(code: number): boolean {
  return (code >= 97 && code <= 122) || (code >= 48 && code <= 57) || (code >= 65 && code <= 90) || code === 95;
}

function wantedKey(text: string, start: number): keyof Found | undefined {
  if (text.startsWith('phase:', start)) return 'phase';
  if (text.startsWith('updated_at:', start)) return 'updated_at';
  if (text.startsWith('verdict:', start)) return 'verdict';
  return text.startsWith('iteration:', start) ? 'iteration' : undefined;
}

/** Undefined where it takes a parser to tell what is meant. */
function scalarOf(source: string): string | number | null | undefined {
  const text = source.trim();
  if (text === '' || text === 'null') return null;
  if (WHOLE.test(text)) return Number(text);
  return PLAIN.test(text) ? text : QUOTED.exec(text)?.[1];
}

const WHOLE = /^(?:0|[1-9]\d{0,8})$/;
/** A word that is not YAML's word for something else, or a time. */
const PLAIN = /^(?!(?:null|true|false)$)(?:[a-z_]|\d{4}-\d\d-\d\dT)[\w.+-]*(?::[\w.+-]+)*$/i;
const QUOTED = /^"([ !#-[\]-~]*)"$/;
