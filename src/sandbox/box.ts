/** The boundaries of one program: what it may read and write, and which hosts it may reach. */

import type { SandboxLevel } from './level.ts';

export interface Box {
  /** Not `none`: such a program is started without a box. */
  readonly level: Exclude<SandboxLevel, 'none'>;
  readonly workspace: string;
  readonly access: 'read' | 'write';
  /** Never writable, whatever the access to the workspace is. */
  readonly readOnly: readonly string[];
  /** Empty inside the box: Pawl's own folder. */
  readonly hidden: readonly string[];
  /** Beyond the workspace; paths that do not exist are left out. */
  readonly read: readonly string[];
  readonly write: readonly string[];
  /** Files that are others inside of the box. */
  readonly copies?: readonly { readonly path: string; readonly source: string }[];
  /** Reached at the level `files+network`: see allow-list.ts. */
  readonly allow: readonly string[];
}

export type MountKind = 'hide' | 'read' | 'write';

/** What one path of the computer is inside of a box; paths below it may be something else. */
export interface Mount {
  readonly path: string;
  readonly kind: MountKind;
  /** Where its files are, when not at the same path. */
  readonly source?: string;
}

const strength: Readonly<Record<MountKind, number>> = { hide: 0, read: 1, write: 2 };

/**
 * The mounts in the order in which they are made, the outer before the inner, on top of a computer that is read-only.
 * Of two on the same path the one that gives more counts; one that changes nothing is left out.
 */
export function mountPlan(mounts: readonly Mount[]): readonly Mount[] {
  const byPath = new Map<string, Mount>();
  for (const mount of mounts) {
    const known = byPath.get(mount.path);
    if (!known || strength[mount.kind] > strength[known.kind]) byPath.set(mount.path, mount);
  }
  const kept: Mount[] = [];
  for (const mount of [...byPath.values()].toSorted((a, b) => depthOf(a.path) - depthOf(b.path))) {
    const outer = kept.findLast(({ path }) => isInside(path, mount.path))?.kind ?? 'read';
    const isMoved = mount.source !== undefined && mount.source !== mount.path;
    if (isMoved || outer !== mount.kind) kept.push(mount);
  }
  return kept;
}

/** Whether a path is the folder or below it. */
export function isInside(folder: string, path: string): boolean {
  return path === folder || path.startsWith(folder.endsWith('/') ? folder : `${folder}/`);
}

function depthOf(path: string): number {
  return path.split('/').filter((part) => part !== '').length;
}
