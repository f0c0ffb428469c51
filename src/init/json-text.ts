/** Edits of a JSON text that leave every other byte as it is. The text must be valid. */

interface Member {
  /** Empty for an element of an array. */
  readonly key: string;
  readonly start: number;
  readonly valueStart: number;
  readonly end: number;
}

/** The value at a path of keys; undefined where there is none. */
export function valueAt(text: string, path: readonly string[]): { start: number; value: unknown } | undefined {
  let start = skipSpace(text, 0);
  for (const key of path) {
    const member = text[start] === '{' ? membersAt(text, start).findLast((each) => each.key === key) : undefined;
    if (!member) return undefined;
    start = member.valueStart;
  }
  return { start, value: JSON.parse(text.slice(start, endOfValue(text, start))) };
}

/** Adds a last member or element to the object or array that begins at `start`, in the style of the text. */
export function withMember(text: string, start: number, value: unknown, key?: string): string {
  const unit = /\n([ \t]+)\S/.exec(text)?.[1] ?? '  ';
  const lineEnd = text.includes('\r\n') ? '\r\n' : '\n';
  const outer = /^[ \t]*/.exec(text.slice(text.lastIndexOf('\n', start) + 1))?.[0] ?? '';
  const last = membersAt(text, start).at(-1);
  const before = last && /\n([ \t]*)$/.exec(text.slice(0, last.start))?.[1];
  const inner = before ?? `${outer}${unit}`;
  const name = key === undefined ? '' : `${JSON.stringify(key)}: `;
  const lines = JSON.stringify(value, null, unit).split('\n');
  const added = `${name}${lines.join(`${lineEnd}${inner}`)}`;
  if (last) return `${text.slice(0, last.end)},${lineEnd}${inner}${added}${text.slice(last.end)}`;
  const end = endOfValue(text, start) - 1;
  return `${text.slice(0, start + 1)}${lineEnd}${inner}${added}${lineEnd}${outer}${text.slice(end)}`;
}

/** Takes members or elements away; `isTaken` gets the key and the value. */
export function withoutMembers(text: string, start: number, isTaken: (key: string, value: unknown) => boolean): string {
  const members = membersAt(text, start);
  const at = members.findIndex((each) => isTaken(each.key, JSON.parse(text.slice(each.valueStart, each.end))));
  const member = members[at];
  if (!member) return text;
  const [before, after] = [members[at - 1], members[at + 1]];
  const from = before?.end ?? (after ? member.start : start + 1);
  const to = before ? member.end : (after?.start ?? endOfValue(text, start) - 1);
  return withoutMembers(text.slice(0, from) + text.slice(to), start, isTaken);
}

function membersAt(text: string, start: number): Member[] {
  const isObject = text[start] === '{';
  const members: Member[] = [];
  let at = skipSpace(text, start + 1);
  while (text[at] !== '}' && text[at] !== ']') {
    const begin = at;
    let key = '';
    if (isObject) {
      at = endOfValue(text, at);
      key = String(JSON.parse(text.slice(begin, at)));
      at = skipSpace(text, skipSpace(text, at) + 1);
    }
    const end = endOfValue(text, at);
    members.push({ key, start: begin, valueStart: at, end });
    at = skipSpace(text, end);
    if (text[at] === ',') at = skipSpace(text, at + 1);
  }
  return members;
}

const token = /"(?:[^"\\]|\\.)*"|[[\]{}]|[^\s,:"[\]{}]+/gy;
const between = /[\s,:]*/y;

function endOfValue(text: string, start: number): number {
  let depth = 0;
  let at = start;
  do {
    token.lastIndex = matchEnd(between, text, at);
    const [word = ''] = token.exec(text) ?? [];
    if (word === '') throw new Error('the text is not valid JSON');
    if (word === '{' || word === '[') depth += 1;
    if (word === '}' || word === ']') depth -= 1;
    at = token.lastIndex;
  } while (depth > 0);
  return at;
}

function skipSpace(text: string, at: number): number {
  return matchEnd(/\s*/y, text, at);
}

function matchEnd(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  pattern.exec(text);
  return pattern.lastIndex;
}
