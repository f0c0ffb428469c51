import { oneLine } from '../../documents/review-text.ts';
import type { Merged } from './merge-specs.ts';

export interface ChangelogInput {
  readonly changeId: string;
  readonly at: string;
  readonly summary: string;
  readonly specs: readonly { readonly id: string; readonly result: Merged }[];
}

export function changelogEntry({ changeId, at, summary, specs }: ChangelogInput): string {
  const lines = specs.map(({ id, result }) => `- \`${id}\`: ${describe(result)}`);
  return (
    [`## ${changeId} (${at})`, '', ...(summary.trim() === '' ? [] : [oneLine(summary), '']), ...lines]
      .join('\n')
      .trimEnd() + '\n'
  );
}

/** Newest first. An entry that is already there is not added again, so a repeated archive does no harm. */
export function appendChangelog(text: string | undefined, entry: string): string {
  const before = (text ?? '').trim() === '' ? '# Changelog\n' : (text ?? '');
  const [heading = ''] = entry.split('\n', 1);
  const lines = before.split('\n');
  if (lines.some((line) => line.trimEnd() === heading)) return before;
  const first = lines.findIndex((line) => line.startsWith('## '));
  const head = (first === -1 ? before : lines.slice(0, first).join('\n')).trimEnd();
  const rest = first === -1 ? '' : `\n${lines.slice(first).join('\n')}`;
  const title = /^# /m.test(head) ? head : `# Changelog${head === '' ? '' : `\n\n${head}`}`;
  return `${title}\n\n${entry.trimEnd()}\n${rest}`;
}

function describe({ kind, added, modified, removed, renamed }: Merged): string {
  if (kind === 'copied') return added.length === 0 ? 'new' : `new (${added.join(', ')})`;
  const parts = [
    ...(added.length > 0 ? [`added ${added.join(', ')}`] : []),
    ...(modified.length > 0 ? [`modified ${modified.join(', ')}`] : []),
    ...(removed.length > 0 ? [`removed ${removed.join(', ')}`] : []),
    ...(renamed.length > 0 ? [`renamed ${renamed.map(({ from, to }) => `${from} → ${to}`).join(', ')}`] : []),
  ];
  return parts.length === 0 ? 'requirements unchanged' : parts.join('; ');
}
