/**
 * A quick reader of the YAML people and Pawl commonly write: validating ten thousand plans with the `yaml` package
 * takes four times as long.
 *
 * Y1. What it returns is what `yaml` (core schema) returns for the same text.
 * Y2. Whatever it does not fully understand, wrong or merely rare, is `undefined`, never a guess.
 */

export interface YamlOptions {
  /** Numbers come back as they are written: `1.10` is "1.10". */
  readonly numbersAsText?: boolean;
}

/** A key, or the dash of a list item (`key` is null). A key behind a dash is a line of its own. */
interface Line {
  readonly column: number;
  readonly key: string | null;
  /** Empty where the value stands on the following lines. */
  readonly value: string;
}

export function parseSimpleYaml(text: string, { numbersAsText = false }: YamlOptions = {}): unknown {
  const lines = UNUSUAL.test(text) ? undefined : linesOf(text);
  if (lines?.length === 0) return null;
  const reader = { lines: lines ?? [], at: 0, numbersAsText };
  const value = readBlock(reader);
  return reader.at === lines?.length ? value : undefined;
}

/** Tabs, carriage returns, control characters, BOM, exotic line breaks. */
// oxlint-disable-next-line no-control-regex -- finding control characters is the point
const UNUSUAL = /[\0-\x09\x0b-\x1f\x7f\x85\u2028\u2029\ufeff]/;
const LINE = /^( *)(- +|-$)?(?:(?:"([^"\\]*)"|'([^']*)'|([A-Za-z_][\w./-]*)):(?: +|$))?(.*)$/;
const keyCharsMax = 256;

function linesOf(text: string): Line[] | undefined {
  const lines: Line[] = [];
  for (const source of text.split('\n')) {
    const [, indent = '', dash = '', double, single, bare, rest = ''] = LINE.exec(source) ?? [];
    const key = double ?? single ?? bare;
    const value = rest.startsWith('#') ? '' : rest;
    if (dash !== '') lines.push({ column: indent.length, key: null, value: key === undefined ? value : '' });
    else if (key === undefined && value !== '') return undefined;
    if (key === undefined) continue;
    if (key.length > keyCharsMax || key === '__proto__' || (bare !== undefined && WORDS.has(bare))) return undefined;
    lines.push({ column: indent.length + dash.length, key, value });
  }
  return lines;
}

interface Reader {
  readonly lines: readonly Line[];
  readonly numbersAsText: boolean;
  at: number;
}

/** The lines of one column: keys of a map, or items of a list. */
function readBlock(reader: Reader): unknown {
  const first = reader.lines[reader.at];
  if (!first) return undefined;
  const { column } = first;
  const isList = first.key === null;
  const items: unknown[] = [];
  const map: Record<string, unknown> = {};
  let line: Line | undefined = first;
  for (; line?.column === column && (line.key === null) === isList; line = reader.lines[reader.at]) {
    reader.at++;
    const value = line.value === '' ? readNested(reader, line) : readInline(line.value, reader.numbersAsText);
    if (value === undefined || Object.hasOwn(map, line.key ?? '')) return undefined;
    if (line.key === null) items.push(value);
    else map[line.key] = value;
  }
  if (line && line.column > column) return undefined;
  return isList ? items : map;
}

/** The value of a key or dash with nothing behind it. A list may stand in its key's own column. */
function readNested(reader: Reader, { column, key }: Line): unknown {
  const next = reader.lines[reader.at];
  const isNested = next && (next.column > column || (next.column === column && next.key === null && key !== null));
  return isNested ? readBlock(reader) : null;
}

const QUOTED = /^(?:"([^"\\]*)"|'([^']*)')(?: +#.*| *)$/;
const FLOW = /^(?:\[(.*)\]|\{\})(?: +#.*| *)$/;

/** A value that ends on its own line. */
function readInline(source: string, numbersAsText: boolean): unknown {
  const first = source.charAt(0);
  if (first === '"' || first === "'") {
    const [, double, single] = QUOTED.exec(source) ?? [];
    return double ?? single;
  }
  if (first === '[' || first === '{') {
    const match = FLOW.exec(source);
    return match?.[1] === undefined ? (match ? {} : undefined) : readFlow(match[1], numbersAsText);
  }
  const comment = source.indexOf(' #');
  // Not `trimEnd`: a no-break space belongs to the scalar.
  return resolvePlain((comment === -1 ? source : source.slice(0, comment)).replace(/ +$/, ''), numbersAsText);
}

const FLOW_ITEM = / *(?:"([^"\\]*)"|'([^']*)'|([^\s,[\]{}:#'"]+(?:[ :][\w./-]+)*)) *(?:,|$)/y;

/** What stands in `[a, "b", 3]`: scalars only. */
function readFlow(source: string, numbersAsText: boolean): unknown[] | undefined {
  const items: unknown[] = [];
  if (/^ *$/.test(source)) return items;
  for (FLOW_ITEM.lastIndex = 0; FLOW_ITEM.lastIndex < source.length;) {
    const [, double, single, plain = ''] = FLOW_ITEM.exec(source) ?? [];
    const item = double ?? single ?? resolvePlain(plain, numbersAsText);
    if (item === undefined || FLOW_ITEM.lastIndex === 0) return undefined;
    items.push(item);
  }
  return items;
}

const WORDS = new Map<string, boolean | null>([
  ...['null', 'Null', 'NULL', '~'].map((word) => [word, null] as const),
  ...['true', 'True', 'TRUE'].map((word) => [word, true] as const),
  ...['false', 'False', 'FALSE'].map((word) => [word, false] as const),
]);
const NUMBER = /^-?(?:0|[1-9]\d{0,14})(?:\.\d{1,15})?$/;
/** Octal, hexadecimal, exponents, infinities, leading zeros and signs, very long numbers. */
const RARE_NUMBER =
  /^(?:0o[0-7]+|0x[\da-fA-F]+|[-+]?(?:\.\d+|\d+\.?\d*)(?:[eE][-+]?\d+)?|[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN))$/;
const INDICATOR = /^(?:[-?:](?![^\s])|---|\.\.\.|[,[\]{}#&*!|>'"%@`])/;

function resolvePlain(source: string, numbersAsText: boolean): unknown {
  const word = WORDS.get(source);
  if (word !== undefined) return word;
  // Digits, signs and dots sort below the colon, and so do a few indicators; letters do not.
  if (source < ':') {
    if (NUMBER.test(source)) return numbersAsText ? source : Number(source);
    if (RARE_NUMBER.test(source)) return undefined;
  }
  return source === '' || INDICATOR.test(source) || source.includes(': ') || source.endsWith(':') ? undefined : source;
}
