/** Stub-first on real projects, with their own toolchains. */

import { execFileSync, spawnSync } from 'node:child_process';
import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'vitest';
import { root } from '../source-tree.ts';
import { takeStubFirst, type Project } from './stub-first.ts';

const has = (program: string, ...args: readonly string[]): boolean => spawnSync(program, args).status === 0;

const compiler = 'rustc';
/** The toolchain itself: rustup looks for it in the home of the user, which tests replace. */
const sysroot = spawnSync(compiler, ['--print', 'sysroot'], { encoding: 'utf8' }).stdout?.trim() ?? '';

const rust: Project = {
  files: {
    '.gitignore': 'target/\nCargo.lock\n',
    'Cargo.toml': '[package]\nname = "limits"\nversion = "0.1.0"\nedition = "2021"\n',
    'src/lib.rs': 'pub mod limit;\n\n#[cfg(test)]\nmod tests {\n    #[test]\n    fn is_there_already() {}\n}\n',
    'src/limit.rs': '//! Limits.\n',
  },
  source: 'src/limit.rs',
  symbol: 'limit',
  wrong: ['pub fn limit(text: &str) -> Option<u32> {\n    unimplemented!()\n}\n', /src\/limit\.rs:1 limit .*todo!\(\)/],
  stub: '//! Limits.\n\npub fn limit(text: &str) -> Option<u32> {\n    todo!()\n}\n',
  testFile: 'tests/limits.rs',
  structural: [
    '#[test]\nfn has_a_type() {\n    let _: fn(&str) -> Option<u32> = limits::limit::limit;\n}\n',
    'has_a_type',
    /has_a_type: it passes/,
  ],
  tested: '#[test]\nfn reads_ten() {\n    assert_eq!(limits::limit::limit("10"), Some(10));\n}\n',
  testName: 'reads_ten',
  body: '//! Limits.\n\npub fn limit(text: &str) -> Option<u32> {\n    text.parse().ok()\n}\n',
  commits: ['feat: implement limit', 'feat: scaffold limit with todo!() stubs'],
  env: { CARGO_NET_OFFLINE: 'true', PATH: `${sysroot}/bin:${process.env['PATH']}` },
};

const imports = "import { expect, test } from 'vitest';\nimport { limit } from './limit.ts';\n";
const typeScript: Project = {
  files: {
    '.gitignore': 'node_modules\n',
    'package.json': JSON.stringify({ type: 'module', scripts: { test: 'vitest' } }),
    'tsconfig.json': JSON.stringify({
      compilerOptions: { strict: true, noEmit: true, module: 'nodenext', allowImportingTsExtensions: true, types: [] },
      include: ['src'],
    }),
    'src/old.test.ts': "import { test } from 'vitest';\ntest('is there already', () => {});\n",
  },
  source: 'src/limit.ts',
  symbol: 'limit',
  wrong: [
    "export function limit(text: strnig): number {\n  throw new Error('NotImplemented');\n}\n",
    /tsc --noEmit exited/,
  ],
  stub: "export function limit(text: string): number {\n  throw new Error('NotImplemented');\n}\n",
  testFile: 'src/limit.test.ts',
  structural: [
    `${imports}test('is known', () => expect(limit.name).toBe('other'));\n`,
    'is known',
    /is known: it fails without reaching a stub \(ASSERTION_MISMATCH\)/,
  ],
  tested: `${imports}test('reads ten', () => expect(limit('10')).toBe(10));\n`,
  testName: 'reads ten',
  body: 'export function limit(text: string): number {\n  return Number(text);\n}\n',
  commits: ['feat: implement limit', 'feat: scaffold limit with stubs'],
};

const python: Project = {
  files: {
    '.gitignore': '__pycache__/\n.pytest_cache/\n',
    'pyproject.toml': '',
    'shop/__init__.py': '',
    'tests/__init__.py': '',
    'tests/test_old.py': 'import unittest\n\n\nclass Old(unittest.TestCase):\n    def test_old(self): pass\n',
  },
  source: 'shop/limit.py',
  symbol: 'limit',
  wrong: ['def limit(text: str) -> int:\n    pass\n', /shop\/limit\.py:1 limit /],
  stub: 'def limit(text: str) -> int:\n    raise NotImplementedError\n',
  testFile: 'tests/test_limit.py',
  structural: [
    'from shop.limit import limit\n\n\ndef test_known():\n    assert callable(limit)\n',
    'tests/test_limit.py::test_known',
    /test_known: it passes/,
  ],
  tested: 'from shop.limit import limit\n\n\ndef test_ten():\n    assert limit("10") == 10\n',
  testName: 'tests/test_limit.py::test_ten',
  body: 'def limit(text: str) -> int:\n    return int(text)\n',
  commits: ['feat: implement limit', 'feat: scaffold limit with stubs'],
};

const testCase = (body: string): string =>
  `import unittest\nfrom shop.limit import limit\n\n\nclass Limits(unittest.TestCase):\n${body}`;
const unittest: Project = {
  ...python,
  structural: [
    testCase('    def test_known(self): self.assertTrue(callable(limit))\n'),
    'tests.test_limit.Limits.test_known',
    /test_known: it passes/,
  ],
  tested: testCase('    def test_ten(self): self.assertEqual(limit("10"), 10)\n'),
  testName: 'tests.test_limit.Limits.test_ten',
};

describe('[issue/stubs/languages] [issue/roles/toolchain] [issue/adr/4] stub-first', () => {
  test.concurrent('Rust with cargo', { skip: !has('cargo', '--version') }, async (context) => {
    await takeStubFirst(context, rust);
  });

  test.concurrent('TypeScript with tsc and vitest', async (context) => {
    const prepare = (folder: string): void => symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
    await takeStubFirst(context, typeScript, { prepare });
  });

  test.concurrent('Python with pytest', { skip: !has('pytest', '--version') }, async (context) => {
    await takeStubFirst(context, python);
  });

  test.concurrent('Python with unittest', { skip: !has('python3', '--version') }, async (context) => {
    const python3 = execFileSync('python3', ['-c', 'import sys; print(sys.executable)'], { encoding: 'utf8' }).trim();
    await takeStubFirst(context, unittest, { programs: { python3 } });
  });
});
