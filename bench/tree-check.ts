/** Comparing a large work tree around an agent call: tracked files, and those that git ignores. */

import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { setTimeout as wait } from 'node:timers/promises';
import { WorkTree } from '../src/workspace/tree.ts';
import type { Benchmark } from './benchmark.ts';
import { summarize } from './rounds.ts';

const rounds = 9;
const [tracked, ignored] = [40_000, 10_000];
const perFolder = 100;

export const treeCheck: Benchmark = {
  name: 'tree',
  about: 'comparing 50,000 files, 10,000 of them ignored, against git status',
  measure: async () => {
    const root = realpathSync(mkdtempSync(join(tmpdir(), 'pawl-bench-tree-')));
    try {
      fill(root);
      // Git looks twice at files that are as young as its index.
      await wait(2_000);
      return [await measured(root)];
    } finally {
      rmSync(root, { recursive: true, force: true });
    }
  },
};

async function measured(root: string) {
  const commonDir = join(root, '.git');
  const tree = new WorkTree({ root, commonDir, shadowDir: join(commonDir, 'pawl/shadow') });
  const baselines: number[] = [];
  const subjects: number[] = [];
  for (let round = 0; round <= rounds; round += 1) {
    const began = performance.now();
    git(root, 'status', '--porcelain');
    const between = performance.now();
    await tree.snapshotWithIgnored();
    await tree.git.snapshot();
    // The first one warms up.
    if (round === 0) continue;
    baselines.push(between - began);
    subjects.push(performance.now() - between);
  }
  tree.close();
  return { what: 'a tree check', unit: 'ms wall', ...summarize(baselines, subjects), ratioMax: 2 };
}

function fill(root: string): void {
  const write = (path: string, text: string): void => {
    const file = join(root, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  };
  for (let at = 0; at < tracked; at += 1) write(`src/${Math.floor(at / perFolder)}/${at}.txt`, `${at}\n`);
  for (let at = 0; at < ignored; at += 1) write(`node_modules/${Math.floor(at / perFolder)}/${at}.js`, `${at}\n`);
  write('.gitignore', 'node_modules/\n');
  git(root, 'init', '--quiet');
  git(root, 'add', '--all');
  git(root, '-c', 'user.name=a', '-c', 'user.email=a@b', 'commit', '--quiet', '--message=start');
}

function git(cwd: string, ...args: readonly string[]): void {
  execFileSync('git', args, { cwd, stdio: 'ignore' });
}
