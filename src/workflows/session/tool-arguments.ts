/** The arguments of the session's tools, each a schema and an example of a good call. Lenient in form, strict in substance. */

import { described, prepared, record, withDefault } from '../../schema/compound.ts';
import { differing, items, map, maybe, texts } from '../../schema/lenient.ts';
import type { Infer } from '../../schema/schema.ts';
import { anything, flag, number, text, word } from '../../schema/simple.ts';
import { isRecord } from '../../schema/values.ts';

const yesOrNo = (expected: string) => flag(`${expected}: true or false`);
const maybeSo = (expected: string) => maybe(yesOrNo(expected));
const said = maybe(text());
const many = withDefault(maybe(texts()), []);

const writeDocument = map({
  path: described(text('the name of a document, such as "spec.md"'), 'Relative to the session folder'),
  content: text('the whole document in Markdown'),
});

const criterion = map({
  id: text('an id such as "AC-001"'),
  description: text('what must hold'),
  verify: withDefault(maybe(texts('a list of "cmd: …" or "manual: …"')), []),
});

const writeAcceptance = map({
  criteria: differing(
    items(criterion, 'a list of {id, description, verify}', 'at least one criterion'),
    'an id that no item before has',
  ),
});

const task = map({
  id: text('an id such as "T-001"'),
  type: withDefault(said, 'feature'),
  title: text('a title'),
  depends_on: described(texts('a list of task ids, [] for none'), 'Ids of tasks that must be finished first'),
  goal: text('what it is for'),
  non_goals: many,
  context_files: many,
  files_expected: many,
  acceptance_checks: texts('a list of "cmd: …" or "manual: …"'),
  risk_flags: described(many, 'such as "security", "breaking-change"'),
  done_when: texts('by what one sees that it is done'),
});

const writeTasks = map({
  project: map({ name: text('the name of the project'), definition_of_done: many }),
  tasks: differing(items(task, 'a list of tasks', 'at least one task'), 'an id that no item before has'),
});

const comment = map({
  severity: word(['nit', 'minor', 'major', 'blocker']),
  category: text('a category'),
  file: text('a file'),
  line: maybe(number('a line number')),
  message: text('what is wrong'),
  suggested_fix: said,
});

const finding = map({
  severity: word(['low', 'medium', 'high', 'critical']),
  category: text('a category'),
  file: text('a file'),
  description: text('what is wrong'),
  recommended_fix: text('what to do about it'),
});

const gates = map({
  meets_definition_of_done: maybeSo('whether it meets the definition of done'),
  needs_review: maybeSo('whether it needs a review'),
  needs_tests: maybeSo('whether it needs tests'),
  security_concerns: many,
});

const leanJudgement = map({
  unambiguous: yesOrNo('whether the goal is unambiguous'),
  three_files_at_most: yesOrNo('whether at most three files change'),
  no_decisions: yesOrNo('whether no architecture, UI or security decision is to be made'),
  five_minutes_at_most: yesOrNo('whether it takes five minutes at most'),
  reason: said,
});

const question = map({
  question: text('the question'),
  kind: maybe(word(['ambiguity', 'scope_creep', 'info', 'security'])),
  suggestions: many,
});

const option = map({ option: text('an option'), pros: many, cons: many, effort: said });

const reportFields = map({
  status: word(['OK', 'BLOCKED', 'FAIL', 'NEEDS_INFO', 'NEEDS_DECISION']),
  summary: text('what you did or found, in a few sentences'),
  questions: described(
    maybe(items(question, 'a list of {question, kind, suggestions}')),
    'What only a person can decide; you are asked again with the answers',
  ),
  artifacts: described(maybe(record(anything)), 'What your role reports, or beside it: see your role'),
  notes: described(said, 'Conflicts between project instructions and your role, and anything odd'),
  gates: maybe(gates),
  next: maybe(map({ recommended_agent: said, recommended_task_id: said, reason: said })),
  // SpecAgent
  needs_research: maybeSo('whether something must be researched first'),
  research_question: said,
  has_ui: maybeSo('whether there is a user interface'),
  assumptions: many,
  lean: maybe(leanJudgement),
  // Researcher
  options: maybe(items(option, 'a list of {option, pros, cons, effort}')),
  confidence: maybe(word(['low', 'medium', 'high'])),
  sources: many,
  // Coder
  files_changed: many,
  commands_to_run: many,
  more_complex_than_expected: maybeSo('whether this is more than a lean session can carry'),
  // Reviewer
  verdict: maybe(word(['PASS', 'PASS WITH NOTES', 'NEEDS FIXES'])),
  review_comments: maybe(items(comment, 'a list of review comments')),
  checklist_summary: said,
  // QA
  test_results: said,
  coverage_gaps: many,
  only_tests_wrong: maybeSo('whether only the tests are wrong'),
  // Security
  findings: maybe(items(finding, 'a list of findings')),
  // Integrator and Docs
  ci_notes: said,
  how_to_run: said,
  how_to_test: said,
  nothing_to_document: described(said, 'Docs: why the documentation is current although you changed nothing'),
});

/** The contract puts what a role found into `artifacts`; models put it beside it as often. Both are the same report. */
const report = prepared((value) => {
  if (!isRecord(value) || !isRecord(value['artifacts'])) return value;
  const { artifacts, ...beside } = value;
  return { ...beside, ...artifacts };
}, reportFields);

export type Report = Infer<typeof report>;

const sampleTask = {
  id: 'T-001',
  type: 'feature',
  title: 'Limit the length',
  depends_on: [],
  goal: 'A slug has at most 60 characters',
  files_expected: ['src/slug.mjs'],
  acceptance_checks: ['cmd: npm test'],
  done_when: ['long titles give short slugs'],
};

export const toolArguments = {
  write_document: { schema: writeDocument, example: { path: 'spec.md', content: '# …\n\n## Goals\n…' } },
  write_acceptance: {
    schema: writeAcceptance,
    example: { criteria: [{ id: 'AC-001', description: 'Long titles are cut', verify: ['cmd: npm test'] }] },
  },
  write_tasks: {
    schema: writeTasks,
    example: { project: { name: 'slugs', definition_of_done: ['all tests pass'] }, tasks: [sampleTask] },
  },
  report: { schema: report, example: { status: 'OK', summary: 'Slugs are cut between words; three tests added.' } },
} as const;
