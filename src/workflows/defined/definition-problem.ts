/** Names in a definition that lead nowhere, or that Pawl uses itself; each with its place and the nearest name. */

import { isFault } from '../../engine/machine.ts';
import { nearest } from '../../schema/nearest.ts';
import { snakeCase, type Path } from '../../schema/schema.ts';
import type { MoveDefinition, RoleDefinition, StateDefinition, WorkflowDefinition } from './definition.ts';

interface DefinitionProblem {
  readonly path: Path;
  readonly problem: string;
  readonly expected: string;
}

/** The first unknown or reserved name in a definition, beyond what the verifier finds in its machine. */
export function definitionProblem(definition: WorkflowDefinition): DefinitionProblem | null {
  const problems: DefinitionProblem[] = [];
  const add: Add = (path, problem, expected = 'another name') => void problems.push({ path, problem, expected });
  addReserved(definition, add);
  addUnknown(definition, add);
  return problems[0] ?? null;
}

type Add = (path: Path, problem: string, expected?: string) => void;

/** Names that Pawl uses itself: the author's own would hide them, or be hidden. */
function addReserved(definition: WorkflowDefinition, add: Add): void {
  const { artifacts = {}, budgets = {}, commands = [], roles, states } = definition;
  const { stopped } = states;
  if (stopped && !('rests' in stopped))
    add(['states', 'stopped'], 'stopped is where runs stop after faults', 'a state that rests');
  for (const name of ['run', 'description', 'item'])
    if (Object.hasOwn(artifacts, name)) add(['artifacts', name], `{{${name}}} has another meaning in prompts`);
  if (Object.hasOwn(budgets, 'retries'))
    add(['budgets', 'retries'], 'Pawl counts the retries itself', 'retries: at the top');
  if (commands.includes('status')) add(['commands'], 'every workflow has a command "status" already');
  const reporting: Record<string, Readonly<Record<string, RoleDefinition | StateDefinition>>> = {
    roles,
    states,
  };
  for (const [kind, all] of Object.entries(reporting))
    for (const [name, each] of Object.entries(all)) {
      const fault = 'reports' in each ? each.reports?.find(isFault) : undefined;
      if (fault !== undefined) add([kind, name, 'reports'], `"${fault}" is what Pawl calls a fault`);
    }
}

function addUnknown(definition: WorkflowDefinition, add: Add): void {
  const { roles, artifacts = {}, states, gates = {}, begin } = definition;
  const lookUp = lookingUp(add);
  lookUp(['begin'], 'state', begin, states);
  for (const [name, state] of Object.entries(states)) {
    if ('role' in state) {
      lookUp(['states', name, 'role'], 'role', state.role, roles);
      lookUp(['states', name, 'beside', 'role'], 'role', state.beside?.role, roles);
      lookUp(['states', name, 'makes'], 'artifact', state.makes, artifacts);
    } else if ('unchanged' in state) lookUp(['states', name, 'unchanged'], 'artifact', state.unchanged, artifacts);
    addUnknownRoutes(definition, name, lookUp);
  }
  for (const [name, { path }] of Object.entries(artifacts)) {
    const variable = [...path.matchAll(/\{\{(.*?)\}\}/g)].find(([, each]) => each !== 'run')?.[0];
    if (variable !== undefined) add(['artifacts', name], `unknown variable ${variable} in its path`, '{{run}}');
  }
  for (const [gate, { of }] of Object.entries(gates)) lookUp(['gates', gate, 'of'], 'artifact', of, artifacts);
  addUnknownSteps(definition, lookUp);
}

type LookUp = (path: Path, kind: string, word: string | undefined, all: object) => void;

function lookingUp(add: Add): LookUp {
  return (path, kind, word, all) => {
    if (word === undefined || Object.hasOwn(all, word)) return;
    const known = Object.keys(all);
    const near = nearest(word, known);
    const choice = near === undefined ? `one of ${known.join(', ')}` : `"${near}"`;
    const expected = known.length === 0 ? 'one that is there; there is none yet' : choice;
    add(path, `there is no ${kind} "${word}"`, expected);
  };
}

