/** What every tool of the workflow has in common: arguments are read first, and a broken document is an answer. */

import * as z from 'zod';
import { DocumentError } from '../../documents/document-error.ts';
import type { DispatchContext, FileView, Tool, ToolAnswer, Write } from '../workflow.ts';
import { readArguments } from './argument-mistakes.ts';
import { roleNames, type RoleName } from './config.ts';
import type { ToolArguments } from './tool-arguments.ts';

export interface ToolDefinition<S extends z.ZodType> {
  readonly description: string;
  readonly roles: readonly RoleName[];
  /** Absent: the tool only reads. */
  readonly report?: { readonly once: boolean };
  run(args: z.output<S>, context: DispatchContext): ToolAnswer;
}

export const everyRole: readonly RoleName[] = roleNames;

export function defineTool<S extends z.ZodType>(shape: ToolArguments<S>, definition: ToolDefinition<S>): Tool {
  const { description, roles, report } = definition;
  let schema: Tool['schema'] | undefined;
  return {
    description,
    roles,
    ...(report && { report }),
    /** Made when first asked for: only a dispatch needs it, and most commands make none. */
    get schema() {
      return (schema ??= jsonSchemaOf(shape.schema));
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

function jsonSchemaOf(zodSchema: z.ZodType): Tool['schema'] {
  const { $schema: _, ...schema } = z.toJSONSchema(zodSchema, { io: 'input' });
  return { ...(JSON.parse(JSON.stringify(schema)) as Omit<Tool['schema'], 'type'>), type: 'object' };
}

/** The files as they will be once the writes are applied. */
export function withWrites(files: FileView, writes: readonly Write[]): FileView {
  const changed = new Map<string, string | null>();
  for (const write of writes) if ('content' in write) changed.set(write.path, write.content);
  return {
    read: (path) => (changed.has(path) ? (changed.get(path) ?? undefined) : files.read(path)),
    list(folder) {
      const paths = new Set(files.list(folder));
      for (const [path, content] of changed) {
        if (content === null) paths.delete(path);
        else if (path.startsWith(`${folder}/`)) paths.add(path);
      }
      return [...paths].toSorted();
    },
  };
}
