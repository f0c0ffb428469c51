/**
 * The arguments of every tool, as a schema and an example of a good call.
 *
 * Each schema's error message is the expectation in words; `readArguments` makes the sentence around it.
 * Lenient in form (any case, one text for a list of one, null for absent), strict in substance:
 * an unknown key or a malformed item refuses the whole call.
 */

import * as z from 'zod';
import { CODE_VERDICTS } from '../../documents/code-review.ts';
import { findWord } from '../../documents/fields.ts';
import { SCOPES } from '../../documents/proposal.ts';
import { SEVERITIES } from '../../documents/review-text.ts';
import { PLAN_STATUSES } from '../../documents/review.ts';
import { taskActions, taskLayers } from '../../documents/tasks.ts';
import { list, map, maybe, needed, once, refuseTwins, text, texts, word } from '../argument-fields.ts';
import type { ToolArguments } from '../argument-mistakes.ts';
import { idExpectation, isId } from './paths.ts';
import { toolExamples } from './tool-examples.ts';

const id = (expected: string) => z.string({ error: expected }).refine(isId, { error: `${expected}: ${idExpectation}` });

const issue = once(() =>
  map({
    title: text('a short title'),
    severity: word(SEVERITIES).describe('High blocks; Medium should be mended; Low is a remark'),
    category: text('a category such as "gap", "conflict", "security" or "missing test"'),
    description: text('what is wrong, and why it matters'),
    location: text('where it is: a file with a line, a requirement id or a task id'),
    recommendation: text('what to do about it'),
  }),
);

const issues = once(() => maybe(list(issue(), 'a list of issues')).transform((value) => value ?? []));
const nextSteps = once(() => maybe(texts()).transform((value) => value ?? []));

const summaryNeeded = needed('summary', 'a summary (or "content": the review in Markdown)');

/** A summary, or the whole review in Markdown: one of both must be there. */
function isTold({
  summary,
  content,
}: {
  readonly summary?: string | undefined;
  readonly content?: string | undefined;
}): boolean {
  return summary !== undefined || content !== undefined;
}

const question = once(() => map({ question: text('the question'), answer: text('its answer') }));

const createClarifications = once(() =>
  map({
    questions: maybe(list(question(), 'a list of {question, answer}')).describe('Questions and their answers'),
    content: maybe(text()).describe('Or the whole document in Markdown'),
  }).refine(
    ({ questions, content }) => questions !== undefined || content !== undefined,
    needed('questions', 'questions with answers (or "content": Markdown)'),
  ),
);

const createProposal = once(() =>
  map({
    summary: text('one or two sentences: what changes'),
    why: maybe(text()).describe('The problem, and why now. Required unless body is given'),
    what_changes: maybe(texts()).describe('The changes, one text each. Required unless body is given'),
    impact: map({
      scope: word(SCOPES),
      affected_files: maybe(texts('a list of paths')).describe('Existing files that change'),
      new_files: maybe(texts('a list of paths')).describe('Files that will be created'),
      text: maybe(text()).describe('What else is affected'),
    }),
    affected_specs: list(
      map({
        id: id('a spec id'),
        depends: maybe(texts('a list of spec ids')).describe('Specs of this proposal that have to be written first'),
      }),
      'a list of {id, depends}',
    )
      .min(1, { error: 'at least one {id, depends}' })
      .describe('One entry per spec that this change adds or alters'),
    body: maybe(text()).describe(
      'Markdown instead of why and what_changes: ## Summary, ## Why, ## What Changes, ## Impact',
    ),
  })
    .refine(({ body, why }) => body !== undefined || why !== undefined, needed('why', 'the problem, and why now'))
    .refine(
      ({ body, what_changes: changes }) => body !== undefined || changes !== undefined,
      needed('what_changes', 'a list of the changes'),
    )
    .superRefine((value, context) => refuseTwins(value.affected_specs, context, 'affected_specs')),
);

const requirementId = once(() =>
  text('a requirement id such as "R1" or "WF-R1"')
    .regex(/^(?:[A-Z][A-Z0-9]*-)*R\d+$/i, { error: 'a requirement id such as "R1" or "WF-R1"' })
    .toUpperCase(),
);

const createSpec = once(() =>
  map({
    spec_id: id("the id of one of the proposal's affected_specs"),
    title: text('a title'),
    overview: text('what this spec covers'),
    requirements: list(
      map({ id: requirementId(), title: text('a title'), text: text('what the system MUST do') }),
      'a list of {id, title, text}',
    ).min(1, { error: 'at least one {id, title, text}' }),
    scenarios: list(
      map({
        name: text('a name'),
        given: maybe(texts()),
        when: texts('at least one text').refine((value) => value.length > 0, { error: 'at least one text' }),
        // oxlint-disable-next-line unicorn/no-thenable -- a list, as GIVEN, WHEN and THEN are called
        then: texts('at least one text').refine((value) => value.length > 0, { error: 'at least one text' }),
      }),
      'a list of {name, given, when, then}',
    ).min(1, { error: 'at least one {name, given, when, then}' }),
    removed: maybe(list(requirementId(), 'a list of requirement ids')).describe(
      'Requirements of the main spec that go',
    ),
    renamed: maybe(list(map({ from: requirementId(), to: requirementId() }), 'a list of {from, to}')).describe(
      'Requirements of the main spec that get another id',
    ),
    flow: maybe(text()).describe('A mermaid diagram, without the fence'),
    data_model: maybe(text()).describe('Markdown'),
    interfaces: maybe(text()).describe('Markdown; signatures, no implementation'),
  }).superRefine((value, context) => refuseTwins(value.requirements, context, 'requirements')),
);

