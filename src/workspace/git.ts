/** Git as a tool: finding the repository without a process, and running git without its hooks. */

import { existsSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { codeOf, orElse } from '../disk/disk-error.ts';
import { readText } from './files.ts';

/** There is no work tree to work in: stop. */
export class NotARepository extends Error {
  readonly code = 'NotARepository';
  readonly fix: string;

  constructor(message: string, fix: string) {
    super(message);
    this.fix = fix;
  }
}

/** There is a repository without a work tree: stop. */
export class BareRepository extends Error {
  readonly code = 'BareRepository';
  readonly fix = 'git worktree add ../worktree && cd ../worktree';
}

/** Git itself failed: stop, its last words are in the message. */
export class GitFailed extends Error {
  readonly code = 'GitFailed';
  readonly exitCode: number | null;
  readonly fix: string;

  constructor(args: readonly string[], exitCode: number | null, stderr: string, cause: unknown) {
    const words = stderr.trim().slice(-stderrTailChars) || String(cause);
    const verb = args.find((word, at) => word !== '-c' && args[at - 1] !== '-c') ?? '';
    super(`git ${verb} failed${exitCode === null ? '' : ` (exit ${exitCode})`}: ${words}`, { cause });
    this.exitCode = exitCode;
    this.fix = `${codeOf(cause) === 'ENOENT' ? 'install git' : 'remove the cause'}, then run the same command again`;
  }
}

export interface Repository {
  /** Top folder of the work tree. */
  readonly root: string;
  /** The work tree's own git directory; differs from `commonDir` in a linked worktree. */
  readonly gitDir: string;
  readonly commonDir: string;
}

/** The checkout that the repository was made with; for a linked worktree another one. */
export function mainWorkTree({ root, commonDir }: Pick<Repository, 'root' | 'commonDir'>): string {
  return basename(commonDir) === '.git' ? dirname(commonDir) : root;
}

const stderrTailChars = 2_000;
const gitMsMax = 600_000;
const filtersMsMax = 10_000;
const gitOutputBytesMax = 1024 ** 3;

export function findRepository(cwd: string): Repository {
  const start = orElse(undefined, () => realpathSync(cwd));
  if (start === undefined) throw new NotARepository(`${cwd} does not exist`, "change to the project's folder");
  for (let folder = start; ; folder = dirname(folder)) {
    const gitDir = gitDirOf(folder);
    if (gitDir !== undefined) return repositoryAt(folder, gitDir);
    if (looksLikeGitDir(folder)) throw bare(folder);
    if (dirname(folder) === folder) break;
  }
  throw new NotARepository(`${start} is not inside a git repository`, 'git init');
}

/** The repository's own configuration counts, and may name programs: an agent may have written it, or the hooks. */
const noPrograms = {
  GIT_CONFIG_COUNT: '2',
  GIT_CONFIG_KEY_0: 'core.hooksPath',
  GIT_CONFIG_VALUE_0: '/dev/null',
  GIT_CONFIG_KEY_1: 'core.fsmonitor',
  GIT_CONFIG_VALUE_1: 'false',
};

const nobodysConfiguration = { GIT_CONFIG_NOSYSTEM: '1', GIT_CONFIG_GLOBAL: '/dev/null', GIT_ATTR_NOSYSTEM: '1' };

/** Where the user's configuration, identity and signing keys are. */
const userVariables = [
  'XDG_CONFIG_HOME',
  'GIT_CONFIG_GLOBAL',
  'GIT_CONFIG_SYSTEM',
  'GIT_CONFIG_NOSYSTEM',
  'GIT_AUTHOR_NAME',
  'GIT_AUTHOR_EMAIL',
  'GIT_COMMITTER_NAME',
  'GIT_COMMITTER_EMAIL',
  'EMAIL',
  'GNUPGHOME',
  'GPG_TTY',
  'SSH_AUTH_SOCK',
];

export interface GitOptions {
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly input?: string | Buffer;
  /** With the user's own configuration, identity and keys: for what they see, and what is made in their name. */
  readonly asUser?: boolean;
  /** An exit code beside 0 with which git answers: what it prints counts. */
  readonly answersWith?: number;
}

function hermetic(asUser = false): Record<string, string> {
  return {
    ...(asUser ? ownVariables(userVariables) : nobodysConfiguration),
    GIT_TERMINAL_PROMPT: '0',
    GIT_OPTIONAL_LOCKS: '0',
    LC_ALL: 'C',
    ...noPrograms,
    ...ownVariables(['PATH', 'HOME', 'TMPDIR']),
  };
}

/** Runs git without a shell, without hooks and without anybody's configuration; what it prints comes back as bytes. */
export function git(args: readonly string[], options: GitOptions): Promise<Buffer> {
  const { cwd, env = {}, input = '', asUser = false, answersWith = 0 } = options;
  return new Promise((done, fail) => {
    // Loaded late: finding a repository takes no process, and every command does that.
    const child = process.getBuiltinModule('node:child_process').execFile(
      'git',
      [...ownSettings, ...args],
      {
        cwd,
        env: { ...hermetic(asUser), ...env },
        encoding: 'buffer',
        maxBuffer: gitOutputBytesMax,
        timeout: gitMsMax,
        killSignal: 'SIGKILL',
      },
      (error, stdout, stderr) => {
        if (!error || (answersWith !== 0 && error.code === answersWith)) return done(stdout);
        const isAbsent = codeOf(error) === 'ENOENT';
        const words = isAbsent ? 'git was not found: install git 2.30 or newer' : stderr.toString('utf8');
        fail(new GitFailed(args, typeof error.code === 'number' ? error.code : null, words, error));
      },
    );
    // A git that stops reading early says why by its exit code.
    child.stdin?.on('error', () => {});
    child.stdin?.end(input);
  });
}

/**
 * Programs that git runs for a checkout or a comparison: the filters of the repository's own configuration, and of the
 * files that it includes. Most repositories have none, and cost no process.
 */
export function filterPrograms({ root, gitDir, commonDir }: Repository): readonly (readonly [string, string])[] {
  const texts = [join(commonDir, 'config'), join(gitDir, 'config.worktree')].map((file) => readText(file) ?? '');
  if (!texts.some((text) => /filter|include/i.test(text))) return [];
  const args = ['config', '--includes', '--list', '-z'];
  const options = { cwd: root, env: hermetic(), encoding: 'utf8', timeout: filtersMsMax } as const;
  const { status, stdout, stderr, error } = process
    .getBuiltinModule('node:child_process')
    .spawnSync('git', args, options);
  if (status !== 0) throw new GitFailed(args, status, stderr, error);
  const entries = stdout.split('\0').map((entry) => [entry.split('\n', 1)[0] ?? '', entry] as const);
  return entries.flatMap(([key, entry]) =>
    /^filter\..*\.(?:clean|smudge|process)$/s.test(key) ? [[key, entry.slice(key.length + 1)] as const] : [],
  );
}

/**
 * A repository's own hooks do not run for Pawl. Filters do, because what is checked out would differ without them:
 * they are among what a person trusts.
 */
const ownSettings = ['-c', 'core.fsmonitor=false', '-c', 'core.hooksPath=/dev/null'];

/** What `act` gives, or the other value where git failed. */
export async function unlessGitFails<T>(otherwise: T, act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    if (error instanceof GitFailed) return otherwise;
    throw error;
  }
}

