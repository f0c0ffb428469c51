/**
 * Reads `status.json`, also as older or sloppier tools have left it.
 *
 * S1. A file is either read or refused with a DocumentError; nothing else is thrown.
 * S2. What was put right is told in `repairs`; keys Pawl does not know are kept in `extra`.
 * S3. What comes out keeps the rules of `writeStatus`: pending decisions have no answer, answered ones have one,
 *     cancelled ones have a reason, and none belongs to ASK_USER.
 */

import { DocumentError } from '../../../documents/document-error.ts';
import { findWord } from '../../../documents/fields.ts';
import { nearest } from '../../../documents/nearest.ts';
import type { Path } from '../../../documents/settings-fields.ts';
import type { Json } from '../../../engine/snapshot.ts';
import { isList, isMap, readJsonLines, type JsonMap } from './json-lines.ts';
import { isSessionId } from './paths.ts';
import { readDecisions } from './read-decisions.ts';
import { readRetryCounts } from './read-retry-counts.ts';
import { extraOf, shown, textOf, timeOf, wrong, type StatusReading } from './status-reading.ts';
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
  const { value: map } = lines;
  if (!isMap(map)) throw new DocumentError({ file, line: 1 }, `found ${shown(map)}`, 'an object with current_state');
  const repairs = lines
    .repeatedKeys()
    .map((key) => `${key} stands there more than once; the last one counts, the others are dropped.`);
  const reading: StatusReading = { file, lines, repairs };
  const current_state = readPhase(reading, map);
  const last_update = readLastUpdate(reading, map);
  const context = current_state === 'ASK_USER' ? (options.inferContext ?? 'INTAKE') : current_state;
  const extra = extraOf(map, statusKeys);
  const status: Status = {
    current_state,
    session: readSession(reading, map),
    mode: readMode(reading, map, current_state),
    assumptions: readTexts(reading, map, 'assumptions'),
    user_decisions: readDecisions(reading, map['user_decisions'], { context, lastUpdate: last_update }),
    gate_tracking: readGates(reading, map['gate_tracking']),
    runtime_flags: readFlags(reading, map['runtime_flags']),
    retry_counts: readRetryCounts(reading, map['retry_counts']),
    known_issues: readTexts(reading, map, 'known_issues'),
    last_ci_result: readCiResult(reading, map),
    last_update,
    ...(extra && { extra }),
  };
  return { status, repairs };
}

function readPhase(reading: StatusReading, map: JsonMap): Phase {
  const value = map['current_state'];
  const phase = findWord(value, phases);
  if (phase === undefined) {
    const near = typeof value === 'string' ? nearest(value, phases) : undefined;
    const expected = near === undefined ? `one of ${phases.join(', ')}` : `one of the states; did you mean ${near}?`;
    throw wrong(reading, ['current_state'], value, expected);
  }
  if (phase !== value) reading.repairs.push(`current_state ${shown(value)} is read as ${phase}.`);
  return phase;
}

const neverUpdated = '1970-01-01T00:00:00.000Z';

function readLastUpdate(reading: StatusReading, map: JsonMap): string {
  const said = timeOf(map['last_update']);
  if (said !== undefined) return said;
  const decisions = isList(map['user_decisions']) ? map['user_decisions'].filter(isMap) : [];
  const times = decisions.flatMap((each) => [timeOf(each['resolved_at']), timeOf(each['asked_at'])]);
  const latest =
    times
      .filter((time) => time !== undefined)
      .toSorted()
      .at(-1) ?? neverUpdated;
  reading.repairs.push(`last_update is ${shown(map['last_update'])}; taken to be ${latest}.`);
  return latest;
}

function readSession(reading: StatusReading, map: JsonMap): string {
  const value = textOf(map['session']);
  const folder = reading.file.split('/').at(-2) ?? '';
  const fromPath = isSessionId(folder) ? folder : undefined;
  const said = value?.trim().replace(/\/+$/, '').split('/').at(-1);
  if (said !== undefined && isSessionId(said)) {
    if (said !== map['session']) reading.repairs.push(`session ${shown(map['session'])} is read as ${said}.`);
    return said;
  }
  if (fromPath === undefined) {
    throw wrong(reading, ['session'], map['session'], 'the name of the session, such as 2026-05-01_csv-export');
  }
  reading.repairs.push(`session is ${shown(map['session'])}; taken from its folder: ${fromPath}.`);
  return fromPath;
}

