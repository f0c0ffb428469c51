/**
 * `status.json`: how it is read, also as older or sloppier tools have left it, and how it is written.
 *
 * S1. A file is either read or refused with a DocumentError; nothing else is thrown.
 * S2. `repairs` tells of every value that is not read as it stands there; keys Pawl does not know are kept in `extra`.
 * S3. What is read can be written: pending decisions have no answer, answered ones have one, cancelled ones have a
 *     reason, and none belongs to ASK_USER.
 */

import { attempt, DocumentError } from '../../../documents/document-error.ts';
import { readJsonLines } from '../../../documents/json-lines.ts';
import { documentError, inFile } from '../../../documents/read-document.ts';
import type { Decision } from '../../../engine/decision.ts';
import type { Json } from '../../../engine/snapshot.ts';
import { optional, orNull, prepared, table, withDefault } from '../../../schema/compound.ts';
import { ifFits, maybe, unlessNull } from '../../../schema/lenient.ts';
import { didYouMean } from '../../../schema/nearest.ts';
import { check, inside, leaf, refuse, schema, unlessRefused, wrong } from '../../../schema/schema.ts';
import type { Infer, Spot } from '../../../schema/schema.ts';
import { word } from '../../../schema/simple.ts';
import { findWord, isRecord, withoutEnd } from '../../../schema/values.ts';
import { designDecision, phases, repairKinds, type Context, type Phase, type RepairKind } from '../session-words.ts';
import * as decisions from './decisions-file.ts';
import { isMap, textOf, timeOf, type JsonMap } from './decisions-file.ts';
import type { RunView } from '../../workflow.ts';
import { architecturePath, isSessionId, specPath, tasksPath } from './session-paths.ts';

export const ciResults = ['unknown', 'green', 'red'] as const;

/** One sentence, or things with other shapes, become a list of texts. */
const sentences = leaf('a list of texts', (value): readonly string[] => {
  const items: readonly unknown[] = Array.isArray(value) ? value : [value ?? ''];
  const texts = items.map((item) => (typeof item === 'string' ? item : (textOf(item) ?? JSON.stringify(item))));
  return texts.filter((text) => text.trim() !== '');
});

const corrections = ['none', 'queued', 'dispatched', 'completed'] as const;
/** Its time, or with it who was sent and for which task, which is kept. */
const dispatched = leaf('a time, or an object', (value) => (isMap(value) ? value : textOf(value)));
const correction = {
  correction_status: prepared((value) => value ?? 'none', word(corrections)),
  last_correction_dispatch: orNull(ifFits(dispatched)),
};
/** One word for the gate as a whole says little: the answer to it stands among the decisions. */
const gate = prepared(
  (value) => (typeof value === 'string' ? { correction_status: findWord(value, corrections) } : value),
  table(correction, { expected: 'an object with correction_status' }),
);
const gates = table({ APPROVE_DESIGN: optional(gate) }, { expected: 'an object with one entry per gate' });

/** What is missing or incomplete is to be detected again. */
const runtimeFlags = leaf('an object', (value) => {
  const { copilot_instructions_exists: exists, copilot_checked_at: checked } = isRecord(value) ? value : {};
  const time = typeof exists === 'boolean' ? textOf(checked) : undefined;
  return { copilot_instructions_exists: exists === true, copilot_checked_at: time ?? null };
});

const otherResults = { green: 'pass passed success', red: 'fail failed failure' };
const ciResult = leaf('a result', (value) => decisions.findSynonym(value, ciResults, otherResults) ?? 'unknown');

/** Attempts spent, by kind; what is not there is 0. */
type Counts = Readonly<Partial<Record<RepairKind, number>>>;

/** In doubt more attempts count as spent, never fewer. */
const retryCounts = schema<Readonly<Record<string, Counts>>>((value, at) => {
  if (!isRecord(value)) return refuse(at, value, 'an object with one entry per task');
  return unlessRefused(at, () => {
    const counts = new Map<string, Counts>();
    for (const [task, spent] of Object.entries(value)) {
      // A kind in the place of a task counts for the whole session.
      const scope = kindOf(task) === undefined ? task : 'meta';
      counts.set(scope, larger(counts.get(scope) ?? {}, countsOf(task, spent, inside(at, task))));
    }
    return Object.fromEntries(counts);
  });
});

/** A number that names no kind counts for each of them; a name that is no kind counts for none. */
function countsOf(name: string, spent: unknown, at: Spot): Counts {
  const kind = kindOf(name);
  if (kind !== undefined) return { [kind]: countOf(spent, at) };
  if (!isRecord(spent)) return Object.fromEntries(repairKinds.map((each) => [each, countOf(spent, at)]));
  return Object.entries(spent)
    .filter(([each]) => kindOf(each) !== undefined)
    .reduce((sum: Counts, [each, count]) => larger(sum, countsOf(each, count, inside(at, each))), {});
}

const attemptsMax = 1_000_000;

