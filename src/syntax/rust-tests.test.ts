import { expect, test } from 'vitest';
import { outsideTests } from './rust-tests.ts';

const add = 'pub fn add(a: u8, b: u8) -> u8 {\n    a + b\n}\n';
const tests = (body: string) => `#[cfg(test)]\nmod tests {\n    use super::*;\n${body}\n}\n`;
const one = '    #[test]\n    fn adds() { assert_eq!(add(1, 1), 2); }';
const two = `${one}\n    #[test]\n    fn adds_zero() { assert_eq!(add(1, 0), 1); }`;

test.each([
  ['nothing', add, add],
  ['a new block at the end', add, `${add}\n${tests(one)}`],
  ['a new block without a line break before it', add.trimEnd(), `${add.trimEnd()}${tests(one)}`],
  ['a new block between items', `${add}\nstruct A;\n`, `${add}\n${tests(one)}\nstruct A;\n`],
  ['a new block with a heading', add, `${add}\n// Tests.\n/// All of them,\n/// really.\n${tests(one)}`],
  ['a block with further attributes', add, `${add}\n#[cfg(test)]\n#[allow(unused)]\n// why\npub(crate) mod t {}\n`],
  ['a test in a block', `${add}${tests(one)}`, `${add}${tests(two)}`],
  ['a block removed', `${add}${tests(one)}`, add],
  ['a block in a module', `mod a { ${add} }`, `mod a { ${add} ${tests(one)} }`],
  [
    'braces in strings, characters and comments',
    add,
    `${add}${tests(`fn a() { "}}"; r#"} " }"#; '}'; b'{'; /* } /* } */ */ }`)}`,
  ],
  ['a new file of tests only', '', tests(one)],
])('allows %s', async (_, before, after) => {
  expect(await outsideTests(before, after)).toBeNull();
});

test.each([
  ['production code that differs', `${add}${tests(one)}`, `${add.replace('+', '-')}${tests(one)}`, 1],
  ['a new function', add, `${add}\nfn other() {}\n`, 5],
  ['a new test function without a module', add, `${add}\n#[cfg(test)]\nfn other() {}\n`, 5],
  ['a removed function', `${add}fn b() {}\n`, add, 4],
  ['production code moved into a block', add, tests(add), 1],
  ['a production module behind cfg', `mod a { ${add} }`, `#[cfg(test)]\nmod a { ${add} }`, 1],
  [
    'a block that is no longer behind cfg',
    `${add}${tests(one)}`,
    `${add}${tests(one).replace('#[cfg(test)]\n', '')}`,
    4,
  ],
  ['another condition', add, `${add}${tests(one).replace('cfg(test)', 'cfg(not(test))')}`, 4],
  ['a condition that the product may meet', add, `${add}${tests(one).replace('cfg(test)', 'cfg(any(test, unix))')}`, 4],
  ['a module in another file', add, `${add}#[cfg(test)]\nmod tests;\n`, 4],
  ['a file attribute', add, `#![allow(warnings)]\n${add}`, 1],
  ['an attribute of production code', add, `#[inline]\n${add}`, 1],
  ['an attribute taken by a block', `#[inline]\n${add}`, `#[inline]\n${tests(one)}${add}`, 8],
  ['documentation taken by a block', `/// Adds.\n${add}`, `/// Adds.\n${tests(one)}${add}`, 8],
  ['a comment behind production code', 'fn b() {} // b', `fn b() {} // c\n${tests(one)}`, 1],
  ['a macro that contains such a block', add, `${add}m! { #[cfg(test)] mod tests { } }\n`, 4],
  ['a macro definition that contains such a block', add, `${add}macro_rules! m { () => { ${tests('')} } }\n`, 4],
  ['a string that contains such a block', 'const A: &str = "";', `const A: &str = r#"${tests('')}"#;`, 1],
  ['blank lines in a string', 'const A: &str = "a\n\nb";', 'const A: &str = "a\nb";', 1],
  ['a comment around production code', `${add}fn b() {}\n`, `${add}/* fn b() {} */\n`, 4],
  ['a brace that ends the block early', add, `${add}${tests('} fn product() {')}`, 7],
  ['a syntax error', add, `${add}fn b( {}\n`, 4],
  ['a syntax error in a block', add, `${add}${tests('fn b( {')}`, 7],
])('finds %s', async (_, before, after, line) => {
  expect(await outsideTests(before, after)).toEqual({ line, what: expect.stringMatching(/\w/) });
});

test('says what differs', async () => {
  expect((await outsideTests(add, add.replace('+', '-')))?.what).toBe(
    'code outside of #[cfg(test)] modules differs: pub fn add(a: u8, b: u8) -> u8 {',
  );
});
