/** A process that commits a.txt and b.txt as they are in the work tree, with its record in a file. */

import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { commitFiles } from '../../src/workspace/committing.ts';
import { writeAtomically } from '../../src/workspace/files.ts';
import { findRepository } from '../../src/workspace/git.ts';

const [root = '', folder = ''] = process.argv.slice(2);
const file = join(folder, 'record');

const files = ['a.txt', 'b.txt'].flatMap((name) => {
  const path = join(root, name);
  return existsSync(path) ? [{ name, mode: '100644', content: readFileSync(path) }] : [];
});

const made = await commitFiles(findRepository(root), {
  message: 'feat: once',
  paths: ['a.txt', 'b.txt'],
  files,
  folder: join(folder, 'scratch'),
  record: {
    read: () => (existsSync(file) ? readFileSync(file, 'utf8') : undefined),
    keep: (text) => writeAtomically(file, text),
  },
  runHook: (_, [command = '', ...args], { env }) => {
    const { status, stderr } = spawnSync(command, args, { cwd: root, env: { ...process.env, ...env } });
    return Promise.resolve({ passed: status === 0, output: stderr.toString() });
  },
});
process.stdout.write(JSON.stringify(made));