function countOf(value: unknown, at: Spot): number {
  const count = typeof value === 'string' && /^\d{1,7}$/.test(value.trim()) ? Number(value) : (value ?? 0);
  if (typeof count === 'number' && Number.isInteger(count) && count >= 0 && count <= attemptsMax) return count;
  refuse(at, value, 'a whole number of attempts, 0 or more');
  return 0;
}

function kindOf(name: string): RepairKind | undefined {
  const folded = name.toUpperCase().replaceAll('-', '_');
  return repairKinds.find((kind) => kind === folded || kind === `FIX_${folded}`);
}

function larger(one: Counts, other: Counts): Counts {
  const kinds = repairKinds.filter((kind) => kind in one || kind in other);
  return Object.fromEntries(kinds.map((kind) => [kind, Math.max(one[kind] ?? 0, other[kind] ?? 0)]));
}

const fields = table({
  gate_tracking: withDefault(unlessNull(gates), {}),
  runtime_flags: runtimeFlags,
  retry_counts: withDefault(maybe(retryCounts), {}),
  known_issues: sentences,
  last_ci_result: ciResult,
});

export type Status = Infer<typeof fields> & {
  readonly current_state: Phase;
  readonly session: string;
  readonly mode: 'full' | 'lean';
  readonly assumptions: readonly string[];
  readonly user_decisions: readonly Decision[];
  readonly last_update: string;
  /** Keys that Pawl does not know, as they were found. */
  readonly extra?: JsonMap;
};

/** What the other files of a session tell where status.json does not. */
export interface Inference {
  /** Where a decision belongs that does not say so, when the session itself rests in ASK_USER. */
  readonly context: Context;
  /** There are tasks, and no design they could come from. */
  readonly designless: boolean;
}

/** What the other documents tell of a session whose status.json leaves it open. */
export function inferFrom({ files, run }: Pick<RunView, 'files' | 'run'>): Inference {
  const has = (path: string): boolean => files.read(path) !== undefined;
  const begun = has(specPath(run)) ? 'DESIGN' : 'INTAKE';
  const isPlanned = has(tasksPath(run));
  return { context: isPlanned ? 'IMPLEMENT_LOOP' : begun, designless: isPlanned && !has(architecturePath(run)) };
}

const nothingElse: Inference = { context: 'INTAKE', designless: false };

export function readStatus(text: string, file: string, inference = nothingElse) {
  const lines = readJsonLines(text, file);
  const first = check(statusSchema(file, inference), lines.value, { unknownKeys: 'ignored' });
  const isDone = isMap(lines.value) && phaseIn(lines.value['current_state']) === 'DONE';
  // A finished session can be shown, whatever else is in its file.
  const bad = 'mistakes' in first && isDone ? [...new Set(first.mistakes.map(({ path }) => String(path[0])))] : [];
  const good = isMap(lines.value) && Object.entries(lines.value).filter(([key]) => !bad.includes(key));
  const read =
    good && bad.length > 0
      ? check(statusSchema(file, inference), Object.fromEntries(good), { unknownKeys: 'ignored' })
      : first;
  if ('mistakes' in read) throw documentError(read.mistakes, inFile(file, lines.lineOf));
  const repeated = lines.repeatedKeys().map((key) => `${key} is there more than once; only the last one counts.`);
  const unread = bad.map((key) => `${key} cannot be read; it is left out.`);
  return { status: read.value, repairs: [...repeated, ...unread, ...read.warnings.map(({ problem = '' }) => problem)] };
}

/** The state and the time come first: what else is missing follows from them. */
function statusSchema(file: string, inference: Inference) {
  return schema<Status>((map, at) => {
    if (!isMap(map)) return refuse(at, map, 'an object with current_state');
    const state = phase.read(map['current_state'], inside(at, 'current_state'));
    if (state === wrong) return wrong;
    const lastUpdate = timeOf(map['last_update']) ?? latestTime(map);
    const context = state === 'ASK_USER' ? inference.context : state;
    const head = table({
      session: sessionName(file),
      mode: withDefault(maybe(mode), isLean(map, context, inference) ? 'lean' : 'full'),
      assumptions: sentences,
      user_decisions: withDefault(unlessNull(decisions.decisionsSchema({ context, lastUpdate })), []),
    }).read(map, at);
    const body = fields.read(map, at);
    if (head === wrong || body === wrong) return wrong;
    const known = { current_state: state, ...head, ...body, last_update: lastUpdate };
    const extra = decisions.extraOf(map, Object.keys(known));
    const status = { ...known, ...(extra && { extra }) };
    // Those of decisions are told one by one.
    decisions.tellRepairs(at, map, { ...statusMap(map, status), user_decisions: map['user_decisions'] ?? [] });
    return status;
  });
}