function gitDirOf(folder: string): string | undefined {
  const path = join(folder, '.git');
  const kind = statSync(path, { throwIfNoEntry: false });
  if (kind?.isDirectory()) return looksLikeGitDir(path) ? path : undefined;
  if (!kind?.isFile()) return undefined;
  const target = /^gitdir: (.+?)\r?\n?$/.exec(readText(path) ?? '')?.[1];
  if (target === undefined) return undefined;
  const gitDir = resolve(folder, target);
  if (existsSync(join(gitDir, 'HEAD'))) return gitDir;
  throw new NotARepository(`${path} points to ${gitDir}, which is not a git directory`, 'git worktree repair');
}

function repositoryAt(root: string, gitDir: string): Repository {
  const common = readText(join(gitDir, 'commondir'))?.trim();
  const isBare = (): boolean => /^\s*bare\s*=\s*true\s*$/m.test(readText(join(gitDir, 'config')) ?? '');
  if (common === undefined && isBare()) throw bare(gitDir);
  return { root, gitDir, commonDir: resolve(gitDir, common ?? '') };
}

function looksLikeGitDir(folder: string): boolean {
  return ['HEAD', 'objects', 'refs'].every((name) => existsSync(join(folder, name)));
}

function bare(folder: string): BareRepository {
  return new BareRepository(`${folder} is a git directory without a work tree, which Pawl needs`);
}

/** Those of this process's variables that are set. */
export function ownVariables(names: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    names.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]])),
  );
}
