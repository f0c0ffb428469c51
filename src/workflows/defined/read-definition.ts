/** Reads a definition from the content of a file; every mistake is reported with its place. */

import { readDocument, type Locate } from '../../documents/read-document.ts';
import { budgetScopes, isFault, outcomes, type Guard, type Invariant } from '../../engine/machine.ts';
import {
  choose,
  list,
  mapped,
  never,
  optional,
  record,
  refine,
  section,
  table,
  withDefault,
  type Flaw,
} from '../../schema/compound.ts';
import { nearest } from '../../schema/nearest.ts';
import { leaf, refuse, schema, snakeCase, type Path, type Schema } from '../../schema/schema.ts';
import { duration, exactly, oneOf, text, verbatim, whole } from '../../schema/simple.ts';
import { isRecord } from '../../schema/values.ts';
import { commandLine, isInnerPath, textsThat } from '../run-config.ts';
import type * as defined from './definition.ts';
import type { StateDefinition, WorkflowDefinition } from './definition.ts';

/** `keys`: how names of several words are spelled in the file. */
export function readDefinition(value: unknown, locate: Locate, keys: 'camelCase' | 'snake_case'): WorkflowDefinition {
  return readDocument(definition, value, locate, keys === 'camelCase' ? {} : { spell: snakeCase });
}

const reserved = ['new', 'again', 'return', 'working'];
const isIdentifier = (word: string): boolean => /^[a-z][a-z0-9_-]{0,47}$/.test(word) && !reserved.includes(word);

const identifier = leaf('a name in lower-case letters, digits, - and _, beginning with a letter', (value) =>
  typeof value === 'string' && isIdentifier(value) ? value : undefined,
);

const named = <T>(item: Schema<T>): Schema<Readonly<Record<string, T>>> =>
  record(item, { expected: 'a table of names', key: identifier, max: 200 });

const texts = textsThat('a list of texts', (item) => item.trim() !== '');

const someTexts = refine(texts, (found) =>
  found.length > 0 ? undefined : { expected: 'a list of texts with at least one' },
);

const words = refine(texts, (found): Flaw | undefined => {
  const bad = found.find((word) => !isIdentifier(word));
  if (bad === undefined && found.length > 0 && new Set(found).size === found.length) return undefined;
  return { found: bad ?? found, expected: 'a list of different words in lower-case letters, digits, - and _' };
});

const inside = 'a path inside the repository, relative, without "..", ".git" or ".pawl"';

/** A folder may end with a slash. */
function isArtifactPath(path: string): boolean {
  return isInnerPath(path.replace(/\/$/, '')) && !path.includes('\\') && !path.split('/').includes('.pawl');
}

const innerPath = refine(verbatim(inside), (path) => (isArtifactPath(path) ? undefined : { expected: inside }));

const globs = refine(texts, (found) => {
  const index = found.findIndex((glob) => globExpectation(glob) !== null);
  const glob = found[index];
  return glob === undefined ? undefined : { at: [index], found: glob, expected: globExpectation(glob) ?? '' };
});

function globExpectation(glob: string): string | null {
  const paths = alternatives(glob);
  if (paths === null) return 'a glob whose braces match';
  if (!paths.every(isArtifactPath)) return inside;
  return glob.endsWith('/') ? `files, such as "${glob}**"` : null;
}

/** `{a,b}/c` means a/c and b/c: neither may lead where globs must not. Null when braces do not match. */
function alternatives(glob: string): readonly string[] | null {
  const [whole, inner = ''] = /\{([^{}]*)\}/.exec(glob) ?? [];
  if (whole === undefined) return /[{}]/.test(glob) ? null : [glob];
  const choices = inner.split(',').map((choice) => alternatives(glob.replace(whole, () => choice)));
  return choices.some((choice) => choice === null) ? null : choices.flatMap((choice) => choice ?? []);
}

const program = commandLine('a program and its arguments, such as ["npm", "test"]');

const check = leaf('a function (only in TypeScript); in YAML use run: with a program', (value) =>
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what it takes and gives is known when it is called
  typeof value === 'function' ? (value as defined.StateWith<'check'>['check']) : undefined,
);

const guard = choose<Guard>((value) => {
  const keys = isRecord(value) ? Object.keys(value) : [];
  if (keys.join() === 'left') return table({ left: text() });
  if (keys.join() === 'more') return table({ more: text() });
  if (keys.includes('flag')) return table({ flag: text(), is: text() });
  return never('{ left: a budget }, { more: a list } or { flag: a flag, is: a value }');
});

const move: Schema<defined.MoveDefinition> = table(
  {
    to: text(),
    when: optional(guard),
    spend: optional(text()),
    grant: optional(text()),
    renew: optional(text()),
    set: optional(named(text())),
    load: optional(text()),
    finish: optional(exactly(true, 'true, or leave it out')),
    remember: optional(choose<true | string>((value) => (value === true ? exactly(true, 'true') : text()))),
    outcome: optional(oneOf(outcomes)),
  },
  { expected: 'a state, or { to: a state } with what happens on the way' },
);

const branches = list(move, 'a list of branches', {
  min: { count: 1, expected: 'a state, or a list of branches with at least one' },
});

