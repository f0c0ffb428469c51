/**
 * The command-line program of a forge: where it is, and what it says about a branch.
 *
 * F1. It is the user's own: found by an absolute folder of PATH, never one of the repository, which an agent may write.
 * F2. It gets the user's environment, for its credentials are there, but asks nobody. Words of agents reach it as the value
 *     of one argument or through its input, never as an option.
 */

import { execFile } from 'node:child_process';
import { accessSync, constants, realpathSync, statSync } from 'node:fs';
import { delimiter, isAbsolute, join, sep } from 'node:path';
import { orElse } from '../disk/disk-error.ts';
import type { LandingPlace, PullRequestOrder } from './landing.ts';
import { shellLine } from './shell-line.ts';

export type ForgeName = 'gh' | 'glab';

export interface Forge {
  readonly name: ForgeName;
  readonly program: string;
}

/** F1. The one of the host; for a host of an unknown kind, one that is installed. */
export function findForge(place: LandingPlace, host: string): Forge | null {
  const programs = forgesOf(host).map((name) => ({ name, program: programOnPath(place, name) }));
  return programs.flatMap(({ name, program }) => (program === null ? [] : { name, program }))[0] ?? null;
}

export function forgesOf(host: string): readonly ForgeName[] {
  if (/github/i.test(host)) return ['gh'];
  return /gitlab/i.test(host) ? ['glab'] : ['gh', 'glab'];
}

function programOnPath({ workTree, mainWorkTree, commonDir }: LandingPlace, name: string): string | null {
  const repository = [workTree, mainWorkTree, commonDir].map((folder) => orElse(folder, () => realpathSync(folder)));
  const isOutside = (file: string): boolean =>
    ![...repository, workTree].some((folder) => file === folder || file.startsWith(folder + sep));
  const isProgram = (file: string): boolean =>
    orElse(false, () => {
      accessSync(file, constants.X_OK);
      return statSync(file).isFile() && [file, realpathSync(file)].every(isOutside);
    });
  const folders = (process.env['PATH'] ?? '').split(delimiter).filter((folder) => isAbsolute(folder));
  return folders.map((folder) => join(folder, name)).find(isProgram) ?? null;
}

export interface ForgeEnd {
  readonly passed: boolean;
  readonly stdout: string;
  /** Both outputs, the last of them. */
  readonly output: string;
}

const forgeMsMax = 300_000;
const outputBytesMax = 4 * 1024 ** 2;
const outputTailChars = 4_000;

interface ForgePlace {
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  readonly input?: string;
  /** Kills it. */
  readonly signal?: AbortSignal | undefined;
}

/** F2. */
export function runForge(
  { program }: Forge,
  args: readonly string[],
  { input = '', ...place }: ForgePlace,
): Promise<ForgeEnd> {
  return new Promise((done) => {
    const limits = { timeout: forgeMsMax, maxBuffer: outputBytesMax, killSignal: 'SIGKILL' } as const;
    const child = execFile(program, args, { ...place, encoding: 'utf8', ...limits }, (error, stdout, stderr) => {
      const why = error?.killed === true ? `it was killed after ${forgeMsMax / 1000} s, or for too much output` : '';
      const words = [stdout.trim(), stderr.trim(), why].filter(Boolean).join('\n') || (error?.message ?? '');
      done({ passed: error === null, stdout, output: words.slice(-outputTailChars) });
    });
    // One that stops reading early says why by its exit code.
    child.stdin?.on('error', () => {});
    child.stdin?.end(input);
  });
}

/** F2. */
export const asksNobody = { GH_PROMPT_DISABLED: '1', GLAB_NO_PROMPT: '1', NO_PROMPT: '1', GIT_TERMINAL_PROMPT: '0' };

const titleCharsMax = 250;
/** The least that a forge takes. */
const bodyCharsMax = 60_000;

/** The arguments that open it; the text is the input of `gh`. */
export function opening(
  name: ForgeName,
  order: PullRequestOrder,
): { readonly args: readonly string[]; readonly input: string } {
  const title = titleOf(order);
  const body = order.body.slice(0, bodyCharsMax);
  if (name === 'gh')
    return {
      args: ['pr', 'create', `--head=${order.branch}`, `--base=${order.base}`, `--title=${title}`, '--body-file=-'],
      input: body,
    };
  const branches = [`--source-branch=${order.branch}`, `--target-branch=${order.base}`];
  return { args: ['mr', 'create', ...branches, `--title=${title}`, `--description=${body}`, '--yes'], input: '' };
}

/** The same for a person, with the text in a file. */
export function openingLine(name: ForgeName, order: PullRequestOrder, bodyFile: string): string {
  const title = `--title=${titleOf(order)}`;
  if (name === 'gh')
    return shellLine(
      'gh',
      'pr',
      'create',
      `--head=${order.branch}`,
      `--base=${order.base}`,
      title,
      `--body-file=${bodyFile}`,
    );
  const branches = [`--source-branch=${order.branch}`, `--target-branch=${order.base}`];
  return `${shellLine('glab', 'mr', 'create', ...branches, title)} --description="$(cat ${shellLine(bodyFile)})"`;
}

/** One line without control characters. */
function titleOf({ title, branch }: PullRequestOrder): string {
  return (
    title
      .replaceAll(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, ' ')
      .trim()
      .slice(0, titleCharsMax) || branch
  );
}

/** The arguments that show the latest one of a branch. */
export function viewing(name: ForgeName, branch: string): readonly string[] {
  if (name === 'gh') return ['pr', 'view', '--json=url,state,headRefOid,headRefName', '--', branch];
  return ['mr', 'view', '--output=json', '--', branch];
}

/** Its address, if it is open, or was closed with these very commits; null otherwise. */
export function shownUrl(
  name: ForgeName,
  json: string,
  { branch, tip }: { branch: string; tip: string },
): string | null {
  const value = orElse(null, (): unknown => JSON.parse(json));
  const read = (key: string): string => {
    const found: unknown = typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined;
    return typeof found === 'string' ? found : '';
  };
  const [url, head, at] =
    name === 'gh'
      ? [read('url'), read('headRefName'), read('headRefOid')]
      : [read('web_url'), read('source_branch'), read('sha')];
  const isCurrent = /^open/i.test(read('state')) || at === tip;
  return head === branch && isCurrent ? urlIn(url) : null;
}

export function urlIn(text: string): string | null {
  return (
    /https?:\/\/[\w.:@/%~#?&=+-]+/.exec(text.split('\n').findLast((line) => line.includes('://')) ?? '')?.[0] ?? null
  );
}
