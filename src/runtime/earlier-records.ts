/** Records of earlier versions, which kept among a workflow's data what the runtime now keeps itself. */

import { isRecord } from '../schema/values.ts';
import { pendingDecision, type Decision } from '../engine/decision.ts';
import type { Delta, Json, Snapshot } from '../engine/snapshot.ts';
import type { Choice, JournalRecord } from '../store/record.ts';
import { formerFlags } from '../workflows/former-flags.ts';

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

function isNumeric(entry: [string, unknown]): entry is [string, number] {
  return typeof entry[1] === 'number';
}

export function snapshotIn({ workflow, snapshot }: Created): Snapshot {
  const known: Partial<Snapshot> = snapshot;
  return {
    ...snapshot,
    flags: flagsIn(workflow, snapshot.flags),
    problem: known.problem ?? null,
    decisions: {},
    asked: null,
    ...(known.decisions ? { decisions: known.decisions, asked: known.asked ?? null } : ledgerIn({}, snapshot.data)),
  };
}

export function deltaIn(workflow: string, before: Snapshot, record: Moved | Edited): Delta {
  const { change } = record;
  const { data = {}, flags } = change;
  return {
    ...problemIn(record.type === 'moved' ? record.signal : '', data),
    ...ledgerIn(before.decisions, data),
    ...change,
    ...(flags && { flags: flagsIn(workflow, flags) }),
  };
}

function flagsIn(workflow: string, flags: Snapshot['flags']): Snapshot['flags'] {
  const former = Object.hasOwn(formerFlags, workflow) ? formerFlags[workflow] : undefined;
  if (!former) return flags;
  return Object.fromEntries(
    Object.entries(flags).map(([flag, value]) => {
      const { name = flag, values = {} } = former[flag] ?? {};
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
  const { asking } = data;
  if (entries.length === 0 && !isRecord(asking)) return {};
  const parts = isRecord(asking) && Array.isArray(asking['parts']) ? asking['parts'].filter(isRecord) : [];
  const decisions = new Map(
    entries.map(([key, value]) => {
      const id = key.slice(decisionKey.length);
      return [id, decisionIn(id, isRecord(value) ? value : {}, before[id])];
    }),
  );
  for (const { id, about, suggestions, binding } of parts) {
    const decision = decisions.get(textOf(id)) ?? before[textOf(id)];
    if (!decision) continue;
    const offered = Array.isArray(suggestions) ? suggestions.map(String) : [];
    decisions.set(decision.id, { ...decision, about: textOf(about), suggestions: offered, binding: binding === true });
  }
  return {
    decisions: Object.fromEntries(decisions),
    ...(isRecord(asking) && {
      asked: {
        title: textOf(asking['title']),
        detail: textOf(asking['detail']),
        ids: parts.map(({ id }) => textOf(id)),
      },
    }),
  };
}

function decisionIn(id: string, value: Record<string, unknown>, before: Decision | undefined): Decision {
  const { status, answer, asked_at: at, resolved_at: resolvedAt, state_context: context, extra } = value;
  const question = textOf(value['question']);
  const isKnown = status === 'answered' || status === 'cancelled' || status === 'skipped';
  return {
    ...(before ?? pendingDecision(id, { question }, { at: '', context: '' })),
    question,
    status: isKnown ? status : 'pending',
    answer: textOrNull(answer),
    askedAt: textOf(at),
    resolvedAt: textOrNull(resolvedAt),
    context: textOf(context),
    reason: textOrNull(value['resolution_reason']),
    ...(isJsonMap(extra) && { extra }),
  };
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function textOrNull(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

/** A record holds nothing but JSON. */
function isJsonMap(value: unknown): value is Readonly<Record<string, Json>> {
  return isRecord(value);
}
