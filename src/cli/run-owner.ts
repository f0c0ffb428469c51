/** Whether a process is at work on a run just now. */

import { readdirSync, statSync } from 'node:fs';
import { currentOwner, type LeaseOptions, type Owner } from '../journal/lease.ts';
import { isMissing } from '../workspace/entry.ts';

const LEASE = /^lease\.\d+$/;
/** What a released lease holds: an empty object. */
const releasedBytes = 2;

/** A folder without a held lease, as nearly all of them are, costs a listing and a look at one file's size. */
export function liveOwner(folder: string, options: Pick<LeaseOptions, 'livenessOf' | 'now'>): Owner | null {
  try {
    for (const name of readdirSync(folder)) {
      if (!LEASE.test(name) || statSync(`${folder}/${name}`).size <= releasedBytes) continue;
      return currentOwner(folder, options) ?? null;
    }
    return null;
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
}
