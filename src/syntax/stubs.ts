/** Stubs: new symbols that exist, compile, and do nothing but say that they are not implemented. */

import { descendants, errorLine, languageOf, lineOf, parse, type Language, type Node } from './parse.ts';

export interface StubProblem {
  /** Null when it is about the whole file. */
  readonly symbol: string | null;
  readonly line: number | null;
  readonly problem: string;
}

/**
 * Symbols are names, optionally with those around them: `area`, `Shape::area`, `Shape.area`.
 * Every function in the declaration of a symbol must be a stub. `unknown`: there is no grammar for this file.
 */
export async function stubProblems(
  path: string,
  text: string,
  symbols: readonly string[],
): Promise<StubProblem[] | 'unknown'> {
  const language = languageOf(path);
  if (language === null) return 'unknown';
  return parse(language, text, (root) => {
    const error = errorLine(root);
    if (error !== null) return [{ symbol: null, line: error, problem: 'syntax error' }];
    const declared = declarations(root);
    return symbols.flatMap((symbol) => problemsOf(symbol, declared, rulesOf[language]));
  });
}

/** The lines of these symbols' functions, from 1: a stub that is called fails there. */
export async function stubRanges(
  path: string,
  text: string,
  symbols: readonly string[],
): Promise<{ readonly path: string; readonly first: number; readonly last: number }[]> {
  const language = languageOf(path);
  if (language === null) return [];
  return parse(language, text, (root) => {
    const declared = declarations(root);
    const functions = symbols.flatMap((symbol) => functionsOf(closest(symbol, declared)));
    return functions.map((node) => ({ path, first: lineOf(node), last: node.endPosition.row + 1 }));
  });
}

/** The body of a function is a stub; `text` is how to write one. */
interface StubRule {
  readonly text: string;
  readonly isStub: (body: Node) => boolean;
}

const script: StubRule = { text: "throw new Error('NotImplemented')", isStub: throwsNotImplemented };
const rulesOf: Readonly<Record<Language, StubRule>> = {
  rust: { text: 'todo!()', isStub: isTodo },
  typescript: script,
  tsx: script,
  javascript: script,
  python: { text: 'raise NotImplementedError()', isStub: raisesNotImplemented },
};

function problemsOf(symbol: string, declared: readonly Declaration[], rule: StubRule): StubProblem[] {
  const found = closest(symbol, declared);
  if (found.length === 0) return [{ symbol, line: null, problem: 'not declared in this file' }];
  return functionsOf(found)
    .filter((node) => !isStubFunction(node, rule))
    .map((node) => ({ symbol, line: lineOf(node), problem: `the body is not exactly ${rule.text}` }));
}

interface Declaration {
  readonly name: string;
  /** The names around it, the outermost first. */
  readonly around: readonly string[];
  readonly node: Node;
}

/** With as few unnamed parents as possible. Parents that the file does not have may be its own module. */
function closest(symbol: string, declared: readonly Declaration[]): Declaration[] {
  const [name, ...parents] = symbol.split(/::|\.|#/).toReversed();
  const matching = declared.filter(
    (each) => each.name === name && parents.every((parent, index) => (each.around.at(-1 - index) ?? parent) === parent),
  );
  const distance = ({ around }: Declaration): number => Math.abs(around.length - parents.length);
  const least = Math.min(...matching.map(distance));
  return matching.filter((each) => distance(each) === least);
}

/** An `impl` declares nothing by itself, but its functions are part of its type. */
const declaringTypes =
  /^(?:function_item|function_signature_item|struct_item|enum_item|union_item|trait_item|type_item|const_item|static_item|mod_item|impl_item|macro_definition|associated_type|function_declaration|generator_function_declaration|function_signature|class_declaration|abstract_class_declaration|interface_declaration|type_alias_declaration|enum_declaration|internal_module|module|method_definition|method_signature|abstract_method_signature|public_field_definition|field_definition|variable_declarator|function_definition|class_definition|assignment|type_alias_statement)$/;

function declarations(root: Node): Declaration[] {
  const found: Declaration[] = [];
  const open = root.children.map((node) => ({ node, around: [] as readonly string[] }));
  for (let next = open.pop(); next; next = open.pop()) {
    const { node, around } = next;
    const name = declaringTypes.test(node.type) ? nameOf(node) : null;
    if (name !== null) found.push({ name, around, node });
    const inside = name === null ? around : [...around, name];
    // What a function declares in its body is its own.
    if (!isFunction(node)) open.push(...node.children.map((child) => ({ node: child, around: inside })));
  }
  return found;
}

function nameOf(node: Node): string | null {
  const field = { impl_item: 'type', assignment: 'left', field_definition: 'property' }[node.type] ?? 'name';
  const named = node.childForFieldName(field);
  const plain = named?.type === 'generic_type' ? named.childForFieldName('type') : named;
  return plain?.text ?? null;
}

const functionTypes =
  /^(?:function_item|closure_expression|function_declaration|generator_function_declaration|function_expression|generator_function|arrow_function|method_definition|function_definition|lambda)$/;

const isFunction = ({ type }: Node): boolean => functionTypes.test(type);

/** The outermost ones. */
function functionsOf(declared: readonly Declaration[]): Node[] {
  return declared.flatMap(({ node }) => descendants(node, isFunction)).filter(isFunction);
}

function isStubFunction(node: Node, { isStub }: StubRule): boolean {
  const body = node.childForFieldName('body');
  if (!body) return true;
  // It may do nothing but declare fields by its parameters.
  const isConstructor = node.childForFieldName('name')?.text === 'constructor';
  return isStub(body) || (isConstructor && statements(body).length === 0);
}

const statements = (body: Node): Node[] => body.namedChildren.filter(({ type }) => !type.endsWith('comment'));

function isTodo(body: Node): boolean {
  const [only, ...others] = statements(body);
  return body.type === 'block' && others.length === 0 && only?.type === 'macro_invocation' && only.text === 'todo!()';
}

function throwsNotImplemented(body: Node): boolean {
  const [only, ...others] = statements(body);
  if (body.type !== 'statement_block' || others.length > 0 || only?.type !== 'throw_statement') return false;
  const [thrown] = statements(only);
  if (thrown?.type !== 'new_expression' || thrown.childForFieldName('constructor')?.text !== 'Error') return false;
  const [message, ...further] = statements(thrown.childForFieldName('arguments') ?? thrown);
  return message?.type === 'string' && further.length === 0 && /^.NotImplemented/.test(message.text);
}

function raisesNotImplemented(body: Node): boolean {
  const [first, ...rest] = statements(body);
  const isDocumented = first?.type === 'expression_statement' && first.namedChild(0)?.type === 'string';
  const [only, ...others] = isDocumented ? rest : [first, ...rest];
  if (body.type !== 'block' || others.length > 0 || only?.type !== 'raise_statement') return false;
  const [raised, ...causes] = statements(only);
  if (causes.length > 0 || raised === undefined) return false;
  if (raised.type !== 'call') return raised.text === 'NotImplementedError';
  const given = statements(raised.childForFieldName('arguments') ?? raised);
  return raised.childForFieldName('function')?.text === 'NotImplementedError' && given.every(isPlainString);
}

const isPlainString = (node: Node): boolean =>
  node.type === 'string' && node.namedChildren.every(({ type }) => type !== 'interpolation');
