/** A check that the author wrote as a function. Its mistakes are the author's: they are told with file and line. */

import { DocumentError } from '../../documents/document-error.ts';
import { list, optional, record, table } from '../../schema/compound.ts';
import { check as readWith, problemOf, type Schema } from '../../schema/schema.ts';
import { anything, oneOf, text, verbatim } from '../../schema/simple.ts';
import { isRecord, shown } from '../../schema/values.ts';
import type { Workflow } from '../workflow.ts';
import type { StateWith } from './definition.ts';

type Check = Workflow['checks'][string];

export function ownCheck(name: string, { check, signals }: StateWith<'check'>, file: string): Check {
  const expected = `{ signal: { name } } with one of ${signals.join(', ')}`;
  const at = `states.${name}.check`;
  const shape = shapeOf(signals);
  return async (context) => {
    const result = await Promise.resolve()
      .then(() => check(context))
      .catch((cause: unknown) => {
        if (!isTheirs(cause, file)) throw cause;
        throw new DocumentError({ file, line: lineIn(cause, file) }, `${at} threw ${shownError(cause)}`, expected, {
          cause,
        });
      });
    const read = readWith(shape, result);
    if (!('mistakes' in read)) return result;
    const [mistake] = read.mistakes;
    const what = mistake?.known ? `${mistake.path.join('.')} is not known` : mistake && problemOf(mistake, 'it');
    throw new DocumentError({ file, line: null }, `${at} returned ${shown(result)}: ${what}`, expected);
  };
}

function shapeOf(signals: readonly string[]): Schema<unknown> {
  const item = table({ id: text(), after: list(text(), 'a list of ids') });
  return table(
    {
      signal: table(
        {
          name: oneOf(signals),
          data: optional(record(anything)),
          problem: optional(table({ code: text(), message: text() })),
          asks: optional(anything),
          resolves: optional(anything),
          items: optional(list(item, 'a list of { id, after }')),
          limits: optional(anything),
        },
        { expected: '{ name }' },
      ),
      writes: optional(list(record(anything), 'a list of { path, content }')),
      notes: optional(list(verbatim(), 'a list of texts')),
    },
    { expected: '{ signal }' },
  );
}

/** What Pawl itself throws has a code, and does not begin in the author's file. */
function isTheirs(error: unknown, file: string): boolean {
  if (!(error instanceof Error) || !('code' in error)) return !(error instanceof DocumentError);
  const frames = (error.stack ?? '').split('\n').filter((line) => /^ +at /.test(line));
  return frames.find((line) => !line.includes('node:'))?.includes(`/${file}:`) ?? false;
}

function shownError(error: unknown): string {
  return error instanceof Error ? `${error.name}: ${error.message.split('\n')[0]}` : shown(error);
}

/** The first place in the file that an error tells of: where it was thrown, or where the file cannot be read. */
export function lineIn(error: unknown, file: string): number | null {
  if (!isRecord(error)) return null;
  const { stack, startLine } = error;
  if (typeof startLine === 'number') return startLine;
  const places = typeof stack === 'string' ? stack.split(`/${file}:`).slice(1) : [];
  const line = Number.parseInt(places[0] ?? '', 10);
  return Number.isNaN(line) ? null : line;
}
