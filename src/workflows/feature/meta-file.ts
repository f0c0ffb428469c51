/**
 * `.meta.json`: the state of a feature, as Pawl, the plugin it comes from, and people write it.
 *
 * M1. Missing fields have defaults; values that do not fit are repaired, and `repairs` tells of each.
 * M2. A write changes what Pawl knows; every other key stays as it is.
 */

import { DocumentError } from '../../documents/document-error.ts';
import { readJsonLines } from '../../documents/json-lines.ts';
import { orNull, table, withDefault } from '../../schema/compound.ts';
import { ifFits } from '../../schema/lenient.ts';
import { check, leaf, type Infer } from '../../schema/schema.ts';
import { flag, verbatim, whole } from '../../schema/simple.ts';
import { isRecord, shown } from '../../schema/values.ts';
import { metaPath, modeNames, phaseNamed, phases, type Mode, type Phase } from './phases.ts';

export const statuses = ['active', 'completed', 'abandoned'] as const;
export type Status = (typeof statuses)[number];

/** `true` stands for a time that nobody noted. */
const time = leaf('a time', (value) =>
  value === true ? 'unknown' : typeof value === 'string' && value.trim() !== '' ? value : undefined,
);
const notes = leaf('a list of texts', (value) => {
  const all: readonly unknown[] = Array.isArray(value) ? value : [value ?? []].flat();
  return all.map((note) => (typeof note === 'string' ? note : JSON.stringify(note)));
});
const isSet = withDefault(ifFits(flag()), false);

/** M1. */
export const phaseRecord = table(
  {
    started: orNull(ifFits(time)),
    completed: orNull(ifFits(time)),
    verified: isSet,
    iterations: orNull(ifFits(whole(0, 1_000_000))),
    reviewerNotes: withDefault(ifFits(notes), []),
    summary: orNull(ifFits(verbatim())),
    reviewSkipped: isSet,
    /** Completed before an earlier phase was made again. */
    stale: isSet,
  },
  { unknownKeys: 'ignored' },
);
export type PhaseRecord = Infer<typeof phaseRecord>;

export type PhaseRecords = Readonly<Partial<Record<Phase, PhaseRecord>>>;

export interface Meta {
  readonly id: string;
  readonly name: string;
  readonly mode: Mode;
  readonly status: Status;
  readonly created: string;
  readonly completed: string | null;
  /** Relative to the main work tree. */
  readonly worktree: string | null;
  readonly currentPhase: Phase | null;
  readonly updated: string;
  readonly phases: PhaseRecords;
}

export interface ReadMeta {
  readonly meta: Meta;
  readonly repairs: readonly Repair[];
}

interface Repair {
  readonly key: string;
  readonly message: string;
}

export function recordOf(records: PhaseRecords, phase: Phase): PhaseRecord {
  return records[phase] ?? recordIn({});
}

/** Started, and not completed since; other tools leave an earlier completion there. */
export function isPartial({ started, completed }: PhaseRecord): boolean {
  return started !== null && (completed === null || completed < started);
}

function recordIn(value: unknown): PhaseRecord {
  const read = check(phaseRecord, value);
  if (!('value' in read)) throw new Error('a phase without any valid field is one that was not started');
  return read.value;
}

