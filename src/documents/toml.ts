import { DocumentError } from './document-error.ts';
import { nameOf, type Path } from '../schema/schema.ts';
import { toml } from './packages.ts';

export function parseToml(text: string, file: string): Record<string, unknown> {
  if (text === '') return {};
  try {
    return toml().parse(text.replace(/^\ufeff/, ''));
  } catch (cause) {
    if (!(cause instanceof toml().TomlError)) throw cause;
    const [first = ''] = cause.message.split('\n');
    const problem = first.replace(/^Invalid TOML document: /, '');
    throw new DocumentError({ file, line: cause.line }, problem, 'valid TOML', { cause });
  }
}

const HEADER = /^\s*(\[\[?)\s*([\w.\s"'-]+?)\s*\]\]?\s*(?:#.*)?$/;

/**
 * The line of a key, else of the table it belongs to. The parser does not keep lines,
 * so this looks for headers and `key =` as people write them; null where they are written otherwise.
 */
export function lineInToml(text: string, path: Path): number | null {
  const seen = new Map<string, number>();
  let table = '';
  let found: number | null = null;
  for (const [index, line] of text.split('\n').entries()) {
    const [, brackets, header] = HEADER.exec(line) ?? [];
    if (header !== undefined) {
      const base = header.split('.').map(bare).join('.');
      const count = seen.get(base) ?? 0;
      seen.set(base, count + 1);
      table = brackets === '[[' ? `${base}[${count}]` : base;
      if (table === nameOf(path) || (found === null && table === nameOf(path.slice(0, -1)))) found = index + 1;
      continue;
    }
    const key = /^\s*("[^"]+"|'[^']+'|[\w.-]+)\s*=/.exec(line)?.[1];
    if (key !== undefined && [table, bare(key)].filter((part) => part !== '').join('.') === nameOf(path))
      return index + 1;
  }
  return found;
}

function bare(key: string): string {
  return key.trim().replaceAll(/^["']|["']$/g, '');
}
