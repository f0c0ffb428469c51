/** Who plays a run, checked before anything is written: a wrong name, script or program leaves nothing behind. */

import { AgentUnavailable } from '../agents/agent.ts';
import { chosenFor, chosenNames, readRoleChoice } from '../agents/role-choice.ts';
import type { Machine, Route } from '../engine/machine.ts';
import { branchesOf } from '../engine/transition.ts';
import { agentsByRole } from '../runtime/agent-choice.ts';
import type { Part } from '../runtime/host.ts';
import { workspaceFiles } from '../runtime/workspace-files.ts';
import { didYouMean } from '../schema/nearest.ts';
import { userGit } from '../workspace/user-git.ts';
import type { RunSettings } from '../workflows/workflow.ts';
import type { Job } from './open-run.ts';
import { notReady, refusal, usageRefusal, type Refusal } from './refusal.ts';

/** Names that mean nothing, and a script that cannot be played. */
export async function unplayable(job: Job): Promise<Refusal | null> {
  const { repository, workflow, run, caller, choices, anew } = job;
  const { host } = caller;
  const { agent, model, script } = choices;
  const isNew = anew === true || !repository.store.has({ workflow: workflow.name, run });
  const read = (): RunSettings => workflow.settings(workspaceFiles(repository.root, host.disk));
  const settings = isNew || agent !== undefined ? read() : null;
  const misread = misreadChoice(job, 'agent', agent) ?? misreadChoice(job, 'model', model);
  if (misread) return misread;
  // The configuration of a run that has begun may be that of its worktree.
  const unknown = settings && (unknownAgent(job, settings) ?? (isNew ? unknownInConfig(job, settings) : null));
  if (unknown) return unknown;
  if (script !== undefined) await host.agent('scripted', plainly, partOf(job));
  return null;
}

function partOf({ surface, choices: { script } }: Job): Part {
  return { script: script ?? null, workflow: surface.name, flags: {} };
}

/** A model's name becomes an argument of its agent. */
const modelName = /^[A-Za-z0-9][\w.:/@+[\]-]{0,199}$/;

function misreadChoice({ workflow }: Job, flag: 'agent' | 'model', text: string | undefined): Refusal | null {
  if (text === undefined) return null;
  const choice = readRoleChoice(text);
  const fix = `use --${flag} <${flag}>, or --${flag} <role>=<${flag}>,… with roles of ${workflow.name}`;
  if ('mistake' in choice) return usageRefusal({ code: 'Usage', message: `--${flag}: ${choice.mistake}`, fix });
  const roles = Object.keys(workflow.roles);
  const known = roles.map((role) => role.toLowerCase());
  const stranger = [...choice.byRole.keys()].find((role) => !known.includes(role));
  if (stranger !== undefined) {
    const hint = didYouMean(stranger, roles) || `; it has ${roles.join(', ')}`;
    return usageRefusal({ code: 'UnknownRole', message: `${workflow.name} has no role "${stranger}"${hint}`, fix });
  }
  const wrong = flag === 'agent' ? undefined : chosenNames(text).find((name) => !modelName.test(name));
  return wrong === undefined ? null : usageRefusal({ code: 'Usage', message: `"${wrong}" is no name of a model`, fix });
}

/**
 * For a new run: the roles that the command may come to before a person is asked, each with an agent that is there.
 * Throws AgentUnavailable where one cannot be used, and nobody replaces it.
 */
