import { join, resolve } from 'node:path';
import { isRecord } from '../schema/values.ts';
import type { Repository } from '../workspace/git.ts';
import { quickText } from './quick-reading.ts';

/** The workspace a run was created for; null when its journal cannot tell. */
export function workspaceOf(folder: string, { commonDir }: Pick<Repository, 'commonDir'>): string | null {
  const text = quickText(join(folder, 'journal.jsonl'))?.text ?? '';
  const created = parseJson(Buffer.from(text.slice(0, text.indexOf('\n')), 'latin1').toString('utf8'));
  const workspace = isRecord(created) ? created['workspace'] : undefined;
  return typeof workspace === 'string' ? resolve(commonDir, workspace) : null;
}

/** What is damaged here is named when the journal is read. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
