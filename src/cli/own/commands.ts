/** The commands of a project's own workflow: those of its machine, and `status`. */

import { DocumentError } from '../../documents/document-error.ts';
import { isId } from '../../workflows/change/paths.ts';
import { nameOfFile } from '../../workflows/defined/paths.ts';
import type { Workflow } from '../../workflows/workflow.ts';
import { findRepository } from '../../workspace/git.ts';
import type { Command } from '../commands.ts';
import { Problem } from '../problem.ts';
import { projectHere } from '../project-here.ts';
import * as reading from '../run-status.ts';
import { workFlags } from '../verb.ts';
import { isBundled, loadWorkflow } from '../workflows.ts';

/** Empty when no workflow of the project has that name. */
export async function ownCommands(name: string): Promise<readonly Command[]> {
  if (isBundled(name) || !projectHere().workflows.some((file) => nameOfFile(file) === name)) return [];
  const workflow = await loadWorkflow(name);
  const verbs = workflow.machine.commands.filter((command) => command !== 'retry' && command !== 'undo');
  return [...verbs.map((verb) => workCommand(workflow, verb)), statusCommand(workflow)];
}

/** For help, which must not fail over a file somebody is in the middle of editing. */
export function ownNames(): readonly string[] {
  try {
    return projectHere().workflows.map(nameOfFile);
  } catch (error) {
    if (error instanceof DocumentError) return [];
    throw error;
  }
}

function workCommand(workflow: Workflow, verb: string): Command {
  const begins = verb === 'start';
  return {
    path: [workflow.name, verb],
    group: workflow.name,
    spec: {
      name: `pawl ${workflow.name} ${verb}`,
      about: begins ? 'begin a run' : `go on with a run: ${verb}`,
      words: begins ? ['run', 'description?'] : ['run'],
      flags: {
        ...workFlags,
        unproven: { about: 'run it although the verifier refutes it (recorded in the journal)', vouches: true },
      },
    },
    load: () =>
      Promise.resolve(async (given) => {
        const [word = '', description] = given.words;
        const repository = findRepository(process.cwd());
        const { workOn } = await import('../work-on.ts');
        return workOn({
          workflow,
          run: runId(word),
          workspace: repository.root,
          commonDir: repository.commonDir,
          command: verb,
          args: description === undefined ? {} : { description },
          given,
        });
      }),
  };
}

function statusCommand(workflow: Workflow): Command {
  return {
    path: [workflow.name, 'status'],
    group: workflow.name,
    spec: {
      name: `pawl ${workflow.name} status`,
      about: 'where a run is, and what to run next',
      words: ['run'],
      flags: {},
    },
    load: () =>
      Promise.resolve((given, context) => reading.statusCommand(context.workflows.surfaceOf(workflow.name))(given, context)),
  };
}

function runId(word: string): string {
  if (isId(word)) return word;
  throw new Problem('invalid_run', `${JSON.stringify(word.slice(0, 80))} cannot name a run`, {
    fix: 'use small letters, digits and -, at most 64, beginning with a letter or digit',
  });
}
