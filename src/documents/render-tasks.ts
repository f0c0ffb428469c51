import { readFences } from './fences.ts';
import { oneLine } from './review-text.ts';
import { taskLayers, type Layer, type TaskStatus } from './task-scan.ts';
import { yamlText } from './yaml.ts';

export interface NewTask {
  readonly id: string;
  readonly title: string;
  readonly layer: Layer | null;
  readonly action: 'CREATE' | 'MODIFY' | 'DELETE' | 'RENAME';
  readonly status?: TaskStatus;
  readonly file?: string | null;
  readonly specRef?: string | null;
  readonly dependsOn?: readonly string[];
  /** Markdown. Headings in it are kept below the task's own. */
  readonly text?: string;
}

export interface TasksInput {
  readonly changeId: string;
  readonly proposalRef: string;
  readonly version: number;
  readonly createdAt: string;
  readonly tasks: readonly NewTask[];
}

/** The summary counts actions and not statuses: those change one by one, and a count beside them would soon be wrong. */
export function renderTasks(input: TasksInput): string {
  const layers = [...taskLayers, null]
    .map((layer) => ({ layer, tasks: input.tasks.filter((task) => task.layer === layer) }))
    .filter(({ tasks }) => tasks.length > 0);
  const sections = layers.map(({ layer, tasks }) => `${layerHeading(layer)}\n\n${tasks.map(renderTask).join('\n')}`);
  return `${renderFront(input, layers)}\n# Tasks: ${oneLine(input.changeId)}\n\n${sections.join('\n')}`;
}

function renderFront(input: TasksInput, layers: readonly { layer: Layer | null; tasks: readonly NewTask[] }[]): string {
  const count = (action: string): number => input.tasks.filter((task) => task.action === action).length;
  const actions = ['CREATE', 'MODIFY', 'DELETE', 'RENAME'].filter((action) => count(action) > 0);
  return [
    '---',
    `id: ${yamlText(`${input.changeId}-tasks`)}`,
    `change_id: ${yamlText(input.changeId)}`,
    'type: tasks',
    `version: ${input.version}`,
    `proposal_ref: ${yamlText(input.proposalRef)}`,
    `created_at: ${yamlText(input.createdAt)}`,
    'summary:',
    `  total: ${input.tasks.length}`,
    ...actions.map((action) => `  ${action.toLowerCase()}: ${count(action)}`),
    layers.length === 0 ? 'layers: {}' : 'layers:',
    ...layers.map(({ layer, tasks }) => `  ${layer ?? 'other'}: ${tasks.length}`),
    '---',
    '',
  ].join('\n');
}

function layerHeading(layer: Layer | null): string {
  if (layer === null) return `## ${taskLayers.length + 1}. Other`;
  return `## ${taskLayers.indexOf(layer) + 1}. ${layer.charAt(0).toUpperCase()}${layer.slice(1)} Layer`;
}

function renderTask(task: NewTask): string {
  const text = sectionText(task.text ?? '', 4);
  return [
    `### Task ${oneLine(task.id)}: ${oneLine(task.title)}`,
    '',
    '```yaml',
    `id: ${JSON.stringify(task.id)}`,
    `action: ${task.action}`,
    `status: ${task.status ?? 'pending'}`,
    ...(task.file ? [`file: ${yamlText(task.file)}`] : []),
    ...(task.specRef ? [`spec_ref: ${JSON.stringify(task.specRef)}`] : []),
    `depends_on: [${(task.dependsOn ?? []).map((id) => JSON.stringify(id)).join(', ')}]`,
    '```',
    '',
    ...(text === '' ? [] : [text, '']),
  ].join('\n');
}

/** Text for inside a section: headings are pushed down to `level`, a fence left open is closed. */
export function sectionText(text: string, level: number): string {
  const lines = text.replaceAll('\r\n', '\n').trim().split('\n');
  const fences = readFences(lines);
  const open =
    fences.at(-1)?.end === lines.length ? (/[`~]{3,}/.exec(lines[fences.at(-1)?.start ?? 0] ?? '')?.[0] ?? '') : '';
  let fence = 0;
  for (const [at, line] of lines.entries()) {
    while ((fences[fence]?.end ?? Infinity) < at) fence++;
    if ((fences[fence]?.start ?? Infinity) <= at) continue;
    const [, marks, rest = ''] = /^ {0,3}(#{1,6})([ \t].*)?$/.exec(line) ?? [];
    if (marks !== undefined && marks.length < level) lines[at] = '#'.repeat(level) + rest;
  }
  if (open !== '') lines.push(open);
  return lines.join('\n');
}
