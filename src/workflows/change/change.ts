/** The `change` workflow: a machine, and everything the runtime needs around it. */

import { attempt, DocumentError } from '../../documents/document-error.ts';
import { readProposal } from '../../documents/proposal.ts';
import { setTaskStatus } from '../../documents/tasks.ts';
import type { Json } from '../../engine/snapshot.ts';
import type { Signal } from '../../engine/transition.ts';
import { didYouMean } from '../../schema/nearest.ts';
import { sameValue } from '../../schema/values.ts';
import { defineWorkflow } from '../define-workflow.ts';
import { configPaths } from '../workflow-config.ts';
import type { Offer, Question, RunView, UsageProblem, Write } from '../workflow.ts';
import { implementingChecks } from './checks/implementing.ts';
import { planningChecks } from './checks/planning.ts';
import { isPlanEdited, planApproval, planDigest, planFiles, planPlaces } from './documents.ts';
import { archiveFolder, changeFolder, controlFolder, proposalPath, tasksPath } from './change-paths.ts';
import { proposalIn, tasksIn } from './read-documents.ts';
import { reader } from './reader.ts';
import { data, isLean, overrideWords } from './run-data.ts';
import { stateFile } from './state-file.ts';
import { words } from './summary.ts';

/** Plans and specs are written through tools only, or by people. */
const writer = { mayWrite: ['**', `!${controlFolder}/**`], defaultAgent: 'claude' } as const;

export const change = defineWorkflow({
  ...reader,
  controlFolder,
  watchedFolder: changeFolder,
  configPaths,
  documentsOf: (artifact, run) => (artifact === 'plan' ? planPlaces(run) : []),
  roles: {
    planner: { mayWrite: [], defaultAgent: 'gemini' },
    challenger: { mayWrite: [], defaultAgent: 'codex' },
    implementer: writer,
    author: writer,
    reviewer: { mayWrite: [], defaultAgent: 'codex' },
    archivist: { mayWrite: [], defaultAgent: 'claude' },
  },
  dispatching: async () => (await import('./dispatching.ts')).dispatching,
  checks: {
    ...planningChecks,
    ...implementingChecks,
    confirm_code: async (context) => (await import('./checks/archiving.ts')).confirmCode(context),
    confirm_merge: async (context) => (await import('./checks/archiving.ts')).confirmMerge(context),
    merge: async (context) => (await import('./checks/archiving.ts')).merge(context),
  },
  questions: { revision },
  enter,
  differenceTo,
  stateFile,
  words,
  offer,
  journalPath: ({ run, snapshot }) => `${archiveFolder(data.archivedAs.of(snapshot) ?? run)}/journal.jsonl`,
  undoWrites,
  subject,
  undoKeeps: ['the plan and its reviews'],
});

type Arguments = Readonly<Record<string, Json>>;

function enter(given: string, args: Arguments, view: RunView): Signal | UsageProblem {
  const { state } = view.snapshot;
  const begins = given === 'plan' || given === 'lean';
  const problem = begins ? descriptionProblem(given, args, view) : tasksProblem(args, view);
  if (problem) return problem;
  // A lean change is planned and implemented by one command, which goes on where it stopped.
  const goesOn = given === 'lean' && isLean(view.snapshot) && ['implementing', 'complete'].includes(state);
  const command = goesOn ? 'impl' : given;
  const { description, tasks, acceptEdits } = args;
  const known = data.description.of(view.snapshot);
  // Accepted edits of a complete change mean another review of its code.
  const isReview = command === 'review' || (acceptEdits === true && state === 'complete' && isPlanEdited(view));
  return {
    name: isReview ? 'review' : command,
    data: {
      ...(begins && data.description.set(typeof description === 'string' ? description : known)),
      ...((command === 'impl' || command === 'review') && {
        ...data.tasksOnly.set(Array.isArray(tasks) ? tasks.map(String) : null),
        ...data.acceptEdits.set(acceptEdits === true),
        ...data.freshReview.set(isReview),
      }),
    },
  };
}

function differenceTo({ tasks }: Arguments, { snapshot }: RunView): string | undefined {
  const only = data.tasksOnly.of(snapshot);
  if (sameValue(only, Array.isArray(tasks) ? tasks.map(String) : null)) return undefined;
  return only === null ? ' and works on all tasks' : ` and works on ${only.join(', ')} only`;
}