const taskId = once(() =>
  text('a task id as a text such as "1.1" ("1.10" is not "1.1")').regex(/^\d+(?:\.\d+)*[a-z]?$/, {
    error: 'a task id such as "1.1"',
  }),
);

const createTasks = once(() =>
  map({
    tasks: list(
      map({
        id: taskId(),
        title: text('a title'),
        layer: word(taskLayers),
        action: word(taskActions),
        file: text('the one file this task is about, relative to the repository'),
        spec_ref: text('what it fulfils, such as "auth:R1"'),
        depends_on: maybe(list(taskId(), 'a list of task ids')).describe('Tasks to be done first'),
        text: text('what to do'),
      }),
      'a list of tasks',
    ).min(1, { error: 'at least one task' }),
  }).superRefine((value, context) => refuseTwins(value.tasks, context, 'tasks')),
);

const appendReview = once(() =>
  map({
    status: word(PLAN_STATUSES).describe(
      'approved: can be implemented as it is; needs_revision: the planner has to mend it; rejected: fundamentally wrong, a person decides',
    ),
    summary: maybe(text()).describe('What you judged and how, in a few sentences'),
    content: maybe(text()).describe('Free Markdown, in place of or besides the summary'),
    issues: issues(),
    next_steps: nextSteps(),
  }).refine(isTold, summaryNeeded),
);

const createReview = once(() =>
  map({
    verdict: z
      .preprocess(
        (value) => (findWord(value, ['NEEDS_CHANGES']) ? 'NEEDS_FIX' : (findWord(value, CODE_VERDICTS) ?? value)),
        z.enum(CODE_VERDICTS, { error: `one of ${CODE_VERDICTS.join(', ')}` }),
      )
      .describe('MAJOR_ISSUES: a fix round will not do, a person decides'),
    summary: maybe(text()).describe('What you judged and how, in a few sentences'),
    content: maybe(text()).describe('Free Markdown, in place of or besides the summary'),
    test_results: maybe(text()).describe('What the check output says'),
    security: maybe(text()).describe('What you looked at and found'),
    issues: issues(),
    next_steps: nextSteps(),
  }).refine(isTold, summaryNeeded),
);

const updateTask = once(() =>
  map({
    task_id: taskId(),
    status: word(['completed', 'blocked', 'in_progress']),
    note: maybe(text()).describe('Why it is blocked, or what a reader should know'),
  }),
);

const writeMainSpec = once(() =>
  map({
    spec_id: id('the id of the spec to merge'),
    content: text('the whole merged spec in Markdown, front matter included'),
  }),
);

const readArtifact = once(() =>
  map({
    name: text('proposal, tasks, review, clarifications, state, spec:<id>, main-spec:<id> or merged:<id>'),
  }),
);

const nothing = once(() => map({}).describe('No arguments'));

/** By the tool's name. */
export const toolArguments = {
  create_clarifications: {
    tool: 'create_clarifications',
    schema: createClarifications,
    example: toolExamples.create_clarifications,
  },
  create_proposal: { tool: 'create_proposal', schema: createProposal, example: toolExamples.create_proposal },
  create_spec: { tool: 'create_spec', schema: createSpec, example: toolExamples.create_spec },
  create_tasks: { tool: 'create_tasks', schema: createTasks, example: toolExamples.create_tasks },
  append_review: { tool: 'append_review', schema: appendReview, example: toolExamples.append_review },
  create_review: { tool: 'create_review', schema: createReview, example: toolExamples.create_review },
  update_task: { tool: 'update_task', schema: updateTask, example: toolExamples.update_task },
  write_main_spec: { tool: 'write_main_spec', schema: writeMainSpec, example: toolExamples.write_main_spec },
  read_artifact: { tool: 'read_artifact', schema: readArtifact, example: toolExamples.read_artifact },
  list_specs: { tool: 'list_specs', schema: nothing, example: toolExamples.list_specs },
  read_all_requirements: {
    tool: 'read_all_requirements',
    schema: nothing,
    example: toolExamples.read_all_requirements,
  },
  list_changed_files: { tool: 'list_changed_files', schema: nothing, example: toolExamples.list_changed_files },
  read_implementation_summary: {
    tool: 'read_implementation_summary',
    schema: nothing,
    example: toolExamples.read_implementation_summary,
  },
  validate_change: { tool: 'validate_change', schema: nothing, example: toolExamples.validate_change },
} as const satisfies Record<string, ToolArguments<z.ZodType>>;

export type ToolName = keyof typeof toolArguments;
