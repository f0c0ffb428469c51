/** A definition as the runtime sees it: everything the bundled workflows have. */

import { DocumentError } from '../../documents/document-error.ts';
import { keyLine } from '../../documents/yaml.ts';
import { isFault, type Machine } from '../../engine/machine.ts';
import { phaseOf } from '../../engine/phase.ts';
import { openOptions } from '../../engine/transition.ts';
import { nearest } from '../../schema/nearest.ts';
import { verbatim } from '../../schema/simple.ts';
import { configPaths } from '../workflow-config.ts';
import { defineWorkflow, runProgram, stopText, type RunWords } from '../define-workflow.ts';
import type { Question, RunView, Workflow } from '../workflow.ts';
import { yamlStateFile } from '../yaml-state-file.ts';
import { approvals, artifactDigest, artifactPath, controlFolder, isUnchanged } from './declared-artifacts.ts';
import { settingsOf } from './config.ts';
import type { Prompts, StateDefinition, StateWith, WorkflowDefinition } from './definition.ts';
import { machineOf, signalsOf } from './machine-of.ts';
import { brief } from './brief.ts';
import { ownCheck } from './own-check.ts';
import { conclude, reportKey, tools } from './reporting.ts';

/** `files`: those of the project that it is defined in. */
export function definedWorkflow(
  definition: WorkflowDefinition,
  prompts: Prompts,
  files: readonly string[] = [],
): Workflow {
  const { name, roles } = definition;
  const machine = machineOf(definition);
  return defineWorkflow({
    name,
    machine,
    controlFolder: controlFolder(name),
    configPaths: [...configPaths, ...files],
    documentsOf: (name, run) => {
      const artifact = definition.artifacts?.[name];
      return artifact ? [artifactPath(artifact, run)] : [];
    },
    roles: Object.fromEntries(
      Object.entries(roles).map(([role, { agent = 'claude', writes = [] }]) => [
        role,
        { mayWrite: writes, defaultAgent: agent },
      ]),
    ),
    dispatching: () =>
      Promise.resolve({
        tools: tools(definition),
        brief: (context) => brief(definition, prompts, context),
        conclude: (context, reports) => conclude(definition, context, reports),
      }),
    checks: checksOf(definition, files[0] ?? name),
    placeless: Object.entries(definition.states).flatMap(([name, state]) => ('placeless' in state ? name : [])),
    questions: questionsOf(definition),
    settings: (files) => settingsOf(definition, files),
    enter: (command, { description }, { run, snapshot }) => {
      const given = typeof description === 'string' ? description.trim() : '';
      const isNeeded = Object.values(prompts).some((text) => /\{\{\s*description\s*\}\}/.test(text));
      if (command === 'start' && given === '' && isNeeded && snapshot.data['description'] === undefined) {
        const message = `"${run}" has no description, and its prompts need one`;
        return { code: 'DescriptionMissing', message, fix: `pawl ${name} start ${run} "what it is about"` };
      }
      if (snapshot.state === 'new' && command !== 'start')
        return { code: 'RunNotFound', message: `${name} has no run "${run}"`, fix: `pawl ${name} start ${run}` };
      return { name: command, data: given === '' ? {} : { description: given } };
    },
    stateFile: stateFile(name, machine),
    words: wordsOf(name, machine),
    status: (view) => {
      const { history, snapshot, unproven } = view;
      const verdict = lastVerdict(view);
      const isProven = unproven.length === 0;
      return {
        keys: { verdict, dispatches: history.length, unproven: isProven ? null : unproven },
        title: [`state ${phaseOf(machine, snapshot) ?? 'new'}`, ...(verdict === null ? [] : [`verdict ${verdict}`])],
        notes: isProven ? [] : [{ text: 'unproven: this run continues although the verifier refutes its workflow' }],
      };
    },
    journalPath: ({ run }) => `${controlFolder(name)}/${run}/journal.jsonl`,
  });
}

type Check = Workflow['checks'][string];

function checksOf(definition: WorkflowDefinition, file: string): Workflow['checks'] {
  const checks: Record<string, Check> = {};
  for (const [name, state] of Object.entries(definition.states)) {
    const check = 'check' in state ? ownCheck(name, state, file) : checkOf(definition, state);
    if (!check) continue;
    checks[name] = async (context) => {
      const { signal, ...result } = await check(context);
      const approved = approvals(definition, `${name}.${signal.name}`, context);
      return { ...result, signal: { ...signal, data: { ...signal.data, ...approved } } };
    };
  }
  return checks;
}

function checkOf(definition: WorkflowDefinition, state: StateDefinition): Check | undefined {
  if ('run' in state) return checkByProgram(state, signalsOf(definition, state).includes('empty'));
  if ('unchanged' in state)
    return (context) => ({ signal: { name: isUnchanged(definition, state.unchanged, context) ? 'yes' : 'no' } });
  return undefined;
}

const minutesUsual = 10;

