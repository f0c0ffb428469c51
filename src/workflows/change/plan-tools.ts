/** The planner's reports: clarifications, proposal, specs, tasks. A revision keeps everything that it does not replace. */

import { attempt, DocumentError } from '../../documents/document-error.ts';
import { findingText } from '../../documents/finding.ts';
import { splitFrontMatter } from '../../documents/front-matter.ts';
import { proposalBlocks } from '../../documents/proposal-blocks.ts';
import { carryReviews, proposalHeadings, renderProposal } from '../../documents/proposal.ts';
import { sectionText } from '../../documents/render-documents.ts';
import { bullets } from '../../documents/review-text.ts';
import { renderSpec } from '../../documents/spec.ts';
import { specMeant } from '../../documents/spec-names.ts';
import { renderTasks } from '../../documents/tasks.ts';
import { parseYaml } from '../../documents/yaml.ts';
import type { Infer } from '../../schema/schema.ts';
import { isRecord } from '../../schema/values.ts';
import type { DispatchContext, ToolAnswer, Write } from '../workflow.ts';
import { withWrites } from '../staged-files.ts';
import { defineTools } from '../tool-definition.ts';
import { affectedSpecName, proposalIn, tasksIn } from './read-documents.ts';
import { baseAnew } from './spec-base.ts';
import { clarificationsPath, proposalPath, specPath, tasksPath } from './change-paths.ts';
import { toolArguments } from './tool-arguments.ts';
import { validatePlan } from './validate.ts';

const byPlanner = { roles: ['planner', 'author'], report: { once: false } };

export const planTools = defineTools(toolArguments, {
  create_clarifications: {
    ...byPlanner,
    description: 'Writes clarifications.md: questions about the change and their answers. What is already there stays.',
    run({ questions = [], content }, context) {
      const path = clarificationsPath(context.run);
      const before = context.files.read(path)?.trimEnd() ?? '# Clarifications';
      const asked = questions.map(({ question, answer }) => `## ${question}\n\n${sectionText(answer, 3)}`);
      const parts = [before, ...(content === undefined ? [] : [content]), ...asked];
      return { text: `Written: ${path}.`, writes: [{ path, content: `${parts.join('\n\n')}\n` }] };
    },
  },
  create_proposal: {
    ...byPlanner,
    description: 'Writes proposal.md. Called again it replaces the proposal; the reviews behind it stay.',
    run(args, context) {
      const path = proposalPath(context.run);
      const before = context.files.read(path);
      const { scope, affected_files: affected = [], new_files: added = [] } = args.impact;
      const fresh = renderProposal({
        ...versionAfter(before, path, context),
        id: context.run,
        updatedAt: context.at,
        author: context.agent,
        status: 'proposed',
        iteration: proposalBlocks(before ?? '').reviews.length + 1,
        summary: args.summary,
        impact: { scope, affectedFiles: affected.length, newFiles: added.length },
        affectedSpecs: args.affected_specs.map(({ id, depends = [] }) => ({ id, path: `specs/${id}.md`, depends })),
        body: proposalBody(args, context.run),
        reviews: [],
      });
      return written(path, carryReviews(before ?? '', fresh), context);
    },
  },
  create_spec: {
    ...byPlanner,
    description:
      'Writes specs/<spec_id>.md: requirements and acceptance scenarios of one affected spec. No implementation code.',
    run(args, context) {
      const proposal = proposalIn(context);
      if (!proposal) return { error: 'There is no proposal yet, so no spec to write. Call create_proposal first.' };
      const { title, overview, requirements, removed = [], renamed = [] } = args;
      const known = proposal.affectedSpecs.map((spec) => spec.id);
      const expected = context.step === 'specify' && context.item ? [context.item.id] : known;
      const id = specMeant(args.spec_id, expected);
      if (id === undefined) {
        const quoted = expected.map((each) => `"${each}"`).join(', ');
        const choice = expected.length === 1 ? quoted : `one of ${quoted}`;
        return { error: `spec_id is "${args.spec_id}", nothing was written; expected ${choice}.` };
      }
      const affected = proposal.affectedSpecs.find((spec) => spec.id === id);
      const name = (affected && affectedSpecName(affected, context.run)) ?? id;
      const path = specPath(context.run, name);
      const { version } = versionAfter(context.files.read(path), path, context);
      const scenarios = args.scenarios.map(({ given = [], ...steps }) => ({ ...steps, given }));
      const extra = extraSections(args);
      const spec = { id, title, version, overview, requirements, scenarios, removed, renamed, extra };
      return written(path, renderSpec(spec), context, baseAnew(context, name));
    },
  },
  create_tasks: {
    ...byPlanner,
    description:
      'Writes tasks.md: all tasks of the change. Called again it replaces the list; unchanged tasks keep their status.',
    run({ tasks }, context) {
      const path = tasksPath(context.run);
      const { version, createdAt } = versionAfter(context.files.read(path), path, context);
      const known = tasksIn(context)?.tasks ?? [];
      const content = renderTasks({
        changeId: context.run,
        proposalRef: 'proposal.md',
        version: Number(version),
        createdAt,
        tasks: tasks.map(({ spec_ref: specRef, depends_on: dependsOn = [], ...task }) => {
          const fresh = { ...task, specRef, dependsOn };
          const status = known.find((old) => sameTask.every((key) => old[key] === fresh[key]))?.status ?? 'pending';
          return { ...fresh, status };
        }),
      });
      return written(path, content, context);
    },
  },
});

