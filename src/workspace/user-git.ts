/** The user's own git on one work tree: with their configuration, without hooks. */

import { git, GitFailed, type GitOptions } from './git.ts';

type RunOptions = Pick<GitOptions, 'env' | 'input' | 'answersWith'>;

export interface UserGit {
  run(args: readonly string[], options?: RunOptions): Promise<Buffer>;
  /** What it prints, without the last line end. */
  text(args: readonly string[], options?: RunOptions): Promise<string>;
  /** What it prints with -z, as byte strings: one character per byte. */
  fields(args: readonly string[], options?: RunOptions): Promise<readonly string[]>;
  /** For questions that git answers with its exit code. */
  succeeds(args: readonly string[]): Promise<boolean>;
}

export function userGit(root: string): UserGit {
  const run = (args: readonly string[], options: RunOptions = {}): Promise<Buffer> =>
    git(args, { cwd: root, asUser: true, ...options });
  return {
    run,
    text: async (args, options) => (await run(args, options)).toString('utf8').trimEnd(),
    fields: async (args, options) => (await run(args, options)).toString('latin1').split('\0').slice(0, -1),
    succeeds: async (args) => {
      try {
        await run(args);
        return true;
      } catch (error) {
        if (error instanceof GitFailed && (error.exitCode === 1 || error.exitCode === 128)) return false;
        throw error;
      }
    },
  };
}
