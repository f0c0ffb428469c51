/** A YAML document with the line of everything in it, for files whose mistakes must be named exactly. */

import type { Document, LineCounter } from 'yaml';
import { DocumentError } from './document-error.ts';
import type { Path } from '../schema/schema.ts';
import { yaml } from './yaml-package.ts';

export interface YamlLines {
  readonly value: unknown;
  /** The line of a key, else of what it stands in. */
  lineOf(path: Path): number | null;
}

export function readYamlLines(text: string, file: string): YamlLines {
  const { LineCounter, parseDocument } = yaml();
  const lines = new LineCounter();
  const document = parseDocument(text, { schema: 'core', lineCounter: lines, prettyErrors: false, logLevel: 'error' });
  const [error] = document.errors;
  if (error) {
    const { line } = lines.linePos(error.pos[0]);
    throw new DocumentError({ file, line }, error.message.split('\n')[0] ?? '', 'valid YAML', { cause: error });
  }
  return { value: valueOf(document, file), lineOf: (path) => lineIn(document, lines, path) };
}

/** Of a key that stands there twice the last one counts. */
export function lineIn({ contents }: Document, lines: LineCounter, path: Path): number | null {
  const { isMap, isSeq, isScalar } = yaml();
  let node: unknown = contents;
  let offset: number | undefined;
  for (const key of path) {
    if (isSeq(node) && typeof key === 'number') node = node.items[key];
    else if (isMap(node)) {
      const pair = node.items.findLast((item) => isScalar(item.key) && String(item.key.value) === String(key));
      if (!pair) break;
      offset = isScalar(pair.key) ? pair.key.range?.[0] : offset;
      node = pair.value;
      continue;
    } else break;
    if (isMap(node) || isSeq(node) || isScalar(node)) offset = node.range?.[0] ?? offset;
  }
  return offset === undefined ? null : lines.linePos(offset).line;
}

/** Aliases that would unfold to more than anybody wrote are refused by the package itself. */
function valueOf(document: { toJS(): unknown }, file: string): unknown {
  try {
    return document.toJS();
  } catch (cause) {
    const problem = cause instanceof Error ? cause.message : String(cause);
    throw new DocumentError({ file, line: null }, problem, 'aliases with an anchor, and few of them', { cause });
  }
}
