/**
 * Which powers of which repository a person has trusted, on this computer.
 *
 * T4. It is kept in the user's own folder, never in the repository, readable by nobody else.
 */

import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { list, table } from '../schema/compound.ts';
import { check } from '../schema/schema.ts';
import { text } from '../schema/simple.ts';
import { orElse, readText, writeAtomically } from '../workspace/files.ts';
import type { Power, Powers } from './powers.ts';

const record = table({
  repository: text(),
  trusted: list(text(), 'a list of digests'),
  last: list(table({ where: text(), what: text() }), 'a list of settings'),
});

export class Trust {
  readonly #file: string;
  readonly #repository: string;

  /** `folder`: Pawl's own in the user's configuration. `repository`: its git directory, which all its worktrees share. */
  constructor(folder: string, repository: string) {
    const name = createHash('sha256').update(repository).digest('hex').slice(0, 32);
    this.#file = join(folder, 'trusted', `${name}.json`);
    this.#repository = repository;
  }

  has({ digests }: Powers): boolean {
    const { trusted } = this.#read();
    return digests.every((digest) => trusted.includes(digest));
  }

  /** What is new since a person last looked, and what is gone. */
  differenceTo({ powers }: Pick<Powers, 'powers'>): {
    readonly added: readonly Power[];
    readonly removed: readonly Power[];
  } {
    const { last } = this.#read();
    const lacks = (list: readonly Power[]) => (power: Power) =>
      !list.some(({ where, what }) => where === power.where && what === power.what);
    return { added: powers.filter(lacks(last)), removed: last.filter(lacks(powers)) };
  }

  add({ digests, powers }: Powers): void {
    const { trusted } = this.#read();
    const all = [...new Set([...trusted, ...digests])];
    const kept = { repository: this.#repository, trusted: all, last: powers };
    writeAtomically(this.#file, `${JSON.stringify(kept, null, 2)}\n`, { mode: 0o600 });
  }

  /** False where nothing was trusted. */
  forget(): boolean {
    const isKnown = this.#read().trusted.length > 0;
    if (isKnown)
      writeAtomically(this.#file, `${JSON.stringify({ ...nothing, repository: this.#repository })}\n`, { mode: 0o600 });
    return isKnown;
  }

  /** A file that cannot be read trusts nothing. */
  #read() {
    const content = orElse('', () => readText(this.#file) ?? '');
    const read = check(
      record,
      orElse(null, () => JSON.parse(content) as unknown),
      { unknownKeys: 'ignored' },
    );
    return 'mistakes' in read ? nothing : read.value;
  }
}

const nothing = { repository: '', trusted: [], last: [] };
