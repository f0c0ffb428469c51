/** Changes that are archived and whose work nobody has brought home. */

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { id, Prepared } from '../change/prepared.ts';
import { config, implemented, planned, type ChangeRepository } from '../change/scripts.ts';

const turns = [...planned, ...implemented];
const files = { '.gitignore': '.env\nnode_modules/\n' };
const settings = `${config}\n[worktree]\ncopy = [".env", "local.txt"]\n`;

export function archived(...flags: readonly string[]): Promise<Prepared> {
  const commands = [
    ['plan', id, 'Greet people by name', ...flags],
    ['impl', id],
    ['archive', id],
  ];
  return Prepared.make({ turns, files, settings, commands });
}

export const worktreeOf = ({ repository }: ChangeRepository): string => join(repository.folder, `repo-change-${id}`);

/** Of a run in a worktree: the copy has its own, not that of the original. */
export function copyWithWorktree(original: Prepared): ChangeRepository {
  const change = copyWithIdentity(original);
  const linked = join(change.repository.root, `.git/worktrees/repo-change-${id}`);
  writeFileSync(join(worktreeOf(change), '.git'), `gitdir: ${linked}\n`);
  writeFileSync(join(linked, 'gitdir'), `${join(worktreeOf(change), '.git')}\n`);
  return change;
}

export function copyWithIdentity(original: Prepared): ChangeRepository {
  const change = original.copy();
  change.repository.git('config', 'user.name', 'Ada');
  change.repository.git('config', 'user.email', 'ada@example.org');
  return change;
}
