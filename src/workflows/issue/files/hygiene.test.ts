import { expect, test } from 'vitest';
import { hygieneFindings, hygieneValidators } from './hygiene.ts';

const known = new Set(['.workflow/run-GAL-1/plan.md', 'TODO/GAL-1.md', 'TODO/README.md']);
const context = { path: '.workflow/run-GAL-1/task-1.md', exists: (path: string) => known.has(path) };

/** Line and message of what one validator finds; the others do not count. */
function found(name: string, text: string) {
  const validator = hygieneValidators.find((each) => each.name === name);
  if (!validator) throw new Error(`no validator ${name}`);
  const findings = validator.check(text, context);
  for (const { code, path, fix } of findings) expect([code, path, fix !== '']).toEqual([name, context.path, true]);
  return findings.map(({ line, message }) => [line, message]);
}

const fenced = (code: string, info = '') => `\`\`\`${info}\n${code}\n\`\`\`\n`;

test.each([
  ['Use a map. Actually, let me reconsider.', 'let me reconsider'],
  ['Actually, use a set.', 'Actually,'],
  ['- Wait, that is wrong.', 'Wait,'],
  ['Use a map. No, wait — use a set.', 'wait —'],
  ['On second thought use a set.', 'On second thought'],
  ['Scratch that.', 'Scratch that'],
  ["Let's rethink this.", "Let's rethink"],
  ['> Hmm, perhaps.', 'Hmm'],
  ['I’ve changed my mind.', 'I’ve changed my mind'],
  ['Never mind the map.', 'Never mind'],
  ['Disregard the above.', 'Disregard the above'],
])('second-thoughts: rejects %j', (text, words) => {
  expect(found('second-thoughts', `# T\n\n${text}\n`)).toEqual([[3, expect.stringContaining(words)]]);
});

test.each([
  ['Callers wait, then retry.'],
  ['Wait for the lock.'],
  ['A wait-free queue.'],
  ['The value that is actually, by the spec, stored.'],
  ['Call `Wait, x` first.'],
  [fenced('// wait, retry\nActually, a text')],
  ['---\ntitle: Actually, a title\n---\n\ntext'],
])('second-thoughts: accepts %j', (text) => {
  expect(found('second-thoughts', text)).toEqual([]);
});

test.each([
  ['the same heading', '# T\n## A\nx\n## A\ny\n', 4],
  ['the same heading in another case', '## Approach\n## approach ##\n', 2],
  ['a revised heading', '## Approach\n\n## Approach (revised)\n', 3],
  ['two blocks for one file, named above', `\`src/a.ts\`:\n${fenced('a')}\nNow in \`src/a.ts\`:\n\n${fenced('b')}`, 8],
  [
    'two blocks for one file, named behind the marks',
    fenced('a', 'ts src/a.ts') + fenced('b', 'ts title="src/a.ts"'),
    4,
  ],
  ['[trial 2 7] two versions by name', `Version A:\n${fenced('a')}\nVersion B:\n${fenced('b')}`, 6],
  ['[trial 2 7] two options', '### Option 1\nx\n### Option 2: y\n', 3],
  ['two blocks below the name alone', `**src/a.ts**\n${fenced('a')}src/a.ts:\n${fenced('b')}`, 6],
])('two-versions: rejects %s', (_, text, line) => {
  expect(found('two-versions', text)).toEqual([[line, expect.stringMatching(/is also on line \d/)]]);
});

test.each([
  ['the same heading below different ones', '## A\n### Steps\n## B\n### Steps\n'],
  ['blocks for different files', fenced('a', 'ts src/a.ts') + fenced('b', 'ts src/b.ts')],
  ['blocks without a label', `For e.g.\n${fenced('a')}For e.g.\n${fenced('b')}`],
  ['versions in a sentence', 'Version A is kept.\n\nVersion B is dropped.\n'],
  ['headings that count', '## API v1\n## API v2\n'],
  ['headings in code', fenced('## A\n## A')],
])('two-versions: accepts %s', (_, text) => {
  expect(found('two-versions', text)).toEqual([]);
});

test('long-code: rejects a code block of more than five lines, blank ones aside', () => {
  expect(found('long-code', `x\n${fenced('1\n2\n3\n4\n\n5')}`)).toEqual([]);
  expect(found('long-code', `x\n${fenced('1\n2\n3\n4\n5\n6')}`)).toEqual([[2, 'a code block of 6 lines']]);
  expect(found('long-code', '~~~\n1\n2\n3\n4\n5\n6\n')).toEqual([[1, 'a code block of 6 lines']]);
});

test('[trial 2 7] long-code, full-body: an indented block is a code block', () => {
  const indented = (by: string) => ['a', 'b', 'c', '', 'd', 'e', 'f'].map((line) => by + line).join('\n');
  expect(found('long-code', `x\n\n${indented('    ')}\n`)).toEqual([[3, 'a code block of 6 lines']]);
  expect(found('long-code', `- x\n\n${indented('      ')}\n`)).toEqual([[3, 'a code block of 6 lines']]);
  expect(found('long-code', `x\n\n${indented('\t')}\n`)).toEqual([[3, 'a code block of 6 lines']]);
  expect(found('long-code', `- x\n\n${indented('  ')}\n`)).toEqual([]);
  expect(found('long-code', `- x\n  - y\n\n${indented('    ')}\n`)).toEqual([]);
  expect(found('long-code', `x\n${indented('    ')}\n`)).toEqual([]);
  expect(found('full-body', 'x\n\n    def f():\n        return 1\n')).toEqual([[3, 'code with its body']]);
});

