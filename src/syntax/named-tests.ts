/** The code of single tests, by their names. */

import { descendants, languageOf, parse, type Node } from './parse.ts';

/** Of these tests, those whose code is another one or gone; where there is no grammar, those whose name is gone. */
export async function changedTests(
  path: string,
  { before, after }: { readonly before: string; readonly after: string },
  names: readonly string[],
): Promise<readonly string[]> {
  const language = languageOf(path);
  if (language === null)
    return names.filter((name) => before.includes(shortName(name)) && !after.includes(shortName(name)));
  const read = (text: string) => parse(language, text, (root) => names.map((name) => codeOf(root, shortName(name))));
  const [then, now] = [await read(before), await read(after)];
  return names.filter((_, index) => then[index] !== '' && then[index] !== now[index]);
}

/** `suite > test`, `file::Class::test[1]`: the last part of it. */
function shortName(name: string): string {
  const last = name.split(/::| > /).at(-1) ?? name;
  return last.replace(/\[[^\]]*\]$/, '').trim();
}

/** Whitespace aside; empty where there is no such test. */
function codeOf(root: Node, name: string): string {
  const found = descendants(root).filter((node) => nameOf(node) === name);
  const texts = found.map((node) => (node.parent?.type === 'decorated_definition' ? node.parent : node).text);
  return texts.join('\n').replaceAll(/\s+/g, ' ');
}

function nameOf(node: Node): string | null {
  if (node.type === 'function_definition' || node.type === 'function_item')
    return node.childForFieldName('name')?.text ?? null;
  if (node.type !== 'call_expression') return null;
  const [first] = node.childForFieldName('arguments')?.namedChildren ?? [];
  return first?.type === 'string' || first?.type === 'template_string' ? first.text.slice(1, -1) : null;
}
