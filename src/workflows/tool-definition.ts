/** What the tools of bundled workflows have in common: arguments are read first, and a broken document is an answer. */

import * as z from 'zod';
import { DocumentError } from '../documents/document-error.ts';
import { isRecord } from '../documents/fields.ts';
import type { Json } from '../engine/snapshot.ts';
import type { DispatchContext, Tool, ToolAnswer } from './workflow.ts';
import { readArguments, type ToolArguments } from './argument-mistakes.ts';

export interface ToolDefinition<S extends z.ZodType> {
  readonly description: string;
  readonly roles: readonly string[];
  /** Absent: the tool only reads. */
  readonly report?: { readonly once: boolean };
  run(args: z.output<S>, context: DispatchContext): ToolAnswer;
}

export function defineTool<S extends z.ZodType>(shape: ToolArguments<S>, definition: ToolDefinition<S>): Tool {
  const { description, roles, report } = definition;
  let schema: Tool['schema'] | undefined;
  return {
    description,
    roles,
    ...(report && { report }),
    /** Made when first asked for: only a dispatch needs it, and most commands make none. */
    get schema() {
      return (schema ??= jsonSchemaOf(shape.schema()));
    },
    call(args, context) {
      const read = readArguments(shape, args);
      if ('error' in read) return read;
      try {
        return definition.run(read.value, context);
      } catch (error) {
        if (!(error instanceof DocumentError)) throw error;
        return { error: `${shape.tool} could not be done, nothing was written: ${error.message}` };
      }
    },
  };
}

function jsonSchemaOf(schema: z.ZodType): Tool['schema'] {
  const { $schema: _, type: __, ...rest } = z.toJSONSchema(schema, { io: 'input' });
  const entries = Object.entries(rest).map(([key, value]) => [key, jsonOf(value)] as const);
  return { type: 'object', ...Object.fromEntries(entries) };
}

function jsonOf(value: unknown): Json {
  if (Array.isArray(value)) return value.map(jsonOf);
  if (isRecord(value)) return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, jsonOf(each)]));
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return value;
  return null;
}
