/** Guides do what they say: every `sh` block is executed, and the steps of the workflow for CI. */

import { execFile } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { ScratchRepository } from '../src/testing/scratch-repository.ts';
import { program } from './change/scripts.ts';
import { root } from './source-tree.ts';

const textOf = (path: string): string => readFileSync(join(root, path), 'utf8');
const blocksOf = (path: string, language: string): string[] =>
  [...textOf(path).matchAll(new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\`$`, 'gms'))].map(([, text = '']) => text);

const made: ScratchRepository[] = [];
afterEach(() => {
  for (const repository of made.splice(0)) repository.remove();
});

/** A repository, and a shell in it whose `pawl` is the one of this build. */
function shell(files: Readonly<Record<string, string>> = {}) {
  const repository = ScratchRepository.create(program, { 'README.md': '# Sample\n', ...files });
  made.push(repository);
  const bin = join(repository.folder, 'bin');
  mkdirSync(bin);
  writeFileSync(join(bin, 'pawl'), `#!/bin/sh\nexec "${process.execPath}" "${program}" "$@"\n`);
  chmodSync(join(bin, 'pawl'), 0o755);
  const { PATH = '' } = process.env;
  const identity = {
    GIT_AUTHOR_NAME: 'A',
    GIT_AUTHOR_EMAIL: 'a@b',
    GIT_COMMITTER_NAME: 'A',
    GIT_COMMITTER_EMAIL: 'a@b',
  };
  const base = { PATH: `${bin}:${PATH}`, HOME: repository.home, PAWL_SANDBOX: 'off', ...identity };
  const run = (script: string, env: Readonly<Record<string, string>> = {}) =>
    new Promise<{ readonly code: number | null; readonly output: string }>((done) => {
      const options = { cwd: repository.root, env: { ...base, ...env } };
      const child = execFile('bash', ['-euo', 'pipefail', '-c', script], options, (_, stdout, stderr) =>
        done({ code: child.exitCode, output: stdout + stderr }),
      );
      child.stdin?.end();
    });
  return { repository, run };
}

describe.each(['ci', 'troubleshooting', 'files', 'costs', 'upgrade'])('docs/guides/%s.md', (name) => {
  test('its commands do what it says', async () => {
    const path = `docs/guides/${name}.md`;
    const blocks = blocksOf(path, 'sh');
    expect(blocks.length).toBeGreaterThan(0);
    const { run } = shell();
    for (const block of blocks) {
      const { code, output } = await run(block);
      expect(code, `${block}\n${output}`).toBe(0);
    }
  });
});

test('docs/guides/ci.md: the steps of the workflow plan a change and commit it', async () => {
  const [text = ''] = blocksOf('docs/guides/ci.md', 'yaml');
  const { jobs, on } = parse(text);
  expect(Object.keys(on)).toEqual(['workflow_dispatch']);
  const { steps, env } = jobs.plan;
  const { repository, run } = shell();
  const summary = join(repository.folder, 'summary.md');
  writeFileSync(summary, '');
  const inputs: Readonly<Record<string, string>> = { id: 'add-limit', description: 'Slugs get a maximum length' };
  const filled = Object.entries<string>(env).map(([key, value]) => [
    key,
    value.replace(/\$\{\{ inputs\.(\w+) \}\}/, (_, input: string) => inputs[input] ?? ''),
  ]);
  const variables = { ...Object.fromEntries(filled), GITHUB_STEP_SUMMARY: summary, CI: 'true' };
  const scripts: string[] = steps.flatMap((step: { run?: string }) => step.run ?? []);
  // Neither a registry nor a forge is here: test/pack.test.ts installs the tarball.
  const local = scripts.filter((script) => !/^(?:npm install|git push) /.test(script));
  expect([scripts.length, local.length]).toEqual([5, 3]);
  for (const script of local) {
    const { code, output } = await run(script, variables);
    expect(code, `${script}\n${output}`).toBe(0);
  }
  expect(readFileSync(summary, 'utf8')).toMatch(/^done: pawl change impl add-limit.* \(\d+ agent calls\)\n$/);
  const { output } = await run('git log --oneline -1 --format=%s && git show --stat --format= HEAD');
  expect(output).toMatch(/^Plan add-limit\n/);
  expect(output).toContain('proposal.md');
  expect(output).not.toContain('result.json');
});

test('docs/scripts.md: the script is played, and its fault is the one it says', async () => {
  const [script = ''] = blocksOf('docs/scripts.md', 'yaml');
  const [first = ''] = blocksOf('docs/scripts.md', 'sh');
  const { run } = shell({ 'happy.yaml': script });
  const { code, output } = await run(first);
  expect(code, output).toBe(75);
  expect(output).toContain('create_proposal');
  expect(output).toContain('rate');
});

test('docs/configuration.md: the commands that show the configuration', async () => {
  const [toml = ''] = blocksOf('docs/configuration.md', 'toml');
  const commands = blocksOf('docs/configuration.md', 'sh').join('');
  const { run } = shell({ 'pawl.toml': toml });
  const { code, output } = await run(commands);
  expect(code, output).toBe(0);
  expect(output).toMatch(/^budget\.cost_usd +10 +pawl\.toml:5$/m);
});

test('the README installs nothing from a registry', () => {
  const fetched = /\bnpx pawl|npm (?:i|install|add)\b(?![^\n]*(?:\.tgz|@))[^\n]* pawl\b/;
  for (const path of ['README.md', 'docs/guides/ci.md', 'docs/guides/your-own-workflow.md', 'docs/guides/upgrade.md'])
    expect(textOf(path)).not.toMatch(fetched);
  expect(textOf('README.md')).toContain('npm install --global ./pawl-0.1.0.tgz');
});
