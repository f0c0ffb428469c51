/**
 * Names that belong to one owner for good, in a repository with all its worktrees.
 *
 * M1. Of several processes that claim a name at once exactly one gets it: its file appears by a link, with its content.
 * M2. A claim is durable when it is made, and the owner that makes it again has it still.
 */

import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { codeOf, orElse } from '../disk/disk-error.ts';
import type { Disk } from '../disk/disk.ts';
import { nodeDisk } from '../disk/node-disk.ts';
import { DurableFiles, syncFile } from '../disk/syncing.ts';
import { UnsafePath } from './safe-paths.ts';

export interface Claim {
  readonly commonDir: string;
  /** Whose names they are: another scope may have the same ones. */
  readonly scope: string;
  readonly name: string;
  readonly owner: string;
}

/** Beside the folder of the runs, each of which could have any name. */
const claimsFolder = 'pawl-claims';
const safeName = /^(?!\.)[\w.-]{1,100}$/;

/** Gives a name back that nothing was made of. */
export function releaseName({ commonDir, scope, name, owner }: Claim, disk: Disk = nodeDisk): void {
  const file = join(commonDir, claimsFolder, scope, name);
  if (orElse('', () => disk.readFile(file).toString()) === owner) disk.unlink(file);
}

/** Whether the name is the owner's now. */
export function claimName({ commonDir, scope, name, owner }: Claim, disk: Disk = nodeDisk): boolean {
  if (!safeName.test(scope) || !safeName.test(name)) throw new UnsafePath(`"${name}" cannot be claimed as a name`);
  const folder = join(commonDir, claimsFolder, scope);
  const file = join(folder, name);
  const draft = join(folder, `.${randomUUID()}`);
  disk.mkdir(folder);
  try {
    disk.writeFile(draft, owner, { flag: 'wx' });
    syncFile(disk, draft);
    disk.link(draft, file);
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error;
    if (disk.readFile(file).toString() !== owner) return false;
  } finally {
    orElse(undefined, () => disk.unlink(draft));
  }
  new DurableFiles(disk, commonDir).sync([join(claimsFolder, scope, name)]);
  return true;
}