export async function missingAgent(job: Job, settings: RunSettings): Promise<Refusal | null> {
  const { workflow, intent, surface, caller, choices } = job;
  const { host } = caller;
  const part = partOf(job);
  const cast = agentsByRole({ workflow, settings, host }, choices.agent);
  const ahead = intent.kind === 'command' ? rolesAhead(workflow.machine, intent.command) : [];
  // A program takes so long to tell its version that both are ready by then; the dispatch hears of a failure.
  const starting = [host.toolServer(), ...(settings.sandbox.mode === 'off' ? [] : [host.sandbox()])];
  for (const each of starting) each.catch(() => undefined);
  const load = async (name: string): Promise<AgentUnavailable | null> => {
    // Which rehearsal is played depends on the run.
    if (name === 'scripted' && (surface.rehearsal || part.script !== null)) return null;
    try {
      await host.agent(name, settings.agentOptions(name), part);
      return null;
    } catch (error) {
      if (error instanceof AgentUnavailable) return error;
      throw error;
    }
  };
  const missing = await Promise.all(
    ahead.map(async (role) => {
      const own = await load(cast[role] ?? 'none');
      const others = own === null || chosenFor(choices.agent, role) !== undefined ? [] : settings.fallback;
      const problems = await Promise.all(others.map(load));
      return own === null || problems.includes(null) ? null : { role, problem: own };
    }),
  );
  const first = missing.find((each) => each !== null);
  if (!first) return null;
  const isChosen = chosenFor(choices.agent, first.role) !== undefined || Object.hasOwn(settings.agents, first.role);
  if (isChosen || host.installed().length > 0 || !surface.rehearsal) throw first.problem;
  const fix = 'install a coding agent, or add --agent scripted to see a run that calls no model';
  return refusal(first.problem.code, first.problem.message, { fix, outcome: 'unavailable' });
}

/** Whoever may be set to work between a command that begins a run and its next rest or question; advisors are no need. */
function rolesAhead({ states, initial }: Machine, command: string): readonly string[] {
  const begin = states[initial]?.on[command];
  const seen = new Set<string>([initial]);
  const open = begin === undefined ? [] : targetsOf(begin);
  const roles = new Set<string>();
  for (let name = open.pop(); name !== undefined; name = open.pop()) {
    const state = states[name];
    if (seen.has(name) || (state?.kind !== 'dispatch' && state?.kind !== 'check')) continue;
    seen.add(name);
    if (state.kind === 'dispatch') roles.add(state.role);
    open.push(...Object.values(state.on).flatMap(targetsOf));
  }
  return [...roles];
}

function targetsOf(route: Route): string[] {
  return branchesOf(route).flatMap((branch) => ('to' in branch ? [branch.to] : []));
}

/** Before any agent works on what could not be committed. */
export async function namelessAt(root: string): Promise<Refusal | null> {
  const { IdentityMissing, requireIdentity } = await import('../workspace/committing.ts');
  try {
    await requireIdentity(userGit(root));
    return null;
  } catch (error) {
    if (!(error instanceof IdentityMissing)) throw error;
    return notReady(error.code, error.message, error.fix);
  }
}

const plainly = { command: null, driver: null, mcp: [], env: [] };

function unknownAgent({ choices, caller }: Job, settings: RunSettings): Refusal | null {
  for (const agent of chosenNames(choices.agent)) {
    const wrong = misnamed(caller, settings, agent);
    if (wrong === null) continue;
    const fix = `use --agent with a known name, or configure [${agent}] command in pawl.toml`;
    return refusal('UnknownAgent', `there is no agent "${agent}"${wrong}`, { fix });
  }
  return null;
}

function unknownInConfig({ workflow, choices, caller }: Job, settings: RunSettings): Refusal | null {
  const isLeft = (role: string): boolean => chosenFor(choices.agent, role) === undefined;
  // One that plays every role makes the others unimportant.
  if (!Object.keys(workflow.roles).some(isLeft)) return null;
  const configured = Object.entries(settings.agents).filter(([role]) => isLeft(role));
  const named = [
    ...configured.map(([role, agent]) => ({ key: `[roles] ${role}`, agent })),
    ...settings.fallback.map((agent) => ({ key: 'fallback', agent })),
  ];
  for (const { key, agent } of named) {
    const wrong = misnamed(caller, settings, agent);
    if (wrong === null) continue;
    const file = workflow.configPaths.join(' or ');
    const message = `${key} names "${agent}", and there is no such agent${wrong}`;
    return refusal('UnknownAgent', message, { fix: `correct ${key} in ${file}, or configure [${agent}] command` });
  }
  return null;
}

/** Names that are like it, in words, where it is neither known nor configured; null where it is. */
function misnamed({ host }: Job['caller'], settings: RunSettings, agent: string): string | null {
  const names = host.agentNames ?? [];
  if (names.length === 0 || names.includes(agent)) return null;
  const { command, driver } = settings.agentOptions(agent);
  if (command !== null || driver !== null) return null;
  return didYouMean(agent, names) || `; Pawl knows ${names.join(', ')}`;
}
