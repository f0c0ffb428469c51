/**
 * The arguments of every tool: a schema, and an example of a good call for a model whose own was refused.
 *
 * Lenient in form (any case, one text for a list of one, null for absent), strict in substance:
 * an unknown key or a malformed item refuses the whole call.
 */

import { CODE_VERDICTS, PLAN_STATUSES } from '../../documents/review.ts';
import { SCOPES } from '../../documents/proposal.ts';
import { SEVERITIES } from '../../documents/finding.ts';
import { taskActions, taskLayers } from '../../documents/tasks.ts';
import { described, mapped, matching, prepared, refine, withDefault, type Shape } from '../../schema/compound.ts';
import { differing, items, map, maybe, needsOne, texts } from '../../schema/lenient.ts';
import type { Schema } from '../../schema/schema.ts';
import { text, verbatim, word } from '../../schema/simple.ts';
import { findWord } from '../../schema/values.ts';
import { isSpecName, specNameExpectation } from './change-paths.ts';

const specId = (expected: string) =>
  refine(verbatim(expected), (value) =>
    isSpecName(value) ? undefined : { expected: `${expected}: ${specNameExpectation}` },
  );

const requirementExpected = 'a requirement id such as "R1" or "WF-R1"';
const requirementId = mapped(
  matching(text(requirementExpected), /^(?:[A-Z][A-Z0-9]*-)*R\d+$/i, requirementExpected),
  (found) => found.toUpperCase(),
);

const taskText = text('a task id as a text such as "1.1" ("1.10" is not "1.1")');
const taskId = matching(taskText, /^\d+(?:\.\d+)*[a-z]?$/, 'a task id such as "1.1"');

const optionalText = (description: string) => described(maybe(text()), description);
const optionalTexts = (description: string, expected?: string) => described(maybe(texts(expected)), description);
const someTexts = texts('at least one text', 'at least one text');

function objects<S extends Shape>(shape: S, name = `{${Object.keys(shape).join(', ')}}`, least?: string) {
  return items(map(shape), `a list of ${name}`, least);
}

function someObjects<S extends Shape>(shape: S, name = `{${Object.keys(shape).join(', ')}}`) {
  return objects(shape, name, `at least one ${name.replace(/s$/, '')}`);
}

function distinct<T extends { readonly id: string }>(list: Schema<readonly T[]>) {
  return differing(list, 'an id that no item before has');
}

/** `NEEDS_CHANGES` is an older name. */
const verdict = prepared((value) => (findWord(value, ['NEEDS_CHANGES']) ? 'NEEDS_FIX' : value), word(CODE_VERDICTS));

const issue = {
  title: text('a short title'),
  severity: described(word(SEVERITIES), 'High blocks; Medium should be fixed; Low is a remark'),
  category: text('a category such as "gap", "conflict", "security" or "missing test"'),
  description: text('what is wrong, and why it matters'),
  location: text('where it is: a file with a line, a requirement id or a task id'),
  recommendation: text('what to do about it'),
};

function review<S extends Shape, M extends Shape>(judgement: S, more: M) {
  const shape = {
    ...judgement,
    summary: optionalText('What you judged and how, in a few sentences'),
    content: optionalText('Free Markdown, in place of or besides the summary'),
    ...more,
    issues: withDefault(maybe(objects(issue, 'issues')), []),
    next_steps: withDefault(maybe(texts()), []),
  };
  return needsOne(map(shape), ['summary', 'content'], 'a summary (or "content": the review in Markdown)');
}

const issueExample = {
  title: 'Tokens never expire',
  severity: 'High',
  category: 'security',
  description: 'A stolen token stays valid for ever.',
  location: 'src/auth/token.ts:42',
  recommendation: 'Give tokens a lifetime and check it on every request.',
};

const proposal = map({
  summary: text('one or two sentences: what changes'),
  why: optionalText('The problem, and why now. Required unless body is given'),
  what_changes: optionalTexts('The changes, one text each. Required unless body is given'),
  impact: map({
    scope: word(SCOPES),
    affected_files: optionalTexts('Existing files that change', 'a list of paths'),
    new_files: optionalTexts('Files that will be created', 'a list of paths'),
    text: optionalText('What else is affected'),
  }),
  affected_specs: described(
    distinct(
      someObjects({
        id: specId('a spec id'),
        depends: optionalTexts('Specs of this proposal that have to be written first', 'a list of spec ids'),
      }),
    ),
    'One entry per spec that this change adds or alters',
  ),
  body: optionalText('Markdown instead of why and what_changes: ## Summary, ## Why, ## What Changes, ## Impact'),
});

