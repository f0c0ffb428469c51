import { findWord, isRecord } from '../../schema/values.ts';
import { parseSimpleYaml } from '../../documents/simple-yaml.ts';
import { scanTasks, taskStatuses, type ScannedTask } from '../../documents/task-scan.ts';

export interface TaskCount {
  readonly open: number;
  readonly total: number;
}

/** How many tasks are not completed; null when that takes a real YAML parser to tell. */
export function countTasks(text: string): TaskCount | null {
  const { tasks, lines } = scanTasks(text.replaceAll('\r\n', '\n'));
  let open = 0;
  for (const task of tasks) {
    const completed = isCompleted(task, lines);
    if (completed === null) return null;
    if (!completed) open += 1;
  }
  return { open, total: tasks.length };
}

/** As when the list is read in full: a ticked box counts whatever else is said. */
function isCompleted({ block, details, mark }: ScannedTask, lines: readonly string[]): boolean | null {
  if (mark === 'x' || mark === 'X') return true;
  if (!block) return findWord(details.find(({ key }) => key === 'status')?.value, taskStatuses) === 'completed';
  const value = parseSimpleYaml(lines.slice(block.start + 1, block.end).join('\n'));
  return isRecord(value) ? findWord(value['status'], taskStatuses) === 'completed' : null;
}
