/** Writes tasks.md and specs from what the planner's tools are given. */

import { setFrontFields } from './front-matter.ts';
import { readFences } from './markdown.ts';
import { oneLine, tidy } from './review-text.ts';
import type { Renaming, Requirement, Scenario } from './spec.ts';
import { taskActions, taskLayers, type Layer } from './task-scan.ts';
import type { Task } from './tasks.ts';
import { yamlList, yamlText } from './yaml.ts';

/** The text is Markdown; headings in it are kept below the task's own. */
export type NewTask = Pick<Task, 'id' | 'title' | 'layer' | 'action'> &
  Partial<Pick<Task, 'status' | 'file' | 'specRef' | 'dependsOn' | 'text'>>;

interface TasksInput {
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
  const counts = taskActions.flatMap((action) => {
    const count = input.tasks.filter((task) => task.action === action).length;
    return count === 0 ? [] : [`\n  ${action.toLowerCase()}: ${count}`];
  });
  const inLayers = layers.map(({ layer, tasks }) => `\n  ${layer ?? 'other'}: ${tasks.length}`);
  const sections = layers.map(({ layer, tasks }) => `${layerHeading(layer)}\n\n${tasks.map(renderTask).join('\n')}`);
  return setFrontFields(`# Tasks: ${oneLine(input.changeId)}\n\n${sections.join('\n')}`, {
    id: yamlText(`${input.changeId}-tasks`),
    change_id: yamlText(input.changeId),
    type: 'tasks',
    version: String(input.version),
    proposal_ref: yamlText(input.proposalRef),
    created_at: yamlText(input.createdAt),
    summary: `\n  total: ${input.tasks.length}${counts.join('')}`,
    layers: inLayers.join('') || '{}',
  });
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
  const lines = tidy(text).split('\n');
  const fences = readFences(lines);
  const last = fences.at(-1);
  const open = last?.end === lines.length ? /[`~]{3,}/.exec(lines[last.start] ?? '')?.[0] : undefined;
  let fence = 0;
  for (const [at, line] of lines.entries()) {
    while ((fences[fence]?.end ?? Infinity) < at) fence++;
    if ((fences[fence]?.start ?? Infinity) <= at) continue;
    const [, marks, rest = ''] = /^\uFEFF? {0,3}(#{1,6})([ \t].*)?$/.exec(line) ?? [];
    if (marks !== undefined && marks.length < level) lines[at] = '#'.repeat(level) + rest;
  }
  if (open !== undefined) lines.push(open);
  return lines.join('\n');
}

export interface SpecInput {
  readonly id: string;
  readonly title: string;
  readonly version?: number | string;
  readonly overview: string;
  readonly requirements: readonly Pick<Requirement, 'id' | 'title' | 'text'>[];
  readonly scenarios: readonly (Pick<Scenario, 'name' | 'when' | 'then'> & Partial<Pick<Scenario, 'given'>>)[];
  /** Further `##` sections as Markdown: flow, data model, interfaces. */
  readonly extra?: string;
  readonly removed?: readonly string[];
  readonly renamed?: readonly (Omit<Renaming, 'title'> & Partial<Pick<Renaming, 'title'>>)[];
}

export function renderSpec(input: SpecInput): string {
  const requirements = input.requirements.map(({ id, title, text }) =>
    section(`### ${id}: ${oneLine(title)}`, sectionText(text, 4)),
  );
  const renamed = (input.renamed ?? []).map(
    ({ from, to, title }) => `${from} -> ${to}${title ? `: ${oneLine(title)}` : ''}`,
  );
  const sections = [
    `# ${oneLine(input.title)}`,
    section('## Overview', sectionText(input.overview, 3)),
    section('## Requirements', ...requirements),
    section('## Acceptance Criteria', ...input.scenarios.map(renderScenario)),
    listed('## Removed Requirements', input.removed ?? []),
    listed('## Renamed Requirements', renamed),
    sectionText(input.extra ?? '', 2),
  ];
  return setFrontFields(`${section(...sections)}\n`, {
    id: yamlText(input.id),
    type: 'spec',
    title: yamlText(oneLine(input.title)),
    version: versionText(input.version ?? 1),
    requirements: requirementCounts(input.requirements.map(({ id }) => id)),
  });
}

/** The front matter's `requirements`, as it stands after the colon. */
export function requirementCounts(ids: readonly string[]): string {
  return `\n  total: ${ids.length}\n  ids: ${yamlList(ids)}`;
}

/** A version with a point is quoted, so that nobody reads 1.10 as 1.1. */
export function versionText(version: string | number): string {
  return /^\d+$/.test(String(version)) ? String(version) : JSON.stringify(String(version));
}

function section(...parts: readonly string[]): string {
  return parts.filter((part) => part !== '').join('\n\n');
}

function listed(heading: string, items: readonly string[]): string {
  return items.length === 0 ? '' : section(heading, items.map((item) => `- ${item}`).join('\n'));
}

function renderScenario({ name, given = [], when, then }: SpecInput['scenarios'][number]): string {
  const steps = Object.entries({ GIVEN: given, WHEN: when, THEN: then }).flatMap(([word, texts]) =>
    texts.map((text) => `- **${word}** ${oneLine(text)}`),
  );
  return section(`### Scenario: ${oneLine(name)}`, steps.join('\n'));
}
