/** Which documents of the session each role is sent to: those it cannot work without, and those it reads if they exist. */

import type { DispatchContext } from '../workflow.ts';
import * as paths from './files/paths.ts';
import type { Role } from './vocabulary.ts';

type Document = 'spec' | 'acceptance' | 'architecture' | 'tasks' | 'research' | 'design';

const matrix: Readonly<Record<Role, { readonly needs: readonly Document[]; readonly reads: readonly Document[] }>> = {
  SpecAgent: { needs: [], reads: [] },
  Researcher: { needs: ['spec'], reads: ['acceptance', 'architecture'] },
  Architect: { needs: ['spec', 'acceptance'], reads: ['research'] },
  Designer: { needs: ['spec', 'architecture', 'acceptance'], reads: [] },
  Planner: { needs: ['spec', 'acceptance', 'architecture'], reads: ['design', 'research'] },
  Coder: { needs: ['spec', 'tasks'], reads: ['architecture', 'design'] },
  Reviewer: { needs: ['spec', 'tasks'], reads: ['architecture', 'design'] },
  QA: { needs: ['spec', 'acceptance', 'tasks'], reads: ['design'] },
  Security: { needs: ['tasks'], reads: ['architecture'] },
  Integrator: { needs: ['tasks', 'acceptance'], reads: [] },
  Docs: { needs: ['spec', 'tasks', 'acceptance'], reads: ['architecture'] },
};

export interface ContextFiles {
  readonly required: readonly string[];
  /** Everything that is there. */
  readonly present: readonly string[];
}

export function contextFiles({ role, run, files }: Pick<DispatchContext, 'role' | 'run' | 'files'>): ContextFiles {
  const rules = Object.entries(matrix).find(([name]) => name === role)?.[1] ?? matrix.SpecAgent;
  const find = (document: Document): readonly string[] => placesOf(document, run, files);
  const required = rules.needs.flatMap(find);
  const all = [...required, ...rules.reads.flatMap(find)];
  return { required, present: all.filter((path) => files.read(path) !== undefined) };
}

function placesOf(document: Document, run: string, files: DispatchContext['files']): readonly string[] {
  switch (document) {
    case 'spec':
      return [paths.specPath(run)];
    case 'acceptance':
      return [paths.acceptancePath(run)];
    case 'architecture':
      return [paths.architecturePath(run)];
    case 'tasks':
      return [paths.tasksPath(run)];
    case 'research':
      return files.list(paths.researchFolder(run));
    case 'design':
      return files.list(paths.designFolder(run));
  }
}