test.each([
  ['Rust', 'fn add(a: u8) -> u8 { a + 1 }'],
  ['Rust on lines', 'fn add(a: u8) -> u8\nwhere u8: Copy {\n    a + 1\n}'],
  ['the second of two', 'fn a() { todo!() }\nfn b() { work() }'],
  ['TypeScript', 'export function add(a: number): number {\n  return a + 1;\n}'],
  ['an arrow function', 'const add = (a: number) => {\n  return a;\n};'],
  ['a method', 'class A { add(a: number): number { return a; } }'],
  ['a bare block', 'if (ready) {\n  start();\n}'],
  ['Go', 'func Add(a int) int {\n  return a\n}'],
  ['Python', 'def add(a):\n    """Adds."""\n    return a + 1'],
  ['Python on one line', 'def add(a): return a + 1'],
  ['an async method', 'class A:\n    async def add(self) -> int:\n        return 1'],
])('full-body: rejects %s', (_, code) => {
  expect(found('full-body', `x\n${fenced(code)}`)).toEqual([[2, 'code with its body']]);
});

test.each([
  ['Rust signatures', 'fn add(a: u8) -> u8;\npub fn sub(a: u8) -> u8'],
  ['Rust stubs', 'fn a() { todo!() }\nfn b() -> u8 {\n    todo!()\n}'],
  ['a struct', 'struct A {\n    a: u8,\n}'],
  ['a TypeScript signature', 'export function add(a: { b: number }): { c: number };'],
  ['a TypeScript stub', "function add(): void {\n  // later\n  throw new Error('NotImplemented: add');\n}"],
  ['a function type', 'export type Add = (a: A) => { b: number };'],
  ['an interface', 'interface A {\n  add(a: number): number;\n}'],
  ['a Python stub', 'def add(a):\n    """Adds: a."""\n    raise NotImplementedError("add")\n\ndef sub(a): ...'],
  ['omissions', 'fn a() { … }\nfn b() { ... }\nfn c() {}'],
  ['a call', 'add({ a: 1 })'],
])('full-body: accepts %s', (_, code) => {
  expect(found('full-body', fenced(code))).toEqual([]);
});

test.each([
  ['Run `bash -c "npm test"`.', 'bash -c'],
  ['sh -c x', 'sh -c'],
  ['/bin/bash -lc x', 'bash -lc'],
  ['bash -e -c x', 'bash -e -c'],
  ['Run `cd web && npm test`.', 'cd web &&'],
  ['cd "a b"; ls', null],
  ['cd web; npm test', 'cd web;'],
])('shell-escape: finds %j', (text, words) => {
  const wanted = words === null ? [] : [[2, `a command through a shell: "${words}"`]];
  expect(found('shell-escape', `\n${text}\n`)).toEqual(wanted);
  if (words !== null) expect(found('shell-escape', fenced(text))).toHaveLength(1);
});

test.each([['npm test'], ['publish -c x'], ['cargo test -c x'], ['the cd command'], ['finish -config']])(
  'shell-escape: accepts %j',
  (text) => {
    expect(found('shell-escape', text)).toEqual([]);
  },
);

test.each([
  ['see .workflow/run-GAL-1/task-2.md.', '.workflow/run-GAL-1/task-2.md'],
  ['see `./.workflow/run-GAL-2/plan.md`', '.workflow/run-GAL-2/plan.md'],
  ['/home/me/tree/.workflow/run-GAL-1/task-9.md:12', '.workflow/run-GAL-1/task-9.md'],
  ['[GAL-7](TODO/GAL-7.md)', 'TODO/GAL-7.md'],
  ['/home/me/tree/TODO/GAL-8.md', 'TODO/GAL-8.md'],
])('missing-artifact: rejects %j', (text, path) => {
  expect(found('missing-artifact', `a\n${text}`)).toEqual([[2, `${path} does not exist`]]);
});

test.each([
  ['.workflow/run-GAL-1/plan.md, TODO/GAL-1.md and /tree/TODO/README.md'],
  ['src/TODO/GAL-9.md'],
  ['TODO/*.md, TODO/<ID>.md, TODO/GAL-<n>.md, TODO/'],
  ['.workflow/run-<ID>/plan.md'],
  ['src/missing.ts'],
])('missing-artifact: accepts %j', (text) => {
  expect(found('missing-artifact', text)).toEqual([]);
});

test('all findings come in the order of the lines, and a clean text has none', () => {
  const text = `# T\n\nRun \`sh -c x\`.\n\nActually, see TODO/GAL-9.md.\n\n## A\n\n## A\n`;
  expect(hygieneFindings(text, context).map(({ code, line }) => [code, line])).toEqual([
    ['shell-escape', 3],
    ['second-thoughts', 5],
    ['missing-artifact', 5],
    ['two-versions', 9],
  ]);
  expect(hygieneFindings('# T\n\nDo it.\r\n', context)).toEqual([]);
});

test('time grows with the length of the text only', () => {
  const text = `# T\n${fenced('fn ('.repeat(5000))}${fenced('"""'.repeat(5000))}${'wait '.repeat(5000)}${'/a'.repeat(5000)}`;
  const start = performance.now();
  hygieneFindings(text, context);
  expect(performance.now() - start).toBeLessThan(2000);
});

test('[trial 2 7] missing-artifact: a task by its short name is one of the same run', () => {
  known.add('.workflow/run-GAL-1/task-2.md');
  expect(found('missing-artifact', 'See task-2.md and `task-9.md`, not docs/task-9.md or task-9.mdx.')).toEqual([
    [1, '.workflow/run-GAL-1/task-9.md does not exist'],
  ]);
});
