import type { FileView, FileWrite } from '../../workflow.ts';
import { indexPath, issuePath } from './ids.ts';
import type { Status } from './issue-file.ts';

export function filesOf(files: Readonly<Record<string, string>>): FileView {
  const names = Object.keys(files);
  return {
    read: (path) => files[path],
    exists: (path) => names.some((file) => file === path || file.startsWith(`${path}/`)),
    list: (folder) => names.filter((path) => path.startsWith(`${folder}/`)).toSorted(),
  };
}

export interface Setting {
  readonly status?: Status;
  readonly parent?: string;
  readonly dependsOn?: readonly string[];
  readonly body?: string;
  readonly labels?: readonly string[];
}

export function issueText(
  id: string,
  { status = 'Todo', parent, dependsOn = [], body = '', labels = [] }: Setting,
): string {
  const front = `id: ${id}\ntitle: Title of ${id}\nstatus: ${status}\nparent: ${parent ?? 'null'}\n`;
  const lists = `labels: [${labels.join(', ')}]\ndepends-on: [${dependsOn.join(', ')}]\n`;
  return `---\n${front}${lists}---\n\n# ${id}: Title of ${id}\n${body}`;
}

/** A TODO/ folder; rows of the index are as given. */
export function todoOf(issues: Readonly<Record<string, Setting>>, index = '# Issues\n'): Record<string, string> {
  const texts = Object.entries(issues).map(([id, setting]) => [issuePath(id), issueText(id, setting)]);
  return { [indexPath]: index, ...Object.fromEntries(texts) };
}

export function contents(writes: readonly FileWrite[]): Record<string, string | null> {
  return Object.fromEntries(writes.map(({ path, content }) => [path, content]));
}
