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
import { id, list, map, maybe, needed, refuseTwins, text, texts, word } from './argument-fields.ts';

const issue = map({
  title: text('a short title'),
  severity: word(SEVERITIES).describe('High blocks; Medium should be mended; Low is a remark'),
  category: text('a category such as "gap", "conflict", "security" or "missing test"'),
  description: text('what is wrong, and why it matters'),
  location: text('where it is: a file with a line, a requirement id or a task id'),
  recommendation: text('what to do about it'),
});

const issues = maybe(list(issue, 'a list of issues')).transform((value) => value ?? []);
const nextSteps = maybe(texts()).transform((value) => value ?? []);

const issueExample = {
  title: 'Tokens never expire',
  severity: 'High',
  category: 'security',
  description: 'A stolen token stays valid for ever.',
  location: 'src/auth/token.ts:42',
  recommendation: 'Give tokens a lifetime and check it on every request.',
};

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

const question = map({ question: text('the question'), answer: text('its answer') });

const createClarifications = map({
  questions: maybe(list(question, 'a list of {question, answer}')).describe('Questions and their answers'),
  content: maybe(text()).describe('Or the whole document in Markdown'),
}).refine(
  ({ questions, content }) => questions !== undefined || content !== undefined,
  needed('questions', 'questions with answers (or "content": Markdown)'),
);

