/** The status of a change for people: the answer first, then what stands in its way, then the figures. */

import { questionLines } from '../show/decision.ts';
import { age } from '../show/age.ts';
import { costOf, count, dispatches as dispatchCount, duration, money, tokensOf } from '../show/figures.ts';
import type { Style } from '../show/screen.ts';
import { aligned, cut, dispatchNumber, plainLine, plainText } from '../show/text.ts';
import type { ShownDecision } from './status-decision.ts';
import type { ChangeStatus } from './status-facts.ts';
import type { StaleDocument } from './stale.ts';

const dispatchesMax = 5;
const problemColumnsMax = 100;

export function statusLines(status: ChangeStatus, { style, nowMs }: { style: Style; nowMs: number }): string[] {
  const { run, phase, verdict, iteration, updatedAt, message, next, decisions } = status;
  const facts = [
    `phase ${phase ?? 'new'}`,
    ...(verdict === null ? [] : [`verdict ${plainLine(verdict)}`]),
    ...(iteration === null ? [] : [`iteration ${iteration}`]),
    `updated ${age(updatedAt, nowMs)}`,
  ];
  const notes = notesOf(status, nowMs);
  return [
    `${style.bold(run)}  ${facts.join(', ')}`,
    ...plainText(message)
      .split('\n')
      .map((line) => `  ${line}`.trimEnd()),
    ...notes.map((note) => `  ${style.yellow('!')} ${note}`),
    ...decisions.flatMap((decision) => ['', ...decisionLines(decision, run, style)]),
    ...dispatchLines(status, style),
    ...usageLines(status),
    ...(next === null ? [] : ['', `Next: ${style.cyan(next)}`]),
  ];
}

function notesOf({ run, owner, open, edited, stale, tasks }: ChangeStatus, nowMs: number): string[] {
  const work = open ? `${open.role} (${open.agent}) on ${open.step}, started ${age(open.startedAt, nowMs)}` : null;
  return [
    ...(owner
      ? [`a process is at work: pid ${owner.pid} on ${plainLine(owner.host)}${work === null ? '' : `; ${work}`}`]
      : []),
    ...(!owner && work !== null ? [`cut off: ${work}; pawl resume ${run} starts it again`] : []),
    ...(edited
      ? [
          `STATE.yaml says ${edited.phase}; the journal says ${edited.journal ?? 'new'}: ` +
            'the next command takes the edit over, and asks first where it passes an approval',
        ]
      : []),
    ...stale.map(staleWords),
    ...(tasks && tasks.open > 0 ? [`${tasks.open} of ${tasks.total} tasks are open`] : []),
  ];
}

function staleWords({ path, what, later }: StaleDocument): string {
  const event = { edited: 'was edited', added: 'was added', removed: 'was removed' }[what];
  const since = `${plainLine(path)} ${event} since the plan was validated`;
  if (later.length === 0) return since;
  const names = later.map(plainLine);
  const list = names.length === 1 ? names[0] : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
  return `${since}: ${list}, made from it, may be stale`;
}

function decisionLines(decision: ShownDecision, run: string, style: Style): string[] {
  const rows = Object.entries(decision.answers).map(([answer, meaning]) => [
    style.cyan(`pawl answer ${run} ${decision.id} ${answer}`),
    meaning,
  ]);
  return [...questionLines(decision, style), ...aligned(rows).map((line) => `  ${line}`)];
}

function dispatchLines({ dispatches }: ChangeStatus, style: Style): string[] {
  if (dispatches.length === 0) return [];
  const last = dispatches.slice(-dispatchesMax);
  const rows = last.map(({ id, role, step, agent, model, signal, ms, usage, problem }) => [
    plainLine(dispatchNumber(id)),
    role,
    step,
    plainLine(model === null ? agent : `${agent} ${model}`),
    signal,
    duration(ms),
    tokensOf(usage),
    costOf(usage),
    cut(plainLine(problem ?? ''), problemColumnsMax, style.symbols.ellipsis),
  ]);
  const which = last.length === dispatches.length ? '' : `, the last ${last.length}`;
  return ['', `${dispatchCount(dispatches.length)}${which}:`, ...aligned(rows).map((row) => `  ${row}`)];
}

/** Used, of what may be used. */
function usageLines({ usage, budget }: ChangeStatus): string[] {
  if (!usage) return [];
  const of = (used: string, limit: string | undefined) => (limit === undefined ? used : `${used} of ${limit}`);
  const limits = budget?.limits;
  const tokens = usage.inputTokens === null ? 'unknown' : count(usage.inputTokens + (usage.outputTokens ?? 0));
  const parts = [
    `dispatches ${of(String(usage.dispatches), limits && String(limits.dispatches))}`,
    `tokens ${of(tokens, limits && count(limits.tokens))}`,
    `cost ${of(usage.costUsd === null ? 'unknown' : money(usage.costUsd), limits && money(limits.costUsd))}`,
    `agent time ${of(duration(usage.wallMs), limits && duration(limits.wallMs))}`,
  ];
  return ['', `Used: ${parts.join(', ')}`];
}
