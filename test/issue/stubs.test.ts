/** Stub-first where it is quick; `stubs.long.ts` has the other languages. */

import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { advise, IssueRepository, make, plan, review, reviewed, task, tasks, tests, update } from './played-issue.ts';
import { pathOf, takeStubFirst, type Project } from './stub-first.ts';

const javaScript: Project = {
  files: {
    'package.json': JSON.stringify({ type: 'module', scripts: { test: 'node --test' } }),
    'old.test.js': "import { test } from 'node:test';\ntest('is there already', () => {});\n",
  },
  source: 'limit.js',
  symbol: 'limit',
  wrong: ['export function limit(text) {\n  return null;\n}\n', /limit\.js:1 limit /],
  stub: "export function limit(text) {\n  throw new Error('NotImplemented');\n}\n",
  testFile: 'limit.test.js',
  structural: [
    "import assert from 'node:assert/strict';\nimport { test } from 'node:test';\nimport { limit } from './limit.js';\ntest('is a function', () => assert.equal(typeof limit, 'function'));\n",
    'is a function',
    /is a function: it passes/,
  ],
  tested:
    "import assert from 'node:assert/strict';\nimport { test } from 'node:test';\nimport { limit } from './limit.js';\ntest('reads ten', () => assert.equal(limit('10'), 10));\n",
  testName: 'reads ten',
  body: 'export function limit(text) {\n  return Number(text);\n}\n',
  commits: ['feat: implement limit', 'feat: scaffold limit with stubs'],
};

/** A program that is a shell script. */
function script(path: string, text: string): string {
  writeFileSync(path, `#!/bin/sh\n${text}\n`);
  chmodSync(path, 0o755);
  return path;
}

test('[issue/stubs/languages] [issue/roles/toolchain] [issue/adr/4] JavaScript with node --test, in the development shell of the project: stubs are checked, a structural test is rejected', async (context) => {
  const bin = mkdtempSync(join(tmpdir(), 'pawl-nix-'));
  context.onTestFinished(() => rmSync(bin, { recursive: true }));
  script(join(bin, 'nix'), `echo "$@" >> ${bin}/log\nshift 2\nexec "$@"`);
  const { repository, ran } = await takeStubFirst(context, {
    ...javaScript,
    files: { ...javaScript.files, 'flake.nix': '{ outputs = _: { devShells.default = null; }; }\n' },
    env: { PATH: `${bin}:${process.env['PATH']}` },
  });
  expect(readFileSync(join(bin, 'log'), 'utf8')).toMatch(
    /^develop -c node --test-reporter=tap --test$[^]*^develop -c npm test$/m,
  );
  const [, allowed = ''] = repository.prompts('implement', ran)[0]?.split('## Limits') ?? [];
  expect(allowed).toContain('`nix develop -c node');
  expect(repository.prompts('write_stubs', ran)[1]).toContain('limit.js:1 limit');
  expect(repository.prompts('write_tests', ran)[1]).toContain('is a function: it passes');
  expect(repository.prompts('implement', ran)[0]).toContain('reads ten (limit.test.js): fails with MISSING_BEHAVIOR');
});

const broken = (word: string) => tests({ tests: [{ name: 'it', file: 'test/a.rs', code: word }] });

test('[issue/stubs/not-available] [issue/verdicts/test] without a toolchain everything is reported as not available, and nothing as passed', async (context) => {
  const [rust, go] = ['src/lib.rs', 'tool.go'];
  const symbols = [
    { file: rust, name: 'limit' },
    { file: go, name: 'Limit' },
  ];
  const repository = IssueRepository.for(context, {
    files: {
      'Cargo.toml': '[package]\nname = "limits"\nversion = "0.1.0"\n',
      'go.mod': 'module limits\n',
      'package.json': '{}\n',
      'tsconfig.json': '{}\n',
    },
    turns: [
      plan(),
      review('review_plan'),
      advise('review_plan'),
      tasks(task({ files: [], new_files: [rust, go], new_symbols: symbols })),
      {
        ...make('write_stubs'),
        write: { [rust]: 'pub fn limit() -> u32 {\n    todo!()\n}\n', [go]: 'package limits\n\nfunc Limit() {}\n' },
      },
      broken('TEST_BROKEN'),
      broken('ENV_BROKEN'),
      tests(),
      make('implement'),
      ...reviewed,
      update([1, 2]),
    ],
  });
  const npx = script(
    join(repository.folder, 'npx'),
    'echo "npm error npx canceled due to missing packages" >&2; exit 1',
  );
  const ran = await repository.run(['--verbose'], { env: { PATH: pathOf(repository.folder, { npx }) } });
  expect(ran.code).toBe(0);
  // Codes that are no RED are refused by the tool, so that nothing was reported.
  expect(ran.steps.filter((step) => step.startsWith('write_tests'))).toEqual([
    'write_tests:unparseable',
    'write_tests:unparseable',
    'write_tests:tests_ready',
  ]);
  const told = ran.stderr.replaceAll(/\s+/g, ' ');
  for (const part of [
    'check stubs: not available → write tests tool.go: stubs in this language are not checked (not available) compiling is not available',
    'prove red: not available → entry check RED is not shown: cargo test --no-fail-fast is not installed (not available)',
    'entry check: not available → implement RED is not shown: cargo test',
    'run suite: not available → review code test: not available (cargo test is not installed)',
  ])
    expect(told).toContain(part);
  expect(told).not.toMatch(/passed|green/);
  const [reviewing = ''] = repository.prompts('review_code', ran);
  expect(reviewing).toMatch(/test: not available\n[^]*typecheck: not available/);
});
