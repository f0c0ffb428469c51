/** What the tools of bundled workflows have in common: arguments are read first, and a broken document is an answer. */

import { DocumentError } from '../documents/document-error.ts';
import { nearest } from '../schema/nearest.ts';
import { check, nameOf, problemOf, type Infer, type Mistake, type Schema } from '../schema/schema.ts';
import type { DispatchContext, Tool, ToolAnswer } from './workflow.ts';

/** What a tool takes: its schema, and a good call to show where one was not. */
export interface ToolArguments<T> {
  readonly tool: string;
  readonly schema: Schema<T>;
  readonly example: object;
}

type ArgumentsByTool = Readonly<Record<string, Omit<ToolArguments<unknown>, 'tool'>>>;

export interface ToolDefinition<T> extends Pick<Tool, 'description' | 'roles' | 'report'> {
  readonly run: (args: T, context: DispatchContext) => ToolAnswer;
}

export function defineTools<A extends ArgumentsByTool, N extends keyof A & string>(
  shapes: A,
  definitions: { readonly [K in N]: ToolDefinition<Infer<A[K]['schema']>> },
): Readonly<Record<N, Tool>> {
  // oxlint-disable typescript/no-unsafe-type-assertion -- TypeScript cannot tell the types behind computed keys
  const define = (tool: N) =>
    defineTool({ ...shapes[tool], tool } as ToolArguments<unknown>, definitions[tool] as ToolDefinition<unknown>);
  const names = Object.keys(definitions) as N[];
  return Object.fromEntries(names.map((tool) => [tool, define(tool)])) as Record<N, Tool>;
  // oxlint-enable typescript/no-unsafe-type-assertion
}

export function defineTool<T>(shape: ToolArguments<T>, { run, ...definition }: ToolDefinition<T>): Tool {
  return {
    ...definition,
    /** Made when it is asked for: only a dispatch needs it, and most commands make none. */
    get schema(): Tool['schema'] {
      return { type: 'object', ...shape.schema.json() };
    },
    call(args, context) {
      const read = readArguments(shape, args);
      if ('error' in read) return read;
      try {
        return run(read.value, context);
      } catch (error) {
        if (!(error instanceof DocumentError)) throw error;
        return { error: `${shape.tool} could not be done, nothing was written: ${error.message}` };
      }
    },
  };
}

const mistakesMax = 12;

/** All mistakes at once: what is wrong, where, what is expected; and an example of a good call. */
export function readArguments<T>(
  { tool, schema, example }: ToolArguments<T>,
  args: Readonly<Record<string, unknown>>,
): { readonly value: T } | { readonly error: string } {
  const read = check(schema, args);
  if (!('mistakes' in read)) return read;
  const { mistakes } = read;
  const told = mistakes.slice(0, mistakesMax).map((mistake) => `- ${inWords(mistake)}`);
  if (mistakes.length > mistakesMax) told.push(`- and ${mistakes.length - mistakesMax} more`);
  const frame = `${tool} was refused, nothing was written. Fix the following and call it again:`;
  return { error: [frame, ...told, `Example: ${JSON.stringify(example)}`].join('\n') };
}

function inWords(mistake: Mistake): string {
  const { path, known } = mistake;
  if (!known) return `${problemOf(mistake, 'the call')}; expected ${mistake.expected}`;
  const all = known.length === 0 ? 'no arguments' : `one of ${known.join(', ')}`;
  const near = nearest(String(path.at(-1)), known);
  return `${nameOf(path)} is not known; expected ${near === undefined ? all : `"${near}", or ${all}`}`;
}
