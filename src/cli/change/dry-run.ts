/** `change archive --dry-run`: what archiving would do, or why it would stop; nothing is recorded or written. */

import { effectOf, transition } from '../../engine/transition.ts';
import type { Rest } from '../../runtime/drive.ts';
import {
  confirmCode,
  freeArchiveName,
  mergeAll,
  mergeDiff,
  summaryOf,
} from '../../workflows/change/checks/archiving.ts';
import { archiveFolder, changeFolder, changelogPath, mainSpecPath } from '../../workflows/change/paths.ts';
import type { RunView } from '../../workflows/workflow.ts';
import type { RunRepository } from '../../runs/run-repository.ts';
import type { CommandIntent } from '../../workflows/surface.ts';
import { exitCodes } from '../exit-codes.ts';
import type { Given } from '../options.ts';
import { presenterFor } from '../show/presenter.ts';
import { showResult } from '../show/result.ts';
import { refuseOther } from '../stops.ts';
import { changeId } from './change-id.ts';
import { after, foresee, type ForeseenRun } from './foreseen.ts';

export async function dryRun(repository: RunRepository, intent: CommandIntent, given: Given): Promise<number> {
  changeId(intent.run);
  const run = await foresee(repository, intent, given);
  const json = given.flags['json'] === true;
  const { reached, rest } = await foreseeArchive(run);
  if (!rest) return showMerge(reached.view(), json);
  const presenter = presenterFor({ json });
  try {
    const { id, state, settings, spendingLimits: limits, workflow } = reached;
    const summary = workflow.summarize(reached.view(), {
      outcome: rest.outcome,
      refusal: rest.refusal?.reason ?? null,
    });
    const known = { workflow: workflow.name, run: id, workspace: repository.root, state, limits };
    return showResult({ ...known, rest, summary, warnings: settings.warnings, offer: null }, { json, presenter });
  } finally {
    presenter.close();
  }
}

/** The run where the machine takes it before anything is merged; with a rest when it stops there. */
async function foreseeArchive(run: ForeseenRun): Promise<{ reached: ForeseenRun; rest: Rest | null }> {
  const { machine } = run.workflow;
  const { snapshot } = run.state;
  const effect = effectOf(machine, snapshot);
  if (effect.type === 'ask') {
    const question = run.workflow.questions[effect.question]?.(run.view());
    const decision = question && { id: effect.question, question, options: effect.options };
    if (decision?.question.withdrawn === null)
      return { reached: run, rest: { outcome: 'needs_person', refusal: null, decision } };
    const withdrawn = transition(machine, snapshot, { name: 'cancelled' });
    return withdrawn.kind === 'step' ? deliver(after(run, withdrawn.snapshot)) : deliver(run);
  }
  if (effect.type === 'rest') return deliver(run);
  refuseOther(run, 'archive');
  return effect.type === 'check' && effect.check === 'confirm_code' ? confirm(run) : { reached: run, rest: null };
}

async function deliver(run: ForeseenRun): Promise<{ reached: ForeseenRun; rest: Rest | null }> {
  const step = transition(run.workflow.machine, run.state.snapshot, { name: 'archive' });
  if (step.kind === 'refusal') return { reached: run, rest: { outcome: step.outcome, refusal: step, decision: null } };
  return confirm(after(run, step.snapshot));
}

async function confirm(run: ForeseenRun): Promise<{ reached: ForeseenRun; rest: Rest | null }> {
  const { signal } = await confirmCode({ ...run.view(), treeDigest: () => run.treeDigest() });
  const step = transition(run.workflow.machine, run.state.snapshot, signal);
  if (step.kind === 'refusal') throw new Error(`confirm_code gave "${signal.name}", which its state refuses`);
  const reached = after(run, step.snapshot);
  const { effect } = step;
  return { reached, rest: effect.type === 'rest' ? { outcome: effect.outcome, refusal: null, decision: null } : null };
}

function showMerge(view: RunView, json: boolean): number {
  const { run } = view;
  const { merged, conflicts } = mergeAll(view, false);
  const specs = merged.map(({ id, result }) => ({
    spec: mainSpecPath(id),
    what: summaryOf(result),
    diff: mergeDiff(view, id, result),
  }));
  const judgement = conflicts.map(({ id, reasons }) => ({ spec: mainSpecPath(id), reasons: [...reasons] }));
  if (json)
    process.stdout.write(`${JSON.stringify({ workflow: 'change', run, action: 'dry_run', specs, judgement })}\n`);
  else {
    const lines = [
      ...specs.flatMap(({ spec, what, diff }) => [
        `would write ${spec}: ${what}`,
        ...diff.map((line) => `    ${line}`),
      ]),
      ...judgement.map(({ spec, reasons }) => `needs judgement (archivist): ${spec}: ${reasons.join('; ')}`),
      `would write ${changelogPath}`,
      `would move ${changeFolder(run)} to ${archiveFolder(freeArchiveName(view))}`,
    ];
    process.stdout.write(`${lines.join('\n')}\n`);
  }
  return exitCodes.done;
}
