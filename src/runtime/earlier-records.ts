/** Records of earlier versions, which kept among a workflow's data what the runtime now keeps itself. */

import { isRecord } from '../schema/values.ts';
import { pendingDecision, type Decision } from '../engine/decision.ts';
import type { Machine } from '../engine/machine.ts';
import { evolve, type Delta, type Json, type Snapshot } from '../engine/snapshot.ts';
import type { Choice, JournalRecord } from '../store/record.ts';
import type { FormerFlags } from '../workflows/workflow.ts';

type Created = Extract<JournalRecord, { type: 'created' }>;
type Moved = Extract<JournalRecord, { type: 'moved' }>;
type Edited = Extract<JournalRecord, { type: 'state.edited' }>;
type Data = Readonly<Record<string, Json>>;

export function choiceIn({ choice, change: { data = {} } }: Moved): Choice {
  if (choice) return choice;
  const { agent, script, raised, unproven } = data;
  return {
    ...((typeof agent === 'string' || agent === null) && { agent }),
    ...((typeof script === 'string' || script === null) && { script }),
    ...(isRecord(raised) && { raised: Object.fromEntries(Object.entries(raised).filter(isNumeric)) }),
    ...(Array.isArray(unproven) && { unproven: unproven.map(String) }),
  };
}

/** A journal's steps in the names of today's machine. */
export function stepsIn(machine: Machine, created: Created, records: readonly JournalRecord[]) {
  const start = snapshotIn(created);
  const steps: { readonly signal?: string; readonly change: Delta }[] = [];
  let snapshot = start;
  for (const record of records) {
    if (record.type !== 'moved' && record.type !== 'state.edited') continue;
    const change = deltaIn(snapshot, record);
    steps.push(record.type === 'moved' ? { signal: signalIn(machine, record), change } : { change });
    snapshot = evolve(snapshot, change);
  }
  return { start, steps };
}

/** `cancelled` was one name for two signals. */
export function signalIn({ states }: Machine, { from, signal }: Moved): string {
  if (signal !== 'cancelled' || states[from]?.on[signal]) return signal;
  return states[from]?.kind === 'decide' ? 'withdrawn' : 'interrupted';
}

function isNumeric(entry: [string, unknown]): entry is [string, number] {
  return typeof entry[1] === 'number';
}

export function snapshotIn({ snapshot }: Created): Snapshot {
  const known: Partial<Snapshot> = snapshot;
  return {
    ...snapshot,
    problem: known.problem ?? null,
    decisions: {},
    asked: null,
    ...(known.decisions ? { decisions: known.decisions, asked: known.asked ?? null } : ledgerIn({}, snapshot.data)),
  };
}

export function deltaIn(before: Snapshot, record: Moved | Edited): Delta {
  const { change } = record;
  const { data = {} } = change;
  return {
    ...problemIn(record.type === 'moved' ? record.signal : '', data),
    ...ledgerIn(before.decisions, data),
    ...change,
  };
}

export function withTodaysFlags(record: JournalRecord, former: FormerFlags): JournalRecord {
  if (record.type === 'created') {
    const { snapshot } = record;
    return { ...record, snapshot: { ...snapshot, flags: flagsIn(snapshot.flags, former) } };
  }
  if ((record.type !== 'moved' && record.type !== 'state.edited') || !record.change.flags) return record;
  return { ...record, change: { ...record.change, flags: flagsIn(record.change.flags, former) } };
}

function flagsIn(flags: Snapshot['flags'], former: FormerFlags): Snapshot['flags'] {
  return Object.fromEntries(
    Object.entries(flags).map(([flag, value]) => {
      const { name, values = {} } = (Object.hasOwn(former, flag) && former[flag]) || { name: flag };
      return [name, values[value] ?? value];
    }),
  );
}

function problemIn(signal: string, { problem, until, blocker }: Data): Pick<Delta, 'problem'> {
  if (isRecord(blocker)) {
    const message = [blocker['detail'], problem].map(textOf).filter((text) => text !== '');
    const code = textOf(blocker['blocker']);
    return { problem: { code, message: message.join('\n'), fix: textOf(blocker['wayOut']) } };
  }
  if (typeof problem !== 'string') return problem === null || blocker === null ? { problem: null } : {};
  return { problem: { code: signal, message: problem, ...(typeof until === 'string' && { until }) } };
}

const decisionKey = 'decision:';

/** A decision stood under a key of its own, in the words of status.json; what was asked last under `asking`. */
function ledgerIn(before: Snapshot['decisions'], data: Data): Pick<Delta, 'decisions' | 'asked'> {
  const entries = Object.entries(data).filter(([key]) => key.startsWith(decisionKey));
  const asking = isJsonMap(data['asking']) ? data['asking'] : null;
  if (entries.length === 0 && !asking) return {};
  const parts = Array.isArray(asking?.['parts']) ? asking['parts'].filter(isJsonMap) : [];
  const decisions: Record<string, Decision> = {};
  for (const [key, value] of entries) {
    const id = key.slice(decisionKey.length);
    decisions[id] = decisionIn(id, isJsonMap(value) ? value : {}, before[id]);
  }
  for (const { id, about, suggestions: offered, binding } of parts) {
    const decision = decisions[textOf(id)] ?? before[textOf(id)];
    if (!decision) continue;
    const suggestions = Array.isArray(offered) ? offered.map(String) : [];
    decisions[decision.id] = { ...decision, about: textOf(about), suggestions, binding: binding === true };
  }
  if (!asking) return { decisions };
  const { title, detail } = asking;
  return { decisions, asked: { title: textOf(title), detail: textOf(detail), ids: parts.map(({ id }) => textOf(id)) } };
}

function decisionIn(id: string, value: Data, before: Decision | undefined): Decision {
  const { status, answer, extra } = value;
  const question = textOf(value['question']);
  const isResolved = status === 'answered' || status === 'cancelled' || status === 'skipped';
  return {
    ...(before ?? pendingDecision(id, { question }, { at: '', context: '' })),
    question,
    status: isResolved ? status : 'pending',
    answer: textOrNull(answer),
    askedAt: textOf(value['asked_at']),
    resolvedAt: textOrNull(value['resolved_at']),
    context: textOf(value['state_context']),
    reason: textOrNull(value['resolution_reason']),
    ...(isJsonMap(extra) && { extra }),
  };
}

function textOf(value: unknown): string {
  return textOrNull(value) ?? '';
}

function textOrNull(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

/** A record holds nothing but JSON. */
function isJsonMap(value: unknown): value is Data {
  return isRecord(value);
}
