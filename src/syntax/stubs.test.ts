import { expect, test } from 'vitest';
import { stubProblems, stubRanges } from './stubs.ts';

const throwing = "{ throw new Error('NotImplemented: later'); }";

test.each([
  ['a.rs', 'pub fn area(a: u8) -> u8 {\n    todo!()\n}', ['area']],
  ['a.rs', 'pub async fn f<T: A>() -> Result<T, ()> where T: B { /* later */ todo!() }', ['f']],
  ['a.rs', 'struct S<T>(T); impl<T> S<T> { fn a(&self) { todo!() } }', ['S', 'S::a', 'shapes::S::a']],
  ['a.rs', 'trait T { fn a(&self); fn b(&self) { todo!() } }', ['T', 'T::a', 'T::b']],
  ['a.rs', 'enum E { A } const C: u8 = 1; mod m { pub fn f() { todo!() } }', ['E', 'C', 'm', 'm::f', 'f']],
  ['a.rs', 'struct A; impl A { fn new() -> A { A } } fn new() { todo!() }', ['new']],
  ['a.ts', `export function f(a: number): string ${throwing}`, ['f']],
  ['a.ts', `export const f = async (): Promise<void> => ${throwing}; const limit = 5;`, ['f', 'limit']],
  ['a.ts', `function f(a: 1): 1; function f(a: 2): 2; function f(a: number) ${throwing}`, ['f']],
  [
    'a.ts',
    `export class A { constructor(private a: string) {} get x() ${throwing} static y = () => ${throwing} }`,
    ['A', 'A.x', 'A#y'],
  ],
  ['a.ts', `interface I { m(): void } type T = 1; abstract class B { abstract m(): void }`, ['I', 'I.m', 'T', 'B.m']],
  ['a.tsx', `export function View() ${throwing}`, ['View']],
  ['a.mjs', `export default function* f() ${throwing}; class A { #x = 1; m() ${throwing} }`, ['f', 'A.m', 'A']],
  ['a.py', 'def f(a):\n    """Later."""\n    raise NotImplementedError("f")\n', ['f']],
  [
    'a.py',
    'class A:\n    x: int = 1\n    @property\n    async def f(self): raise NotImplementedError\n',
    ['A', 'A.f', 'A.x'],
  ],
])('%s: accepts %s', async (path, text, symbols) => {
  expect(await stubProblems(path, text, symbols)).toEqual([]);
});

test.each([
  ['a.rs', 'fn f() -> u8 { 1 }', 'f'],
  ['a.rs', 'fn f() -> u8 { let a = 1; todo!() }', 'f'],
  ['a.rs', 'fn f() -> u8 { todo!("later") }', 'f'],
  ['a.rs', 'fn f() -> u8 { unimplemented!() }', 'f'],
  ['a.rs', 'fn f() { }', 'f'],
  ['a.rs', 'fn f() { let s = "todo!()"; }', 'f'],
  ['a.rs', 'fn f() { if true { todo!() } }', 'f'],
  ['a.rs', 'struct S; impl S { fn a() { todo!() } } impl Default for S { fn default() -> S { S } }', 'S'],
  ['a.ts', 'function f() { return 1; }', 'f'],
  ['a.ts', "function f() { log(); throw new Error('NotImplemented'); }", 'f'],
  ['a.ts', "function f() { throw new Error('Later'); }", 'f'],
  ['a.ts', "function f() { throw new Error('NotImplemented', { cause: g() }); }", 'f'],
  ['a.ts', 'function f() { throw new Error(`NotImplemented ${g()}`); }', 'f'],
  ['a.ts', 'const f = (a: number) => a + 1;', 'f'],
  ['a.ts', 'export const f = memo((a: number) => a + 1);', 'f'],
  ['a.ts', 'class A { constructor() { this.a = g(); } }', 'A'],
  ['a.ts', 'class A { get x() { return 1; } }', 'A.x'],
  ['a.py', 'def f():\n    pass\n', 'f'],
  ['a.py', 'def f():\n    "doc"\n', 'f'],
  ['a.py', 'def f():\n    g()\n    raise NotImplementedError()\n', 'f'],
  ['a.py', 'def f():\n    return NotImplementedError()\n', 'f'],
  ['a.py', 'def f():\n    raise NotImplementedError(g())\n', 'f'],
  ['a.py', 'def f():\n    raise NotImplementedError(f"{g()}")\n', 'f'],
  ['a.py', 'f = lambda a: a + 1\n', 'f'],
  ['a.py', 'class A:\n    def __init__(self):\n        self.a = 1\n', 'A'],
])('%s: rejects %s', async (path, text, symbol) => {
  const problem = expect.stringContaining('the body is not exactly');
  expect(await stubProblems(path, text, [symbol])).toEqual([{ symbol, line: expect.any(Number), problem }]);
});

test.each([
  ['a.rs', 'fn f() { fn inner() { todo!() } }', 'inner'],
  ['a.rs', '// fn f() { todo!() }', 'f'],
  ['a.rs', 'struct A; impl A { fn f() { todo!() } }', 'B::f'],
  ['a.ts', `const s = "function f() {}"; f();`, 'f'],
  ['a.py', 'x = "def f(): pass"\n', 'f'],
])('%s: does not find in %s: %s', async (path, text, symbol) => {
  expect(await stubProblems(path, text, [symbol])).toEqual([
    { symbol, line: null, problem: 'not declared in this file' },
  ]);
});

test('reports the line of each function', async () => {
  const text = 'struct S;\nimpl S {\n    fn a() { 1; }\n    fn b() { todo!() }\n    fn c() { 2; }\n}\n';
  const problems = await stubProblems('a.rs', text, ['S', 'S::b']);
  expect(problems === 'unknown' ? problems : problems.map(({ symbol, line }) => [symbol, line])).toEqual([
    ['S', 3],
    ['S', 5],
  ]);
});

test('reports a syntax error, and a language without a grammar', async () => {
  expect(await stubProblems('a.rs', '\nfn f( {', ['f'])).toEqual([{ symbol: null, line: 2, problem: 'syntax error' }]);
  expect(await stubProblems('a.go', 'package a', ['f'])).toBe('unknown');
});

test('tells the lines of stubs', async () => {
  const text = 'struct S;\nimpl S {\n    fn a() { todo!() }\n    fn b() {\n        todo!()\n    }\n}\n';
  expect(await stubRanges('src/a.rs', text, ['S::b'])).toEqual([{ path: 'src/a.rs', first: 4, last: 6 }]);
  expect(await stubRanges('src/a.rs', text, ['S', 'other'])).toHaveLength(2);
  expect(await stubRanges('a.go', 'package a', ['a'])).toEqual([]);
});