const nothing = { schema: described(map({}), 'No arguments'), example: {} };

export const toolArguments = {
  create_clarifications: {
    schema: needsOne(
      map({
        questions: described(
          maybe(objects({ question: text('the question'), answer: text('its answer') })),
          'Questions and their answers',
        ),
        content: optionalText('Or the whole document in Markdown'),
      }),
      ['questions', 'content'],
      'questions with answers (or "content": Markdown)',
    ),
    example: { questions: [{ question: 'Which users?', answer: 'Administrators only.' }] },
  },
  create_proposal: {
    schema: needsOne(
      needsOne(proposal, ['why', 'body'], 'the problem, and why now'),
      ['what_changes', 'body'],
      'a list of the changes',
    ),
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
    schema: map({
      spec_id: specId("the id of one of the proposal's affected_specs"),
      title: text('a title'),
      overview: text('what this spec covers'),
      requirements: distinct(
        someObjects({ id: requirementId, title: text('a title'), text: text('what the system MUST do') }),
      ),
      // oxlint-disable-next-line unicorn/no-thenable -- a list, as GIVEN, WHEN and THEN are called
      scenarios: someObjects({ name: text('a name'), given: maybe(texts()), when: someTexts, then: someTexts }),
      removed: described(
        maybe(items(requirementId, 'a list of requirement ids')),
        'Requirements of the main spec that this change removes',
      ),
      renamed: described(
        maybe(objects({ from: requirementId, to: requirementId })),
        'Requirements of the main spec that get another id',
      ),
      flow: optionalText('A mermaid diagram, without the fence'),
      data_model: optionalText('Markdown'),
      interfaces: optionalText('Markdown; signatures, no implementation'),
    }),
    example: {
      spec_id: 'tokens',
      title: 'Tokens',
      overview: 'How tokens are issued and checked.',
      requirements: [{ id: 'R1', title: 'Lifetime', text: 'A token MUST expire after one hour.' }],
      scenarios: [
        // oxlint-disable-next-line unicorn/no-thenable -- a list, as GIVEN, WHEN and THEN are called
        { name: 'Expired token', given: ['a token older than an hour'], when: ['it is used'], then: ['it is refused'] },
      ],
    },
  },
  create_tasks: {
    schema: map({
      tasks: distinct(
        someObjects(
          {
            id: taskId,
            title: text('a title'),
            layer: word(taskLayers),
            action: word(taskActions),
            file: text('the one file this task is about, relative to the repository'),
            spec_ref: text('what it fulfils, such as "auth:R1"'),
            depends_on: described(maybe(items(taskId, 'a list of task ids')), 'Tasks to be done first'),
            text: text('what to do'),
          },
          'tasks',
        ),
      ),
    }),
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
    schema: review(
      {
        status: described(
          word(PLAN_STATUSES),
          'approved: can be implemented as it is; needs_revision: the planner has to fix it; rejected: fundamentally wrong, a person decides',
        ),
      },
      {},
    ),
    example: { status: 'needs_revision', summary: 'One gap.', issues: [issueExample], next_steps: ['Add it to R1'] },
  },
  create_review: {
    schema: review(
      { verdict: described(verdict, 'MAJOR_ISSUES: a fix round will not do, a person decides') },
      {
        test_results: optionalText('What the check output says'),
        security: optionalText('What you looked at and found'),
      },
    ),
    example: {
      verdict: 'NEEDS_FIX',
      summary: 'Works, but tokens never expire.',
      test_results: '212 passed',
      security: 'One High finding.',
      issues: [issueExample],
      next_steps: ['Add the lifetime'],
    },
  },
  update_task: {
    schema: map({
      task_id: taskId,
      status: word(['completed', 'blocked', 'in_progress']),
      note: optionalText('Why it is blocked, or what a reader should know'),
    }),
    example: { task_id: '1.1', status: 'completed' },
  },
  write_main_spec: {
    schema: map({
      spec_id: specId('the id of the spec to merge'),
      content: text('the whole merged spec in Markdown, front matter included'),
    }),
    example: { spec_id: 'tokens', content: '---\nid: tokens\ntype: spec\n…' },
  },
  read_artifact: {
    schema: map({
      name: text('proposal, tasks, review, clarifications, state, spec:<id>, main-spec:<id> or merged:<id>'),
    }),
    example: { name: 'spec:tokens' },
  },
  list_specs: nothing,
  read_all_requirements: nothing,
  list_changed_files: nothing,
  read_implementation_summary: nothing,
  validate_change: nothing,
} as const;

export type ToolName = keyof typeof toolArguments;
