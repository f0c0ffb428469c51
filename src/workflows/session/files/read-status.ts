/**
 * Reads `status.json`, also as older or sloppier tools have left it.
 *
 * S1. A file is either read or refused with a DocumentError; nothing else is thrown.
 * S2. What was put right is told in `repairs`; keys Pawl does not know are kept in `extra`.
 * S3. What comes out keeps the rules of `writeStatus`: pending decisions have no answer, answered ones have one,
 *     cancelled ones have a reason, and none belongs to ASK_USER.
 */

import { readJsonLines } from '../../../documents/json-lines.ts';
import { documentError, inFile } from '../../../documents/read-document.ts';
import { optional, orNull, prepared, table } from '../../../schema/compound.ts';
import { ifFits } from '../../../schema/lenient.ts';
import { nearest } from '../../../schema/nearest.ts';
import {
  check,
  inside,
  leaf,
  nameOf,
  refuse,
  schema,
  unlessRefused,
  warn,
  wrong,
  type Schema,
  type Spot,
} from '../../../schema/schema.ts';
import { word } from '../../../schema/simple.ts';
import { findWord, isRecord, shown } from '../../../schema/values.ts';
import { isSessionId } from './paths.ts';
import { decisionsSchema, extraOf, textOf, timeOf } from './read-decisions.ts';
import {
  ciResults,
  correctionStatuses,
  isMap,
  modes,
  phases,
  repairKinds,
  type Context,
  type JsonMap,
  type Phase,
  type RepairKind,
  type Status,
} from './status-file.ts';

export interface ReadStatus {
  readonly status: Status;
  /** What was put right, a sentence each. */
  readonly repairs: readonly string[];
}

export interface ReadStatusOptions {
  /** Where a decision belongs that does not say so, when the session itself rests in ASK_USER. */
  readonly inferContext?: Context;
}

export function readStatus(text: string, file: string, options: ReadStatusOptions = {}): ReadStatus {
  const lines = readJsonLines(text, file);
  const read = check(statusSchema(file, options), lines.value, { unknownKeys: 'ignored' });
  if ('mistakes' in read) throw documentError(read.mistakes, inFile(file, lines.lineOf));
  const repeated = lines
    .repeatedKeys()
    .map((key) => `${key} stands there more than once; the last one counts, the others are dropped.`);
  return { status: read.value, repairs: [...repeated, ...read.warnings.map(({ problem = '' }) => problem)] };
}

/** The state and the time come first: what else is missing follows from them. */
function statusSchema(file: string, { inferContext = 'INTAKE' }: ReadStatusOptions): Schema<Status> {
  return schema((map, at) => {
    if (!isMap(map)) return refuse(at, map, 'an object with current_state');
    const head = table({ current_state: readAs('current_state', phase), last_update: lastUpdate(map) }).read(map, at);
    if (head === wrong) return wrong;
    const { current_state: state, last_update: time } = head;
    const context = state === 'ASK_USER' ? inferContext : state;
    const body = table({
      session: sessionName(file),
      mode: modeIn(state),
      assumptions: sentences('assumptions'),
      user_decisions: unlessMissing('user_decisions', [], decisionsSchema({ context, lastUpdate: time })),
      gate_tracking: unlessMissing('gate_tracking', {}, gates),
      runtime_flags: runtimeFlags,
      retry_counts: unlessMissing('retry_counts', {}, retryCounts),
      known_issues: sentences('known_issues'),
      last_ci_result: ciResult,
    }).read(map, at);
    if (body === wrong) return wrong;
    const extra = extraOf(map, [...Object.keys(head), ...Object.keys(body)]);
    return { ...head, ...body, ...(extra && { extra }) };
  });
}

/** Says so where something is read as something else than it is. */
function readAs<T>(name: string, inner: Schema<T>): Schema<T> {
  return schema((value, at) => {
    const read = inner.read(value, at);
    if (read !== wrong && read !== value) warn(at, `${name} ${shown(value)} is read as ${String(read)}.`);
    return read;
  });
}

function unlessMissing<T>(name: string, empty: T, inner: Schema<T>): Schema<T> {
  return schema((value, at) => {
    if (value !== undefined && value !== null) return inner.read(value, at);
    warn(at, `${name} is missing; taken to be empty.`);
    return empty;
  });
}

const phase = schema<Phase>((value, at) => {
  const found = findWord(value, phases);
  if (found !== undefined) return found;
  const near = typeof value === 'string' ? nearest(value, phases) : undefined;
  const expected = near === undefined ? `one of ${phases.join(', ')}` : `one of the states; did you mean ${near}?`;
  return refuse(at, value, expected);
});

function lastUpdate(map: JsonMap): Schema<string> {
  return schema((value, at) => {
    const said = timeOf(value);
    if (said !== undefined) return said;
    const decisions = Array.isArray(map['user_decisions']) ? map['user_decisions'].filter(isMap) : [];
    const times = decisions.flatMap((each) => [timeOf(each['resolved_at']) ?? [], timeOf(each['asked_at']) ?? []]);
    const latest = times.flat().toSorted().at(-1) ?? '1970-01-01T00:00:00.000Z';
    warn(at, `last_update is ${shown(value)}; taken to be ${latest}.`);
    return latest;
  });
}

function sessionName(file: string): Schema<string> {
  return schema((value, at) => {
    const said = textOf(value)?.trim().replace(/\/+$/, '').split('/').at(-1);
    if (said !== undefined && isSessionId(said)) {
      if (said !== value) warn(at, `session ${shown(value)} is read as ${said}.`);
      return said;
    }
    const folder = file.split('/').at(-2) ?? '';
    if (!isSessionId(folder)) return refuse(at, value, 'the name of the session, such as 2026-05-01_csv-export');
    warn(at, `session is ${shown(value)}; taken from its folder: ${folder}.`);
    return folder;
  });
}

