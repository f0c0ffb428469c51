/** The repository's own sources as data: what there is, and who imports whom. */

import { readdirSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseSync, Visitor } from 'rolldown/utils';

export const root = fileURLToPath(new URL('..', import.meta.url));

export interface Import {
  /** Path from the repository root for our own files, else the specifier as written. */
  readonly target: string;
  readonly own: boolean;
  readonly typeOnly: boolean;
  /** By `import()`, when it is reached. */
  readonly lazy: boolean;
}

export interface Source {
  /** From the repository root, with forward slashes. */
  readonly path: string;
  readonly text: string;
  readonly imports: readonly Import[];
  readonly comments: readonly string[];
}

/** Every script in a folder of the repository, tests included. */
export function sourcesUnder(folder: string): Source[] {
  return filesUnder(folder)
    .filter((path) => /\.(?:ts|mjs)$/.test(path) && !path.endsWith('.d.ts'))
    .map(readSource);
}

export function filesUnder(folder: string): string[] {
  return readdirSync(posix.join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`;
    return entry.isDirectory() ? filesUnder(path) : [path];
  });
}

export function isTest(path: string): boolean {
  return /\.(?:test|crash|long|fixture)\.ts$/.test(path) || path.startsWith('test/');
}

function readSource(path: string): Source {
  const text = readFileSync(posix.join(root, path), 'utf8');
  return parseSource(path, text);
}

export function parseSource(path: string, text: string): Source {
  const { program, comments, errors } = parseSync(path, text);
  if (errors.length > 0) throw new Error(`${path}: ${errors[0]?.message}`);
  const imports: Import[] = [];
  const add = (specifier: unknown, typeOnly: boolean, lazy = false): void => {
    if (typeof specifier !== 'string') {
      // A project's own workflow is the one module that is not ours; a test's process runs the built program.
      if (path === 'src/project/load-workflow.ts' || path === 'test/warm-host.mjs') return;
      throw new Error(`${path}: an import() must name its module literally`);
    }
    const own = specifier.startsWith('.');
    imports.push({ target: own ? posix.join(posix.dirname(path), specifier) : specifier, own, typeOnly, lazy });
  };
  new Visitor({
    ImportDeclaration: (node) => {
      const named = node.specifiers;
      const types = named.filter((each) => each.type === 'ImportSpecifier' && each.importKind === 'type');
      add(node.source.value, node.importKind === 'type' || (named.length > 0 && types.length === named.length));
    },
    ExportNamedDeclaration: (node) => {
      if (!node.source) return;
      const types = node.specifiers.filter((each) => each.exportKind === 'type');
      add(node.source.value, node.exportKind === 'type' || types.length === node.specifiers.length);
    },
    ExportAllDeclaration: (node) => add(node.source.value, node.exportKind === 'type'),
    ImportExpression: (node) => add(node.source.type === 'Literal' ? node.source.value : undefined, false, true),
    TSImportType: (node) => add(node.source.value, true),
  }).visit(program);
  return { path, text, imports, comments: comments.map((comment) => comment.value) };
}
