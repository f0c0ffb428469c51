/** A definition as the runtime sees it: everything the bundled workflows have. */

import { configPath } from '../workflow-config.ts';
import { defineWorkflow, runProgram } from '../define-workflow.ts';
import type { CheckContext, CheckResult, Question, RunView, UsageProblem, Workflow } from '../workflow.ts';
import { approvals, artifactDigest, artifactPath, controlFolder, isUnchanged } from './artifacts.ts';
import { settingsOf } from './config.ts';
import type { AskState, RunState, StateDefinition, WorkflowDefinition } from './definition.ts';
import { machineOf, signalsOf } from './machine-of.ts';
import { brief } from './prompt.ts';
import { conclude, tools } from './reporting.ts';
import { stateFile } from './state-file.ts';
import { status, wordsOf } from './summary.ts';

/** `prompts`: the text of every prompt file, by the path the definition gives it. */
export function definedWorkflow(definition: WorkflowDefinition, prompts: Readonly<Record<string, string>>): Workflow {
  const { name, roles } = definition;
  const machine = machineOf(definition);
  return defineWorkflow({
    name,
    machine,
    controlFolder: controlFolder(name),
    configPaths: [configPath],
    roles: Object.fromEntries(
      Object.entries(roles).map(([role, { agent = 'claude', writes = [] }]) => [
        role,
        { writesTree: writes.length > 0, mayWrite: writes, defaultAgent: agent },
      ]),
    ),
    dispatching: () =>
      Promise.resolve({
        tools: tools(definition),
        brief: (context) => brief(definition, prompts, context),
        conclude: (context, reports) => conclude(definition, context, reports),
      }),
    checks: checksOf(definition),
    questions: questionsOf(definition),
    settings: (files) => settingsOf(definition, files),
    enter: (command, { description }, view) => {
      const given = typeof description === 'string' ? description.trim() : '';
      const problem = enterProblem(definition, prompts, { command, given, view });
      return problem ?? { name: command, data: given === '' ? {} : { description: given } };
    },
    stateFile: stateFile(name, machine),
    words: wordsOf(name, machine),
    status: (view) => status(machine, view),
    journalPath: ({ run }) => `${controlFolder(name)}/${run}/journal.jsonl`,
  });
}

type Check = Workflow['checks'][string];

function checksOf(definition: WorkflowDefinition): Workflow['checks'] {
  const checks: Record<string, Check> = {};
  for (const [name, state] of Object.entries(definition.states)) {
    const check = checkOf(definition, state);
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
  if ('check' in state) return state.check;
  if ('run' in state) return (context) => checkByProgram(definition, state, context);
  if ('unchanged' in state)
    return (context) => ({ signal: { name: isUnchanged(definition, state.unchanged, context) ? 'yes' : 'no' } });
  return undefined;
}

const minutesUsual = 10;

async function checkByProgram(
  definition: WorkflowDefinition,
  state: RunState,
  context: CheckContext,
): Promise<CheckResult> {
  const ran = await runProgram(context, state.run, state.minutes ?? minutesUsual);
  const command = ran.command.join(' ');
  const notes = [`${command}: ${ran.words}`];
  if (ran.end !== 'passed') {
    const problem = { code: 'check_failed', message: `${command} ${ran.words}; see ${ran.outputFile}` };
    return { signal: { name: 'failed', problem }, notes };
  }
  const lines = [...new Set(ran.output.split('\n').map((line) => line.trim()))].filter((line) => line !== '');
  const isList = signalsOf(definition, state).includes('empty');
  if (isList && lines.length === 0) return { signal: { name: 'empty' }, notes };
  return { signal: { name: 'passed', ...(isList && { items: lines.map((id) => ({ id, after: [] })) }) }, notes };
}

function questionsOf(definition: WorkflowDefinition): Workflow['questions'] {
  const questions: Record<string, (view: RunView) => Question> = {};
  for (const [name, state] of Object.entries(definition.states))
    if ('ask' in state) questions[name] = (view) => questionOf(definition, name, state, view);
  return questions;
}

function questionOf(definition: WorkflowDefinition, name: string, state: AskState, view: RunView): Question {
  const { files, run } = view;
  const artifacts = Object.values(definition.artifacts ?? {});
  const last = view.history.at(-1);
  return {
    title: state.ask,
    detail: last ? `The last word was ${last.signal}, from the ${last.role}.` : '',
    answers: state.answers,
    about: artifacts.map((artifact) => artifactDigest(artifact, files, run)).join(' '),
    withdrawn: null,
    paths: artifacts.map((artifact) => artifactPath(artifact, run)).filter((path) => files.exists(path)),
    data: Object.fromEntries(
      Object.keys(state.answers).map((answer) => [answer, approvals(definition, `${name}.${answer}`, view)]),
    ),
  };
}

function enterProblem(
  { name }: WorkflowDefinition,
  prompts: Readonly<Record<string, string>>,
  { command, given, view }: { readonly command: string; readonly given: string; readonly view: RunView },
): UsageProblem | null {
  const { run, snapshot } = view;
  const isNeeded = Object.values(prompts).some((text) => /\{\{\s*description\s*\}\}/.test(text));
  if (command === 'start' && given === '' && isNeeded && snapshot.data['description'] === undefined)
    return {
      code: 'DescriptionMissing',
      message: `"${run}" has no description, and its prompts need one`,
      fix: `pawl ${name} start ${run} "what it is about"`,
    };
  if (snapshot.state === 'new' && command !== 'start')
    return { code: 'RunNotFound', message: `${name} has no run "${run}"`, fix: `pawl ${name} start ${run}` };
  return null;
}
