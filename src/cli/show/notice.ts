/** What is said beside the events of a run: settings that are not understood, what it will use, what it waits for. */

import type { Notice } from '../../runs/caller.ts';
import type { Opening } from '../../runs/opening.ts';
import { budgetLeft, duration } from './figures.ts';
import type { Style } from './screen.ts';
import { aligned, plainLine } from './text.ts';

export function noticeLines(notice: Notice, style: Style): string[] {
  switch (notice.kind) {
    case 'settings':
      return notice.warnings.map((warning) => `warning: ${warning}`);
    case 'foreign_state':
      return [
        `warning: ${notice.path} is not as Pawl writes it:`,
        ...notice.notes.map((note) => `  ${plainLine(note)}`),
      ];
    case 'opening':
      return openingLines(notice.opening, style);
    case 'waiting': {
      const at = `${notice.until.slice(0, 16)}Z, in ${duration(notice.ms)}`;
      return [`waiting for the limit to end: going on at ${at} (Ctrl-C stops; nothing is lost)`];
    }
  }
}

/** Who will work, what may be spent, and how often at most. */
function openingLines({ cast, dispatches, left }: Opening, style: Style): string[] {
  const agents = aligned(cast.map(({ agent, model }) => [agent, modelWords(agent, model)]));
  const rows = [
    ...cast.map(({ role }, index) => [role ?? 'every role', agents[index] ?? '']),
    ['dispatches', worstCaseWords(dispatches)],
    ['budget left', budgetLeft(left)],
  ];
  return aligned(rows).map((line) => `  ${style.dim(line)}`);
}

function worstCaseWords(dispatches: Opening['dispatches']): string {
  if (!dispatches) return 'any number: see pawl verify';
  return `at most ${dispatches.most} (${dispatches.withFaults} if all fail as often as they may)`;
}

function modelWords(agent: string, model: string | null): string {
  if (agent === 'scripted') return '(plays a script, no model is called)';
  return model === null ? 'its own default model' : `up to ${model}`;
}