/** M1. Throws a DocumentError for what is no JSON object. */
export function readMeta(text: string, run: string): ReadMeta {
  const file = metaPath(run);
  const { value } = readJsonLines(text, file);
  if (!isRecord(value)) {
    const expected = 'an object with id, name, mode, status and phases';
    throw new DocumentError({ file, line: 1 }, 'this is not an object', expected);
  }
  const repairs: Repair[] = [];
  const repair = (key: string, found: unknown, used: string): void => {
    repairs.push({ key, message: `${key} is ${shown(found)}; ${used} is used` });
  };
  const textIn = (key: string, otherwise: string): string => {
    const found = value[key];
    if (typeof found === 'string' && found !== '') return found;
    if (typeof found === 'number') return String(found);
    if (found !== undefined && found !== null) repair(key, found, otherwise === '' ? 'nothing' : otherwise);
    return otherwise;
  };
  const oneOf = <W extends string>(key: string, words: readonly W[], otherwise: W): W => {
    const said = value[key];
    const word = words.find((each) => typeof said === 'string' && each === said.trim().toLowerCase());
    if (word === undefined && said !== undefined) repair(key, said, otherwise);
    return word ?? otherwise;
  };
  const [number = '', ...slug] = run.split('-');
  const current = phaseNamed(value['currentPhase']);
  if (current === null && (value['currentPhase'] ?? null) !== null)
    repair('currentPhase', value['currentPhase'], 'none');
  const id = textIn('id', number);
  const worktree = relativePath(value['worktree']);
  if (worktree === null && (value['worktree'] ?? null) !== null) repair('worktree', value['worktree'], 'none');
  return {
    meta: {
      id: Number(id) === Number(number) ? number : id,
      name: textIn('name', slug.join(' ')),
      mode: oneOf('mode', modeNames, 'standard'),
      status: oneOf('status', statuses, 'active'),
      created: textIn('created', ''),
      completed: recordIn({ completed: value['completed'] }).completed,
      worktree,
      currentPhase: current,
      updated: textIn('updated', ''),
      phases: phasesIn(value['phases'], repair),
    },
    repairs,
  };
}

/** A path that a hostile file may not lead anywhere else with: only a sibling of the work tree is one. */
function relativePath(value: unknown): string | null {
  return typeof value === 'string' && /^\.\.\/[^/\0]+\/?$/.test(value) && !/^\.\.\/\.{1,2}\/?$/.test(value)
    ? value.replace(/\/$/, '')
    : null;
}

function phasesIn(value: unknown, repair: (key: string, found: unknown, used: string) => void): PhaseRecords {
  if (value === undefined || value === null) return {};
  if (!isRecord(value)) {
    repair('phases', value, 'nothing');
    return {};
  }
  const found: Partial<Record<Phase, PhaseRecord>> = {};
  for (const [key, own] of Object.entries(value)) {
    const phase = phaseNamed(key);
    if (phase === null) continue;
    if (isRecord(own)) found[phase] = recordIn(own);
    else if (own !== undefined && own !== null) repair(`phases.${phase}`, own, 'nothing');
  }
  return found;
}

/** M2. */
export function renderMeta(before: string | undefined, meta: Meta, run: string): string {
  const found = before === undefined ? {} : readJsonLines(before, metaPath(run)).value;
  const kept = isRecord(found) ? found : {};
  const foundPhases = Object.entries(isRecord(kept['phases']) ? kept['phases'] : {});
  // Nothing that was set by hand is verified.
  const keptPhases: Readonly<Record<string, unknown>> = Object.fromEntries(
    foundPhases.map(([phase, own]) => [phase, isRecord(own) && own['verified'] ? { ...own, verified: false } : own]),
  );
  const merged = Object.entries(meta.phases).map(([phase, own]) => {
    const other = keptPhases[phase];
    return [phase, { ...(isRecord(other) ? other : {}), ...shownRecord(own) }] as const;
  });
  const document = { ...kept, ...meta, phases: { ...keptPhases, ...Object.fromEntries(merged) } };
  return `${JSON.stringify(document, null, 2)}\n`;
}

/** Fields that say nothing are left out. */
function shownRecord({ started, completed, verified, iterations, reviewerNotes, summary, ...flags }: PhaseRecord) {
  return {
    started,
    completed,
    verified,
    iterations,
    reviewerNotes,
    ...(summary !== null && { summary }),
    reviewSkipped: flags.reviewSkipped || undefined,
    stale: flags.stale || undefined,
  };
}

/** Names of fields in which two versions differ. */
export function differingFields(one: Meta, other: Meta): readonly string[] {
  const keys = ['id', 'name', 'mode', 'created', 'completed', 'worktree'] as const;
  const same = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);
  return [
    ...keys.filter((key) => one[key] !== other[key]),
    ...phases
      .filter((phase) => !same(recordOf(one.phases, phase), recordOf(other.phases, phase)))
      .map((phase) => `phases.${phase}`),
  ];
}
