/**
 * A quick reader of the YAML people and Pawl commonly write, without the `yaml` package.
 *
 * Y1. What it returns is what `yaml` (core schema) returns for the same text.
 * Y2. Whatever it does not fully understand, wrong or merely rare, is `undefined`, never a guess.
 */

export interface YamlOptions {
  /** Numbers come back as they are written: `1.10` is "1.10". */
  readonly numbersAsText?: boolean;
}

export function parseSimpleYaml(text: string, options: YamlOptions = {}): unknown {
  if (UNUSUAL.test(text)) return undefined;
  const reader: Reader = { text, numbersAsText: options.numbersAsText === true, at: 0, end: -1, indent: -1 };
  nextLine(reader);
  if (reader.indent === -1) return null;
  const value = readBlock(reader);
  return reader.indent === -1 ? value : undefined;
}

/** Tabs, carriage returns, control characters, BOM, exotic line breaks. */
// oxlint-disable-next-line no-control-regex -- finding control characters is the point
const UNUSUAL = /[\0-\x09\x0b-\x1f\x7f\x85\u2028\u2029\ufeff]/;
const SPACE = 32;
const HASH = 35;
const DASH = 45;
const COLON = 58;
const keyCharsMax = 256;

/** `at` is the first character not yet read of the current line, `indent` its column; -1 when the text is used up. */
interface Reader {
  readonly text: string;
  readonly numbersAsText: boolean;
  at: number;
  end: number;
  indent: number;
}

function nextLine(reader: Reader): void {
  const { text } = reader;
  for (let start = reader.end + 1; start < text.length; start = reader.end + 1) {
    const end = text.indexOf('\n', start);
    reader.end = end === -1 ? text.length : end;
    reader.at = start;
    skipSpaces(reader);
    if (reader.at < reader.end && text.charCodeAt(reader.at) !== HASH) {
      reader.indent = reader.at - start;
      return;
    }
  }
  reader.indent = -1;
}

function skipSpaces(reader: Reader): void {
  while (reader.at < reader.end && reader.text.charCodeAt(reader.at) === SPACE) reader.at++;
}

function readBlock(reader: Reader): unknown {
  return isItem(reader) ? readSequence(reader) : readMap(reader);
}

function isItem({ text, at, end }: Reader): boolean {
  return text.charCodeAt(at) === DASH && (at + 1 === end || text.charCodeAt(at + 1) === SPACE);
}

function readMap(reader: Reader): Record<string, unknown> | undefined {
  const { indent } = reader;
  const map: Record<string, unknown> = {};
  while (reader.indent === indent) {
    const key = readKey(reader);
    if (key === undefined || Object.hasOwn(map, key)) return undefined;
    const value = atLineEnd(reader) ? readNested(reader, indent, true) : readInline(reader);
    if (value === undefined) return undefined;
    map[key] = value;
  }
  return reader.indent > indent ? undefined : map;
}

function readSequence(reader: Reader): unknown[] | undefined {
  const { indent } = reader;
  const items: unknown[] = [];
  while (reader.indent === indent && isItem(reader)) {
    const dash = reader.at++;
    const item = atLineEnd(reader) ? readNested(reader, indent, false) : readItem(reader, indent + reader.at - dash);
    if (item === undefined) return undefined;
    items.push(item);
  }
  return reader.indent > indent ? undefined : items;
}

/** What stands behind a dash: a map whose first key is on the same line, or a scalar. */
function readItem(reader: Reader, indent: number): unknown {
  const { at } = reader;
  const startsMap = readKey(reader) !== undefined;
  reader.at = at;
  if (!startsMap) return readInline(reader);
  reader.indent = indent;
  return readMap(reader);
}

/** The value of a key or dash with nothing behind it. A sequence may stand in its key's own column. */
function readNested(reader: Reader, indent: number, inMap: boolean): unknown {
  nextLine(reader);
  if (reader.indent > indent) return readBlock(reader);
  return inMap && reader.indent === indent && isItem(reader) ? readSequence(reader) : null;
}

/** Skips spaces; true when nothing but a comment is left. */
function atLineEnd(reader: Reader): boolean {
  const before = reader.at;
  skipSpaces(reader);
  return reader.at === reader.end || (reader.at > before && reader.text.charCodeAt(reader.at) === HASH);
}

const PLAIN_KEY = /[A-Za-z_][\w./-]*/y;

/** A key with its colon; the reader then stands behind the colon. */
function readKey(reader: Reader): string | undefined {
  const { text, at, end } = reader;
  const quote = text.charAt(at);
  let key: string | undefined;
  if (quote === '"' || quote === "'") {
    key = readQuoted(reader, quote);
  } else {
    PLAIN_KEY.lastIndex = at;
    if (!PLAIN_KEY.test(text)) return undefined;
    reader.at = PLAIN_KEY.lastIndex;
    key = text.slice(at, reader.at);
    if (key.length <= wordCharsMax && WORDS.has(key)) return undefined;
  }
  if (key === undefined || key === '__proto__' || reader.at - at > keyCharsMax) return undefined;
  if (text.charCodeAt(reader.at) !== COLON) return undefined;
  reader.at++;
  return reader.at === end || text.charCodeAt(reader.at) === SPACE ? key : undefined;
}

