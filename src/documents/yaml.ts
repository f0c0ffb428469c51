/** YAML 1.2 as plain values (core schema: dates stay strings), and the line of everything in it. */

import type { Document, LineCounter, Tags } from 'yaml';
import { table, type Shape, type TableOf } from '../schema/compound.ts';
import { snakeCase, type Path, type Schema } from '../schema/schema.ts';
import { DocumentError, type Where } from './document-error.ts';
import { yaml } from './packages.ts';
import { inFile, readDocument } from './read-document.ts';
import { parseSimpleYaml, type YamlOptions } from './simple-yaml.ts';

/** `line` is the line of the file on which the text starts, so that errors name the file's own line. */
export interface Start extends Where {
  readonly line: number;
}

export function parseYaml(text: string, where: Start, options: YamlOptions = {}): unknown {
  const simple = unlessTooDeep(where, () => parseSimpleYaml(text, options));
  return simple === undefined ? valueOf(composeYaml(text, where, options).document, where) : simple;
}

export interface YamlLines {
  readonly value: unknown;
  /** The line of a key, else of what it stands in. */
  lineOf(path: Path): number | null;
}

export function readYamlLines(text: string, file: string): YamlLines {
  const { document, lines } = composeYaml(text, { file, line: 1 });
  return { value: valueOf(document, { file, line: null }), lineOf: (path) => lineIn(document, lines, path) };
}

/**
 * The fields of a piece of YAML inside another document, such as front matter. Keys that `fieldsOf` does not name are
 * passed over; no YAML at all is an empty map. Numbers are texts, so that 1.10 is not 1.1.
 */
export function readFields<T>(text: string | null, where: Start, fields: Schema<T>): T {
  const value = text === null ? null : parseYaml(text, where, { numbersAsText: true });
  const locate = inFile(where.file, ([key]) => keyLine(text ?? '', key, where.line) ?? where.line);
  return readDocument(fields, value ?? {}, locate, { spell: snakeCase });
}

/** What `readFields` reads. */
export function fieldsOf<S extends Shape>(shape: S): Schema<TableOf<S>> {
  return table(shape, { expected: 'a map of keys and values', unknownKeys: 'ignored' });
}

/** The line of a top-level key, found without a parser; null where no line begins with it. */
export function keyLine(text: string, key: string | number | undefined, firstLine = 1): number | null {
  const index = text.split('\n').findIndex((line) => line.startsWith(`${key}:`) || line.startsWith(`"${key}":`));
  return index === -1 ? null : firstLine + index;
}

export function composeYaml(text: string, where: Start, { numbersAsText = false }: YamlOptions = {}) {
  refuseDepth(text, where.file);
  const lines = new (yaml().LineCounter)();
  const options = {
    schema: 'core',
    customTags: numbersAsText ? withoutNumbers : null,
    lineCounter: lines,
    prettyErrors: false,
    logLevel: 'error',
  } as const;
  const document = unlessTooDeep(where, () => yaml().parseDocument(text, options));
  const [error] = document.errors;
  if (!error) return { document, lines };
  const line = where.line + Math.max(lines.linePos(error.pos[0]).line, 1) - 1;
  throw new DocumentError({ file: where.file, line }, firstLine(error.message), 'valid YAML', { cause: error });
}

const NUMBER_TAGS = new Set(['tag:yaml.org,2002:int', 'tag:yaml.org,2002:float']);

/** A schema without numbers reads `1.10` as the text it is. */
function withoutNumbers(tags: Tags): Tags {
  return tags.filter((tag) => typeof tag === 'string' || !NUMBER_TAGS.has(tag.tag));
}

/** The package refuses aliases without an anchor, and those that would unfold to more than anybody wrote. */
function valueOf(document: Document, where: Where): unknown {
  try {
    return document.toJS();
  } catch (cause) {
    if (cause instanceof RangeError) throw tooDeep(where);
    const problem = cause instanceof Error ? cause.message : String(cause);
    throw new DocumentError(where, firstLine(problem), 'valid YAML', { cause });
  }
}

function firstLine(message: string): string {
  const [first = ''] = message.split('\n');
  return first.replace(/[.:]$/, '');
}

/** Of a key that stands there twice the last one counts. */
function lineIn({ contents }: Document, lines: LineCounter, path: Path): number | null {
  const { isMap, isSeq, isScalar, isNode } = yaml();
  let node: unknown = contents;
  let offset: number | undefined;
  for (const key of path) {
    if (isMap(node)) {
      const pair = node.items.findLast((item) => isScalar(item.key) && String(item.key.value) === String(key));
      if (!pair) break;
      offset = isScalar(pair.key) ? pair.key.range?.[0] : offset;
      node = pair.value;
    } else if (isSeq(node) && typeof key === 'number') {
      node = node.items[key];
      offset = (isNode(node) && node.range?.[0]) || offset;
    } else break;
  }
  return offset === undefined ? null : lines.linePos(offset).line;
}

const indentColumnsMax = 512;
const bracketsMax = 256;
const COLUMNS = new RegExp(`^ {${indentColumnsMax}}`, 'm');
/** Each of these opens a level on the same line. */
const DASHES = /^ *(?:[-?:] +){64}/m;

/**
 * Refuses YAML so deeply nested that reading it would use up the stack, which Node does not always survive.
 * Brackets and dashes in texts count too: the limits are far above what any plan has.
 */
export function refuseDepth(text: string, file: string): void {
  let open = 0;
  let openMax = 0;
  for (const [bracket] of text.matchAll(/[[\]{}]/g)) {
    open = bracket === '[' || bracket === '{' ? open + 1 : Math.max(0, open - 1);
    openMax = Math.max(open, openMax);
  }
  if (!COLUMNS.test(text) && !DASHES.test(text) && openMax <= bracketsMax) return;
  throw tooDeep({ file, line: null });
}

function tooDeep({ file }: Where): DocumentError {
  return new DocumentError({ file, line: null }, 'the file is nested too deeply', `at most ${bracketsMax} levels`);
}

/** A reader whose stack is used up says so with a RangeError. */
function unlessTooDeep<T>(where: Where, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof RangeError) throw tooDeep(where);
    throw error;
  }
}

/** A string as a YAML scalar on one line: plain where every reader takes it for a string, else double-quoted. */
export function yamlText(text: string): string {
  return PLAIN.test(text) && !RESERVED.test(text) && !text.endsWith(' ') ? text : JSON.stringify(text);
}

/** A flow list of strings on one line. */
export function yamlList(items: readonly string[]): string {
  return `[${items.map((item) => (/^[\w./-]+$/.test(item) ? yamlText(item) : JSON.stringify(item))).join(', ')}]`;
}

/** Starts with a letter, so it is no number or date; without `: `, ` #` and the indicators. */
const PLAIN = /^[A-Za-z_][\w ./()-]*$/;
const RESERVED = /^(?:true|false|null|yes|no|on|off|y|n)$/i;
