/** The contract of every workflow with the runtime, bundled or not. */

import { phaseOf } from '../engine/phase.ts';
import { crewOf, isRest, type Machine, type Outcome } from '../engine/machine.ts';
import type { Snapshot } from '../engine/snapshot.ts';
import { branchesOf, stateOf } from '../engine/transition.ts';
import { explore } from '../verifier/space.ts';
import { verify } from '../verifier/verifier.ts';
import type { FileView, RunView, Workflow } from '../workflows/workflow.ts';
import { contractsOf, must, type Contract, type Promises } from './contract.ts';

/** `run`: an id, for workflows that do not take any name for one. */
export function workflowContract(workflow: Workflow, { run = 'a-run' } = {}): readonly Contract[] {
  return contractsOf(workflow.name, promises, () => ({ workflow, run }));
}

/** Whatever ends a command with something other than success has put on record what went wrong. */
const problem = { code: 'failed', message: 'something went wrong' };

/** The outcomes with which a run can rest in a state. */
function outcomesIn(machine: Machine, state: string): ReadonlySet<Outcome> {
  const found = new Set<Outcome>(['interrupted']);
  const entered = stateOf(machine, state);
  const usual = 'outcome' in entered ? entered.outcome : 'done';
  for (const { on } of Object.values(machine.states))
    for (const branch of Object.values(on).flatMap(branchesOf))
      if ('to' in branch && branch.to === state) found.add(branch.outcome ?? usual);
  return found;
}

const note = "a person's note";

/** JSON has no comments: there a person adds a key. */
function annotated(text: string): string {
  return text.startsWith('{') ? text.replace('{', `{ "note": "${note}",`) : `# ${note}\n${text}`;
}

/** One snapshot of each state in which nothing moves until a person does. */
function resting({ machine }: Workflow): readonly Snapshot[] {
  const { states } = explore(machine);
  return Object.entries(machine.states).flatMap(([name, each]) => {
    if (!isRest(each)) return [];
    const found = states.find(({ state }) => state === name);
    if (!found) throw new Error(`nothing leads to ${name}`);
    return [found.snapshot];
  });
}

const promises: Promises<{ readonly workflow: Workflow; readonly run: string }> = {
  'the verifier proves every promise of its machine'({ workflow: { name, machine, writers } }) {
    const { holds, proofs } = verify(machine, { workflow: name, writers });
    const refuted = proofs.flatMap(({ refutations }) => refutations.map(({ what }) => what));
    must(holds === true, refuted.join('\n') || 'its space is too large to be explored');
  },
  'it defines every role, check and question that its machine names'({ workflow }) {
    for (const [state, each] of Object.entries(workflow.machine.states)) {
      for (const role of crewOf(each)) must(role in workflow.roles, `${state}: there is no role ${role}`);
      if (each.kind === 'check') must(each.check in workflow.checks, `${state}: there is no check ${each.check}`);
      const questions = { ...workflow.questions, ...workflow.decisions };
      if (each.kind === 'decide') must(each.question in questions, `${state}: there is no question ${each.question}`);
    }
  },
  async 'every role has a tool to report with'({ workflow }) {
    const { tools } = await workflow.dispatching();
    for (const role of Object.keys(workflow.roles)) {
      const own = Object.values(tools).filter((tool) => tool.report && tool.roles.includes(role));
      must(own.length > 0, `${role} cannot report`);
    }
  },
  'it accepts each command or refuses it with a message, in every resting state'({ workflow, run }) {
    for (const snapshot of resting(workflow))
      for (const command of workflow.machine.commands) {
        const { state } = snapshot;
        const entered = workflow.enter(command, { description: 'a try' }, viewOf(run, snapshot));
        if ('fix' in entered)
          must(entered.message !== '' && entered.fix !== '', `${state}.${command} has no message or fix`);
        else must(entered.name === command, `${state}.${command} becomes "${entered.name}"`);
      }
  },
  'it has a text for every end of a command'({ workflow, run }) {
    const { machine } = workflow;
    for (const snapshot of resting(workflow)) {
      const { state } = snapshot;
      const view = viewOf(run, { ...snapshot, problem });
      for (const outcome of outcomesIn(machine, state)) {
        const { message } = workflow.summarize(view, { outcome, refusal: null });
        must(message.trim() !== '', `there is no text for ${outcome} in ${state}`);
      }
      for (const branch of Object.values(stateOf(machine, state).on).flatMap(branchesOf)) {
        if (!('refuse' in branch)) continue;
        const { message } = workflow.summarize(view, { outcome: branch.outcome, refusal: branch.refuse });
        must(message.trim() !== '', `there is no text for ${branch.refuse} in ${state}`);
      }
    }
  },
  'its state file shows the phase of every explored state and keeps the comments of people'({ workflow, run }) {
    const { machine } = workflow;
    for (const { snapshot } of explore(machine).states) {
      const file = workflow.stateFile(run);
      const phase = phaseOf(machine, snapshot);
      if (phase === null) continue;
      const view = viewOf(run, snapshot);
      const text = file.render(undefined, view);
      must(file.identify(text).phase === phase, `${snapshot.state}: phase ${phase} is read back as another`);
      must(file.render(annotated(text), view).includes(note), `${snapshot.state}: a comment is lost`);
    }
  },
};

const noFiles: FileView = { read: () => undefined, exists: () => false, list: () => [] };

function viewOf(run: string, snapshot: Snapshot): RunView {
  return { run, snapshot, files: noFiles, at: '2026-01-01T00:00:00.000Z', history: [] };
}
