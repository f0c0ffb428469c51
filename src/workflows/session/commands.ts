/**
 * Commands that agents proposed as acceptance checks.
 *
 * C1. Outside of a sandbox none runs before a person has approved the list that it stands in, word for word as it was
 *     shown: with the review strategy, or, where there is no such gate or the list has grown since, before they run.
 */

import { attempt, DocumentError } from '../../documents/document-error.ts';
import type { DataPatch } from '../data-slots.ts';
import type { CheckContext, FreeQuestion, RunView } from '../workflow.ts';
import { readCommandsAnswer } from './answers.ts';
import { reAsks } from './ask-user.ts';
import { criteriaOf, tasksOf } from './documents.ts';
import { missing } from './gates.ts';
import { data } from './run-data.ts';
import { commandsDecision } from './session-words.ts';

/** What a person is asked about with the next gate. */
export function askedCommands(view: RunView): DataPatch {
  return data.askedCommands.set(proposedCommands(view));
}

/** What an approval of that gate records. */
export function approvedCommands({ snapshot }: Pick<RunView, 'snapshot'>): DataPatch {
  return data.approvedCommands.set(data.askedCommands.of(snapshot));
}

/** C1. What is to be asked before the commands run; null where they may. */
export async function unapprovedCommands(context: CheckContext): Promise<DataPatch | null> {
  const approved = data.approvedCommands.of(context.snapshot);
  const isApproved = proposedCommands(context).every((entry) => approved.includes(entry));
  return isApproved || (await context.isConfined()) ? null : askedCommands(context);
}

export function commandsQuestion(view: RunView): FreeQuestion {
  const { id, question } = commandsDecision;
  return {
    reAsks,
    onExhausted: missing(view, id),
    title: question,
    detail: ['Agents proposed these commands as checks:', ...commandLines(data.askedCommands.of(view.snapshot))].join(
      '\n',
    ),
    suggestions: {
      run: 'run exactly these commands with your rights',
      defer: 'stop here; change the checks or use a sandbox, then resume',
    },
    read: (words) => {
      const read = readCommandsAnswer(words);
      if ('putOff' in read) return missing(view, id, read.putOff);
      return 'unclear' in read ? read : { ...read, signal: 'run', data: approvedCommands(view) };
    },
  };
}

/** As they are run; none is left out. */
export function commandLines(entries: readonly string[]): readonly string[] {
  return entries.map((entry) => `  ${entry.slice('cmd:'.length).trim()}`);
}

function proposedCommands(view: RunView): readonly string[] {
  const entries = attempt(() => acceptanceEntries(view));
  return entries instanceof DocumentError ? [] : entries.filter((entry) => entry.startsWith('cmd:'));
}

/** Every check of the session, each once: those of the criteria first, then those of the tasks. */
export function acceptanceEntries(view: RunView): readonly string[] {
  const criteria = criteriaOf(view);
  const ids = new Set(criteria.map(({ id }) => id));
  const checks = tasksOf(view).tasks.flatMap(({ acceptance_checks: each }) => each);
  const entries = [...criteria.flatMap(({ verify }) => verify), ...checks];
  return [...new Set(entries.map(canonical))].filter((entry) => !ids.has(entry));
}

/** `CMD: npm test` and, in documents of other tools, `npm test` are commands too. */
export function canonical(entry: string): string {
  const known = entry.replace(/^(?:cmd|manual):/i, (kind) => kind.toLowerCase());
  return PROGRAM.test(known) ? `cmd: ${known.trim()}` : known;
}

const PROGRAM =
  /^\s*(?:(?:npm|npx|pnpm|yarn|bun|node|deno|tsc|python3?|pytest|tox|go|cargo|make|cmake|mvn|gradle|dotnet|ruby|bundle|rake|php|composer|git|docker|curl)\s|(?:make|pytest|tox)\s*$|\.{0,2}\/\S)/;
