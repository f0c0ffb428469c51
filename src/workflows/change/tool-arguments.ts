/**
 * The arguments of every tool, as a schema and an example of a good call.
 *
 * Each schema's expectation is in words; `readArguments` makes the sentence around it.
 * Lenient in form (any case, one text for a list of one, null for absent), strict in substance:
 * an unknown key or a malformed item refuses the whole call.
 */

import { CODE_VERDICTS, PLAN_STATUSES } from '../../documents/review.ts';
import { SCOPES } from '../../documents/proposal.ts';
import { SEVERITIES } from '../../documents/finding.ts';
import { taskActions, taskLayers } from '../../documents/tasks.ts';
import { described, mapped, matching, prepared, refine, withDefault } from '../../schema/compound.ts';
import { differing, items, map, maybe, needsOne, texts } from '../../schema/lenient.ts';
import type { Schema } from '../../schema/schema.ts';
import { text, verbatim, word } from '../../schema/simple.ts';
import { findWord } from '../../schema/values.ts';
import { idExpectation, isId } from './paths.ts';
import { toolExamples } from './tool-examples.ts';

const id = (expected: string) =>
  refine(verbatim(expected), (value) => (isId(value) ? undefined : { expected: `${expected}: ${idExpectation}` }));

const issue = map({
  title: text('a short title'),
  severity: described(word(SEVERITIES), 'High blocks; Medium should be mended; Low is a remark'),
  category: text('a category such as "gap", "conflict", "security" or "missing test"'),
  description: text('what is wrong, and why it matters'),
  location: text('where it is: a file with a line, a requirement id or a task id'),
  recommendation: text('what to do about it'),
});

const issues = withDefault(maybe(items(issue, 'a list of issues')), []);
const nextSteps = withDefault(maybe(texts()), []);
const summary = described(maybe(text()), 'What you judged and how, in a few sentences');
const content = described(maybe(text()), 'Free Markdown, in place of or besides the summary');
const summaryNeeded = 'a summary (or "content": the review in Markdown)';

const createClarifications = needsOne(
  map({
    questions: described(
      maybe(items(map({ question: text('the question'), answer: text('its answer') }), 'a list of {question, answer}')),
      'Questions and their answers',
    ),
    content: described(maybe(text()), 'Or the whole document in Markdown'),
  }),
  ['questions', 'content'],
  'questions with answers (or "content": Markdown)',
);

const proposal = map({
  summary: text('one or two sentences: what changes'),
  why: described(maybe(text()), 'The problem, and why now. Required unless body is given'),
  what_changes: described(maybe(texts()), 'The changes, one text each. Required unless body is given'),
  impact: map({
    scope: word(SCOPES),
    affected_files: described(maybe(texts('a list of paths')), 'Existing files that change'),
    new_files: described(maybe(texts('a list of paths')), 'Files that will be created'),
    text: described(maybe(text()), 'What else is affected'),
  }),
  affected_specs: described(
    differing(
      items(
        map({
          id: id('a spec id'),
          depends: described(
            maybe(texts('a list of spec ids')),
            'Specs of this proposal that have to be written first',
          ),
        }),
        'a list of {id, depends}',
        'at least one {id, depends}',
      ),
      'an id that no item before has',
    ),
    'One entry per spec that this change adds or alters',
  ),
  body: described(
    maybe(text()),
    'Markdown instead of why and what_changes: ## Summary, ## Why, ## What Changes, ## Impact',
  ),
});

const createProposal = needsOne(
  needsOne(proposal, ['why', 'body'], 'the problem, and why now'),
  ['what_changes', 'body'],
  'a list of the changes',
);

const requirementExpected = 'a requirement id such as "R1" or "WF-R1"';
const requirementId = mapped(
  matching(text(requirementExpected), /^(?:[A-Z][A-Z0-9]*-)*R\d+$/i, requirementExpected),
  (found) => found.toUpperCase(),
);

