import { nearest } from '../../schema/nearest.ts';
import { isFault } from '../../engine/machine.ts';
import type { Path } from '../../schema/schema.ts';
import type { WorkflowDefinition } from './definition.ts';

export interface DefinitionProblem {
  readonly path: Path;
  readonly problem: string;
  readonly expected: string;
}

/** Names in a definition that stand for nothing, beyond what the verifier finds in its machine. */
export function definitionProblem(definition: WorkflowDefinition): DefinitionProblem | null {
  const { roles, artifacts = {}, states, gates = {}, begin } = definition;
  const taken = takenName(definition);
  if (taken) return taken;
  const unknown = (path: Path, kind: string, word: string, known: readonly string[]) => {
    const near = nearest(word, known);
    const expected =
      known.length === 0
        ? `one that is there; there is none yet`
        : near === undefined
          ? `one of ${known.join(', ')}`
          : `"${near}"`;
    return { path, problem: `there is no ${kind} "${word}"`, expected };
  };
  if (!Object.hasOwn(states, begin)) return unknown(['begin'], 'state', begin, Object.keys(states));
  for (const [state, given] of Object.entries(states)) {
    if ('role' in given && !Object.hasOwn(roles, given.role))
      return unknown(['states', state, 'role'], 'role', given.role, Object.keys(roles));
    const artifact = 'role' in given ? given.makes : 'unchanged' in given ? given.unchanged : undefined;
    if (artifact !== undefined && !Object.hasOwn(artifacts, artifact))
      return unknown(
        ['states', state, 'role' in given ? 'makes' : 'unchanged'],
        'artifact',
        artifact,
        Object.keys(artifacts),
      );
    if (state === 'stopped' && !('rests' in given))
      return {
        path: ['states', state],
        problem: 'stopped is where runs stop after faults',
        expected: 'a state that rests',
      };
  }
  for (const [gate, { of }] of Object.entries(gates))
    if (!Object.hasOwn(artifacts, of)) return unknown(['gates', gate, 'of'], 'artifact', of, Object.keys(artifacts));
  return null;
}

/** Names that mean something already, so that the author's own would be hidden or hide it. */
function takenName({
  artifacts = {},
  budgets = {},
  commands = [],
  roles,
  states,
}: WorkflowDefinition): DefinitionProblem | null {
  const expected = 'another name';
  for (const name of ['run', 'description', 'item'])
    if (Object.hasOwn(artifacts, name))
      return { path: ['artifacts', name], problem: `{{${name}}} stands for something else in prompts`, expected };
  if (Object.hasOwn(budgets, 'retries'))
    return { path: ['budgets', 'retries'], problem: 'Pawl counts the retries itself', expected: 'retries: at the top' };
  if (commands.includes('status'))
    return { path: ['commands'], problem: 'every workflow has a command "status" already', expected };
  const reporting: readonly (readonly [Path, readonly string[] | undefined])[] = [
    ...Object.entries(roles).map(([role, { reports }]) => [['roles', role, 'reports'], reports] as const),
    ...Object.entries(states).flatMap(([state, given]) =>
      'role' in given ? [[['states', state, 'reports'], given.reports] as const] : [],
    ),
  ];
  for (const [path, reports = []] of reporting) {
    const fault = reports.find(isFault);
    if (fault !== undefined) return { path, problem: `"${fault}" is what Pawl calls a fault`, expected };
  }
  return null;
}
