/** Reads a definition from the content of a file; every mistake is reported with its place. */

import { readDocument, type Locate } from '../../documents/read-document.ts';
import { budgetScopes, outcomes, type Guard, type Invariant } from '../../engine/machine.ts';
import {
  choose,
  list,
  mapped,
  never,
  noted,
  optional,
  record,
  refine,
  section,
  table,
  withDefault,
  type Flaw,
} from '../../schema/compound.ts';
import { leaf, nameOf, refuse, schema, snakeCase, type JsonSchema, type Schema } from '../../schema/schema.ts';
import { duration, exactly, oneOf, text, verbatim, whole } from '../../schema/simple.ts';
import { isRecord } from '../../schema/values.ts';
import { commandLine, isInnerPath, textsThat } from '../run-config.ts';
import type * as defined from './definition.ts';
import type { StateDefinition, WorkflowDefinition } from './definition.ts';
import { respelled } from './key-spelling.ts';

/** Keys are snake_case in every file; `hints` tells of others, which are taken as well. */
export function readDefinition(
  value: unknown,
  locate: Locate,
): { readonly definition: WorkflowDefinition; readonly hints: readonly string[] } {
  const { value: spelled, hints } = respelled(value);
  return { definition: readDocument(definition, spelled, locate, { spell: snakeCase }), hints };
}

/** JSON Schema of a definition in YAML. Names that belong together are the reader's business. */
export function definitionJson(): JsonSchema {
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: 'Workflow of Pawl',
    ...definition.json(snakeCase),
  };
}

const reserved = ['new', 'again', 'return', 'working'];
const IDENTIFIER = /^[a-z][a-z0-9_-]{0,47}$/;
const isIdentifier = (word: string): boolean => IDENTIFIER.test(word) && !reserved.includes(word);
const identifierJson = { type: 'string', pattern: IDENTIFIER.source, not: { enum: reserved } };

const identifier = schema<string>(
  (value, at) => {
    if (typeof value === 'string' && isIdentifier(value)) return value;
    const expected = 'a name in lower-case letters, digits, - and _, beginning with a letter';
    if (typeof value !== 'string' || !reserved.includes(value)) return refuse(at, value, expected);
    return refuse(at, value, 'another name', `${nameOf(at.path)}: "${value}" is a word of Pawl's own`);
  },
  () => identifierJson,
);

const named = <T>(item: Schema<T>): Schema<Readonly<Record<string, T>>> =>
  record(item, { expected: 'a table of names', key: identifier, max: 200 });

const texts = textsThat('a list of texts', (item) => item.trim() !== '', /\S/);

const someTexts = noted(
  refine(texts, (found) => (found.length > 0 ? undefined : { expected: 'a list of texts with at least one' })),
  { minItems: 1 },
);

const words = noted(
  refine(texts, (found): Flaw | undefined => {
    const bad = found.find((word) => !isIdentifier(word));
    if (bad === undefined && found.length > 0 && new Set(found).size === found.length) return undefined;
    if (bad !== undefined && reserved.includes(bad))
      return { found: bad, expected: `other words than ${reserved.join(', ')}, which are Pawl's own` };
    return { found: bad ?? found, expected: 'a list of different words in lower-case letters, digits, - and _' };
  }),
  { items: identifierJson, minItems: 1, uniqueItems: true },
);

const inside = 'a path inside the repository, relative, without "..", ".git" or ".pawl"';

/** A folder may end with a slash. */
function isArtifactPath(path: string): boolean {
  return isInnerPath(path.replace(/\/$/, '')) && !path.includes('\\') && !path.split('/').includes('.pawl');
}

const innerPath = noted(
  refine(verbatim(inside), (path) => (isArtifactPath(path) ? undefined : { expected: inside })),
  { pattern: String.raw`^(?!(?:.*/)?(?:\.{1,2}|\.git|\.pawl)(?:/|$))[^/\\]+(?:/[^/\\]+)*/?$` },
);

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

const [left, more] = [table({ left: text() }), table({ more: text() })];
const flagIs = table({ flag: text(), is: text() });
const guard = choose<Guard>(
  (value) => {
    const keys = isRecord(value) ? Object.keys(value) : [];
    if (keys.join() === 'left') return left;
    if (keys.join() === 'more') return more;
    if (keys.includes('flag')) return flagIs;
    return never('{ left: a budget }, { more: a list } or { flag: a flag, is: a value }');
  },
  [left, more, flagIs],
);

const yes = exactly(true, 'true, or leave it out');

const move: Schema<defined.MoveDefinition> = table(
  {
    to: text(),
    when: optional(guard),
    spend: optional(text()),
    grant: optional(text()),
    renew: optional(text()),
    set: optional(named(text())),
    load: optional(text()),
    finish: optional(yes),
    remember: optional(choose<true | string>((value) => (value === true ? yes : text()), [yes, text()])),
    outcome: optional(oneOf(outcomes)),
  },
  { expected: 'a state, or { to: a state } with what happens on the way' },
);

const branches = list(move, 'a list of branches', {
  min: { count: 1, expected: 'a state, or a list of branches with at least one' },
});

const route = choose<defined.RouteDefinition>(
  (value) => {
    if (typeof value === 'string' && value !== '') return verbatim();
    return Array.isArray(value) ? branches : move;
  },
  [text(), move, branches],
);

const on = named(route);

/** Each kind of state by the key that only it has. */
const kinds = {
  role: table({
    role: text(),
    prompt: innerPath,
    beside: optional(table({ role: text(), prompt: innerPath })),
    makes: optional(text()),
    after: optional(text()),
    each: optional(text()),
    reports: optional(words),
    retryFrom: optional(text()),
    on,
  }),
  run: table({ run: program, minutes: optional(duration(1_440)), on }),
  check: table({ check, signals: words, placeless: optional(yes), on }),
  unchanged: table({ unchanged: text(), on }),
  ask: table({ ask: text(), answers: named(text()), on }),
  rests: table({ rests: oneOf(outcomes), on }),
  ends: table({ ends: oneOf(outcomes) }),
} satisfies Record<string, Schema<StateDefinition>>;

const kindNames = Object.keys(kinds).join(', ');

const state = schema<StateDefinition>(
  (value, at) => {
    if (!isRecord(value)) return refuse(at, value, `a state: a table with one of ${kindNames}`);
    const found = Object.entries(kinds).filter(([kind]) => kind in value);
    const [first, ...others] = found;
    if (first && others.length === 0) return first[1].read(value, at);
    const problem = first ? `it has ${found.map(([kind]) => kind).join(' and ')}` : 'it has none of them';
    return refuse(at, value, `exactly one of ${kindNames}`, `the state ${at.path.at(-1)}: ${problem}`);
  },
  // YAML holds no functions.
  (spell) => ({
    anyOf: Object.values(kinds)
      .filter((kind) => kind !== kinds.check)
      .map((kind) => kind.json(spell)),
  }),
);

const role = section({ agent: optional(text()), writes: optional(globs), reports: optional(words) });

const pathAlone = mapped(innerPath, (path) => ({ path }));
const pathAndSections = table({ path: innerPath, sections: optional(texts) });
const artifact = choose<defined.ArtifactDefinition>(
  (value) => (typeof value === 'string' ? pathAlone : pathAndSections),
  [pathAlone, pathAndSections],
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

const forbidden = table({ never: someTexts, while: flagIs });
const ordered = table({ only: someTexts, after: someTexts, since: optional(texts) });
const invariant = choose<Invariant>(
  (value) => (isRecord(value) && 'never' in value ? forbidden : ordered),
  [forbidden, ordered],
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
