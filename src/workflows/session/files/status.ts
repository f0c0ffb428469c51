/**
 * Reads `status.json`, also as older or sloppier tools have left it.
 *
 * S1. A file is either read or refused with a DocumentError; nothing else is thrown.
 * S2. What was put right is told in `repairs`; keys Pawl does not know are kept in `extra`.
 * S3. What comes out keeps the rules of `writeStatus`: pending decisions have no answer, answered ones have one,
 *     cancelled ones have a reason, and none belongs to ASK_USER.
 */

import { documentError, inFile } from '../../../documents/read-document.ts';
import { optional, orNull, prepared, table } from '../../../schema/compound.ts';
import { ifFits } from '../../../schema/lenient.ts';
import { nearest } from '../../../schema/nearest.ts';
import { check, leaf, refuse, schema, warn, wrong, type Schema } from '../../../schema/schema.ts';
import { word } from '../../../schema/simple.ts';
import { findWord, isRecord, shown } from '../../../schema/values.ts';
import { isList, isMap, readJsonLines, type JsonMap } from './json-lines.ts';
import { isSessionId } from './paths.ts';
import { decisionsSchema } from './read-decisions.ts';
import { retryCounts } from './read-retry-counts.ts';
import { extraOf, readAs, textOf, timeOf } from './status-reading.ts';
import {
  ciResults,
  correctionStatuses,
  modes,
  phases,
  type Context,
  type GateTracking,
  type Phase,
  type RuntimeFlags,
  type Status,
} from './status-shape.ts';

export {
  pendingDecisions,
  phases,
  type Context,
  type Phase,
  type RepairKind,
  type Status,
  type UserDecision,
} from './status-shape.ts';
export { writeStatus } from './write-status.ts';

export interface ReadStatus {
  readonly status: Status;
  /** What was put right, a sentence each. */
  readonly repairs: readonly string[];
}

export interface ReadStatusOptions {
  /** Where a decision belongs that does not say so, when the session itself rests in ASK_USER. */
  readonly inferContext?: Context;
}

export const statusKeys = [
  'current_state',
  'session',
  'mode',
  'assumptions',
  'user_decisions',
  'gate_tracking',
  'runtime_flags',
  'retry_counts',
  'known_issues',
  'last_ci_result',
  'last_update',
] as const;

export function readStatus(text: string, file: string, options: ReadStatusOptions = {}): ReadStatus {
  const lines = readJsonLines(text, file);
  const read = check(statusSchema(file, options), lines.value, { unknownKeys: 'ignored' });
  if ('mistakes' in read)
    throw documentError(
      read.mistakes,
      inFile(file, (path) => lines.lineOf(path)),
    );
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
      user_decisions: decisionsSchema({ context, lastUpdate: time }),
      gate_tracking: gateTracking,
      runtime_flags: runtimeFlags,
      retry_counts: retryCounts,
      known_issues: sentences('known_issues'),
      last_ci_result: ciResult,
    }).read(map, at);
    if (body === wrong) return wrong;
    const extra = extraOf(map, statusKeys);
    return { ...head, ...body, ...(extra && { extra }) };
  });
}

const phase = schema<Phase>((value, at) => {
  const found = findWord(value, phases);
  if (found !== undefined) return found;
  const near = typeof value === 'string' ? nearest(value, phases) : undefined;
  const expected = near === undefined ? `one of ${phases.join(', ')}` : `one of the states; did you mean ${near}?`;
  return refuse(at, value, expected);
});

const neverUpdated = '1970-01-01T00:00:00.000Z';

function lastUpdate(map: JsonMap): Schema<string> {
  return schema((value, at) => {
    const said = timeOf(value);
    if (said !== undefined) return said;
    const decisions = isList(map['user_decisions']) ? map['user_decisions'].filter(isMap) : [];
    const times = decisions.flatMap((each) => [timeOf(each['resolved_at']), timeOf(each['asked_at'])]);
    const latest =
      times
        .filter((time) => time !== undefined)
        .toSorted()
        .at(-1) ?? neverUpdated;
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
  return schema((value, at) => {
    if (Array.isArray(value) && value.every((item) => typeof item === 'string')) return value;
    if (value === undefined || value === null) {
      warn(at, `${key} is missing; taken to be empty.`);
      return [];
    }
    warn(at, `${key} is not a list of texts; its content is kept as texts.`);
    const items: readonly unknown[] = Array.isArray(value) ? value : [value];
    return items.map((item) => textOf(item) ?? JSON.stringify(item)).filter((item) => item.trim() !== '');
  });
}

const correctionStatus = readAs(
  'correction_status',
  prepared((value) => value ?? 'none', word(correctionStatuses)),
);

const gateTracking = schema<GateTracking>((value, at) => {
  if (value !== undefined && value !== null) return gates.read(value, at);
  warn(at, 'gate_tracking is missing; taken to be empty.');
  return {};
});

const gates = table(
  {
    APPROVE_DESIGN: optional(
      table(
        { correction_status: correctionStatus, last_correction_dispatch: orNull(ifFits(leaf('a text', textOf))) },
        { expected: 'an object with correction_status' },
      ),
    ),
  },
  { expected: 'an object with one entry per gate' },
);

const runtimeFlags = schema<RuntimeFlags>((value, at) => {
  const flags = isRecord(value) ? value : {};
  const exists = flags['copilot_instructions_exists'];
  const checked = textOf(flags['copilot_checked_at']);
  if (typeof exists === 'boolean' && (checked !== undefined || flags['copilot_checked_at'] === null)) {
    return { copilot_instructions_exists: exists, copilot_checked_at: checked ?? null };
  }
  warn(at, 'runtime_flags are missing or incomplete; they are to be detected again.');
  return { copilot_instructions_exists: exists === true, copilot_checked_at: null };
});

const CI_WORDS = new Map<string, Status['last_ci_result']>([
  ['pass', 'green'],
  ['passed', 'green'],
  ['success', 'green'],
  ['fail', 'red'],
  ['failed', 'red'],
  ['failure', 'red'],
]);

const ciResult = schema<Status['last_ci_result']>((value, at) => {
  const said = typeof value === 'string' ? value.trim().toLowerCase() : '';
  const result = findWord(said, ciResults) ?? CI_WORDS.get(said) ?? 'unknown';
  if (result !== value) warn(at, `last_ci_result is ${shown(value)}; taken to be ${result}.`);
  return result;
});
