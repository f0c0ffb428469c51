/** Carries out what a verb of a workflow asks for. */

import type { Intent, WorkflowSurface } from '../workflows/surface.ts';
import type { Caller } from './caller.ts';
import { onlyUnfinished } from './catalog.ts';
import type { PreviewedRun } from './dry-run.ts';
import { findRunOf } from './find.ts';
import { isRefusal, type Refusal } from './refusal.ts';
import { continueRun, runCommand, type OverRun } from './run-command.ts';
import type { RunRepository } from './run-repository.ts';
import type { WorkChoices } from './work-choices.ts';
import type { WorkResult } from './work-result.ts';

export type Performed = WorkResult | OverRun | PreviewedRun | Refusal;

export async function perform(
  repository: RunRepository,
  surface: WorkflowSurface,
  { intent, choices }: { readonly intent: Intent; readonly choices: WorkChoices },
  caller: Caller,
): Promise<Performed> {
  if (intent.kind === 'continue') {
    const { word } = intent;
    const found = word === null ? await onlyUnfinished(repository, surface) : findRunOf(repository, surface, word);
    return isRefusal(found) ? found : continueRun(repository, found, { intent, choices }, caller);
  }
  if (!intent.preview) return runCommand(repository, surface, { intent, choices }, caller);
  const { dryRun } = await import('./dry-run.ts');
  return dryRun(repository, surface, { intent, choices }, caller);
}