function descriptionProblem(
  command: string,
  { description }: Arguments,
  { run, snapshot, files }: RunView,
): UsageProblem | null {
  const known = data.description.of(snapshot);
  const given = typeof description === 'string' ? description.trim() : undefined;
  // A proposal that is there already says what the change is about.
  if (snapshot.state === 'new' && !given && files.read(proposalPath(run)) === undefined)
    return {
      code: 'DescriptionMissing',
      message: `the change "${run}" does not exist yet and has no description`,
      fix: `pawl change ${command} ${run} "what to change and why"`,
    };
  if (snapshot.state === 'new' || given === undefined || given === known) return null;
  return {
    code: 'DescriptionDiffers',
    message: `the change "${run}" exists already${known === null ? '' : ` and is described as: ${known}`}`,
    fix: `leave the description out to continue it, or give it up with pawl abandon ${run} "why"`,
  };
}

function tasksProblem({ tasks }: Arguments, view: RunView): UsageProblem | null {
  const list = Array.isArray(tasks) ? attempt(() => tasksIn(view)) : undefined;
  // A list that cannot be read is refused by the command itself, with the line.
  if (!Array.isArray(tasks) || !list || list instanceof DocumentError) return null;
  const known = list.tasks.map(({ id }) => id);
  const [first, ...others] = tasks.map(String).filter((id) => !known.includes(id));
  if (first === undefined) return null;
  return {
    code: 'TaskNotFound',
    message: `${tasksPath(view.run)} has no task ${[first, ...others].join(', ')}${didYouMean(first, known)}`,
    fix: `use --tasks with ids of ${known.join(', ')}`,
  };
}

/** The planning budget is spent and the challenger still wants a revision: a person decides how to continue. */
function revision(view: RunView): Question {
  const { run, files, snapshot } = view;
  const about = planDigest(files, run);
  const review = proposalIn(view)?.reviews.at(-1);
  const open = (review?.issues ?? []).map(({ severity, title }) => ({ severity, title }));
  return {
    title: `The plan of ${run} still needs a revision, and its planning budget is spent`,
    detail: [review?.summary ?? '', ...open.map((each) => `- ${each.severity}: ${each.title}`)].join('\n').trim(),
    answers: {
      implement_anyway: 'implement the plan as it is (recorded as your decision)',
      continue: 'one more round of revision and challenge',
      view: 'show the plan',
    },
    about,
    withdrawn: data.judgedPlan.of(snapshot) === about ? null : 'the plan was changed since it was judged',
    paths: planFiles(view),
    data: {
      implement_anyway: {
        ...planApproval(view, 'person', about),
        ...data.override.set({ by: 'person', at: view.at, open_issues: open }),
      },
    },
  };
}

/** Once the plan is approved: to implement it at once. */
function offer(view: RunView): Offer | null {
  if (view.snapshot.state !== 'challenged') return null;
  return {
    question: {
      title: `The plan of ${view.run} is approved${overrideWords(view.snapshot)}. Continue?`,
      detail: '',
      answers: { implement: 'implement it now', view: 'show the plan', stop: 'stop here' },
      paths: planFiles(view),
    },
    next: { implement: { verb: 'impl', words: [view.run] } },
  };
}

/** The code is gone again, so its tasks are to be done again. */
/** As its proposal sums it up, or a person described it. */
function subject({ run, snapshot, files }: RunView): string | null {
  const path = `${archiveFolder(data.archivedAs.of(snapshot) ?? run)}/proposal.md`;
  const text = files.read(path);
  const proposal = text === undefined ? undefined : attempt(() => readProposal(text, path));
  const summary = proposal instanceof DocumentError ? undefined : proposal?.summary;
  return summary || data.description.of(snapshot);
}

function undoWrites(view: RunView): readonly Write[] {
  const path = tasksPath(view.run);
  const text = view.files.read(path);
  if (text === undefined) return [];
  const begun = tasksIn(view)?.tasks.filter(({ status }) => status !== 'pending') ?? [];
  return [{ path, content: begun.reduce((edited, { id }) => setTaskStatus(edited, id, 'pending'), text) }];
}