/** Where a state leads, and what it does on the way. */
function addUnknownRoutes(definition: WorkflowDefinition, name: string, lookUp: LookUp): void {
  const { states, flags = {} } = definition;
  const budgets = { ...definition.budgets, retries: true };
  const lists = namesOf(definition.lists ?? []);
  const state = states[name];
  if (!state || !('on' in state)) return;
  const at = ['states', name];
  if ('role' in state) {
    lookUp([...at, 'each'], 'list', state.each, lists);
    lookUp([...at, 'after'], 'state', state.after, states);
    lookUp([...at, 'retry_from'], 'state', state.retryFrom, states);
  }
  for (const [signal, route] of Object.entries(state.on ?? {})) {
    const moves = typeof route === 'string' ? [{ to: route }] : 'to' in route ? [route] : route;
    for (const [index, move] of moves.entries()) {
      const path = [...at, 'on', signal, ...(Array.isArray(route) ? [index] : [])];
      const { to, when, spend, grant, renew, load, set = {}, remember }: MoveDefinition = move;
      lookUp(path, 'state', to, { ...states, ...impliedStates, ...impliedTargets });
      for (const budget of [spend, grant, renew, when && 'left' in when ? when.left : undefined])
        lookUp(path, 'budget', budget, budgets);
      for (const list of [load, when && 'more' in when ? when.more : undefined]) lookUp(path, 'list', list, lists);
      if (when && 'flag' in when) lookUpFlag(path, when, flags, lookUp);
      for (const [flag, is = ''] of Object.entries(set)) lookUpFlag(path, { flag, is }, flags, lookUp);
      if (typeof remember === 'string') lookUp(path, 'state', remember, states);
    }
  }
}

function namesOf(names: readonly string[]): object {
  return Object.fromEntries(names.map((name) => [name, true]));
}

function lookUpFlag(
  path: Path,
  { flag, is }: { readonly flag: string; readonly is: string },
  flags: Readonly<Record<string, readonly string[]>>,
  lookUp: LookUp,
): void {
  lookUp(path, 'flag', flag, flags);
  const values = flags[flag];
  if (values) lookUp(path, `value of ${flag}`, is, namesOf(values));
}

/** Gates and invariants name states, and steps as `state.signal`. */
function addUnknownSteps(definition: WorkflowDefinition, lookUp: LookUp): void {
  const { flags = {}, gates = {}, invariants = {} } = definition;
  for (const [name, { of: _of, selfApproval: _reason, ...lists }] of Object.entries(gates))
    addUnknownIn(['gates', name], lists, definition, lookUp);
  for (const [name, invariant] of Object.entries(invariants)) {
    if ('shrinks' in invariant) continue;
    const { while: condition, ...lists } = { while: undefined, ...invariant };
    if (condition) lookUpFlag(['invariants', name, 'while'], condition, flags, lookUp);
    addUnknownIn(['invariants', name], lists, definition, lookUp);
  }
}

function addUnknownIn(
  at: Path,
  lists: Readonly<Record<string, readonly string[] | undefined>>,
  { states }: WorkflowDefinition,
  lookUp: LookUp,
): void {
  for (const [key, steps] of Object.entries(lists))
    for (const [index, step] of (steps ?? []).entries()) {
      const path = [...at, snakeCase(key), index];
      const [word = '', signal] = step.split('.');
      lookUp(path, 'state', word, { ...states, ...impliedStates });
      const state = states[word];
      const isImplied = signal === undefined || isFault(signal) || ['retry', 'undo'].includes(signal);
      if (state && 'on' in state && !isImplied) lookUp(path, `signal of ${word}`, signal, state.on ?? {});
    }
}

/** Every workflow has them. */
const impliedStates = { stopped: true, abandoned: true };
const impliedTargets = { again: true, return: true };
