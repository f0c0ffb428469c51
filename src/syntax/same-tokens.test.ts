import { expect, test } from 'vitest';
import { sameTokens } from './same-tokens.ts';

test.each([
  ['a.rs', 'whitespace', 'fn f()->u8{1}', 'fn f() -> u8 {\n    1\n}\n'],
  ['a.rs', 'comments', 'fn f() {}', '/// Says how.\n// note\nfn f() { /* nothing /* nested */ */ }'],
  ['a.rs', 'line endings', 'fn f() {\n}\n', 'fn f() {\r\n}\r\n'],
  ['a.ts', 'JSDoc', 'export const a = 1;', '/** One.\n * @returns 1 */\nexport const a = 1;'],
  ['a.ts', 'indentation', 'if (a) {\nb();\n}', 'if (a) {\n  b();\n}'],
  ['a.tsx', 'attributes on lines', '<a b="1" c={d} />', '<a\n  b="1"\n  c={d}\n/>'],
  ['a.mjs', 'a line comment', 'f(); // one', 'f();'],
  [
    'a.py',
    'docstrings',
    'def f():\n    """A."""\n    return 1\n',
    'def f():\n    r"""B.\n\n    C.\n    """\n    return 1\n',
  ],
  ['a.py', 'a new docstring', 'class A:\n    x = 1\n', '"""Module."""\n# note\nclass A:\n    """A."""\n    x = 1\n'],
  ['a.py', 'indentation width', 'if a:\n  b()\n', 'if a:\n    b()\n'],
  ['a.py', 'a continued line', 'x = 1 + 2\n', 'x = 1 + \\\n  2\n'],
  ['docs/a.md', 'prose', '# A', '# B'],
  ['README.rst', 'prose', 'A', 'B'],
  ['a.unknown', 'nothing', 'A', 'A'],
])('accepts an edit of %s: %s', async (path, _, before, after) => {
  expect(await sameTokens(path, before, after)).toBe(true);
});

test.each([
  ['a.rs', 'a literal', 'fn f() -> u8 { 1 }', 'fn f() -> u8 { 2 }'],
  ['a.rs', 'whitespace in a string', 'const A: &str = "a b";', 'const A: &str = "a  b";'],
  ['a.rs', 'code turned into a comment', 'fn f() { g(); }', 'fn f() { /* g(); */ }'],
  ['a.rs', 'a string that looks like a comment', 'const A: &str = "// a";', 'const A: &str = "// b";'],
  ['a.rs', 'operators in a macro', 'm!(a == b);', 'm!(a = = b);'],
  ['a.rs', 'a documentation comment that a macro reads', 'm! { x }', 'm! { /// a\n x }'],
  ['a.rs', 'an attribute', 'fn f() {}', '#[inline]\nfn f() {}'],
  ['a.js', 'a line break that ends a statement', 'function f() { return 1 }', 'function f() { return\n1 }'],
  ['a.js', 'a comment that ends a statement', 'function f() { return 1 }', 'function f() { return /*\n*/ 1 }'],
  ['a.ts', 'text of a template', 'f(`a ${b} c`)', 'f(`a ${b}  c`)'],
  ['a.ts', 'a regular expression', 'f(/a b/)', 'f(/a  b/)'],
  ['a.ts', 'a compiler directive', 'f(1);', '// @ts-ignore\nf(1);'],
  ['a.js', 'a linter directive', 'f(1);', '/* eslint-disable */\nf(1);'],
  ['a.tsx', 'text of an element', '<a>b c</a>', '<a>b d</a>'],
  ['a.js', 'the interpreter', '#!/usr/bin/env node\nf()', '#!/bin/sh\nf()'],
  ['a.py', 'indentation that moves a statement', 'if a:\n    b()\n    c()\n', 'if a:\n    b()\nc()\n'],
  ['a.py', 'a string that is no docstring', 'x = 1\n"a"\n', 'x = 1\n"b"\n'],
  ['a.py', 'a formatted string in place of a docstring', 'def f():\n    f"{g()}"\n', 'def f():\n    f"{h()}"\n'],
  ['a.py', 'a type comment', 'x = []  # type: list[int]\n', 'x = []  # type: list[str]\n'],
  ['a.py', 'a docstring that is the whole body', 'def f():\n    """A."""\n', 'def f():\n'],
  ['a.py', 'the encoding', '# -*- coding: utf-8 -*-\nx = 1\n', '# -*- coding: latin-1 -*-\nx = 1\n'],
])('rejects an edit of %s: %s', async (path, _, before, after) => {
  expect(await sameTokens(path, before, after)).toBe(false);
});

test.each([
  ['a.rs', 'fn f() {}', 'fn f() {'],
  ['a.py', 'def f():\n    return 1\n', 'def f(:\n    return 1\n'],
  ['a.go', 'package a', 'package b'],
  ['requirements-dev.txt', 'a==1', 'a==2'],
  ['CMakeLists.txt', 'project(a)', 'project(b)'],
])('cannot tell for %s: %j, %j', async (path, before, after) => {
  expect(await sameTokens(path, before, after)).toBe('unknown');
});

test('reads a text that is nested deeper than the stack', async () => {
  const nested = (inner: string) => `x = ${'['.repeat(20_000)}${inner}${']'.repeat(20_000)};`;
  expect(await sameTokens('a.js', nested('1'), nested(' 1 '))).toBe(true);
  expect(await sameTokens('a.js', nested('1'), nested('2'))).toBe(false);
});
