/** `change status`: where a change is, and what to run next. It changes nothing and needs no lease. */

import { findRepository } from '../../workspace/git.ts';
import type { CommandFunction } from '../commands.ts';
import { exitCodes } from '../exit-codes.ts';
import { screenOf } from '../show/screen.ts';
import { changeId } from './change-id.ts';
import { gatherStatus } from './status-facts.ts';
import { statusLines } from './status-text.ts';

export const status: CommandFunction = async ({ words, flags }) => {
  const id = changeId(words[0] ?? '');
  const facts = await gatherStatus(findRepository(process.cwd()), id);
  const screen = screenOf(process.stdout);
  const lines = flags['json']
    ? [JSON.stringify(facts, null, 2)]
    : statusLines(facts, { style: screen.style, nowMs: Date.now() });
  screen.write(`${lines.join('\n')}\n`);
  return exitCodes.done;
};
