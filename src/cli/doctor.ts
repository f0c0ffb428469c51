/** `doctor`: what this machine has, which agent plays which role, and what is missing. It changes nothing. */

import { AgentUnavailable } from '../agents/agent.ts';
import { assignAgents, selfJudging } from '../agents/assignment.ts';
import { DocumentError } from '../documents/document-error.ts';
import { thisComputer } from '../runtime/host.ts';
import { workspaceFiles } from '../runtime/workspace-files.ts';
import { isLower } from '../sandbox/level.ts';
import type { WorkflowSurface } from '../workflows/surface.ts';
import type { RunSettings } from '../workflows/workflow.ts';
import { git } from '../workspace/git.ts';
import { agentNames, installedAgents, leaveRepositoryPrograms, loadAgent } from './agents.ts';
import { findRepositoryIfAny, type CommandFunction } from './context.ts';
import { exitCodes } from './problem.ts';
import { print, styleOf, type Style } from './show/screen.ts';
import { aligned, plainLine } from './show/text.ts';
import { isTrusted } from './trusting.ts';
import { projectHere, type Surfaces } from './workflows.ts';

export const doctor: CommandFunction = async ({ flags }, { workflows: { bundled } }) => {
  leaveRepositoryPrograms();
  const check = await checkMachine(bundled);
  const { agents, workflows } = check;
  print(flags, check, linesOf(check, styleOf(process.stdout)).join('\n'));
  const usable = new Set(agents.filter((agent) => agent.usable).map(({ agent }) => agent));
  const wanted = workflows.flatMap(({ roles }) => Object.values(roles));
  const isComplete = wanted.every((name) => usable.has(name)) && !check.sandbox.lacking;
  return isComplete ? exitCodes.done : exitCodes.unavailable;
};

async function checkMachine(bundled: Surfaces) {
  const { root } = projectHere(bundled);
  const checked = await Promise.all(bundled.map((surface) => checkWorkflow(surface, root)));
  const workflows = checked.map(({ check }) => check);
  const settings = checked.find((each) => each.settings !== null)?.settings ?? null;
  const wanted = workflows.flatMap(({ roles }) => Object.values(roles));
  const named = agentNames.filter((name) => !['scripted', 'command', 'acp'].includes(name));
  const here = findRepositoryIfAny(process.cwd());
  const trusted = here === null || isTrusted(here);
  const check = (name: string) => checkAgent(name, settings, trusted);
  const agents = await Promise.all([...new Set([...named, ...wanted])].map(check));
  const version = await git(['--version'], { cwd: process.cwd() }).then(String, () => '');
  const gitVersion = /\d+(?:\.\d+)+/.exec(version)?.[0] ?? null;
  const sandbox = await checkSandbox(settings);
  return { node: process.versions.node, git: gitVersion, repository: root, trusted, sandbox, agents, workflows };
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
    return { agent: name, usable: false, version: null, problem: 'not looked for: this repository is not trusted' };
  try {
    const agent = name === 'scripted' ? null : await loadAgent(name, options);
    return { agent: name, usable: true, version: agent?.version ?? null, problem: null };
  } catch (error) {
    if (!(error instanceof AgentUnavailable)) throw error;
    return { agent: name, usable: false, version: null, problem: error.message };
  }
}

type MachineCheck = Awaited<ReturnType<typeof checkMachine>>;

/** Without the agent's name, which stands beside it. */
function problemOf(agent: string, problem: string): string {
  const begins = [`${agent} is `, `${agent}: `, `${agent} `].find((words) => problem.startsWith(words)) ?? '';
  return plainLine(problem.slice(begins.length));
}

function linesOf({ node, git, repository, trusted, sandbox, agents, workflows }: MachineCheck, style: Style): string[] {
  const { bold, green, red, dim, symbols } = style;
  const mark = (good: boolean): string => (good ? green(symbols.done) : red(symbols.failed));
  const table = (rows: readonly (readonly string[])[]): string[] => aligned(rows, '  ');
  const note = (text: string): string => `  ${symbols.small} ${text}`;
  return [
    bold('This machine'),
    ...table([
      [mark(true), 'node', node],
      [mark(git !== null), 'git', git ?? 'not installed'],
      [mark(repository !== null), 'repository', repository ?? 'none: run git init'],
      ...(trusted ? [] : [[mark(false), 'trust', 'what it tells Pawl to run is not trusted: run pawl trust']]),
      [
        sandbox.lacking ? mark(false) : sandbox.level === 'none' ? dim(symbols.small) : mark(true),
        'sandbox',
        sandbox.problem === null ? sandbox.level : `${sandbox.level}: ${plainLine(sandbox.problem)}`,
      ],
    ]),
    '',
    bold('Agents'),
    ...table(
      agents.map(({ agent, usable, version, problem }) => [
        usable ? mark(true) : dim(symbols.small),
        agent,
        usable ? (version ?? '') : dim(problemOf(agent, problem ?? '')),
      ]),
    ),
    ...workflows.flatMap(({ workflow, roles, selfJudging: same, problem, notes }) => [
      '',
      bold(`Roles of ${workflow}`),
      ...(problem === null ? [] : [`  ${mark(false)} ${plainLine(problem)}`]),
      ...table(
        Object.entries(roles).map(([role, agent]) => {
          const usable = agents.some((each) => each.agent === agent && each.usable);
          return [mark(usable), role, agent, usable ? '' : dim('unavailable')];
        }),
      ),
      ...notes.map((text) => note(plainLine(text))),
      ...same.map(([maker, judge]) =>
        note(`${judge} judges the work of ${maker}, and both are the same agent: install a second one`),
      ),
    ]),
  ];
}
