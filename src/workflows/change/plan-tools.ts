/** What the planner reports with: clarifications, proposal, specs, tasks. A revision keeps what it does not replace. */

import { attempt, DocumentError } from '../../documents/document-error.ts';
import { findingText } from '../../documents/finding.ts';
import { splitFrontMatter } from '../../documents/front-matter.ts';
import { proposalBlocks } from '../../documents/proposal-blocks.ts';
import { carryReviews, proposalHeadings, renderProposal } from '../../documents/proposal.ts';
import { sectionText } from '../../documents/render-documents.ts';
import { bullets } from '../../documents/review-text.ts';
import { renderSpec } from '../../documents/spec.ts';
import { renderTasks, type Task } from '../../documents/tasks.ts';
import { parseYaml } from '../../documents/yaml.ts';
import type { Infer } from '../../schema/schema.ts';
import { isRecord } from '../../schema/values.ts';
import type { DispatchContext, ToolAnswer, Write } from '../workflow.ts';
import { withWrites } from '../staged-files.ts';
import { defineTool } from '../tool-definition.ts';
import { proposalIn, tasksIn } from './read-documents.ts';
import { clarificationsPath, proposalPath, specPath, tasksPath } from './paths.ts';
import { toolArguments } from './tool-arguments.ts';
import { validatePlan } from './validate.ts';

export const createClarifications = defineTool(toolArguments.create_clarifications, {
  description: 'Writes clarifications.md: questions about the change and their answers. What is already there stays.',
  roles: ['planner'],
  report: { once: false },
  run({ questions = [], content }, context) {
    const path = clarificationsPath(context.run);
    const before = context.files.read(path)?.trimEnd() ?? '# Clarifications';
    const asked = questions.map(({ question, answer }) => `## ${question}\n\n${sectionText(answer, 3)}`);
    const parts = [before, ...(content === undefined ? [] : [content]), ...asked];
    return { text: `Written: ${path}.`, writes: [{ path, content: `${parts.join('\n\n')}\n` }] };
  },
});

type ProposalArguments = Infer<typeof toolArguments.create_proposal.schema>;

export const createProposal = defineTool(toolArguments.create_proposal, {
  description: 'Writes proposal.md. Called again it replaces the proposal; the reviews behind it stay.',
  roles: ['planner'],
  report: { once: false },
  run(args, context) {
    const path = proposalPath(context.run);
    const before = context.files.read(path);
    const front = frontOf(before, path);
    const reviews = before === undefined ? 0 : proposalBlocks(before).reviews.length;
    const fresh = renderProposal({
      id: context.run,
      version: raised(front['version']),
      createdAt: typeof front['created_at'] === 'string' ? front['created_at'] : context.at,
      updatedAt: context.at,
      author: context.agent,
      status: 'proposed',
      iteration: reviews + 1,
      summary: args.summary,
      impact: {
        scope: args.impact.scope,
        affectedFiles: args.impact.affected_files?.length ?? 0,
        newFiles: args.impact.new_files?.length ?? 0,
      },
      affectedSpecs: args.affected_specs.map(({ id, depends = [] }) => ({ id, path: `specs/${id}.md`, depends })),
      body: proposalBody(args, context.run),
      reviews: [],
    });
    return written({ path, content: before === undefined ? fresh : carryReviews(before, fresh) }, context);
  },
});

function proposalBody(args: ProposalArguments, id: string): string {
  if (args.body !== undefined) {
    return proposalHeadings(args.body).changeId === null ? `# Change: ${id}\n\n${args.body}` : args.body;
  }
  const { scope, affected_files: affected = [], new_files: added = [], text } = args.impact;
  const files = (name: string, paths: readonly string[]) =>
    paths.length === 0 ? [] : [`- ${name}: ${paths.map((path) => `\`${path}\``).join(', ')}`];
  const facts = [
    `- Scope: ${scope}`,
    `- Specs: ${args.affected_specs.map((spec) => `\`${spec.id}\``).join(', ')}`,
    ...files('Affected files', affected),
    ...files('New files', added),
  ];
  return [
    `# Change: ${id}`,
    `## Summary\n\n${sectionText(args.summary, 3)}`,
    `## Why\n\n${sectionText(args.why ?? '', 3)}`,
    `## What Changes\n\n${sectionText(bullets(args.what_changes ?? []), 3)}`,
    `## Impact\n\n${facts.join('\n')}`,
    ...(text === undefined ? [] : [sectionText(text, 3)]),
  ].join('\n\n');
}

type SpecArguments = Infer<typeof toolArguments.create_spec.schema>;

