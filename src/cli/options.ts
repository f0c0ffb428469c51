/** Reading a command line: every unknown word or flag is named, with the nearest known one. */

import { parseArgs } from 'node:util';
import { didYouMean } from '../schema/nearest.ts';
import type { Flags, CommandInput } from '../workflows/surface.ts';
import { usageError, type Problem } from './problem.ts';

export interface CommandSpec {
  /** As typed: `pawl change plan`. */
  readonly name: string;
  readonly about: string;
  /** Names of the words it takes; a trailing `?` marks an optional one, `...` a last one that takes all that follow. */
  readonly words: readonly string[];
  readonly flags: Flags;
  /** What no agent that Pawl started may do with it. Unless it `approves`, a person's own agent may. */
  readonly personOnly?: string;
  readonly approves?: true;
  /** Its caller goes on in any case: it ends with 0, whatever is wrong. */
  readonly advisory?: true;
  readonly examples?: readonly string[];
}

export const commonFlags: Flags = {
  json: { about: 'print one JSON document on stdout, prose on stderr' },
  'no-input': { about: 'never ask: exit with code 3 where a person is needed' },
  verbose: { about: 'show every check and transition of a run' },
  help: { about: 'show this help' },
};

export function readCommandLine(spec: CommandSpec, args: readonly string[]): CommandInput {
  const flags = { ...commonFlags, ...spec.flags };
  const types = Object.entries(flags).map(
    ([name, { value, short }]) =>
      [
        name,
        { type: value === undefined ? ('boolean' as const) : ('string' as const), ...(short && { short }) },
      ] as const,
  );
  const { tokens } = parseArgs({
    args: args.map((arg) => (arg === '-h' ? '--help' : arg)),
    options: Object.fromEntries(types),
    strict: false,
    allowPositionals: true,
    tokens: true,
  });
  const words: string[] = [];
  const given: Record<string, string | true> = {};
  for (const token of tokens) {
    if (token.kind === 'positional') words.push(token.value);
    if (token.kind !== 'option') continue;
    const value = readFlag(spec, flags, token);
    const before = flags[token.name]?.many ? given[token.name] : undefined;
    given[token.name] = before === undefined ? value : `${before},${value}`;
  }
  if (given['help'] === undefined) checkWords(spec, words);
  return { words, flags: given };
}

function readFlag(
  { name: command }: CommandSpec,
  flags: Flags,
  { name, rawName, value }: { readonly name: string; readonly rawName: string; readonly value?: string | undefined },
): string | true {
  const flag = Object.hasOwn(flags, name) ? flags[name] : undefined;
  const known = Object.keys(flags).map((each) => `--${each}`);
  if (!flag) throw unknownWord('flag', rawName, known, command);
  if (flag.value === undefined && value === undefined) return true;
  if (flag.value !== undefined && value) return value;
  const problem = flag.value === undefined ? 'takes no value' : `needs a value: ${flag.value}`;
  throw usageError(`${rawName} ${problem}`, `${command} --help`);
}

function checkWords(spec: CommandSpec, words: readonly string[]): void {
  const required = spec.words.filter((word) => !word.endsWith('?')).map(nameOf);
  if (words.length < required.length)
    throw usageError(`${spec.name} needs <${required.slice(words.length).join('> <')}>`, usageOf(spec));
  if (words.length <= spec.words.length || spec.words.at(-1)?.includes('...')) return;
  const message = `${spec.name} does not take "${words[spec.words.length]}"; put a text of several words in quotes`;
  throw usageError(message, usageOf(spec));
}

export function usageOf({ name, words }: CommandSpec): string {
  const shown = words.map((word) => {
    const text = `<${nameOf(word)}>${word.includes('...') ? '...' : ''}`;
    return word.endsWith('?') ? `[${text}]` : text;
  });
  return [name, ...shown].join(' ');
}

function nameOf(word: string): string {
  return word.replace(/(?:\.{3})?\??$/, '');
}

export function unknownWord(what: string, word: string, candidates: readonly string[], help: string): Problem {
  return usageError(`unknown ${what} "${word}"${didYouMean(word, candidates)}`, `${help} --help`);
}
