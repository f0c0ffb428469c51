/** `doctor`: what this machine has, which agent plays which role, and what is missing. It changes nothing. */

import { AgentUnavailable } from '../agents/agent.ts';
import { assignAgents, selfJudging } from '../agents/assignment.ts';
import { loginOf } from '../agents/login.ts';
import { DocumentError } from '../documents/document-error.ts';
import { configProblems } from '../project/configuration.ts';
import { findLeftovers } from '../runs/leftovers.ts';
import { thisComputer } from '../runtime/host.ts';
import { workspaceFiles } from '../runtime/workspace-files.ts';
import { isLower } from '../sandbox/level.ts';
import type { WorkflowSurface } from '../workflows/surface.ts';
import type { RunSettings } from '../workflows/workflow.ts';
import { git } from '../workspace/git.ts';
import { agentNames, installedAgents, leaveRepositoryPrograms, loadAgent } from './agents.ts';
import { findRepositoryIfAny, type CommandContext, type CommandFunction } from './context.ts';
import { exitCodes, toProblem } from './problem.ts';
import { doctorLines } from './show/doctor-lines.ts';
import { print, screenOf } from './show/screen.ts';
import { isTrusted, untrustedPowers } from './trusting.ts';
import { allWorkflows, projectHere, type Surfaces } from './workflows.ts';

export const doctor: CommandFunction = async ({ flags }, context) => {
  leaveRepositoryPrograms();
  const check = await checkMachine(context);
  const { exitCode } = check;
  print(flags, { ready: exitCode === exitCodes.done, ...check }, () =>
    doctorLines(check, screenOf(process.stdout)).join('\n'),
  );
  return exitCode;
};

async function checkMachine(context: CommandContext) {
  const { bundled } = context.workflows;
  const here = findRepositoryIfAny(process.cwd());
  const root = here?.root ?? null;
  const checked = await Promise.all(bundled.map((surface) => checkWorkflow(surface, root)));
  const workflows = checked.map(({ check }) => check);
  const settings = checked.find((each) => each.settings !== null)?.settings ?? null;
  const wanted = workflows.flatMap(({ roles }) => Object.values(roles));
  const named = agentNames.filter((name) => !['scripted', 'command', 'acp'].includes(name));
  const configuration = await checkConfiguration(bundled, root);
  const isBroken = configuration.some(({ severity }) => severity === 'error');
  const trusted = here === null || isBroken || (await untrustedPowers(here)) === null;
  const check = (name: string) => checkAgent(name, settings, here === null || isTrusted(here));
  const agents = await Promise.all([...new Set([...named, ...wanted])].map(check));
  const version = await git(['--version'], { cwd: process.cwd() }).then(String, () => '');
  const gitVersion = /\d+(?:\.\d+)+/.exec(version)?.[0] ?? null;
  const sandbox = await checkSandbox(settings);
  const leftovers = here === null || gitVersion === null ? [] : await findLeftovers(context.repository());
  const found = { node: process.versions.node, git: gitVersion, repository: root, trusted, sandbox };
  const isCast = wanted.every((name) => agents.some(({ agent, usable }) => agent === name && usable));
  const exitCode = isBroken
    ? exitCodes.usage
    : gitVersion === null || !isCast || sandbox.lacking
      ? exitCodes.unavailable
      : root === null || !trusted
        ? exitCodes.not_ready
        : exitCodes.done;
  return { ...found, configuration, agents, workflows, leftovers, exitCode };
}

/** With what is wrong with the project's own workflows; only the first of that is known. */
async function checkConfiguration(bundled: Surfaces, root: string | null) {
  if (root === null) return [];
  const problems = await configProblems(workspaceFiles(root));
  try {
    const project = projectHere(bundled);
    // Code of the repository is not run in passing.
    await allWorkflows([], { ...project, workflows: project.workflows.filter(({ file }) => /\.ya?ml$/.test(file)) });
    return problems;
  } catch (error) {
    const { code, message } = toProblem(error).diagnostic;
    if (code === 'InternalError') throw error;
    const isKnown = problems.some((each) => each.message === message);
    return isKnown ? problems : [...problems, { severity: 'error' as const, message }];
  }
}

/** `lacking`: a higher level is required. */
async function checkSandbox(settings: RunSettings | null) {
  const { mode = 'prefer', allow = [] } = settings?.sandbox ?? {};
  const { level, problem } = await thisComputer.sandbox();
  const wanted = allow.includes('*') ? 'files' : 'files+network';
  return { mode, level, problem, lacking: mode === 'require' && isLower(level, wanted) };
}

/** `selfJudging` are makers whose work the same agent judges; `notes` are about the configuration. */
async function checkWorkflow(surface: WorkflowSurface, root: string | null) {
  const workflow = await surface.load();
  const { name, machine, roles } = workflow;
  try {
    const settings = workflow.settings(root === null ? { read: () => undefined } : workspaceFiles(root));
    const cast = assignAgents(machine, { roles, chosen: settings.agents, installed: installedAgents() });
    const notes = [...settings.warnings.map(({ message }) => message), ...settings.notes];
    const same = selfJudging(machine, cast);
    return { check: { workflow: name, roles: cast, selfJudging: same, problem: null, notes }, settings };
  } catch (error) {
    if (!(error instanceof DocumentError)) throw error;
    const check = { workflow: name, roles: {}, selfJudging: [], problem: error.message, notes: [] };
    return { check, settings: null };
  }
}

/** What the repository itself names is not started unless somebody trusts it. */
async function checkAgent(name: string, settings: RunSettings | null, trusted: boolean) {
  const options = settings?.agentOptions(name) ?? { command: null, driver: null, mcp: [] };
  if (!trusted && options.command !== null)
    return {
      agent: name,
      usable: false,
      version: null,
      login: null,
      problem: 'not looked for: this repository is not trusted',
    };
  try {
    const agent = name === 'scripted' ? null : await loadAgent(name, options);
    return { agent: name, usable: true, version: agent?.version ?? null, login: loginOf(name), problem: null };
  } catch (error) {
    if (!(error instanceof AgentUnavailable)) throw error;
    return { agent: name, usable: false, version: null, login: null, problem: error.message };
  }
}

export type MachineCheck = Awaited<ReturnType<typeof checkMachine>>;
