/** A process that merges the branch of a run and removes its worktree, with its records in files. */

import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { writeAtomically } from '../../src/workspace/files.ts';
import { landingAt } from '../../src/workspace/landing.ts';

const [root = '', workTree = '', branch = ''] = process.argv.slice(2);
const commonDir = join(root, '.git');
const folder = join(commonDir, 'landing');
mkdirSync(folder, { recursive: true });
const fileOf = (name: string): string => join(folder, `${name}.record`);

const landing = landingAt({
  workTree,
  mainWorkTree: root,
  commonDir,
  folder,
  env: {},
  records: {
    read: (name) => (existsSync(fileOf(name)) ? readFileSync(fileOf(name), 'utf8') : undefined),
    keep: (name, text) => writeAtomically(fileOf(name), text),
  },
  runHook: (_, [command = '', ...args], { env }) => {
    const { status, stderr } = spawnSync(command, args, { cwd: root, env: { ...process.env, ...env } });
    return Promise.resolve({ passed: status === 0, output: stderr.toString() });
  },
});
const merged = await landing.merge({ branch, into: 'main' });
const removed = merged.kind === 'refused' ? null : await landing.remove({ branch, lose: false });
process.stdout.write(JSON.stringify({ merged, removed }));