function proposalBody(args: Infer<typeof toolArguments.create_proposal.schema>, id: string): string {
  const { body, why = '', what_changes: changes = [] } = args;
  if (body !== undefined) return proposalHeadings(body).changeId === null ? `# Change: ${id}\n\n${body}` : body;
  const { scope, affected_files: affected = [], new_files: added = [], text } = args.impact;
  const specs = args.affected_specs.map((spec) => spec.id);
  const impact = Object.entries({ Specs: specs, 'Affected files': affected, 'New files': added }).flatMap(
    ([name, words]) => (words.length === 0 ? [] : [`- ${name}: ${words.map((word) => `\`${word}\``).join(', ')}`]),
  );
  return [
    `# Change: ${id}`,
    `## Summary\n\n${sectionText(args.summary, 3)}`,
    `## Why\n\n${sectionText(why, 3)}`,
    `## What Changes\n\n${sectionText(bullets(changes), 3)}`,
    `## Impact\n\n${[`- Scope: ${scope}`, ...impact].join('\n')}`,
    ...(text === undefined ? [] : [sectionText(text, 3)]),
  ].join('\n\n');
}

function extraSections(args: Infer<typeof toolArguments.create_spec.schema>): string {
  const diagram = args.flow?.replace(/^```(?:mermaid)?[ \t]*\n/, '').replace(/\n```\s*$/, '');
  const flow = diagram && `\`\`\`mermaid\n${diagram}\n\`\`\``;
  const [model, interfaces] = [args.data_model, args.interfaces].map((text) => text && sectionText(text, 3));
  return Object.entries({ Flow: flow, 'Data Model': model, Interfaces: interfaces })
    .flatMap(([name, text]) => (text === undefined ? [] : [`## ${name}\n\n${text}`]))
    .join('\n\n');
}

/** What makes a task of a revised list the one it was. */
const sameTask = ['id', 'title', 'action', 'file', 'specRef'] as const;

/** Findings of the format check are reported at once, while the author can still fix them; specs to come are not missed yet. */
function written(
  path: string,
  content: string,
  { files, run }: DispatchContext,
  more: readonly Write[] = [],
): ToolAnswer {
  const writes = [{ path, content }, ...more];
  const { findings } = validatePlan(withWrites(files, writes), run);
  const own = findings.filter((finding) => finding.path === path && finding.code !== 'missing-spec');
  const advice = own.length === 0 ? [] : ['Fix these findings of the format check and call again:'];
  const lines = [`Written: ${path}.`, ...advice, ...own.map((finding) => `- ${findingText(finding)}`)];
  return { text: lines.join('\n'), writes };
}

/** A document without a version is the first. Front matter that cannot be read has nothing worth keeping. */
function versionAfter(before: string | undefined, file: string, { at }: DispatchContext) {
  const { front, frontLine } = splitFrontMatter(before ?? '');
  const fields = attempt(() => parseYaml(front ?? '', { file, line: frontLine }, { numbersAsText: true }));
  const { version, created_at: createdAt } = isRecord(fields) && !(fields instanceof DocumentError) ? fields : {};
  const [, major] = typeof version === 'string' ? (/^(\d{1,9})(?:\.|$)/.exec(version) ?? []) : [];
  return {
    version: major === undefined ? '1' : String(Number(major) + 1),
    createdAt: typeof createdAt === 'string' ? createdAt : at,
  };
}
