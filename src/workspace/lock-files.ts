/** Lock files of package managers, and the commands that install what they name. */

import { existsSync } from 'node:fs';
import { join } from 'node:path';

export interface LockFile {
  readonly file: string;
  readonly manager: string;
  readonly setup: readonly string[];
  /** Tests work without it, because the tools themselves fetch what is missing. */
  readonly optional: boolean;
}

const known: readonly (readonly [file: string, manager: string, setup: string, optional?: true])[] = [
  ['pnpm-lock.yaml', 'pnpm', 'pnpm install --frozen-lockfile'],
  ['yarn.lock', 'yarn', 'yarn install'],
  ['bun.lock', 'bun', 'bun install --frozen-lockfile'],
  ['bun.lockb', 'bun', 'bun install --frozen-lockfile'],
  ['package-lock.json', 'npm', 'npm ci'],
  ['uv.lock', 'uv', 'uv sync --frozen'],
  ['poetry.lock', 'poetry', 'poetry install'],
  ['Pipfile.lock', 'pipenv', 'pipenv sync'],
  ['Cargo.lock', 'cargo', 'cargo fetch --locked', true],
  ['go.sum', 'go', 'go mod download', true],
  ['Gemfile.lock', 'bundler', 'bundle install'],
];

export const lockFiles: readonly LockFile[] = known.map(([file, manager, setup, optional = false]) => ({
  file,
  manager,
  setup: setup.split(' '),
  optional,
}));

export function lockFilesIn(root: string): readonly LockFile[] {
  return lockFiles.filter(({ file }) => existsSync(join(root, file)));
}
