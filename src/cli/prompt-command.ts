/** `prompt`: what a role is told, step by step, and where each part comes from. It only looks. */

import { resolve } from 'node:path';
import { initialSnapshot } from '../engine/snapshot.ts';
import { findRunOf } from '../runs/find.ts';
import type { RunRepository } from '../runs/work-order.ts';
import { readRunState, viewOf } from '../runtime/run-state.ts';
import { rootsOf, workspaceFiles } from '../runtime/workspace-files.ts';
import { promptParts } from '../documents/prompt-parts.ts';
import type { Brief, RunView, Skip, Workflow } from '../workflows/workflow.ts';
import type { CommandFunction } from './context.ts';
import { unknownWord } from './options.ts';
import { accepted } from './problem.ts';
import { print, styleOf } from './show/screen.ts';
import { plainText } from './show/text.ts';
import { oneWorkflow, projectHere } from './workflows.ts';

export const prompt: CommandFunction = async ({ words: [name = '', word = '', run], flags }, context) => {
  const { bundled } = context.workflows;
  const workflow = await oneWorkflow(name, bundled, projectHere(bundled));
  const roles = Object.keys(workflow.roles);
  const role = roles.find((each) => each.toLowerCase() === word.toLowerCase());
  if (role === undefined) throw unknownWord('role', word, roles, context.spec.name);
  const steps = await stepsOf(workflow, role, viewFor(context.repository(), workflow, run));
  const { bold, dim } = styleOf(process.stdout);
  const lines = steps.flatMap(({ step, complete, parts }) => [
    bold(`${workflow.name} ${role}: ${step.replaceAll('_', ' ')}`),
    ...(complete ? [] : [dim('── Pawl: depends on the documents of a run; name one to see it ──')]),
    ...parts.flatMap(({ origin, text, replaceable }) => [
      dim(`── ${plainText(origin)}${replaceable ? ', replaceable' : ''} ──`),
      plainText(text.trimEnd()),
    ]),
    '',
  ]);
  return print(flags, { workflow: workflow.name, role, steps }, () => lines.join('\n').trimEnd());
};

type ShownRun = RunView & { readonly workspace: string };

/** A run as it is, or one that has just begun. */
function viewFor(repository: RunRepository, workflow: Workflow, word: string | undefined): ShownRun {
  const { root, commonDir, store, workflows } = repository;
  const found = word === undefined ? null : accepted(findRunOf(repository, workflows.surfaceOf(workflow.name), word));
  const state = found === null ? undefined : readRunState(store, found);
  const workspace = state === undefined ? root : resolve(commonDir, state.workspace);
  const files = workspaceFiles(rootsOf(workflow, workspace, commonDir));
  if (state !== undefined) return { ...viewOf(state, files), workspace };
  const snapshot = initialSnapshot(workflow.machine, workflow.settings(files).limits);
  return { run: found?.run ?? 'example', snapshot, files, at: new Date(0).toISOString(), history: [], workspace };
}

async function stepsOf(workflow: Workflow, role: string, view: ShownRun) {
  const dispatching = await workflow.dispatching();
  const place = { workflow: workflow.name, role, tools: Object.keys(dispatching.tools) };
  const { prompts } = workflow.settings(view.files);
  const steps = Object.entries(workflow.machine.states).flatMap(([step, state]) =>
    state.kind === 'dispatch' && (state.role === role || state.beside === role) ? [step] : [],
  );
  return steps.map((step) => {
    const item = { id: 'example', after: [] };
    const made = promptOf(() =>
      dispatching.brief({ ...view, step, role, item, agent: 'agent', dispatch: `${view.run}#1` }),
    );
    const parts = promptParts(made ?? '', prompts, place, view.files).filter(({ text }) => text !== '');
    return { step, complete: made !== null, parts };
  });
}

/** Null where a prompt cannot be made of what is there, whatever is missing. */
function promptOf(make: () => Brief | Skip): string | null {
  try {
    const made = make();
    return 'prompt' in made ? made.prompt : null;
  } catch {
    return null;
  }
}
