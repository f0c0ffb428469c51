/** A command as a person types it, taken apart without a shell: quotes and backslashes mean what they mean in sh, nothing is expanded. */

export type Command =
  | {
      readonly argv: readonly string[];
      /** A shell with `-c` runs it, so its text can do anything. */
      readonly shell: boolean;
    }
  | { readonly problem: string };

export function argumentVector(text: string): Command {
  const reader: Reader = { text, at: 0, argv: [], word: undefined };
  while (reader.at < text.length) {
    const problem = readNext(reader);
    if (problem !== undefined) return { problem };
  }
  endWord(reader);
  const [program] = reader.argv;
  if (program === undefined || program === '') return { problem: 'the command is empty; name a program to run' };
  if (ASSIGNMENT.test(program)) return { problem: `${program} sets a variable for a command; ${needsShell(text)}` };
  return { argv: reader.argv, shell: isShell(reader.argv) };
}

interface Reader {
  readonly text: string;
  readonly argv: string[];
  at: number;
  /** Undefined between words; an empty pair of quotes is a word too. */
  word: string | undefined;
}

const OPERATORS: Readonly<Record<string, string>> = {
  '|': 'a pipe',
  '&': 'a background or "and" operator',
  ';': 'a command separator',
  '<': 'a redirection',
  '>': 'a redirection',
  '`': 'a command substitution',
  '(': 'a subshell',
  ')': 'a subshell',
  '\n': 'a line break',
  '\r': 'a line break',
};

/** Takes one character or one quoted piece; returns what is wrong with it. */
function readNext(reader: Reader): string | undefined {
  const { text } = reader;
  const char = text.charAt(reader.at);
  if (char === '\0') return 'the command contains a null character; remove it';
  if (char === ' ' || char === '\t') {
    endWord(reader);
    reader.at++;
    return undefined;
  }
  if (char === "'") return readSingleQuoted(reader);
  if (char === '"') return readDoubleQuoted(reader);
  if (char === '\\') return readEscaped(reader);
  const operator = OPERATORS[char];
  if (operator !== undefined) return `${JSON.stringify(char)} is ${operator} of a shell; ${needsShell(text)}`;
  if (isExpansion(text, reader.at)) return `"$" would be expanded by a shell; ${needsShell(text)}`;
  add(reader, char);
  reader.at++;
  return undefined;
}

function readSingleQuoted(reader: Reader): string | undefined {
  const close = reader.text.indexOf("'", reader.at + 1);
  if (close === -1) return "a single quote (') is never closed; close it";
  add(reader, reader.text.slice(reader.at + 1, close));
  reader.at = close + 1;
  return undefined;
}

function readDoubleQuoted(reader: Reader): string | undefined {
  const { text } = reader;
  add(reader, '');
  for (let at = reader.at + 1; at < text.length; at++) {
    const char = text.charAt(at);
    if (char === '"') {
      reader.at = at + 1;
      return undefined;
    }
    if (char === '`' || isExpansion(text, at))
      return `${JSON.stringify(char)} in double quotes would be expanded by a shell; ${needsShell(text)}`;
    if (char === '\\' && '"\\$`'.includes(text.charAt(at + 1)) && at + 1 < text.length) at++;
    add(reader, text.charAt(at));
  }
  return 'a double quote (") is never closed; close it';
}

function readEscaped(reader: Reader): string | undefined {
  const next = reader.text.charAt(reader.at + 1);
  if (next === '') return 'the command ends with a backslash; remove it';
  add(reader, next);
  reader.at += 2;
  return undefined;
}

function add(reader: Reader, piece: string): void {
  reader.word = (reader.word ?? '') + piece;
}

function endWord(reader: Reader): void {
  if (reader.word !== undefined) reader.argv.push(reader.word);
  reader.word = undefined;
}

function isExpansion(text: string, at: number): boolean {
  return text.charAt(at) === '$' && /[A-Za-z0-9_({@*#?!$-]/.test(text.charAt(at + 1));
}

const ASSIGNMENT = /^[A-Za-z_]\w*=/;

function needsShell(text: string): string {
  return `quote it where it belongs to an argument, or write sh -c '${text.trim().replaceAll("'", String.raw`'\''`)}' and allow it`;
}

const SHELLS = new Set(['sh', 'bash', 'dash', 'zsh', 'ksh', 'fish', 'ash', 'busybox', 'cmd', 'pwsh', 'powershell']);

/** Programs that run another one, given behind their own options. */
const RUNNERS = new Set([
  'timeout',
  'nice',
  'nohup',
  'setsid',
  'stdbuf',
  'time',
  'xargs',
  'sudo',
  'doas',
  'chroot',
  'ionice',
  'taskset',
  'unbuffer',
]);

function isShell([program = '', ...rest]: readonly string[]): boolean {
  const name = (program.split(/[/\\]/).at(-1) ?? '').toLowerCase().replace(/\.exe$/, '');
  if (name === 'env') return isShell(withoutSettings(rest));
  if (RUNNERS.has(name)) return rest.some((_, index) => isShell(rest.slice(index)));
  return SHELLS.has(name) && rest.some((word) => /^(?:-[a-z]*c|\/c|-command)$/i.test(word));
}

function withoutSettings(words: readonly string[]): readonly string[] {
  const first = words.findIndex((word) => !ASSIGNMENT.test(word) && !word.startsWith('-'));
  return first === -1 ? [] : words.slice(first);
}