function checkByProgram({ run, minutes = minutesUsual }: StateWith<'run'>, isList: boolean): Check {
  return async (context) => {
    const { end, words, output, outputFile } = await runProgram(context, run, minutes);
    const command = run.join(' ');
    const notes = [`${command}: ${words}`];
    if (end !== 'passed') {
      const problem = { code: 'check_failed', message: `${command} ${words}; see ${outputFile}` };
      return { signal: { name: 'failed', problem }, notes };
    }
    if (!isList) return { signal: { name: 'passed' }, notes };
    const lines = [...new Set(output.split('\n').map((line) => line.trim()))].filter((line) => line !== '');
    const items = lines.map((id) => ({ id, after: [] }));
    return { signal: lines.length === 0 ? { name: 'empty' } : { name: 'passed', items }, notes };
  };
}

function questionsOf(definition: WorkflowDefinition): Workflow['questions'] {
  const questions: Record<string, (view: RunView) => Question> = {};
  for (const [name, state] of Object.entries(definition.states))
    if ('ask' in state) questions[name] = (view) => questionOf(definition, name, state, view);
  return questions;
}

function questionOf(definition: WorkflowDefinition, name: string, state: StateWith<'ask'>, view: RunView): Question {
  const { files, run } = view;
  const artifacts = Object.values(definition.artifacts ?? {});
  const last = view.history.at(-1);
  return {
    title: state.ask,
    detail: last ? `Last report: ${last.signal} (${last.role})` : '',
    answers: state.answers,
    about: artifacts.map((artifact) => artifactDigest(artifact, files, run)).join(' '),
    withdrawn: null,
    paths: artifacts.map((artifact) => artifactPath(artifact, run)).filter((path) => files.exists(path)),
    data: Object.fromEntries(
      Object.keys(state.answers).map((answer) => [answer, approvals(definition, `${name}.${answer}`, view)]),
    ),
  };
}

export function wordsOf(workflow: string, machine: Machine): RunWords {
  const next = (view: RunView) => nextCommand(workflow, machine, view);
  return {
    next,
    verdict: lastVerdict,
    refusals: {
      AlreadyStarted: ({ run, snapshot }) => `${run} has already started: it is in ${snapshot.state}`,
      NothingToRetry: ({ run, snapshot }) => `${run} has no step to retry: it is in ${snapshot.state}`,
      NothingToUndo: ({ run }) => `${run} has nothing that could be undone`,
      NotNow: ({ snapshot }) => `this is not possible in ${snapshot.state}`,
    },
    rests: {},
    // The author may have said what leads on from where a run stops.
    stops: (view, outcome) => {
      const stopped = stopText(view, outcome);
      if (stopped === null || outcome === 'over_budget') return stopped;
      const [action, message, command] = stopped;
      return [action, message, next(view) ?? command];
    },
  };
}

/** The command that leads on from where the run rests; null when there is none, or only ways back. */
function nextCommand(workflow: string, machine: Machine, { run, snapshot }: RunView): string | null {
  const state = machine.states[snapshot.state];
  if (state?.kind !== 'parked') return null;
  const first = openOptions(state.on, snapshot).find((command) => command !== 'undo');
  if (first === undefined) return null;
  return first === 'retry' ? `pawl retry ${run}` : `pawl ${workflow} ${first} ${run}`;
}

function lastVerdict({ history, snapshot }: RunView): string | null {
  const last = history.findLast(({ step, signal }) => !isFault(signal) && snapshot.data[reportKey(step)] !== undefined);
  return last?.signal ?? null;
}

/** state.yaml: where the run is, for people. */
export function stateFile(workflow: string, machine: Machine): Workflow['stateFile'] {
  const expected = 'phase: and a state';
  const { states, initial, gates } = machine;
  const resting = Object.keys(states).filter((name) => states[name]?.kind === 'parked' && name !== initial);
  const path = (run: string): string => `${controlFolder(workflow)}/${run}/state.yaml`;
  return yamlStateFile({
    path,
    fields: ({ run, snapshot, at, history }) => {
      const { description } = snapshot.data;
      const last = history.at(-1);
      return {
        workflow,
        run,
        ...(typeof description === 'string' && { description }),
        phase: phaseOf(machine, snapshot),
        state: snapshot.state,
        updated_at: at,
        budgets_left: snapshot.budgets,
        dispatches: history.length,
        last_dispatch: last ? { step: last.step, role: last.role, agent: last.agent, signal: last.signal } : null,
      };
    },
    phase: { schema: verbatim(expected), expected },
    adopt: (phase, { files, run }) => {
      // Which gates lie between two states only the verifier could say: with gates, a person is always asked.
      if (resting.includes(phase)) return { state: phase, data: {}, gate: Object.keys(gates)[0] ?? null };
      const near = nearest(phase, resting);
      const file = path(run);
      throw new DocumentError(
        { file, line: keyLine(files.read(file) ?? '', 'phase') },
        `phase was set to ${phase} by hand${near === undefined ? '' : ` (did you mean ${near}?)`}`,
        resting.length === 0
          ? 'what Pawl wrote: this workflow never pauses'
          : `a state it pauses in: ${resting.join(', ')}`,
      );
    },
  });
}
