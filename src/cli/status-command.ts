/** `status`: the state of a run and the next command. It changes nothing and needs no lease. */

import { findRunOf } from '../runs/find.ts';
import type { FoundRun } from '../runs/foreign.ts';
import { refusal, type Refusal } from '../runs/refusal.ts';
import type { RunRepository } from '../runs/run-repository.ts';
import { statusDocument, statusOf } from '../runs/status.ts';
import type { WorkflowSurface } from '../workflows/surface.ts';
import { exitCodes } from './exit-codes.ts';
import { accepted } from './problem.ts';
import { screenOf } from './show/screen.ts';
import { statusLines } from './show/status-lines.ts';
import type { CommandFunction } from './context.ts';

/** Of one workflow's runs; without a word, of the latest that is not finished. */
export function statusCommand(surface: WorkflowSurface): CommandFunction {
  return async ({ words: [word], flags }, context) => {
    const repository = context.repository();
    const found = accepted(
      word === undefined ? await latest(repository, surface) : findRunOf(repository, surface, word),
    );
    const known = accepted(await statusOf(repository, found));
    const screen = screenOf(process.stdout);
    const lines = flags['json']
      ? [JSON.stringify(statusDocument(known), null, 2)]
      : statusLines(known, { style: screen.style, nowMs: Date.now(), columns: screen.columns() });
    screen.write(`${lines.join('\n')}\n`);
    return exitCodes.done;
  };
}

async function latest(repository: RunRepository, surface: WorkflowSurface): Promise<FoundRun | Refusal> {
  const { latestRun } = await import('../runs/catalog.ts');
  const listed = await latestRun(repository, surface);
  if (listed) return findRunOf(repository, surface, listed.run);
  return refusal('RunNotFound', `there are no ${surface.list.plural} in this repository`, {
    fix: `begin one: ${surface.begin}`,
  });
}
