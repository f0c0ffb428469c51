/** `doctor`: what this machine has, who would play which role, and what is missing. It changes nothing. */

import { AgentUnavailable } from '../agents/agent.ts';
import { assignAgents, selfJudging } from '../agents/assignment.ts';
import { DocumentError } from '../documents/document-error.ts';
import { workspaceFiles } from '../runtime/workspace-files.ts';
import type { WorkflowSurface } from '../workflows/surface.ts';
import type { RunSettings, Workflow } from '../workflows/workflow.ts';
import { git } from '../workspace/git.ts';
import { agentNames, installedAgents, loadAgent } from './agents.ts';
import type { CommandFunction } from './context.ts';
import { exitCodes } from './exit-codes.ts';
import { screenOf, type Style } from './show/screen.ts';
import { aligned, plainLine } from './show/text.ts';
import { projectHere } from './workflows.ts';

interface AgentFinding {
  readonly agent: string;
  readonly usable: boolean;
  readonly version: string | null;
  readonly problem: string | null;
}

interface WorkflowFinding {
  readonly workflow: string;
  /** Role → agent. */
  readonly roles: Readonly<Record<string, string>>;
  /** Makers whose work the same agent judges. */
  readonly selfJudging: readonly (readonly [maker: string, judge: string])[];
  readonly problem: string | null;
  /** About its configuration. */
  readonly notes: readonly string[];
}

export const doctor: CommandFunction = async ({ flags }, { workflows: { bundled } }) => {
  const { root } = projectHere(bundled);
  const workflows = await Promise.all(bundled.map((surface) => findWorkflow(surface, root)));
  const wanted = new Set(workflows.flatMap(({ roles }) => Object.values(roles)));
  const named = agentNames.filter((name) => name !== 'scripted' && name !== 'command' && name !== 'acp');
  const agents = await Promise.all([...new Set([...named, ...wanted])].map((name) => findAgent(name, workflows)));
  const unusable = [...wanted].filter((name) => !agents.some(({ agent, usable }) => agent === name && usable));
  const told = workflows.map(({ settings: _settings, ...finding }) => finding);
  const facts = { node: process.versions.node, git: await gitVersion(), repository: root, agents, workflows: told };
  const screen = screenOf(process.stdout);
  screen.write(flags['json'] ? `${JSON.stringify(facts)}\n` : `${linesOf(facts, screen.style).join('\n')}\n`);
  return unusable.length > 0 ? exitCodes.unavailable : exitCodes.done;
};

async function findWorkflow(
  surface: WorkflowSurface,
  root: string | null,
): Promise<WorkflowFinding & { readonly settings: RunSettings | null }> {
  const workflow = await surface.load();
  const { name } = workflow;
  try {
    const settings = settingsAt(workflow, root);
    const roles = assignAgents(workflow.machine, {
      roles: workflow.roles,
      chosen: settings.agents,
      installed: installedAgents(),
    });
    const notes = [...settings.warnings.map(({ message }) => message), ...settings.notes];
    return { workflow: name, roles, selfJudging: selfJudging(workflow.machine, roles), problem: null, notes, settings };
  } catch (error) {
    if (!(error instanceof DocumentError)) throw error;
    return { workflow: name, roles: {}, selfJudging: [], problem: error.message, notes: [], settings: null };
  }
}

function settingsAt(workflow: Workflow, root: string | null): RunSettings {
  return workflow.settings(root === null ? { read: () => undefined } : workspaceFiles(root));
}

async function findAgent(
  name: string,
  workflows: readonly { readonly settings: RunSettings | null }[],
): Promise<AgentFinding> {
  const settings = workflows.find((each) => each.settings !== null)?.settings;
  const options = settings?.agentOptions(name) ?? { command: null, driver: null, mcp: [] };
  try {
    const agent = name === 'scripted' ? null : await loadAgent(name, options);
    return { agent: name, usable: true, version: agent?.version ?? null, problem: null };
  } catch (error) {
    if (!(error instanceof AgentUnavailable)) throw error;
    return { agent: name, usable: false, version: null, problem: error.message };
  }
}

async function gitVersion(): Promise<string | null> {
  const said = await git(['--version'], { cwd: process.cwd() }).then(String, () => '');
  return /\d+(?:\.\d+)+/.exec(said)?.[0] ?? null;
}

interface Facts {
  readonly node: string;
  readonly git: string | null;
  readonly repository: string | null;
  readonly agents: readonly AgentFinding[];
  readonly workflows: readonly WorkflowFinding[];
}

function linesOf({ node, git, repository, agents, workflows }: Facts, style: Style): string[] {
  const { bold, green, red, dim, symbols } = style;
  const mark = (good: boolean): string => (good ? green(symbols.done) : red(symbols.failed));
  const machine = [
    [mark(true), 'node', node],
    [mark(git !== null), 'git', git ?? 'is not there: install it'],
    [mark(repository !== null), 'repository', repository ?? 'none here: git init makes one'],
  ];
  const found = agents.map(({ agent, usable, version, problem }) => [
    usable ? mark(true) : dim(symbols.small),
    agent,
    usable ? (version ?? '') : dim(plainLine(problem ?? '')),
  ]);
  const roles = workflows.flatMap(({ workflow, roles: byRole, selfJudging: same, problem, notes }) => [
    '',
    bold(`Who plays which role in ${workflow}`),
    ...(problem === null ? [] : [`  ${mark(false)} ${plainLine(problem)}`]),
    ...aligned(
      Object.entries(byRole).map(([role, agent]) => {
        const usable = agents.some((each) => each.agent === agent && each.usable);
        return [mark(usable), role, agent, usable ? '' : dim('cannot be used')];
      }),
    ).map((line) => `  ${line}`),
    ...notes.map((note) => `  ${symbols.small} ${plainLine(note)}`),
    ...same.map(
      ([maker, judge]) =>
        `  ${symbols.small} ${judge} judges what ${maker} makes, and both are the same agent: install a second one`,
    ),
  ]);
  return [
    bold('This machine'),
    ...aligned(machine).map((line) => `  ${line}`),
    '',
    bold('Agents'),
    ...aligned(found).map((line) => `  ${line}`),
    ...roles,
  ];
}
