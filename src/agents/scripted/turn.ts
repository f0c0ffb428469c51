/**
 * One turn of a script: what the scripted agent does in one dispatch.
 *
 * A turn keeps the spelling of the script, so that one parser reads it at both borders:
 * from the YAML a person wrote, and from the file it is handed over to the executable in.
 */

import { DocumentError } from '../../documents/document-error.ts';
import { isRecord } from '../../documents/fields.ts';
import { nearest } from '../../documents/nearest.ts';

export interface Turn {
  readonly role: string;
  /** Only for dispatches of this step. */
  readonly step?: string;
  readonly sleep_ms?: number;
  /** Path in the workspace → its content; `null` deletes. */
  readonly write?: Readonly<Record<string, string | null>>;
  /** Commands to run in the workspace, without a shell. */
  readonly run?: readonly string[];
  readonly call?: readonly TurnCall[];
  readonly say?: string;
  readonly usage?: TurnUsage;
  readonly fault?: TurnFault;
  /** What the prompt has to contain, or the turn fails loudly. */
  readonly expect_prompt?: readonly string[];
}

export interface TurnCall {
  readonly tool: string;
  readonly args: Readonly<Record<string, unknown>>;
}

export interface TurnUsage {
  readonly input_tokens?: number;
  readonly output_tokens?: number;
  readonly cost_usd?: number;
}

const namedFaults = ['hang', 'crash', 'epipe', 'garbage', 'no_report', 'rate_limited'] as const;
/** `rate_limited:` is followed by the seconds until it ends, or by the time. */
export type TurnFault = (typeof namedFaults)[number] | `exit:${number}` | `rate_limited:${string}`;

/** `number` counts from 1, as a person counts the turns of the file. */
export function parseTurn(value: unknown, { file, number }: { readonly file: string; readonly number: number }): Turn {
  try {
    return readTurn(value);
  } catch (error) {
    if (!(error instanceof Mistake)) throw error;
    throw new DocumentError({ file, line: null }, `turn ${number}: ${error.message}`, error.expected);
  }
}

class Mistake extends Error {
  readonly expected: string;

  constructor(problem: string, expected: string) {
    super(problem);
    this.expected = expected;
  }
}

const sleepMsMax = 600_000;

function readTurn(value: unknown): Turn {
  const turn = readMap(value, 'the turn', [
    'role',
    'step',
    'call',
    'write',
    'run',
    'say',
    'usage',
    'sleep_ms',
    'fault',
    'expect_prompt',
  ]);
  return {
    role: readText(turn['role'], 'role'),
    ...given(turn, 'step', readText),
    ...given(turn, 'sleep_ms', (ms, name) => readNumber(ms, name, sleepMsMax)),
    ...given(turn, 'write', readWrites),
    ...given(turn, 'run', (commands, name) => readList(commands, name, readText)),
    ...given(turn, 'call', (calls, name) => readList(calls, name, readCall)),
    ...given(turn, 'say', readText),
    ...given(turn, 'usage', readUsage),
    ...given(turn, 'fault', readFault),
    ...given(turn, 'expect_prompt', (parts, name) => readList(parts, name, readText)),
  };
}

type Reader<T> = (value: unknown, name: string) => T;

/** The parsed key, or nothing at all where the map lacks it. */
function given<K extends string, T>(map: Readonly<Record<string, unknown>>, key: K, read: Reader<T>): { [P in K]?: T } {
  const parsed: { [P in K]?: T } = {};
  if (map[key] !== undefined) parsed[key] = read(map[key], key);
  return parsed;
}

function readMap(value: unknown, name: string, known: readonly string[] | null): Record<string, unknown> {
  if (!isRecord(value)) throw new Mistake(`${name} is ${shown(value)}`, 'a map of keys and values');
  for (const key of known === null ? [] : Object.keys(value)) {
    if (known?.includes(key)) continue;
    const near = nearest(key, known ?? []);
    const expected = near === undefined ? `one of ${known?.join(', ')}` : `"${near}"`;
    throw new Mistake(`${name} has the unknown key "${key}"`, expected);
  }
  return value;
}

function readText(value: unknown, name: string): string {
  if (typeof value === 'string' && value !== '') return value;
  throw new Mistake(`${name} is ${shown(value)}`, 'a text that is not empty');
}

function readNumber(value: unknown, name: string, max = Number.MAX_SAFE_INTEGER): number {
  if (typeof value === 'number' && value >= 0 && value <= max) return value;
  throw new Mistake(`${name} is ${shown(value)}`, `a number from 0 to ${max}`);
}

function readList<T>(value: unknown, name: string, read: Reader<T>): T[] {
  if (!Array.isArray(value)) throw new Mistake(`${name} is ${shown(value)}`, 'a list');
  return value.map((item: unknown, index) => read(item, `${name}[${index + 1}]`));
}

function readWrites(value: unknown, name: string): Record<string, string | null> {
  const writes: Record<string, string | null> = {};
  for (const [path, content] of Object.entries(readMap(value, name, null))) {
    if (typeof content !== 'string' && content !== null) {
      throw new Mistake(`${name} "${path}" is ${shown(content)}`, 'the text of the file, or null to delete it');
    }
    writes[path] = content;
  }
  return writes;
}

function readCall(value: unknown, name: string): TurnCall {
  const call = readMap(value, name, ['tool', 'args']);
  const args = call['args'] ?? {};
  return { tool: readText(call['tool'], `${name} tool`), args: readMap(args, `${name} args`, null) };
}

function readUsage(value: unknown, name: string): TurnUsage {
  const usage = readMap(value, name, ['input_tokens', 'output_tokens', 'cost_usd']);
  return {
    ...given(usage, 'input_tokens', readNumber),
    ...given(usage, 'output_tokens', readNumber),
    ...given(usage, 'cost_usd', readNumber),
  };
}

const exitCodeMax = 255;

function readFault(value: unknown, name: string): TurnFault {
  const named = namedFaults.find((fault) => fault === value);
  if (named !== undefined) return named;
  const code = typeof value === 'string' ? /^exit:(\d{1,3})$/.exec(value)?.[1] : undefined;
  if (code !== undefined && Number(code) <= exitCodeMax) return `exit:${Number(code)}`;
  const reset = typeof value === 'string' ? /^rate_limited:(.+)$/.exec(value)?.[1] : undefined;
  if (reset !== undefined && (SECONDS.test(reset) || (TIME.test(reset) && !Number.isNaN(Date.parse(reset)))))
    return `rate_limited:${reset}`;
  throw new Mistake(
    `${name} is ${shown(value)}`,
    `one of ${namedFaults.join(', ')}, exit:<0 to ${exitCodeMax}>, rate_limited:<seconds or ISO time>`,
  );
}

const SECONDS = /^\d{1,7}$/;
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?Z$/;

/** When the rate limit of a turn ends; null when the turn does not say. */
export function limitEnd(fault: TurnFault, nowMs: number): string | null {
  const reset = /^rate_limited:(.+)$/.exec(fault)?.[1];
  if (reset === undefined) return null;
  return new Date(SECONDS.test(reset) ? nowMs + Number(reset) * 1_000 : Date.parse(reset)).toISOString();
}

const shownCharsMax = 60;

function shown(value: unknown): string {
  if (value === undefined) return 'missing';
  const text = JSON.stringify(value);
  return text.length > shownCharsMax ? `${text.slice(0, shownCharsMax)}…` : text;
}