export const createSpec = defineTool(toolArguments.create_spec, {
  description:
    'Writes specs/<spec_id>.md: requirements and acceptance scenarios of one affected spec. No implementation code.',
  roles: ['planner'],
  report: { once: false },
  run(args, context) {
    const proposal = proposalIn(context);
    if (!proposal) return { error: 'There is no proposal yet, so no spec to write. Call create_proposal first.' };
    const known = proposal.affectedSpecs.map(({ id }) => id);
    const wanted = context.step === 'specify' && context.item ? [context.item.id] : known;
    if (!wanted.includes(args.spec_id)) {
      return { error: `spec_id is "${args.spec_id}", nothing was written; expected ${orList(wanted)}.` };
    }
    const path = specPath(context.run, args.spec_id);
    const content = renderSpec({
      id: args.spec_id,
      title: args.title,
      version: raised(frontOf(context.files.read(path), path)['version']),
      overview: args.overview,
      requirements: args.requirements,
      scenarios: args.scenarios.map(({ given = [], ...steps }) => ({ ...steps, given })),
      removed: args.removed ?? [],
      renamed: args.renamed ?? [],
      extra: extraSections(args),
    });
    return written({ path, content }, context);
  },
});

function extraSections({ flow, data_model: dataModel, interfaces }: SpecArguments): string {
  const diagram = flow?.replace(/^```(?:mermaid)?[ \t]*\n/, '').replace(/\n```\s*$/, '');
  return [
    ...(diagram === undefined ? [] : [`## Flow\n\n\`\`\`mermaid\n${diagram}\n\`\`\``]),
    ...(dataModel === undefined ? [] : [`## Data Model\n\n${sectionText(dataModel, 3)}`]),
    ...(interfaces === undefined ? [] : [`## Interfaces\n\n${sectionText(interfaces, 3)}`]),
  ].join('\n\n');
}

export const createTasks = defineTool(toolArguments.create_tasks, {
  description:
    'Writes tasks.md: all tasks of the change. Called again it replaces the list; unchanged tasks keep their status.',
  roles: ['planner'],
  report: { once: false },
  run({ tasks }, context) {
    const path = tasksPath(context.run);
    const front = frontOf(context.files.read(path), path);
    const known = tasksIn(context)?.tasks ?? [];
    const content = renderTasks({
      changeId: context.run,
      proposalRef: 'proposal.md',
      version: Number(raised(front['version'])),
      createdAt: typeof front['created_at'] === 'string' ? front['created_at'] : context.at,
      tasks: tasks.map(({ spec_ref: specRef, depends_on: dependsOn = [], ...task }) => {
        const status = known.find((old) => isSameTask(old, { ...task, specRef }))?.status ?? 'pending';
        return { ...task, specRef, dependsOn, status };
      }),
    });
    return written({ path, content }, context);
  },
});

function isSameTask(old: Task, task: Pick<Task, 'id' | 'title' | 'action' | 'file' | 'specRef'>): boolean {
  const keys = ['id', 'title', 'action', 'file', 'specRef'] as const;
  return keys.every((key) => old[key] === task[key]);
}

/** What the format check would say is told at once, while the author can still mend it; specs to come are not missed yet. */
function written(write: Extract<Write, { content: unknown }>, { files, run }: DispatchContext): ToolAnswer {
  const { findings } = validatePlan(withWrites(files, [write]), run);
  const own = findings.filter(({ path, code }) => path === write.path && code !== 'missing-spec');
  const advice = own.length === 0 ? [] : ['The format check finds; mend it and call again:'];
  const lines = own.map((finding) => `- ${findingText(finding)}`);
  return { text: [`Written: ${write.path}.`, ...advice, ...lines].join('\n'), writes: [write] };
}

/** Front matter that cannot be read has nothing worth keeping: the revision replaces it. */
function frontOf(text: string | undefined, file: string): Record<string, unknown> {
  const { front, frontLine } = splitFrontMatter(text ?? '');
  const fields = attempt(() => parseYaml(front ?? '', { file, line: frontLine }, { numbersAsText: true }));
  return isRecord(fields) && !(fields instanceof DocumentError) ? fields : {};
}

/** The version after this one; a document without a version is the first. */
function raised(version: unknown): string {
  const [, major] = typeof version === 'string' ? (/^(\d{1,9})(?:\.|$)/.exec(version) ?? []) : [];
  return major === undefined ? '1' : String(Number(major) + 1);
}

function orList(ids: readonly string[]): string {
  const quoted = ids.map((id) => `"${id}"`);
  return quoted.length === 1 ? `${quoted[0]}` : `one of ${quoted.join(', ')}`;
}