const createSpec = map({
  spec_id: id("the id of one of the proposal's affected_specs"),
  title: text('a title'),
  overview: text('what this spec covers'),
  requirements: differing(
    items(
      map({ id: requirementId, title: text('a title'), text: text('what the system MUST do') }),
      'a list of {id, title, text}',
      'at least one {id, title, text}',
    ),
    'an id that no item before has',
  ),
  scenarios: items(
    map({
      name: text('a name'),
      given: maybe(texts()),
      when: texts('at least one text', 'at least one text'),
      // oxlint-disable-next-line unicorn/no-thenable -- a list, as GIVEN, WHEN and THEN are called
      then: texts('at least one text', 'at least one text'),
    }),
    'a list of {name, given, when, then}',
    'at least one {name, given, when, then}',
  ),
  removed: described(maybe(items(requirementId, 'a list of requirement ids')), 'Requirements of the main spec that go'),
  renamed: described(
    maybe(items(map({ from: requirementId, to: requirementId }), 'a list of {from, to}')),
    'Requirements of the main spec that get another id',
  ),
  flow: described(maybe(text()), 'A mermaid diagram, without the fence'),
  data_model: described(maybe(text()), 'Markdown'),
  interfaces: described(maybe(text()), 'Markdown; signatures, no implementation'),
});

const taskId = matching(
  text('a task id as a text such as "1.1" ("1.10" is not "1.1")'),
  /^\d+(?:\.\d+)*[a-z]?$/,
  'a task id such as "1.1"',
);

const createTasks = map({
  tasks: differing(
    items(
      map({
        id: taskId,
        title: text('a title'),
        layer: word(taskLayers),
        action: word(taskActions),
        file: text('the one file this task is about, relative to the repository'),
        spec_ref: text('what it fulfils, such as "auth:R1"'),
        depends_on: described(maybe(items(taskId, 'a list of task ids')), 'Tasks to be done first'),
        text: text('what to do'),
      }),
      'a list of tasks',
      'at least one task',
    ),
    'an id that no item before has',
  ),
});

const appendReview = needsOne(
  map({
    status: described(
      word(PLAN_STATUSES),
      'approved: can be implemented as it is; needs_revision: the planner has to mend it; rejected: fundamentally wrong, a person decides',
    ),
    summary,
    content,
    issues,
    next_steps: nextSteps,
  }),
  ['summary', 'content'],
  summaryNeeded,
);

/** `NEEDS_CHANGES` is an older name. */
const verdict = prepared((value) => (findWord(value, ['NEEDS_CHANGES']) ? 'NEEDS_FIX' : value), word(CODE_VERDICTS));

const createReview = needsOne(
  map({
    verdict: described(verdict, 'MAJOR_ISSUES: a fix round will not do, a person decides'),
    summary,
    content,
    test_results: described(maybe(text()), 'What the check output says'),
    security: described(maybe(text()), 'What you looked at and found'),
    issues,
    next_steps: nextSteps,
  }),
  ['summary', 'content'],
  summaryNeeded,
);

const updateTask = map({
  task_id: taskId,
  status: word(['completed', 'blocked', 'in_progress']),
  note: described(maybe(text()), 'Why it is blocked, or what a reader should know'),
});

const writeMainSpec = map({
  spec_id: id('the id of the spec to merge'),
  content: text('the whole merged spec in Markdown, front matter included'),
});

const readArtifact = map({
  name: text('proposal, tasks, review, clarifications, state, spec:<id>, main-spec:<id> or merged:<id>'),
});

const nothing = described(map({}), 'No arguments');

const of = <N extends keyof typeof toolExamples, T>(tool: N, schema: Schema<T>) => ({
  tool,
  schema,
  example: toolExamples[tool],
});

/** By the tool's name. */
export const toolArguments = {
  create_clarifications: of('create_clarifications', createClarifications),
  create_proposal: of('create_proposal', createProposal),
  create_spec: of('create_spec', createSpec),
  create_tasks: of('create_tasks', createTasks),
  append_review: of('append_review', appendReview),
  create_review: of('create_review', createReview),
  update_task: of('update_task', updateTask),
  write_main_spec: of('write_main_spec', writeMainSpec),
  read_artifact: of('read_artifact', readArtifact),
  list_specs: of('list_specs', nothing),
  read_all_requirements: of('read_all_requirements', nothing),
  list_changed_files: of('list_changed_files', nothing),
  read_implementation_summary: of('read_implementation_summary', nothing),
  validate_change: of('validate_change', nothing),
};

export type ToolName = keyof typeof toolArguments;
