import { nearest } from '../../documents/nearest.ts';
import type { Path } from '../../documents/settings-fields.ts';
import type { WorkflowDefinition } from './definition.ts';

/** Names in a definition that stand for nothing, beyond what the verifier finds in its machine. */
export function definitionProblem(
  definition: WorkflowDefinition,
): { readonly path: Path; readonly problem: string; readonly expected: string } | null {
  const { roles, artifacts = {}, states, gates = {}, begin } = definition;
  const unknown = (path: Path, kind: string, word: string, known: readonly string[]) => {
    const near = nearest(word, known);
    const expected =
      known.length === 0
        ? `a ${kind}; there is none yet`
        : near === undefined
          ? `one of ${known.join(', ')}`
          : `"${near}"`;
    return { path, problem: `there is no ${kind} "${word}"`, expected };
  };
  if (!(begin in states)) return unknown(['begin'], 'state', begin, Object.keys(states));
  for (const [state, given] of Object.entries(states)) {
    if ('role' in given && !(given.role in roles))
      return unknown(['states', state, 'role'], 'role', given.role, Object.keys(roles));
    const artifact = 'role' in given ? given.makes : 'unchanged' in given ? given.unchanged : undefined;
    if (artifact !== undefined && !(artifact in artifacts))
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
    if (!(of in artifacts)) return unknown(['gates', gate, 'of'], 'artifact', of, Object.keys(artifacts));
  return null;
}
