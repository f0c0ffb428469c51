/** What a command is called with: its words and flags, and the repository and workflows around it. */

import type { Disk } from '../disk/disk.ts';
import type { RunRepository, Workflows } from '../runs/work-order.ts';
import { definedSurface } from '../workflows/defined/surface.ts';
import type { CommandInput, WorkflowSurface } from '../workflows/surface.ts';
import { findRepository, NotARepository, type Repository } from '../workspace/git.ts';
import { storeOf } from './local-store.ts';
import type { CommandSpec } from './options.ts';

export type CommandFunction = (given: CommandInput, context: CommandContext) => Promise<number>;

export interface CommandContext {
  readonly spec: CommandSpec;
  readonly workflows: Workflows;
  /** Of the current folder; throws where there is none. */
  repository(): RunRepository;
}

export function contextFor(
  spec: CommandSpec,
  surfaces: readonly WorkflowSurface[],
  folder = (): string => process.cwd(),
): CommandContext {
  const workflows = workflowsHere(surfaces);
  return {
    spec,
    workflows,
    repository: () => {
      const repository = findRepository(folder());
      const { commonDir } = repository;
      const storeOn = (disk?: Disk) => storeOf(commonDir, surfaces, disk);
      return { ...repository, store: storeOn(), storeOn, workflows };
    },
  };
}

/** For commands that work anywhere; a repository only adds to them. */
export function repositoryIfAny(context: CommandContext): RunRepository | null {
  return ifAny(() => context.repository());
}

export function findRepositoryIfAny(folder: string): Repository | null {
  return ifAny(() => findRepository(folder));
}

function ifAny<T>(find: () => T): T | null {
  try {
    return find();
  } catch (error) {
    if (error instanceof NotARepository) return null;
    throw error;
  }
}

/** Bundled workflows, and those of the project around the current folder. */
export function workflowsHere(surfaces: readonly WorkflowSurface[]): Workflows {
  const surfaceOf = (name: string): WorkflowSurface =>
    surfaces.find((surface) => surface.name === name) ??
    definedSurface(name, async () => (await import('./workflows.ts')).ownWorkflow(name, surfaces));
  return {
    bundled: surfaces,
    surfaceOf,
    load: (name) => surfaceOf(name).load(),
    read: (name) => surfaceOf(name).read?.() ?? surfaceOf(name).load(),
  };
}
