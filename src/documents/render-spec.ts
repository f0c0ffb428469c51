import { sectionText } from './render-tasks.ts';
import { oneLine } from './review-text.ts';
import { yamlList, yamlText } from './yaml.ts';

export interface SpecInput {
  readonly id: string;
  readonly title: string;
  readonly version?: number | string;
  readonly overview: string;
  readonly requirements: readonly { readonly id: string; readonly title: string; readonly text: string }[];
  readonly scenarios: readonly {
    readonly name: string;
    readonly given?: readonly string[];
    readonly when: readonly string[];
    readonly then: readonly string[];
  }[];
  /** Further `##` sections as Markdown: flow, data model, interfaces. */
  readonly extra?: string;
  readonly removed?: readonly string[];
  readonly renamed?: readonly { readonly from: string; readonly to: string; readonly title?: string | null }[];
}

export function renderSpec(input: SpecInput): string {
  const sections = [
    `# ${oneLine(input.title)}`,
    section('## Overview', sectionText(input.overview, 3)),
    section('## Requirements', ...input.requirements.map(renderRequirement)),
    section('## Acceptance Criteria', ...input.scenarios.map(renderScenario)),
    ...(input.removed?.length
      ? [section('## Removed Requirements', input.removed.map((id) => `- ${id}`).join('\n'))]
      : []),
    ...(input.renamed?.length
      ? [section('## Renamed Requirements', input.renamed.map(renderRenaming).join('\n'))]
      : []),
    ...(input.extra?.trim() ? [sectionText(input.extra, 2)] : []),
  ];
  return `${renderFront(input)}\n${sections.join('\n\n')}\n`;
}

/** The front matter's `requirements`, as it stands after the colon. */
export function requirementCounts(ids: readonly string[]): string {
  return `\n  total: ${ids.length}\n  ids: ${yamlList(ids)}`;
}

/** A version with a point is quoted, so that nobody reads 1.10 as 1.1. */
export function versionText(version: string | number): string {
  return /^\d+$/.test(String(version)) ? String(version) : JSON.stringify(String(version));
}

function renderFront({ id, title, version, requirements }: SpecInput): string {
  return [
    '---',
    `id: ${yamlText(id)}`,
    'type: spec',
    `title: ${yamlText(oneLine(title))}`,
    `version: ${versionText(version ?? 1)}`,
    `requirements:${requirementCounts(requirements.map((requirement) => requirement.id))}`,
    '---',
    '',
  ].join('\n');
}

function section(...parts: readonly string[]): string {
  return parts.filter((part) => part !== '').join('\n\n');
}

function renderRequirement({ id, title, text }: SpecInput['requirements'][number]): string {
  return section(`### ${id}: ${oneLine(title)}`, sectionText(text, 4));
}

function renderScenario({ name, given = [], when, then }: SpecInput['scenarios'][number]): string {
  const steps = [
    ...given.map((step) => `- **GIVEN** ${oneLine(step)}`),
    ...when.map((step) => `- **WHEN** ${oneLine(step)}`),
    ...then.map((step) => `- **THEN** ${oneLine(step)}`),
  ];
  return section(`### Scenario: ${oneLine(name)}`, steps.join('\n'));
}

function renderRenaming({
  from,
  to,
  title,
}: {
  readonly from: string;
  readonly to: string;
  readonly title?: string | null;
}): string {
  return title ? `- ${from} -> ${to}: ${oneLine(title)}` : `- ${from} -> ${to}`;
}