const saidMode = readAs(
  'mode',
  prepared((value) => (typeof value === 'string' ? value.replace(/[\s_-]*mode$/i, '') : value), word(modes)),
);

function modeIn(state: Phase): Schema<Status['mode']> {
  return schema((value, at) => {
    if (value !== undefined && value !== null && value !== '') return saidMode.read(value, at);
    const mode = state === 'INTAKE_LEAN' ? 'lean' : 'full';
    warn(at, `mode is missing; taken to be ${mode}.`);
    return mode;
  });
}

/** A list of sentences; one sentence, or things with other shapes, become such a list. */
function sentences(key: string): Schema<readonly string[]> {
  const texts = schema<readonly string[]>((value, at) => {
    if (Array.isArray(value) && value.every((item) => typeof item === 'string')) return value;
    warn(at, `${key} is not a list of texts; its content is kept as texts.`);
    const items: readonly unknown[] = Array.isArray(value) ? value : [value];
    return items.map((item) => textOf(item) ?? JSON.stringify(item)).filter((item) => item.trim() !== '');
  });
  return unlessMissing(key, [], texts);
}

const correctionStatus = readAs(
  'correction_status',
  prepared((value) => value ?? 'none', word(correctionStatuses)),
);
const gate = table(
  { correction_status: correctionStatus, last_correction_dispatch: orNull(ifFits(leaf('a text', textOf))) },
  { expected: 'an object with correction_status' },
);
const gates: Schema<Status['gate_tracking']> = table(
  { APPROVE_DESIGN: optional(gate) },
  { expected: 'an object with one entry per gate' },
);

const runtimeFlags = schema<Status['runtime_flags']>((value, at) => {
  const flags = isRecord(value) ? value : {};
  const exists = flags['copilot_instructions_exists'];
  const checked = textOf(flags['copilot_checked_at']);
  if (typeof exists === 'boolean' && (checked !== undefined || flags['copilot_checked_at'] === null)) {
    return { copilot_instructions_exists: exists, copilot_checked_at: checked ?? null };
  }
  warn(at, 'runtime_flags are missing or incomplete; they are to be detected again.');
  return { copilot_instructions_exists: exists === true, copilot_checked_at: null };
});

const ciResult = schema<Status['last_ci_result']>((value, at) => {
  const said = typeof value === 'string' ? value.trim().toLowerCase() : '';
  const meant = /^(?:pass(?:ed)?|success)$/.test(said) ? 'green' : /^fail(?:ed|ure)?$/.test(said) ? 'red' : 'unknown';
  const result = findWord(said, ciResults) ?? meant;
  if (result !== value) warn(at, `last_ci_result is ${shown(value)}; taken to be ${result}.`);
  return result;
});

type Counts = Partial<Record<RepairKind, number>>;

/** In doubt more attempts count as spent, never fewer. */
const retryCounts = schema<Status['retry_counts']>((value, at) => {
  if (!isRecord(value)) return refuse(at, value, 'an object with one entry per task');
  return unlessRefused(at, () => {
    const counts = new Map<string, Counts>();
    for (const [task, spent] of Object.entries(value)) {
      const kind = kindOf(task);
      const scope = kind === undefined ? task : 'meta';
      counts.set(scope, larger(counts.get(scope) ?? {}, countsOf(spent, kind, inside(at, task))));
    }
    return Object.fromEntries(counts);
  });
});

/** `kind`: where it stands in the place of a task. */
function countsOf(spent: unknown, kind: RepairKind | undefined, at: Spot): Counts {
  const name = nameOf(at.path);
  if (kind !== undefined) {
    warn(at, `${name} names no task; counted for the whole session ("meta").`);
    return { [kind]: countOf(spent, at) };
  }
  if (isRecord(spent))
    return Object.entries(spent).reduce(
      (sum: Counts, [word, value]) => larger(sum, countOfKind(word, value, inside(at, word))),
      {},
    );
  const count = countOf(spent, at);
  warn(at, `${name} names no kind; ${count} is counted for each of them.`);
  return Object.fromEntries(repairKinds.map((each) => [each, count]));
}

function countOfKind(said: string, value: unknown, at: Spot): Counts {
  const kind = kindOf(said);
  const name = nameOf(at.path);
  if (kind === undefined) {
    warn(at, `${name} (${shown(value)}) is no repair loop; left out.`);
    return {};
  }
  if (kind !== said) warn(at, `${name} is read as ${kind}.`);
  return { [kind]: countOf(value, at) };
}

const attemptsMax = 1_000_000;

function countOf(value: unknown, at: Spot): number {
  const count = typeof value === 'string' && /^\d{1,7}$/.test(value.trim()) ? Number(value) : (value ?? 0);
  if (typeof count !== 'number' || !Number.isInteger(count) || count < 0 || count > attemptsMax) {
    refuse(at, value, 'a whole number of attempts, 0 or more');
    return 0;
  }
  if (count !== value) warn(at, `${nameOf(at.path)} ${shown(value)} is read as ${count}.`);
  return count;
}

function kindOf(said: string): RepairKind | undefined {
  const folded = said.toUpperCase().replaceAll('-', '_');
  return repairKinds.find((kind) => kind === folded || kind === `FIX_${folded}`);
}

function larger(one: Counts, other: Counts): Counts {
  const kinds = repairKinds.filter((kind) => kind in one || kind in other);
  return Object.fromEntries(kinds.map((kind) => [kind, Math.max(one[kind] ?? 0, other[kind] ?? 0)]));
}
