/** From whatever a file holds to a definition; the first thing that is wrong is named with its place. */

import { DocumentError } from '../../documents/document-error.ts';
import { isRecord } from '../../documents/fields.ts';
import {
  duration,
  name,
  oneOf,
  readTable,
  whole,
  wrong,
  type Field,
  type Get,
  type Path,
  type Source,
} from '../../documents/settings-fields.ts';
import { outcomes, budgetScopes, type Budget, type Gate } from '../../engine/machine.ts';
import type {
  ArtifactDefinition,
  GuardDefinition,
  MoveDefinition,
  RoleDefinition,
  RouteDefinition,
  StateDefinition,
  WorkflowDefinition,
} from './definition.ts';

/** `keys`: how names of several words are spelled in the file. */
export function readDefinition(value: unknown, source: Source, keys: 'camelCase' | 'snake_case'): WorkflowDefinition {
  const key = (word: string): string =>
    keys === 'camelCase' ? word : word.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  if (!isRecord(value)) throw new DocumentError({ file: source.file, line: null }, 'it holds no table', expectedAtTop);
  const reader = new Reader(source, key);
  return readTable(value, { path: [], source }, (get) => reader.definition(get));
}

const expectedAtTop = 'a workflow: name, about, begin, roles, states';
const identifier = /^[a-z][a-z0-9_-]{0,47}$/;
const reserved = ['new', 'again', 'return', 'working'];
const namesMax = 200;

class Reader {
  readonly #source: Source;
  readonly #key: (word: string) => string;

  constructor(source: Source, key: (word: string) => string) {
    this.#source = source;
    this.#key = key;
  }

  definition(get: Get): WorkflowDefinition {
    return {
      name: get('name', this.#identifier),
      about: get('about', name()),
      begin: get('begin', name()),
      roles: get(
        'roles',
        this.#each((value, path) => this.#role(value, path)),
      ),
      artifacts: get(
        'artifacts',
        this.#each((value, path) => this.#artifact(value, path)),
      ),
      budgets: get(
        'budgets',
        this.#each((value, path) => this.#budget(value, path)),
      ),
      flags: get('flags', this.#each(words)),
      lists: get('lists', optional(words)) ?? [],
      commands: get('commands', optional(words)) ?? [],
      ...present('retries', get('retries', optional(whole(2, { min: 0, max: 20 })))),
      gates: get(
        'gates',
        this.#each((value, path) => this.#gate(value, path)),
      ),
      states: get(
        'states',
        this.#each((value, path) => this.#state(value, path)),
      ),
    };
  }

  readonly #identifier: Field<string> = (value, path, source) => {
    if (typeof value === 'string' && identifier.test(value) && !reserved.includes(value)) return value;
    throw wrong(value, 'a name in small letters, digits, - and _, beginning with a letter', path, source);
  };

  /** A table whose keys are the author's own names. */
  #each<T>(field: (value: unknown, path: Path, source: Source) => T): Field<Readonly<Record<string, T>>> {
    return (value = {}, path, source) => {
      if (!isRecord(value)) throw wrong(value, 'a table of names', path, source);
      const entries = Object.entries(value);
      if (entries.length > namesMax) throw wrong(entries.length, `at most ${namesMax} names`, path, source);
      return Object.fromEntries(
        entries.map(([key, each]) => {
          this.#identifier(key, [...path, key], source);
          return [key, field(each, [...path, key], source)];
        }),
      );
    };
  }