/** Other tools do not write the mode down. Without a design nobody was ever asked to approve one. */
function isLean(map: JsonMap, context: Context, { designless }: Inference): boolean {
  const { lean_mode: flag, workflow_mode: word } = isMap(map['runtime_flags']) ? map['runtime_flags'] : {};
  if (context === 'INTAKE_LEAN' || map['lean'] === true || flag === true || word === 'lean') return true;
  const isBuilding = !['INTAKE', 'DESIGN', 'APPROVE_DESIGN', 'PLAN', 'REVIEW_STRATEGY'].includes(context);
  return (
    designless && isBuilding && flag !== false && word !== 'full' && !JSON.stringify(map).includes(designDecision.id)
  );
}

const otherPhases = {
  INTAKE: 'refine spec',
  INTAKE_LEAN: 'refinelean lean',
  DESIGN: 'approvespec',
  PLAN: 'planning',
  IMPLEMENT_LOOP: 'implement implementing implementation',
  RELEASE: 'document documentation',
  DONE: 'complete completed finished',
};

const phaseIn = (value: unknown): Phase | undefined => decisions.findSynonym(value, phases, otherPhases);

const phase = schema<Phase>((value, at) => {
  const found = phaseIn(value);
  if (found !== undefined) return found;
  const near = typeof value === 'string' ? didYouMean(value, phases) : '';
  return refuse(at, value, near === '' ? `one of ${phases.join(', ')}` : `one of the states${near}`);
});

function latestTime(map: JsonMap): string {
  const all = Array.isArray(map['user_decisions']) ? map['user_decisions'].filter(isMap) : [];
  const times = all.flatMap((each) => [timeOf(each['resolved_at']) ?? [], timeOf(each['asked_at']) ?? []]);
  return times.flat().toSorted().at(-1) ?? '1970-01-01T00:00:00.000Z';
}

/** Taken from the folder where the file does not say it. */
function sessionName(file: string) {
  const lastPart = (path: string): string => withoutEnd(path.trim(), /\//).split('/').at(-1) ?? '';
  return leaf('the name of the session, such as 2026-05-01_csv-export', (value) =>
    [lastPart(textOf(value) ?? ''), file.split('/').at(-2) ?? ''].find(isSessionId),
  );
}

const mode = prepared(
  (value) =>
    typeof value === 'string' && /mode$/i.test(value) ? withoutEnd(value.slice(0, -'mode'.length), /[\s_-]/) : value,
  word(['full', 'lean']),
);

/**
 * `status.json` as Pawl writes it: known keys in their order, then those of `before` that Pawl does not know.
 * A status that breaks the rules is a mistake of the program, so it throws.
 */
export function writeStatus(before: string | undefined, status: Status): string {
  const broken = decisions.brokenRules(status.user_decisions);
  if (broken.length > 0) throw new Error(`internal error: status.json would break its rules: ${broken.join('; ')}`);
  // What cannot be read has nothing to keep.
  const old = attempt(() => readJsonLines(before ?? '{}', 'status.json').value);
  return `${JSON.stringify(statusMap(isMap(old) && !(old instanceof DocumentError) ? old : {}, status), null, 2)}\n`;
}

function statusMap(old: JsonMap, { extra, ...status }: Status): JsonMap {
  const { withUnknown, decisionMap } = decisions;
  const asked = Array.isArray(old['user_decisions']) ? old['user_decisions'].filter(isMap) : [];
  // Entries that share an id were told apart when they were read: each decision has its own unknown keys in `extra`.
  const before = (id: string) => {
    const named = asked.filter((each) => decisions.idOf(each) === id);
    return named.length === 1 ? named[0] : undefined;
  };
  const { APPROVE_DESIGN: gate } = status.gate_tracking;
  const { gate_tracking: others } = old;
  const gateBefore = isMap(others) && isMap(others['APPROVE_DESIGN']) ? others['APPROVE_DESIGN'] : {};
  const { last_correction_dispatch: lastBefore = null } = gateBefore;
  const written: JsonMap = {
    ...status,
    user_decisions: status.user_decisions.map((each) => decisionMap(before(each.id), each)),
    // Gates of other tools are kept; the one that is known is as Pawl says.
    gate_tracking: withUnknown(
      gate
        ? {
            APPROVE_DESIGN: withUnknown(
              { ...gate, last_correction_dispatch: gate.last_correction_dispatch ?? lastBefore },
              gateBefore,
            ),
          }
        : {},
      others,
    ),
    runtime_flags: withUnknown(status.runtime_flags, old['runtime_flags']),
  };
  const blocked = extra?.['blocked'] === undefined ? {} : { blocked: withOthers(extra['blocked'], old['blocked']) };
  return withUnknown(written, old, { ...extra, ...blocked });
}

/** What another tool said about being blocked stays beside what Pawl says, or without it. */
function withOthers(own: Json, before: Json | undefined): Json {
  const found = typeof before === 'string' ? { reason: before } : isMap(before) ? before : {};
  const others = decisions.extraOf(found, ['blocker', 'detail', 'way_out', 'from']);
  return others ? { ...others, ...(isMap(own) && own) } : own;
}
