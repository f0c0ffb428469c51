/** `<workflow> status`: where a run is, and what to run next. It changes nothing and needs no lease. */

import { resolve } from 'node:path';
import { effectOf } from '../../engine/transition.ts';
import { currentOwner } from '../../store/lease.ts';
import { decisionIn } from '../../runtime/answering.ts';
import { requireKnownState } from '../../runtime/run.ts';
import { type RunState } from '../../runtime/run-state.ts';
import { limitsOf, remaining } from '../../runtime/spending.ts';
import { workspaceFiles } from '../../runtime/workspace-files.ts';
import type { RunView, Workflow } from '../../workflows/workflow.ts';
import { findRepository, type Repository } from '../../workspace/git.ts';
import { leaseOptions } from '../compose.ts';
import { exitCodes } from '../exit-codes.ts';
import { findRun } from '../find-run.ts';
import { shownBudget, shownUsage } from '../show/consumption.ts';
import { decisionLines, shownDecisions } from '../show/decision.ts';
import { budgetLeft } from '../show/figures.ts';
import { screenOf, type Style } from '../show/screen.ts';
import { aligned, plainLine } from '../show/text.ts';
import { stateIn } from '../run-folders.ts';

export function statusOf(workflow: Workflow, run: string, json: boolean): Promise<number> {
  const repository = findRepository(process.cwd());
  const { folder } = findRun(repository.commonDir, `${workflow.name}/${run}`);
  const state = stateIn(folder);
  if (!state) throw new Error(`${folder}: the journal does not begin with a run`);
  requireKnownState(workflow, run, state.snapshot);
  const facts = factsOf(workflow, run, state, { repository, folder });
  const screen = screenOf(process.stdout);
  screen.write(json ? `${JSON.stringify(facts.document)}\n` : `${linesOf(facts, screen.style).join('\n')}\n`);
  return Promise.resolve(exitCodes.done);
}

type Facts = ReturnType<typeof factsOf>;

function factsOf(
  workflow: Workflow,
  run: string,
  state: RunState,
  { repository, folder }: { readonly repository: Repository; readonly folder: string },
) {
  const { snapshot, history, changedAt, spent } = state;
  const files = workspaceFiles(resolve(repository.commonDir, state.workspace));
  const config = files.read(workflow.configPath);
  const view: RunView = { run, snapshot, files, config, at: changedAt, history };
  const effect = effectOf(workflow.machine, snapshot);
  const decision = decisionIn(workflow, view);
  const outcome = effect.type === 'rest' ? effect.outcome : effect.type === 'ask' ? 'needs_person' : null;
  const summary = workflow.summarize(view, { outcome: outcome ?? 'interrupted', refusal: null });
  const limits = limitsOf(workflow.settings(config).spending, state.choice);
  const owner = currentOwner(folder, leaseOptions(false)) ?? null;
  const document = {
    workflow: workflow.name,
    run,
    phase: summary.phase,
    verdict: summary.verdict,
    outcome,
    message: summary.message,
    next: summary.next,
    decisions: decision ? shownDecisions(decision) : [],
    dispatches: history.length,
    usage: shownUsage(spent),
    budget: shownBudget(spent, limits),
    owner,
    updatedAt: changedAt,
    unproven: state.choice.unproven.length > 0 ? state.choice.unproven : null,
  };
  return { document, decision, left: budgetLeft(remaining(spent, limits)) };
}

function linesOf({ document, decision, left }: Facts, style: Style): string[] {
  const { workflow, run, phase, verdict, message, next, dispatches, owner, unproven } = document;
  const rows = [
    ['state', phase ?? 'new'],
    ['verdict', verdict ?? '-'],
    ['dispatches', String(dispatches)],
    ['budget left', left],
    ...(owner ? [['at work', `pid ${owner.pid}`]] : []),
    ...(unproven === null ? [] : [['unproven', 'this run goes on although the verifier refutes its workflow']]),
  ];
  return [
    style.bold(`${workflow} ${run}`),
    ...aligned(rows).map((line) => `  ${line}`),
    '',
    plainLine(message),
    ...(decision ? ['', ...decisionLines(run, decision, style)] : []),
    ...(next === null ? [] : ['', `Next: ${next}`]),
  ];
}