const createProposal = map({
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
  .superRefine((value, context) => refuseTwins(value.affected_specs, context, 'affected_specs'));

const requirementId = text('a requirement id such as "R1" or "WF-R1"')
  .regex(/^(?:[A-Z][A-Z0-9]*-)*R\d+$/i, { error: 'a requirement id such as "R1" or "WF-R1"' })
  .toUpperCase();

const createSpec = map({
  spec_id: id("the id of one of the proposal's affected_specs"),
  title: text('a title'),
  overview: text('what this spec covers'),
  requirements: list(
    map({ id: requirementId, title: text('a title'), text: text('what the system MUST do') }),
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
  removed: maybe(list(requirementId, 'a list of requirement ids')).describe('Requirements of the main spec that go'),
  renamed: maybe(list(map({ from: requirementId, to: requirementId }), 'a list of {from, to}')).describe(
    'Requirements of the main spec that get another id',
  ),
  flow: maybe(text()).describe('A mermaid diagram, without the fence'),
  data_model: maybe(text()).describe('Markdown'),
  interfaces: maybe(text()).describe('Markdown; signatures, no implementation'),
}).superRefine((value, context) => refuseTwins(value.requirements, context, 'requirements'));

const taskId = text('a task id as a text such as "1.1" ("1.10" is not "1.1")').regex(/^\d+(?:\.\d+)*[a-z]?$/, {
  error: 'a task id such as "1.1"',
});

const createTasks = map({
  tasks: list(
    map({
      id: taskId,
      title: text('a title'),
      layer: word(taskLayers),
      action: word(taskActions),
      file: text('the one file this task is about, relative to the repository'),
      spec_ref: text('what it fulfils, such as "auth:R1"'),
      depends_on: maybe(list(taskId, 'a list of task ids')).describe('Tasks to be done first'),
      text: text('what to do'),
    }),
    'a list of tasks',
  ).min(1, { error: 'at least one task' }),
}).superRefine((value, context) => refuseTwins(value.tasks, context, 'tasks'));

const appendReview = map({
  status: word(PLAN_STATUSES).describe(
    'approved: can be implemented as it is; needs_revision: the planner has to mend it; rejected: fundamentally wrong, a person decides',
  ),
  summary: maybe(text()).describe('What you judged and how, in a few sentences'),
  content: maybe(text()).describe('Free Markdown, in place of or besides the summary'),
  issues,
  next_steps: nextSteps,
}).refine(isTold, summaryNeeded);

const createReview = map({
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
  issues,
  next_steps: nextSteps,
}).refine(isTold, summaryNeeded);

const updateTask = map({
  task_id: taskId,
  status: word(['completed', 'blocked', 'in_progress']),
  note: maybe(text()).describe('Why it is blocked, or what a reader should know'),
});

const writeMainSpec = map({
  spec_id: id('the id of the spec to merge'),
  content: text('the whole merged spec in Markdown, front matter included'),
});

const readArtifact = map({
  name: text('proposal, tasks, review, clarifications, state, spec:<id>, main-spec:<id> or merged:<id>'),
});

const nothing = map({}).describe('No arguments');

export interface ToolArguments<S extends z.ZodType> {
  readonly tool: string;
  readonly schema: S;
  readonly example: object;
}

/** By the tool's name. */
export const toolArguments = {
  create_clarifications: {
    tool: 'create_clarifications',
    schema: createClarifications,
    example: { questions: [{ question: 'Which users?', answer: 'Administrators only.' }] },
  },
  create_proposal: {
    tool: 'create_proposal',
    schema: createProposal,
    example: {
      summary: 'Adds token login.',
      why: 'Passwords are sent with every request.',
      what_changes: ['Issue tokens at login', 'Accept tokens in requests'],
      impact: { scope: 'minor', affected_files: ['src/login.ts'], new_files: ['src/token.ts'] },
      affected_specs: [
        { id: 'tokens', depends: [] },
        { id: 'login', depends: ['tokens'] },
      ],
    },
  },
  create_spec: {
    tool: 'create_spec',
    schema: createSpec,
    example: {
      spec_id: 'tokens',
      title: 'Tokens',
      overview: 'How tokens are issued and checked.',
      requirements: [{ id: 'R1', title: 'Lifetime', text: 'A token MUST expire after one hour.' }],
      scenarios: [
        // oxlint-disable-next-line unicorn/no-thenable
        { name: 'Expired token', given: ['a token older than an hour'], when: ['it is used'], then: ['it is refused'] },
      ],
    },
  },
  create_tasks: {
    tool: 'create_tasks',
    schema: createTasks,
    example: {
      tasks: [
        {
          id: '1.1',
          title: 'Token model',
          layer: 'data',
          action: 'CREATE',
          file: 'src/token.ts',
          spec_ref: 'tokens:R1',
          depends_on: [],
          text: 'Token with its expiry time.',
        },
      ],
    },
  },
  append_review: {
    tool: 'append_review',
    schema: appendReview,
    example: {
      status: 'needs_revision',
      summary: 'One gap.',
      issues: [issueExample],
      next_steps: ['Add the lifetime to R1'],
    },
  },
  create_review: {
    tool: 'create_review',
    schema: createReview,
    example: {
      verdict: 'NEEDS_FIX',
      summary: 'Works, but tokens never expire.',
      test_results: '212 passed',
      security: 'One High issue.',
      issues: [issueExample],
      next_steps: ['Add the lifetime'],
    },
  },
  update_task: { tool: 'update_task', schema: updateTask, example: { task_id: '1.1', status: 'completed' } },
  write_main_spec: {
    tool: 'write_main_spec',
    schema: writeMainSpec,
    example: { spec_id: 'tokens', content: '---\nid: tokens\ntype: spec\n…' },
  },
  read_artifact: { tool: 'read_artifact', schema: readArtifact, example: { name: 'spec:tokens' } },
  list_specs: { tool: 'list_specs', schema: nothing, example: {} },
  read_all_requirements: { tool: 'read_all_requirements', schema: nothing, example: {} },
  list_changed_files: { tool: 'list_changed_files', schema: nothing, example: {} },
  read_implementation_summary: { tool: 'read_implementation_summary', schema: nothing, example: {} },
  validate_change: { tool: 'validate_change', schema: nothing, example: {} },
} as const satisfies Record<string, ToolArguments<z.ZodType>>;

export type ToolName = keyof typeof toolArguments;
