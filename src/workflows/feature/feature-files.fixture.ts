/** The files of a feature, in memory. */

import type { FileView } from '../workflow.ts';
import { folderOf } from './phases.ts';

export const run = '001-short-slugs';

/** Paths are those inside of the feature's folder. */
export function featureFiles(files: Readonly<Record<string, string>>): FileView {
  const inside = Object.entries(files).map(([name, text]) => [`${folderOf(run)}/${name}`, text] as const);
  return fileView(Object.fromEntries(inside));
}

export function fileView(files: Readonly<Record<string, string>>): FileView {
  const paths = Object.keys(files).toSorted();
  return {
    read: (path) => files[path],
    exists: (path) => paths.some((each) => each === path || each.startsWith(`${path}/`)),
    list: (folder) => paths.filter((path) => path.startsWith(`${folder}/`)),
  };
}
