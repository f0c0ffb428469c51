/** A definition as the runtime sees it: everything the bundled workflows have. */

import type { Json } from '../../engine/snapshot.ts';
import type { Signal } from '../../engine/transition.ts';
import { configPath } from '../workflow-config.ts';
import { defineWorkflow } from '../define-workflow.ts';
import { runProgram } from '../run-program.ts';
import type { CheckContext, CheckResult, Question, RunView, UsageProblem, Workflow } from '../workflow.ts';
import { approvals, isUnchanged } from './approvals.ts';
import { artifactDigest, artifactPath } from './artifacts.ts';
import { settingsOf } from './config.ts';
import type { AskState, RunState, StateDefinition, WorkflowDefinition } from './definition.ts';
import { machineOf, signalsOf } from './machine-of.ts';
import { controlFolder, runPaths } from './paths.ts';
import { brief } from './prompt.ts';
import { conclude, tools } from './reporting.ts';
import { stateFile } from './state-file.ts';
import { status } from './status.ts';
import { wordsOf } from './summary.ts';

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
    enter: (command, args, view) => enter(definition, prompts, { command, args, view }),
    stateFile: stateFile(name, machine),
    words: wordsOf(name, machine),
    status: (view) => status(machine, view),
    journalPath: ({ run }) => runPaths(name, run).journal,
  });
}

function checksOf(definition: WorkflowDefinition): Workflow['checks'] {
  const checks: Record<string, (context: CheckContext) => CheckResult | Promise<CheckResult>> = {};
  for (const [name, state] of Object.entries(definition.states)) {
    const check = checkOf(definition, state);
    if (!check) continue;
    checks[name] = async (context) => {
      const result = await check(context);
      const approved = approvals(definition, `${name}.${result.signal.name}`, context);
      return { ...result, signal: { ...result.signal, data: { ...result.signal.data, ...approved } } };
    };
  }
  return checks;
}

function checkOf(
  definition: WorkflowDefinition,
  state: StateDefinition,
): ((context: CheckContext) => CheckResult | Promise<CheckResult>) | undefined {
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
  return Object.fromEntries(
    Object.entries(definition.states).flatMap(([name, state]) =>
      'ask' in state ? [[name, (view: RunView) => questionOf(definition, name, state, view)] as const] : [],
    ),
  );
}

function questionOf(definition: WorkflowDefinition, name: string, state: AskState, view: RunView): Question {
  const { artifacts = {} } = definition;
  const about = Object.values(artifacts).map((artifact) => artifactDigest(artifact, view.files, view.run));
  const last = view.history.at(-1);
  return {
    title: state.ask,
    detail: last ? `The last word was ${last.signal}, from the ${last.role}.` : '',
    answers: state.answers,
    about: about.join(' '),
    withdrawn: null,
    paths: Object.values(artifacts)
      .map((artifact) => artifactPath(artifact, view.run))
      .filter((path) => view.files.exists(path)),
    data: Object.fromEntries(
      Object.keys(state.answers).map((answer) => [answer, approvals(definition, `${name}.${answer}`, view)]),
    ),
  };
}

interface Entering {
  readonly command: string;
  readonly args: Readonly<Record<string, Json>>;
  readonly view: RunView;
}

function enter(
  definition: WorkflowDefinition,
  prompts: Readonly<Record<string, string>>,
  { command, args, view }: Entering,
): Signal | UsageProblem {
  const given = typeof args['description'] === 'string' ? args['description'].trim() : '';
  const known = view.snapshot.data['description'];
  const wanted = Object.values(prompts).some((text) => /\{\{\s*description\s*\}\}/.test(text));
  if (command === 'start' && given === '' && wanted && known === undefined)
    return {
      code: 'DescriptionMissing',
      message: `"${view.run}" has no description, and its prompts need one`,
      fix: `pawl ${definition.name} start ${view.run} "what it is about"`,
    };
  if (view.snapshot.state === 'new' && command !== 'start')
    return {
      code: 'RunNotFound',
      message: `${definition.name} has no run "${view.run}"`,
      fix: `pawl ${definition.name} start ${view.run}`,
    };
  return {
    name: command,
    data: {
      ...(given !== '' && { description: given }),
    },
  };
}
