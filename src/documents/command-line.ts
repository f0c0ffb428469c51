/** A command as a person types it, taken apart without a shell: quotes and backslashes mean what they mean in sh, nothing is expanded. */

/** What is wrong with a command, and what to do about it. */
interface Mistake {
  readonly problem: string;
  readonly fix: string;
}

export type CommandLine = { readonly argv: readonly string[] } | Mistake;

/** Blanks, what is in quotes, an escaped character, an expansion, or any other character. */
const TOKEN = /[ \t]+|'[^']*'|"(?:\\[^]|[^"\\])*"|\\[^]|\$[A-Za-z0-9_({@*#?!$-]|[^]/g;
const EXPANSION = /[`]|\$[A-Za-z0-9_({@*#?!$-]/;

export function splitCommand(text: string): CommandLine {
  const argv: string[] = [];
  let word: string | undefined;
  for (const [token] of text.matchAll(TOKEN)) {
    const mistake = mistakeIn(token, text);
    if (mistake) return mistake;
    const ends = token.startsWith(' ') || token.startsWith('\t');
    if (ends && word !== undefined) argv.push(word);
    word = ends ? undefined : (word ?? '') + meant(token);
  }
  if (word !== undefined) argv.push(word);
  const [program] = argv;
  if (program === undefined || program === '') return { problem: 'the command is empty', fix: 'name a program to run' };
  if (ASSIGNMENT.test(program)) return needsShell(`${program} sets a variable for a command`, text);
  return { argv };
}

const ASSIGNMENT = /^[A-Za-z_]\w*=/;

function meant(token: string): string {
  if (token.length === 1 || token.startsWith('$')) return token;
  if (token.startsWith("'")) return token.slice(1, -1);
  return token.startsWith('"') ? token.slice(1, -1).replaceAll(/\\(["\\$`])/g, '$1') : token.slice(1);
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

const INCOMPLETE: Readonly<Record<string, Mistake>> = {
  "'": { problem: "a single quote (') is never closed", fix: 'close it' },
  '"': { problem: 'a double quote (") is never closed', fix: 'close it' },
  '\\': { problem: 'the command ends with a backslash', fix: 'remove it' },
  '\0': { problem: 'the command contains a null character', fix: 'remove it' },
};

function mistakeIn(token: string, text: string): Mistake | undefined {
  if (INCOMPLETE[token]) return INCOMPLETE[token];
  const operator = OPERATORS[token];
  if (operator !== undefined) return needsShell(`${JSON.stringify(token)} is ${operator} of a shell`, text);
  if (token.startsWith('$') && token.length > 1) return needsShell('"$" would be expanded by a shell', text);
  const [expanded] = (token.startsWith('"') && EXPANSION.exec(token.replaceAll(/\\[^]/g, ''))) || [];
  if (expanded === undefined) return undefined;
  return needsShell(`${JSON.stringify(expanded.charAt(0))} in double quotes would be expanded by a shell`, text);
}

function needsShell(problem: string, text: string): Mistake {
  const quoted = text.trim().replaceAll("'", String.raw`'\''`);
  return { problem, fix: `quote it where it belongs to an argument, or write sh -c '${quoted}'` };
}
