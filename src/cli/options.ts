/** Reading a command line: every unknown word or flag is named, with the nearest known one. */

import { parseArgs } from 'node:util';
import { nearest } from '../schema/nearest.ts';
import type { Flags, Given } from '../workflows/surface.ts';
import { Problem } from './problem.ts';

export type { Given } from '../workflows/surface.ts';

export interface CommandSpec {
  /** As typed: `pawl change plan`. */
  readonly name: string;
  readonly about: string;
  /** Names of the words it takes; a trailing `?` marks an optional one, `...` a last one that takes all that follow. */
  readonly words: readonly string[];
  readonly flags: Flags;
  /** What only a person may do with it: an agent that calls it is told so. */
  readonly personOnly?: string;
  readonly examples?: readonly string[];
}

/** Flags every command understands. */
export const commonFlags: Flags = {
  json: { about: 'print one JSON document on stdout, prose on stderr' },
  'no-input': { about: 'ask nobody: stop with exit code 3 where a person is needed' },
  help: { about: 'show this help' },
};

export function readCommandLine(spec: CommandSpec, args: readonly string[]): Given {
  const flags = { ...commonFlags, ...spec.flags };
  const known = Object.fromEntries(
    Object.entries(flags).map(([name, { value }]) => [
      name,
      { type: value === undefined ? ('boolean' as const) : ('string' as const) },
    ]),
  );
  const spelledOut = args.map((arg) => (arg === '-h' ? '--help' : arg));
  const { tokens } = parseArgs({
    args: spelledOut,
    options: known,
    strict: false,
    allowPositionals: true,
    tokens: true,
  });
  const words: string[] = [];
  const given: Record<string, string | true> = {};
  for (const token of tokens) {
    if (token.kind === 'positional') words.push(token.value);
    if (token.kind === 'option') given[token.name] = readFlag(spec, flags, token);
  }
  if (given['help'] === undefined) checkWords(spec, words);
  return { words, flags: given };
}

function readFlag(
  spec: CommandSpec,
  flags: Flags,
  token: { readonly name: string; readonly rawName: string; readonly value?: string | undefined },
): string | true {
  const flag = Object.hasOwn(flags, token.name) ? flags[token.name] : undefined;
  if (!flag)
    throw unknownWord(
      'flag',
      token.rawName,
      Object.keys(flags).map((name) => `--${name}`),
      spec.name,
    );
  if (flag.value === undefined) {
    if (token.value === undefined) return true;
    throw new Problem('UsageError', `${token.rawName} takes no value`, { fix: `${spec.name} --help` });
  }
  if (token.value === undefined || token.value === '') {
    throw new Problem('UsageError', `${token.rawName} needs a value: ${flag.value}`, { fix: `${spec.name} --help` });
  }
  return token.value;
}

function checkWords(spec: CommandSpec, words: readonly string[]): void {
  const required = spec.words.filter((word) => !word.endsWith('?')).map(nameOf);
  if (words.length < required.length) {
    throw new Problem('UsageError', `${spec.name} needs <${required.slice(words.length).join('> <')}>`, {
      fix: usageOf(spec),
    });
  }
  if (words.length > spec.words.length && !spec.words.at(-1)?.includes('...')) {
    throw new Problem('UsageError', `${spec.name} does not take "${words[spec.words.length]}"`, {
      fix: `${usageOf(spec)} (put a text of several words in quotes)`,
    });
  }
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
  const near = nearest(word, candidates);
  return new Problem('UsageError', `unknown ${what} "${word}"${near === undefined ? '' : `; did you mean ${near}?`}`, {
    fix: `${help} --help`,
  });
}
