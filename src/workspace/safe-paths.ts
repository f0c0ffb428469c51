/** Paths that come from agents, documents or the journal, made into places inside a root folder. */

import { join, sep } from 'node:path';
import { orElse } from '../disk/disk-error.ts';
import type { Disk } from '../disk/disk.ts';
import { nodeDisk } from '../disk/node-disk.ts';

/** The path would leave its root or is no path at all: stop, nothing was touched. */
export class UnsafePath extends Error {
  readonly code = 'UnsafePath';
  readonly fix = 'use a relative path of a file in the folder, not through a symlink that leads outside';
}

/**
 * The absolute place of `relative` below `root`. Its parents may not lead outside through a symlink;
 * a last component that is a symlink is allowed, because writing replaces the link itself.
 */
export function resolveInside(root: string, relative: string, disk: Disk = nodeDisk): string {
  const segments = relative.split('/');
  const reason = problemOf(segments);
  if (reason !== undefined) {
    throw new UnsafePath(`unsafe path ${JSON.stringify(relative)}: it ${reason}; it must stay inside ${root}`);
  }
  let folder = root;
  for (const segment of segments.slice(0, -1)) {
    folder = join(folder, segment);
    const entry = disk.entry(folder);
    if (!entry) break;
    if (entry.kind === 'symlink' && !leadsInside(root, folder, disk)) {
      throw new UnsafePath(
        `unsafe path ${JSON.stringify(relative)}: ${folder} is a symlink that leads outside ${root}`,
      );
    }
  }
  return join(root, relative);
}

/** What on the way to a file that is to be written is no folder inside of `root`; null where nothing is. */
export function barredBy(
  root: string,
  relative: string,
  disk: Disk = nodeDisk,
): { readonly path: string; readonly why: string } | null {
  const segments = relative.split('/').slice(0, -1);
  const folders = segments.map((_, index) => segments.slice(0, index + 1).join('/'));
  for (const path of folders) {
    const kind = disk.entry(join(root, path))?.kind;
    if (kind === undefined) return null;
    if (kind === 'symlink' && !leadsInside(root, join(root, path), disk))
      return { path, why: `${path} is a symlink that leads outside the repository` };
    if (kind !== 'symlink' && kind !== 'folder') return { path, why: `${path} is not a folder` };
  }
  return null;
}

function problemOf(segments: readonly string[]): string | undefined {
  if (segments.length === 1 && segments[0] === '') return 'is empty';
  if (segments[0] === '') return 'is absolute';
  if (segments.includes('..')) return 'contains ".."';
  if (segments.includes('') || segments.includes('.')) return 'contains an empty or "." segment';
  // eslint-disable-next-line no-control-regex -- finding control characters is the point
  if (segments.some((segment) => /[\u0000-\u001f\u007f]/.test(segment))) return 'contains a control character';
  return undefined;
}

/** Whether a link is at the place, with something behind it that is not below `root`. */
export function leadsOut(root: string, place: string, disk: Disk = nodeDisk): boolean {
  const isLink = disk.entry(place)?.kind === 'symlink';
  return isLink && disk.target(place) !== undefined && !leadsInside(root, place, disk);
}

function leadsInside(root: string, link: string, disk: Disk): boolean {
  // A dangling link could be given any target later.
  return orElse(false, () => `${disk.realpath(link)}${sep}`.startsWith(`${disk.realpath(root)}${sep}`));
}
