/** The fields of a piece of YAML inside another document, such as front matter. */

import { table, type Shape, type TableOf } from '../schema/compound.ts';
import { keyLine } from './key-line.ts';
import { inFile, readDocument } from './read-document.ts';
import { parseYaml } from './yaml.ts';

/**
 * Keys that the shape does not name are passed over; no YAML at all is an empty map.
 * Numbers are texts, so that 1.10 is not 1.1. `where.line` is the line on which the YAML starts.
 */
export function readFields<S extends Shape>(
  yaml: string | null,
  where: { readonly file: string; readonly line: number },
  shape: S,
): TableOf<S> {
  const value = yaml === null ? null : parseYaml(yaml, where, { numbersAsText: true });
  const locate = inFile(where.file, ([key]) => keyLine(yaml ?? '', key, where.line) ?? where.line);
  const fields = table(shape, { expected: 'a map of keys and values', unknownKeys: 'ignored' });
  return readDocument(fields, value ?? {}, locate);
}