  #table<T>(value: unknown, path: Path, read: (get: Get) => T): T {
    return readTable(value, { path, source: this.#source }, read);
  }

  #role(value: unknown, path: Path): RoleDefinition {
    return this.#table(value ?? {}, path, (get) => ({
      ...present('agent', get('agent', optional(name()))),
      ...present('writes', get('writes', optional(globs))),
      ...present('reports', get('reports', optional(words))),
    }));
  }

  #artifact(value: unknown, path: Path): ArtifactDefinition {
    if (typeof value === 'string') return { path: innerPath(value, path, this.#source) };
    return this.#table(value, path, (get) => ({
      path: get('path', innerPath),
      ...present('sections', get('sections', optional(texts))),
    }));
  }

  #budget(value: unknown, path: Path): Budget {
    return this.#table(value, path, (get) => ({
      limit: get('limit', whole(1, { min: 0, max: 1_000 })),
      scope: get('scope', oneOf(budgetScopes, 'run')),
    }));
  }

  #gate(value: unknown, path: Path): Gate {
    return this.#table(value, path, (get) => ({
      of: get('of', name()),
      guards: get('guards', someTexts),
      passedBy: get(this.#key('passedBy'), someTexts),
      ...present('confirmedBy', get(this.#key('confirmedBy'), optional(texts))),
      ...present('voidedBy', get(this.#key('voidedBy'), optional(texts))),
      ...present('selfApproval', get(this.#key('selfApproval'), optional(name()))),
    }));
  }

  #state(value: unknown, path: Path): StateDefinition {
    if (!isRecord(value)) throw wrong(value, `a state: a table with one of ${kinds.join(', ')}`, path, this.#source);
    const found = kinds.filter((kind) => kind in value);
    const [kind] = found;
    if (found.length !== 1 || kind === undefined) {
      const problem = found.length === 0 ? 'it has none of them' : `it has ${found.join(' and ')}`;
      const place = { file: this.#source.file, line: this.#source.lineOf(path) };
      throw new DocumentError(place, `the state ${path.at(-1)}: ${problem}`, `exactly one of ${kinds.join(', ')}`);
    }
    return this.#table(value, path, (get) => this.#kindOfState(kind, get));
  }

  #kindOfState(kind: (typeof kinds)[number], get: Get): StateDefinition {
    const on = (): Readonly<Record<string, RouteDefinition>> =>
      get(
        'on',
        this.#each((value, path) => this.#route(value, path)),
      );
    switch (kind) {
      case 'role':
        return {
          role: get('role', name()),
          prompt: get('prompt', innerPath),
          ...present('makes', get('makes', optional(name()))),
          ...present('each', get('each', optional(name()))),
          ...present('reports', get('reports', optional(words))),
          ...present('retryFrom', get(this.#key('retryFrom'), optional(name()))),
          on: on(),
        };
      case 'run':
        return {
          run: get('run', programField),
          ...present('minutes', get('minutes', optional(duration(10, 1_440)))),
          on: on(),
        };
      case 'check':
        return { check: get('check', functionField), signals: get('signals', words), on: on() };
      case 'unchanged':
        return { unchanged: get('unchanged', name()), on: on() };
      case 'ask':
        return { ask: get('ask', name()), answers: get('answers', this.#each(name())), on: on() };
      case 'rests':
        return { rests: get('rests', oneOf(outcomes)), on: on() };
      case 'ends':
        return { ends: get('ends', oneOf(outcomes)) };
    }
  }

  #route(value: unknown, path: Path): RouteDefinition {
    if (typeof value === 'string' && value !== '') return value;
    if (!Array.isArray(value)) return this.#move(value, path);
    if (value.length === 0) throw wrong(value, 'a state, or a list of arms with at least one', path, this.#source);
    return value.map((arm: unknown, index) => this.#move(arm, [...path, index]));
  }

  #move(value: unknown, path: Path): MoveDefinition {
    if (!isRecord(value))
      throw wrong(value, 'a state, or { to: a state } with what happens on the way', path, this.#source);
    return this.#table(value, path, (get) => ({
      to: get('to', name()),
      ...present(
        'when',
        get(
          'when',
          optional((when, at) => this.#guard(when, at)),
        ),
      ),
      ...present('spend', get('spend', optional(name()))),
      ...present('grant', get('grant', optional(name()))),
      ...present('renew', get('renew', optional(name()))),
      ...present('set', get('set', optional(this.#each(name())))),
      ...present('load', get('load', optional(name()))),
      ...present('finish', get('finish', optional(onlyTrue))),
      ...present('remember', get('remember', optional(trueOrName))),
      ...present('outcome', get('outcome', optional(oneOf(outcomes)))),
    }));
  }

  #guard(value: unknown, path: Path): GuardDefinition {
    if (isRecord(value)) {
      const [key, ...others] = Object.keys(value);
      if (key === 'left' && others.length === 0)
        return this.#table(value, path, (get) => ({ left: get('left', name()) }));
      if (key === 'more' && others.length === 0)
        return this.#table(value, path, (get) => ({ more: get('more', name()) }));
      if ('flag' in value)
        return this.#table(value, path, (get) => ({ flag: get('flag', name()), is: get('is', name()) }));
    }
    throw wrong(value, '{ left: a budget }, { more: a list } or { flag: a flag, is: a value }', path, this.#source);
  }
}

const kinds = ['role', 'run', 'check', 'unchanged', 'ask', 'rests', 'ends'] as const;

function optional<T>(field: Field<T>): Field<T | undefined> {
  return (value, path, source) => (value === undefined ? undefined : field(value, path, source));
}

function present<K extends string, T>(key: K, value: T | undefined): { readonly [P in K]?: T } {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- TypeScript cannot tell the type of a computed key
  return (value === undefined ? {} : { [key]: value }) as { readonly [P in K]?: T };
}

const texts: Field<readonly string[]> = (value, path, source) => {
  if (Array.isArray(value) && value.every((item) => typeof item === 'string' && item.trim() !== ''))
    return value.map(String);
  throw wrong(value, 'a list of texts', path, source);
};

const someTexts: Field<readonly string[]> = (value, path, source) => {
  const list = texts(value, path, source);
  if (list.length > 0) return list;
  throw wrong(value, 'a list of texts with at least one', path, source);
};

const words: Field<readonly string[]> = (value, path, source) => {
  const list = texts(value, path, source);
  const bad = list.find((word) => !identifier.test(word) || reserved.includes(word));
  if (bad === undefined && list.length > 0 && new Set(list).size === list.length) return list;
  throw wrong(bad ?? value, 'a list of different words in small letters, digits, - and _', path, source);
};

const globs: Field<readonly string[]> = (value, path, source) => {
  const list = texts(value, path, source);
  for (const [index, glob] of list.entries()) {
    const at = [...path, index];
    if (!alternatives(glob, at, source).every(isInnerPath)) throw wrong(glob, inside, at, source);
    if (glob.endsWith('/')) throw wrong(glob, `files, such as "${glob}**"`, at, source);
  }
  return list;
};

/** `{a,b}/c` means a/c and b/c: neither may lead where globs must not. */
function alternatives(glob: string, path: Path, source: Source): readonly string[] {
  const [whole, inner = ''] = /\{([^{}]*)\}/.exec(glob) ?? [];
  if (whole !== undefined) {
    const choices = inner.split(',').map((choice) => glob.replace(whole, () => choice));
    return choices.flatMap((choice) => alternatives(choice, path, source));
  }
  if (/[{}]/.test(glob)) throw wrong(glob, 'a glob whose braces match', path, source);
  return [glob];
}

const programField: Field<readonly string[]> = (value, path, source) => {
  const list: unknown = typeof value === 'string' ? value.split(/\s+/).filter((word) => word !== '') : value;
  if (Array.isArray(list) && list.length > 0 && list.every((word) => typeof word === 'string')) return list;
  throw wrong(value, 'a program and its arguments, such as ["npm", "test"]', path, source);
};

const innerPath: Field<string> = (value, path, source) => {
  if (typeof value === 'string' && isInnerPath(value)) return value;
  throw wrong(value, inside, path, source);
};

const inside = 'a path inside the repository, relative, without "..", ".git" or ".pawl"';

function isInnerPath(value: string): boolean {
  // eslint-disable-next-line no-control-regex -- finding control characters is the point
  if (value === '' || /[\u0000-\u001f\u007f\\]/.test(value)) return false;
  const parts = value.replace(/\/$/, '').split('/');
  return !parts.some((part) => ['', '.', '..', '.git', '.pawl'].includes(part));
}

const functionField: Field<Extract<StateDefinition, { check: unknown }>['check']> = (value, path, source) => {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what it takes and gives is known when it is called
  if (typeof value === 'function') return value as Extract<StateDefinition, { check: unknown }>['check'];
  throw wrong(value, 'a function (only in TypeScript); in YAML use run: with a program', path, source);
};

const onlyTrue: Field<true> = (value, path, source) => {
  if (value === true) return true;
  throw wrong(value, 'true, or leave it out', path, source);
};

const trueOrName: Field<true | string> = (value, path, source) => (value === true ? true : name()(value, path, source));
