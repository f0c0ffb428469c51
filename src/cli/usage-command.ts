/** `usage`: what agent calls have cost. */

import { usageOf, type NamedUsage, type UsageSum } from '../runs/usage-report.ts';
import type { CommandFunction } from './context.ts';
import { sinceMs } from './since.ts';
import { agentCalls, count, duration, money } from './show/figures.ts';
import { printLong, styleOf } from './show/screen.ts';
import { aligned, plainLine } from './show/text.ts';

const rowsMax = 20;

export const usage: CommandFunction = async ({ flags }, context) => {
  const since = sinceMs(flags['since'], Date.now());
  const report = usageOf(context.repository(), since);
  const { total, runs, workflows, roles, agents, unread } = report;
  const { bold } = styleOf(process.stdout);
  const document = { since: since === null ? null : new Date(since).toISOString(), ...report };
  return printLong(flags, document, () => {
    if (total.calls === 0) return since === null ? 'No agent was called yet.' : 'No agent was called since then.';
    const table = (title: string, rows: readonly NamedUsage[]): string[] => {
      const more = rows.length - rowsMax;
      const cells = rows.slice(0, rowsMax).map((row) => [plainLine(row.name), ...cellsOf(row)]);
      const lines = aligned([[title, 'CALLS', 'TOKENS', 'COST', 'AGENT TIME'], ...cells]);
      return ['', ...lines, ...(more > 0 ? [`and ${more} more (--json has all)`] : [])];
    };
    const unknown = total.unknownCost > 0 ? `; unknown for ${agentCalls(total.unknownCost)}, so it was more (+?)` : '';
    const sum = `${agentCalls(total.calls)}, ${tokensIn(total)} tokens, ${costIn(total)}, ${duration(total.agentMs)}`;
    return [
      bold(sum) + unknown,
      ...table('RUN', runs),
      ...table('WORKFLOW', workflows),
      ...table('ROLE', roles),
      ...table('AGENT', agents),
      ...(unread.length === 0
        ? []
        : ['', `not counted, because the journal is damaged: ${unread.map(plainLine).join(', ')}`]),
    ].join('\n');
  });
};

function cellsOf(sum: UsageSum): string[] {
  return [String(sum.calls), tokensIn(sum), costIn(sum), duration(sum.agentMs)];
}

/** `+?`: some are unknown; `?`: all are. */
function tokensIn({ inputTokens, outputTokens, unknownTokens }: UsageSum): string {
  if (inputTokens === null && outputTokens === null) return '?';
  return `${count((inputTokens ?? 0) + (outputTokens ?? 0))}${unknownTokens > 0 ? '+?' : ''}`;
}

function costIn({ costUsd, unknownCost }: UsageSum): string {
  return costUsd === null ? '?' : `${money(costUsd)}${unknownCost > 0 ? '+?' : ''}`;
}
