/** A journal record as a line for people: when, which, what happened, who did it and how. */

import { landedText } from '../../runs/landed-text.ts';
import { isRecord } from '../../schema/values.ts';
import type { Authority, Choice, JournalRecord } from '../../store/record.ts';
import { answerIn } from '../../runtime/answering.ts';
import { costOf, duration, tokensOf } from './figures.ts';
import { cut, dispatchNumber, plainLine } from './text.ts';

const textColumnsMax = 160;
const pathsMax = 4;

/** No wider than the terminal, so that a record stays a line. */
export function recordText(
  record: JournalRecord,
  { columns, ellipsis }: { columns: number; ellipsis: string } = { columns: Number.POSITIVE_INFINITY, ellipsis: '…' },
): string {
  const time = plainLine(`${record.at.slice(0, 10)} ${record.at.slice(11, 19)}Z`);
  return cut(`${time}  ${String(record.seq).padStart(4)}  ${plainLine(whatHappened(record))}`, columns, ellipsis);
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
      return `${dispatchNumber(record.dispatch)} filed ${record.tool} ${short(JSON.stringify(record.args))}`;
    case 'dispatch.abandoned': {
      const patch = record.patch === null ? '' : `; its changes are kept in ${record.patch}`;
      return `${dispatchNumber(record.id)} abandoned: ${short(record.why)}${patch}`;
    }
    case 'chosen':
      return `continued with ${chosen(record.choice)}${by(record.by)}`;
    case 'edits.kept':
      return `kept as edited: ${paths(record.paths)}${by(record.by)}`;
    case 'state.edited':
      return `state file edited to phase ${record.phase}${by(record.by)}${arrival(record)}`;
    case 'landed':
      return `finished: ${landedText(record)}${by(record.by)}`;
    case 'sandbox.lowered':
      return `sandbox lowered from ${record.from} to ${record.to}${by(record.by)}`;
  }
}

function chosen({ hint, ...choice }: Choice): string {
  const named = Object.entries(choice).map(([name, value]) => `${name} ${JSON.stringify(value)}`);
  return [...named, ...(hint === undefined ? [] : [`hint: ${short(hint)}`])].join(', ');
}

type Moved = Extract<JournalRecord, { type: 'moved' }>;

function cause(record: Moved): string {
  const { signal, dispatch } = record;
  if (dispatch) return ended(signal, dispatch);
  switch (record.by?.how) {
    case 'command':
      return `command ${signal}${by(record.by)}`;
    case 'terminal':
    case 'answer':
    case 'answers': {
      const { decision, answer } = answerIn(record) ?? { decision: record.from, answer: signal };
      const said = answer === null ? 'skipped' : `answered: ${short(answer)}`;
      return `decision ${decision} ${said}${by(record.by)}`;
    }
    default: {
      // A question that was withdrawn says why.
      const data = record.change.data?.['skipped'];
      const why = isRecord(data) && typeof data['reason'] === 'string' ? ` (${short(data['reason'])})` : '';
      return `${record.from}: ${signal}${why}${by(record.by)}`;
    }
  }
}

function ended(signal: string, { id, ms, usage, problem, ignored, beside }: NonNullable<Moved['dispatch']>): string {
  const figures = [duration(ms), tokensOf(usage), costOf(usage)].join(', ');
  const lost = beside && beside.problem !== null ? `; no advice from ${beside.role}: ${plainLine(beside.problem)}` : '';
  const why = problem === undefined ? '' : `: ${plainLine(problem)}`;
  const others = ignored ? `; ${ignored.count} git-ignored files changed: ${short(ignored.paths.join(', '))}` : '';
  return `${dispatchNumber(id)} ended: ${signal} (${figures})${why}${lost}${others}`;
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
  const { id, role, step, agent, model, item, hint, beside } = record;
  const work = item ? `${step} ${item.id}` : step;
  const who = model === null ? agent : `${agent}, ${model}`;
  const advisor = beside ? `, with ${beside.role} (${beside.agent}) as ${dispatchNumber(beside.id)}` : '';
  const said = hint === undefined ? '' : `, hint: ${short(hint)}`;
  return `${dispatchNumber(id)} started: ${role} (${who}) on ${work}${advisor}${said}`;
}

const ways: Readonly<Record<Authority['how'], string>> = {
  terminal: 'at the terminal',
  answer: 'with pawl answer',
  answers: 'with an answers file',
  command: 'with a command',
  edit: 'by editing',
  flag: 'with a flag',
  engine: 'by the engine',
};

function by(authority: Authority | undefined): string {
  if (!authority) return '';
  const assurance = authority.assurance === undefined ? '' : ` (${authority.assurance})`;
  return `, by ${short(authority.who)} ${ways[authority.how]}${assurance}`;
}

function paths(all: readonly string[]): string {
  const shown = all.slice(0, pathsMax).map(short).join(', ');
  return all.length > pathsMax ? `${shown} and ${all.length - pathsMax} more` : shown;
}

function short(text: string): string {
  return cut(plainLine(text), textColumnsMax, '…');
}
