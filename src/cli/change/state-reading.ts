/**
 * What lists and status show of a state file, as far as possible without loading a YAML parser.
 *
 * Q1. Of a valid file `scanState` returns what a YAML parser reads from the same keys.
 * Q2. Whatever is not plain at the top level is `undefined`, never a guess; what is wrong deeper down is not seen here.
 */

import { findWord, isRecord } from '../../documents/fields.ts';
import { parseSimpleYaml } from '../../documents/simple-yaml.ts';
import { phases, type Phase } from '../../workflows/change/phases.ts';

export interface StateHead {
  readonly phase: Phase;
  readonly verdict: string | null;
  readonly iteration: number | null;
  readonly updatedAt: string | null;
}

export function scanState(text: string): StateHead | undefined {
  const top = topLines(text);
  const value = top === undefined ? undefined : parseSimpleYaml(top);
  return isRecord(value) ? stateHead(value) : undefined;
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
function stateHead(value: Record<string, unknown>): StateHead | undefined {
  const phase = findWord(value['phase'], phases);
  const { verdict = null, iteration = null, updated_at: updatedAt = null } = value;
  if (phase === undefined) return undefined;
  if (verdict !== null && typeof verdict !== 'string') return undefined;
  if (iteration !== null && typeof iteration !== 'number') return undefined;
  if (updatedAt !== null && typeof updatedAt !== 'string') return undefined;
  return { phase, verdict, iteration, updatedAt };
}

const SPACE = 32;
const HASH = 35;
const DASH = 45;
/** Tabs may indent; bytes above ASCII are not decoded here. */
const NOT_PLAIN = /[^\n\x20-\x7e]/;

/** The lines of the top-level keys, with `{}` in place of what is nested below a key. */
function topLines(text: string): string | undefined {
  let top = '';
  let mayNest = false;
  let nests = false;
  for (let start = 0; start < text.length;) {
    const found = text.indexOf('\n', start);
    const end = found === -1 ? text.length : found;
    const first = text.charCodeAt(start);
    if (start < end && (first === SPACE || isItem(text, start, end))) {
      if (!mayNest) return undefined;
      if (!nests) top += ' {}';
      nests = true;
    } else if (start < end && first !== HASH) {
      top += `\n${text.slice(start, end)}`;
      mayNest = top.endsWith(':');
      nests = false;
    }
    start = end + 1;
  }
  return NOT_PLAIN.test(top) ? undefined : top;
}

function isItem(text: string, start: number, end: number): boolean {
  return text.charCodeAt(start) === DASH && (start + 1 === end || text.charCodeAt(start + 1) === SPACE);
}
