/**
 * Syntax trees of programming languages, by Tree-sitter's grammars as WebAssembly.
 *
 * Large and slow to load: import this layer with `import()`, when a text is at hand.
 */

import { readFile } from 'node:fs/promises';
import javascript from '@vscode/tree-sitter-wasm/wasm/tree-sitter-javascript.wasm';
import python from '@vscode/tree-sitter-wasm/wasm/tree-sitter-python.wasm';
import rust from '@vscode/tree-sitter-wasm/wasm/tree-sitter-rust.wasm';
import tsx from '@vscode/tree-sitter-wasm/wasm/tree-sitter-tsx.wasm';
import typescript from '@vscode/tree-sitter-wasm/wasm/tree-sitter-typescript.wasm';
import { Language as Grammar, Parser, type Node } from 'web-tree-sitter';
import runtime from 'web-tree-sitter/web-tree-sitter.wasm';

export type { Node };

const grammars = { javascript, python, rust, tsx, typescript };
export type Language = keyof typeof grammars;

const languages: readonly { readonly path: RegExp; readonly language: Language }[] = [
  { path: /\.rs$/, language: 'rust' },
  { path: /\.[cm]?ts$/, language: 'typescript' },
  { path: /\.tsx$/, language: 'tsx' },
  { path: /\.(?:[cm]?js|jsx)$/, language: 'javascript' },
  { path: /\.pyi?$/, language: 'python' },
];

/** By the ending of the file's name; null when there is no grammar for it. */
export function languageOf(path: string): Language | null {
  return languages.find((each) => each.path.test(path))?.language ?? null;
}

/** A text with syntax errors has a tree, too: `root.hasError` tells. The tree is valid only while `read` runs. */
export async function parse<T>(language: Language, text: string, read: (root: Node) => T): Promise<T> {
  const parser = await parserOf(language);
  const tree = parser.parse(text);
  if (!tree) throw new Error(`internal error: no syntax tree of ${text.length} characters of ${language}`);
  try {
    return read(tree.rootNode);
  } finally {
    tree.delete();
  }
}

let initialized: Promise<void> | undefined;
const parsers = new Map<Language, Promise<Parser>>();

async function parserOf(language: Language): Promise<Parser> {
  initialized ??= readFile(runtime).then((wasmBinary) => Parser.init({ wasmBinary }));
  await initialized;
  const known = parsers.get(language);
  if (known) return known;
  const loading = loadParser(language);
  parsers.set(language, loading);
  return loading;
}

async function loadParser(language: Language): Promise<Parser> {
  const grammar = await Grammar.load(await readFile(grammars[language]));
  return new Parser().setLanguage(grammar);
}

/** The first place that the grammar could not make sense of, as a line from 1; null when there is none. */
export function errorLine(root: Node): number | null {
  if (!root.hasError) return null;
  const broken = root.descendantsOfType('ERROR')[0] ?? descendants(root).find((node) => node.isMissing);
  return lineOf(broken ?? root);
}

export const lineOf = (node: Node): number => node.startPosition.row + 1;

/** In the order of the text, the root first; not what is inside `closed` nodes. A text may be nested deeper than the stack. */
export function descendants(root: Node, closed: (node: Node) => boolean = () => false): Node[] {
  const found: Node[] = [];
  const open = [root];
  for (let node = open.pop(); node; node = open.pop()) {
    found.push(node);
    if (!closed(node)) open.push(...node.children.toReversed());
  }
  return found;
}
