/** A journal record in a line people can read: when, which, what happened, who did it and how. */

import { isRecord } from '../../documents/fields.ts';
import type { Authority, JournalRecord } from '../../journal/record.ts';
import { count, duration, usd } from './amounts.ts';
import { cut } from './table.ts';

const textCharsMax = 160;
const pathsMax = 4;

export function recordText(record: JournalRecord): string {
  const time = `${record.at.slice(0, 10)} ${record.at.slice(11, 19)}Z`;
  return `${time}  ${String(record.seq).padStart(4)}  ${whatHappened(record)}`;
}

function whatHappened(record: JournalRecord): string {
  switch (record.type) {
    case 'created':
      return `created: workflow ${record.workflow}, run ${record.run}, state ${record.snapshot.state}`;
    case 'moved':
      return `${cause(record)}${arrival(record)}${written(record.writes ?? [])}`;
    case 'dispatch.started':
      return started(record);
    case 'report.filed':
      return `${record.dispatch} filed ${record.tool} ${cut(JSON.stringify(record.args), textCharsMax)}`;
    case 'dispatch.abandoned': {
      const patch = record.patch === null ? '' : `; what it had written is kept in ${record.patch}`;
      return `${record.id} abandoned: ${cut(record.why, textCharsMax)}${patch}`;
    }
    case 'edits.kept':
      return `kept as edited: ${paths(record.paths)}${by(record.by)}`;
    case 'state.edited':
      return `state file edited to phase ${record.phase}${by(record.by)}${arrival(record)}`;
  }
}

type Moved = Extract<JournalRecord, { type: 'moved' }>;

function cause(record: Moved): string {
  const { signal, dispatch } = record;
  if (dispatch) return ended(signal, dispatch);
  switch (record.by?.how) {
    case 'command':
      return `command ${signal}${by(record.by)}`;
    case 'terminal':
    case 'answer': {
      const answered = record.change.data?.['answered'];
      const decision = isRecord(answered) && typeof answered['decision'] === 'string' ? answered['decision'] : record.from;
      return `decision ${decision} answered: ${signal}${by(record.by)}`;
    }
    default:
      return `${record.from}: ${signal}${skipped(record)}${by(record.by)}`;
  }
}

/** A question that was withdrawn says why. */
function skipped({ change }: Moved): string {
  const reason = isRecord(change.data?.['skipped']) ? change.data['skipped']['reason'] : undefined;
  return typeof reason === 'string' ? ` (${cut(reason, textCharsMax)})` : '';
}

function ended(signal: string, { id, ms, usage, problem }: NonNullable<Moved['dispatch']>): string {
  const { inputTokens, outputTokens, costUsd } = usage;
  const facts = [
    duration(ms),
    ...(inputTokens === null || outputTokens === null ? [] : [`${count(inputTokens)} + ${count(outputTokens)} tokens`]),
    ...(costUsd === null ? [] : [usd(costUsd)]),
  ];
  return `${id} ended: ${signal} (${facts.join(', ')})${problem === undefined ? '' : `: ${cut(problem, textCharsMax)}`}`;
}

function arrival({ change }: Pick<Moved, 'change'>): string {
  const to = change.state === undefined ? '' : ` → ${change.state}`;
  return change.outcome === undefined || change.outcome === null ? to : `${to}, at rest: ${change.outcome}`;
}

function written(writes: NonNullable<Moved['writes']>): string {
  const names = writes.map((write) => ('moveTo' in write ? `${write.path} → ${write.moveTo}` : write.path));
  return names.length === 0 ? '' : `; wrote ${paths(names)}`;
}

function started(record: Extract<JournalRecord, { type: 'dispatch.started' }>): string {
  const { id, role, step, agent, model, item, hint } = record;
  const work = item ? `${step} ${item.id}` : step;
  const who = model === null ? agent : `${agent}, ${model}`;
  return `${id} started: ${role} (${who}) on ${work}${hint === undefined ? '' : `, told: ${cut(hint, textCharsMax)}`}`;
}

const ways: Readonly<Record<Authority['how'], string>> = {
  terminal: 'at the terminal',
  answer: 'with pawl answer',
  command: 'with a command',
  edit: 'by editing',
  flag: 'with a flag',
  engine: 'by the engine',
};

function by(authority: Authority | undefined): string {
  return authority ? `, by ${cut(authority.who, textCharsMax)} ${ways[authority.how]}` : '';
}

function paths(all: readonly string[]): string {
  const shown = all.slice(0, pathsMax).map((path) => cut(path, textCharsMax)).join(', ');
  return all.length > pathsMax ? `${shown} and ${all.length - pathsMax} more` : shown;
}
