/** A unified diff in short: a line for each file. */

const changedFilesMax = 50;

export function changesIn(diff: string): string {
  const files = new Map<string, { added: number; removed: number }>();
  let file = '';
  let isContent = false;
  for (const line of diff.split('\n')) {
    const [, path] = /^diff --git a\/.* b\/(.*)$/.exec(line) ?? [];
    if (path !== undefined) {
      file = path;
      files.set(file, { added: 0, removed: 0 });
      isContent = false;
    } else if (line.startsWith('@@')) isContent = true;
    else if (isContent && line.startsWith('+')) count(files.get(file), 'added');
    else if (isContent && line.startsWith('-')) count(files.get(file), 'removed');
  }
  const lines = [...files].map(([path, { added, removed }]) => `- ${path} (+${added} −${removed})`);
  const more = lines.length - changedFilesMax;
  if (lines.length === 0) return '- nothing';
  return [...lines.slice(0, changedFilesMax), ...(more > 0 ? [`- and ${more} more files`] : [])].join('\n');
}

function count(file: { added: number; removed: number } | undefined, what: 'added' | 'removed'): void {
  if (file) file[what] += 1;
}