/** A value that ends on its own line; the reader then stands on the next line. */
function readInline(reader: Reader): unknown {
  const { text, at, end } = reader;
  const first = text.charAt(at);
  if (first !== '"' && first !== "'" && first !== '[' && first !== '{') {
    const rest = text.slice(at, end);
    const comment = rest.indexOf(' #');
    const source = trimSpaces(comment === -1 ? rest : rest.slice(0, comment));
    nextLine(reader);
    return resolvePlain(source, reader.numbersAsText);
  }
  const value = first === '[' ? readFlow(reader) : first === '{' ? readEmptyMap(reader) : readQuoted(reader, first);
  if (value === undefined || !atLineEnd(reader)) return undefined;
  nextLine(reader);
  return value;
}

/** Not `trimEnd`: a no-break space belongs to the scalar. */
function trimSpaces(source: string): string {
  let end = source.length;
  while (source.charCodeAt(end - 1) === SPACE) end--;
  return source.slice(0, end);
}

function readEmptyMap(reader: Reader): Record<string, never> | undefined {
  if (!reader.text.startsWith('{}', reader.at)) return undefined;
  reader.at += 2;
  return {};
}

function readQuoted(reader: Reader, quote: string): string | undefined {
  const { text, at, end } = reader;
  const close = text.indexOf(quote, at + 1);
  if (close === -1 || close > end) return undefined;
  const value = text.slice(at + 1, close);
  if (quote === '"' ? value.includes('\\') : text.charAt(close + 1) === quote) return undefined;
  reader.at = close + 1;
  return value;
}

const FLOW_PLAIN = /[^\s,[\]{}:#'"]+(?:[ :][\w./-]+)*/y;

/** `[a, "b", 3]`: scalars only, on one line. */
function readFlow(reader: Reader): unknown[] | undefined {
  const { text } = reader;
  const items: unknown[] = [];
  reader.at++;
  skipSpaces(reader);
  if (text.charAt(reader.at) === ']') {
    reader.at++;
    return items;
  }
  for (;;) {
    const item = readFlowScalar(reader);
    if (item === undefined) return undefined;
    items.push(item);
    skipSpaces(reader);
    const separator = text.charAt(reader.at++);
    if (separator === ']') return items;
    if (separator !== ',') return undefined;
    skipSpaces(reader);
  }
}

function readFlowScalar(reader: Reader): unknown {
  const quote = reader.text.charAt(reader.at);
  if (quote === '"' || quote === "'") return readQuoted(reader, quote);
  FLOW_PLAIN.lastIndex = reader.at;
  if (!FLOW_PLAIN.test(reader.text) || FLOW_PLAIN.lastIndex > reader.end) return undefined;
  const source = reader.text.slice(reader.at, FLOW_PLAIN.lastIndex);
  reader.at = FLOW_PLAIN.lastIndex;
  return resolvePlain(source, reader.numbersAsText);
}

const WORDS = new Map<string, boolean | null>([
  ...['null', 'Null', 'NULL', '~'].map((word) => [word, null] as const),
  ...['true', 'True', 'TRUE'].map((word) => [word, true] as const),
  ...['false', 'False', 'FALSE'].map((word) => [word, false] as const),
]);
const wordCharsMax = 'false'.length;
const NUMBER = /^-?(?:0|[1-9]\d{0,14})(?:\.\d{1,15})?$/;
/** Octal, hexadecimal, exponents, infinities, leading zeros and signs, very long numbers. */
const RARE_NUMBER =
  /^(?:0o[0-7]+|0x[\da-fA-F]+|[-+]?(?:\.\d+|\d+(?:\.\d*)?)(?:[eE][-+]?\d+)?|[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN))$/;
const INDICATOR = /^(?:[-?:](?![^\s])|---|\.\.\.|[,[\]{}#&*!|>'"%@`])/;

function resolvePlain(source: string, numbersAsText: boolean): unknown {
  const word = source.length <= wordCharsMax ? WORDS.get(source) : undefined;
  if (word !== undefined) return word;
  const first = source.charCodeAt(0);
  if (first < COLON) {
    // Digits, signs and dots sort below the colon, and so do a few indicators; letters do not.
    if (NUMBER.test(source)) return numbersAsText ? source : Number(source);
    if (RARE_NUMBER.test(source)) return undefined;
  }
  if (INDICATOR.test(source) || source.includes(': ') || source.endsWith(':')) return undefined;
  return source;
}