const route = choose<defined.RouteDefinition>((value) => {
  if (typeof value === 'string' && value !== '') return verbatim();
  return Array.isArray(value) ? branches : move;
});

const on = named(route);

/** Each kind of state by the key that only it has. */
const kinds = {
  role: table({
    role: text(),
    prompt: innerPath,
    makes: optional(text()),
    after: optional(text()),
    each: optional(text()),
    reports: optional(words),
    retryFrom: optional(text()),
    on,
  }),
  run: table({ run: program, minutes: optional(duration(1_440)), on }),
  check: table({ check, signals: words, on }),
  unchanged: table({ unchanged: text(), on }),
  ask: table({ ask: text(), answers: named(text()), on }),
  rests: table({ rests: oneOf(outcomes), on }),
  ends: table({ ends: oneOf(outcomes) }),
} satisfies Record<string, Schema<StateDefinition>>;

const kindNames = Object.keys(kinds).join(', ');

const state = schema<StateDefinition>((value, at) => {
  if (!isRecord(value)) return refuse(at, value, `a state: a table with one of ${kindNames}`);
  const found = Object.entries(kinds).filter(([kind]) => kind in value);
  const [first, ...others] = found;
  if (first && others.length === 0) return first[1].read(value, at);
  const problem = first ? `it has ${found.map(([kind]) => kind).join(' and ')}` : 'it has none of them';
  return refuse(at, value, `exactly one of ${kindNames}`, `the state ${at.path.at(-1)}: ${problem}`);
});

const role = section({ agent: optional(text()), writes: optional(globs), reports: optional(words) });

const artifact = choose<defined.ArtifactDefinition>((value) =>
  typeof value === 'string'
    ? mapped(innerPath, (path) => ({ path }))
    : table({ path: innerPath, sections: optional(texts) }),
);

const gate = table({
  of: text(),
  guards: someTexts,
  passedBy: someTexts,
  confirmedBy: optional(texts),
  voidedBy: optional(texts),
  waivedBy: optional(texts),
  foundBy: optional(texts),
  keptBy: optional(texts),
  selfApproval: optional(text()),
});

const invariant = choose<Invariant>((value) =>
  isRecord(value) && 'never' in value
    ? table({ never: someTexts, while: table({ flag: text(), is: text() }) })
    : table({ only: someTexts, after: someTexts, since: optional(texts) }),
);

const definition: Schema<WorkflowDefinition> = table(
  {
    name: identifier,
    about: text(),
    begin: text(),
    roles: named(role),
    artifacts: named(artifact),
    budgets: named(table({ limit: withDefault(whole(0, 1_000), 1), scope: withDefault(oneOf(budgetScopes), 'run') })),
    flags: named(words),
    lists: withDefault(words, []),
    commands: withDefault(words, []),
    retries: optional(whole(0, 20)),
    gates: named(gate),
    invariants: optional(named(invariant)),
    states: named(state),
  },
  { problem: 'it holds no table', expected: 'a workflow: name, about, begin, roles, states' },
);

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
    if (Object.hasOwn(artifacts, name)) add(['artifacts', name], `{{${name}}} stands for something else in prompts`);
  if (Object.hasOwn(budgets, 'retries'))
    add(['budgets', 'retries'], 'Pawl counts the retries itself', 'retries: at the top');
  if (commands.includes('status')) add(['commands'], 'every workflow has a command "status" already');
  const reporting: Record<string, Readonly<Record<string, defined.RoleDefinition | StateDefinition>>> = {
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
      lookUp(['states', name, 'makes'], 'artifact', state.makes, artifacts);
    } else if ('unchanged' in state) lookUp(['states', name, 'unchanged'], 'artifact', state.unchanged, artifacts);
  }
  for (const [name, { path }] of Object.entries(artifacts)) {
    const variable = [...path.matchAll(/\{\{(.*?)\}\}/g)].find(([, each]) => each !== 'run')?.[0];
    if (variable !== undefined)
      add(['artifacts', name], `its path has ${variable}, which stands for nothing`, '{{run}}');
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

/** An invariant names states, and steps as `state.signal`. */
function addUnknownSteps({ states, flags = {}, invariants = {} }: WorkflowDefinition, lookUp: LookUp): void {
  for (const [name, invariant] of Object.entries(invariants)) {
    const { while: condition, ...lists } = { while: undefined, ...invariant };
    if (condition) {
      lookUp(['invariants', name, 'while', 'flag'], 'flag', condition.flag, flags);
      const values = flags[condition.flag];
      if (values) {
        const known = Object.fromEntries(values.map((value) => [value, true]));
        lookUp(['invariants', name, 'while', 'is'], `value of ${condition.flag}`, condition.is, known);
      }
    }
    for (const [key, steps] of Object.entries(lists))
      for (const [index, step] of (steps ?? []).entries()) {
        const path = ['invariants', name, key, index];
        const [word = '', signal] = step.split('.');
        lookUp(path, 'state', word, { ...states, ...impliedStates });
        const state = states[word];
        const isImplied = signal === undefined || isFault(signal) || ['retry', 'undo'].includes(signal);
        if (state && 'on' in state && !isImplied) lookUp(path, `signal of ${word}`, signal, state.on ?? {});
      }
  }
}

/** Every workflow has them. */
const impliedStates = { stopped: true, abandoned: true };
