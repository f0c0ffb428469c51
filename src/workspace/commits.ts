/**
 * The history of the user's repository, read for somebody who may not be trusted with git itself.
 *
 * C1. Everything is read through the shadow (see shadow.ts), so nothing that the repository configures runs: no pager,
 *     external diff, textconv, filter, fsmonitor, signature program or transport.
 * C2. A name of a commit or file reaches git only if it has the form of one, and never as an option.
 */

import type { Shadow } from './shadow.ts';

/** Names as people and models write them: a branch, tag or id, and the way back from it. */
export const commitName = /^(?!.*\.\.)(?:@|\w[\w./-]{0,199})(?:@\{\d{1,6}\})?(?:[~^]\d{0,5}){0,20}$/;

const plain = ['--no-ext-diff', '--no-textconv', '--no-color'];

export class Commits {
  readonly #shadow: Shadow;
  /** Git tree id of what is on disk. */
  readonly #snapshot: () => Promise<string>;

  constructor(shadow: Shadow, snapshot: () => Promise<string>) {
    this.#shadow = shadow;
    this.#snapshot = snapshot;
  }

  /** Against the files as they are, new ones included, where no second commit is named. */
  async diff(from: string, to: string | null, path: string | null): Promise<string> {
    const trees = [await this.#idOf(from), to === null ? await this.#snapshot() : await this.#idOf(to)];
    return this.#read(['diff-tree', '-r', '-p', '-M', ...plain, ...trees, '--', ...pathspec(path)]);
  }

  async log(commit: string, path: string | null, count: number): Promise<string> {
    const flags = ['--no-show-signature', '--no-decorate', '--stat', `--max-count=${Math.trunc(count)}`];
    return this.#read(['log', ...flags, ...plain, await this.#idOf(commit), '--', ...pathspec(path)]);
  }

  /** The commit with its changes, or one file as it was then. */
  async show(commit: string, path: string | null): Promise<string> {
    const id = await this.#idOf(commit);
    if (path !== null) return this.#read(['cat-file', 'blob', `${id}:${path}`]);
    return this.#read(['show', '--no-show-signature', '--no-decorate', '--stat', '--patch', ...plain, id]);
  }

  async #idOf(commit: string): Promise<string> {
    if (!commitName.test(commit)) throw new Error(`"${commit}" is not the name of a commit`);
    return this.#shadow.commitId(commit);
  }

  async #read(args: readonly string[]): Promise<string> {
    this.#shadow.prepareFolder();
    return (await this.#shadow.run(args)).toString('utf8');
  }
}

function pathspec(path: string | null): readonly string[] {
  return path === null ? [] : [`:(top,literal)${path}`];
}
