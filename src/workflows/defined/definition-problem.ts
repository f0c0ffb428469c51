import { nearest } from '../../schema/nearest.ts';
import { isFault } from '../../engine/machine.ts';
import type { Path } from '../../schema/schema.ts';
import type { WorkflowDefinition } from './definition.ts';

export interface DefinitionProblem {
  readonly path: Path;
  readonly problem: string;
  readonly expected: string;
}

/** Unknown and reserved names in a definition, beyond what the verifier finds in its machine. */
export function definitionProblem(definition: WorkflowDefinition): DefinitionProblem | null {
  const stopped = definition.states['stopped'];
  if (stopped && !('rests' in stopped))
    return {
      path: ['states', 'stopped'],
      problem: 'stopped is where runs stop after faults',
      expected: 'a state that rests',
    };
  return reservedName(definition) ?? unknownName(definition);
}

function unknownName({
  roles,
  artifacts = {},
  states,
  gates = {},
  begin,
}: WorkflowDefinition): DefinitionProblem | null {
  const references: (readonly [path: Path, kind: string, word: string | undefined, known: object])[] = [
    [['begin'], 'state', begin, states],
  ];
  for (const [name, state] of Object.entries(states)) {
    if ('role' in state) {
      references.push([['states', name, 'role'], 'role', state.role, roles]);
      references.push([['states', name, 'makes'], 'artifact', state.makes, artifacts]);
    } else if ('unchanged' in state)
      references.push([['states', name, 'unchanged'], 'artifact', state.unchanged, artifacts]);
  }
  for (const [gate, { of }] of Object.entries(gates))
    references.push([['gates', gate, 'of'], 'artifact', of, artifacts]);
  for (const [path, kind, word, table] of references) {
    if (word === undefined || Object.hasOwn(table, word)) continue;
    const known = Object.keys(table);
    const near = nearest(word, known);
    const choice = near === undefined ? `one of ${known.join(', ')}` : `"${near}"`;
    const expected = known.length === 0 ? 'one that is there; there is none yet' : choice;
    return { path, problem: `there is no ${kind} "${word}"`, expected };
  }
  return null;
}

/** Names that Pawl uses itself: the author's own would hide them, or be hidden. */
function reservedName(definition: WorkflowDefinition): DefinitionProblem | null {
  const { artifacts = {}, budgets = {}, commands = [], roles, states } = definition;
  const expected = 'another name';
  for (const name of ['run', 'description', 'item'])
    if (Object.hasOwn(artifacts, name))
      return { path: ['artifacts', name], problem: `{{${name}}} stands for something else in prompts`, expected };
  if (Object.hasOwn(budgets, 'retries'))
    return { path: ['budgets', 'retries'], problem: 'Pawl counts the retries itself', expected: 'retries: at the top' };
  if (commands.includes('status'))
    return { path: ['commands'], problem: 'every workflow has a command "status" already', expected };
  const reporting = [
    ...Object.entries(roles).map(([name, { reports }]) => [['roles', name, 'reports'], reports] as const),
    ...Object.entries(states).map(
      ([name, state]) => [['states', name, 'reports'], 'role' in state ? state.reports : undefined] as const,
    ),
  ];
  for (const [path, reports = []] of reporting) {
    const fault = reports.find(isFault);
    if (fault !== undefined) return { path, problem: `"${fault}" is what Pawl calls a fault`, expected };
  }
  return null;
}