function readMode(reading: StatusReading, map: JsonMap, phase: Phase): Status['mode'] {
  const value = map['mode'];
  if (value === undefined || value === null || value === '') {
    const mode = phase === 'INTAKE_LEAN' ? 'lean' : 'full';
    reading.repairs.push(`mode is missing; taken to be ${mode}.`);
    return mode;
  }
  const mode = findWord(typeof value === 'string' ? value.replace(/[\s_-]*mode$/i, '') : value, modes);
  if (mode === undefined) throw wrong(reading, ['mode'], value, `one of ${modes.join(', ')}`);
  if (mode !== value) reading.repairs.push(`mode ${shown(value)} is read as ${mode}.`);
  return mode;
}

/** A list of sentences; one sentence, or things with other shapes, become such a list. */
function readTexts(reading: StatusReading, map: JsonMap, key: string): string[] {
  const value = map[key];
  if (isList(value) && value.every((item) => typeof item === 'string')) return [...value];
  if (value === undefined || value === null) {
    reading.repairs.push(`${key} is missing; taken to be empty.`);
    return [];
  }
  reading.repairs.push(`${key} is not a list of texts; its content is kept as texts.`);
  const items = isList(value) ? value : [value];
  return items.map((item) => textOf(item) ?? JSON.stringify(item)).filter((item) => item.trim() !== '');
}

function readGates(reading: StatusReading, value: Json | undefined): GateTracking {
  if (value === undefined || value === null) {
    reading.repairs.push('gate_tracking is missing; taken to be empty.');
    return {};
  }
  if (!isMap(value)) throw wrong(reading, ['gate_tracking'], value, 'an object with one entry per gate');
  const gate = value['APPROVE_DESIGN'];
  if (gate === undefined) return {};
  const path: Path = ['gate_tracking', 'APPROVE_DESIGN'];
  if (!isMap(gate)) throw wrong(reading, path, gate, 'an object with correction_status');
  const said = gate['correction_status'] ?? 'none';
  const correction = findWord(said, correctionStatuses);
  if (correction === undefined) {
    throw wrong(reading, [...path, 'correction_status'], said, `one of ${correctionStatuses.join(', ')}`);
  }
  if (correction !== gate['correction_status']) {
    reading.repairs.push(`correction_status ${shown(gate['correction_status'])} is read as ${correction}.`);
  }
  return {
    APPROVE_DESIGN: {
      correction_status: correction,
      last_correction_dispatch: textOf(gate['last_correction_dispatch']) ?? null,
    },
  };
}

function readFlags(reading: StatusReading, value: Json | undefined): RuntimeFlags {
  const flags = isMap(value) ? value : {};
  const exists = flags['copilot_instructions_exists'];
  const checked = textOf(flags['copilot_checked_at']);
  if (typeof exists === 'boolean' && (checked !== undefined || flags['copilot_checked_at'] === null)) {
    return { copilot_instructions_exists: exists, copilot_checked_at: checked ?? null };
  }
  reading.repairs.push('runtime_flags are missing or incomplete; they are to be detected again.');
  return { copilot_instructions_exists: exists === true, copilot_checked_at: null };
}

const CI_WORDS = new Map<string, Status['last_ci_result']>([
  ['pass', 'green'],
  ['passed', 'green'],
  ['success', 'green'],
  ['fail', 'red'],
  ['failed', 'red'],
  ['failure', 'red'],
]);

function readCiResult(reading: StatusReading, map: JsonMap): Status['last_ci_result'] {
  const value = map['last_ci_result'];
  const word = typeof value === 'string' ? value.trim().toLowerCase() : '';
  const result = findWord(word, ciResults) ?? CI_WORDS.get(word) ?? 'unknown';
  if (result !== value) reading.repairs.push(`last_ci_result is ${shown(value)}; taken to be ${result}.`);
  return result;
}
