/** Turns what is wrong with a tool's arguments into a message a model can act on. */

import type * as z from 'zod';
import { nearest } from '../documents/nearest.ts';

const mistakesMax = 12;
const shownCharsMax = 60;

/** What a tool takes: its schema, and a good call to show where one was not. */
export interface ToolArguments<S extends z.ZodType> {
  readonly tool: string;
  readonly schema: () => S;
  readonly example: object;
}

export type Arguments<T> = { readonly value: T } | { readonly error: string };

/** All mistakes at once: what is wrong, where, what is expected; and an example of a good call. */
export function readArguments<S extends z.ZodType>(
  { tool, schema, example }: ToolArguments<S>,
  args: Readonly<Record<string, unknown>>,
): Arguments<z.output<S>> {
  const parsed = schema().safeParse(args, { reportInput: true });
  if (parsed.success) return { value: parsed.data };
  const mistakes = parsed.error.issues.flatMap(mistakesOf);
  const shown = mistakes.slice(0, mistakesMax).map((mistake) => `- ${mistake}`);
  if (mistakes.length > mistakesMax) shown.push(`- and ${mistakes.length - mistakesMax} more`);
  return { error: refusal(tool, shown, example) };
}

function refusal(tool: string, mistakes: readonly string[], example: object): string {
  return [
    `${tool} was refused, nothing was written. Mend this and call it again:`,
    ...mistakes,
    `Example: ${JSON.stringify(example)}`,
  ].join('\n');
}

/** Every schema's message is what it expects, so that one sentence fits all. */
function mistakesOf(issue: z.core.$ZodIssue): string[] {
  const place = placeOf(issue.path);
  if (issue.code !== 'unrecognized_keys') {
    const missing = issue.input === undefined || (issue.code === 'custom' && issue.params?.['missing'] === true);
    const problem = missing ? 'is missing' : `is ${shown(issue.input)}`;
    return [`${place === '' ? 'the call' : place} ${problem}; expected ${issue.message}`];
  }
  const known = issue.message.replace(/^one of /, '').split(', ');
  return issue.keys.map((key) => {
    const near = nearest(key, known);
    const expected = near === undefined ? issue.message : `"${near}", or ${issue.message}`;
    return `${placeOf([...issue.path, key])} is not known; expected ${expected}`;
  });
}

function placeOf(path: readonly PropertyKey[]): string {
  return path.reduce<string>((place, key) => {
    if (typeof key === 'number') return `${place}[${key}]`;
    return place === '' ? String(key) : `${place}.${String(key)}`;
  }, '');
}

function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? typeof value;
  return text.length > shownCharsMax ? `${text.slice(0, shownCharsMax)}…` : text;
}
