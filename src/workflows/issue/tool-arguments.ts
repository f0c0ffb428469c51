/** The arguments of every tool: a schema, and an example of a good call for a model whose own was refused. */

import { described, withDefault } from '../../schema/compound.ts';
import { items, map, maybe, texts } from '../../schema/lenient.ts';
import { flag, text, verbatim, whole, word } from '../../schema/simple.ts';
import { repositoryPath, taskNumber } from './files/plan-files.ts';
import { reviewFinding } from '../../documents/review-finding.ts';
import { diagnoses, failureCodes, testVerdicts, verdicts, workVerdicts } from './role-words.ts';

const paths = withDefault(items(repositoryPath, 'a list of paths'), []);
const optionalTexts = withDefault(maybe(texts()), []);
const optionalText = withDefault(maybe(verbatim()), '');

/** Kinds of work that need a design of their tests. */
export const testedKinds = ['api_change', 'bug_fix', 'business_logic', 'several_modules'] as const;
const kinds = items(word([...testedKinds, 'other']), `some of ${[...testedKinds, 'other'].join(', ')}`, 'at least one');

const taskShape = {
  title: text('a short title in the imperative'),
  description: text('what to do and why, complete without any other document'),
  files: described(paths, 'existing files to modify: exactly these may be changed'),
  new_files: described(paths, 'files to create'),
  new_symbols: described(
    withDefault(items(map({ file: repositoryPath, name: text() }), 'a list of {file, name}'), []),
    'functions, types or methods that do not exist yet and that tests will call',
  ),
  criteria: texts('at least one criterion that a test can decide', 'at least one criterion'),
  code_context: described(optionalText, 'what there is in the code to know, by file and symbol'),
  integration_contracts: described(optionalText, 'names, types and behaviour that other tasks rely on'),
  test_design: described(optionalText, 'what to test, and how'),
};

const bugs = withDefault(items(map({ title: text(), body: text() }), 'a list of {title, body}'), []);

const exampleTask = {
  title: 'Add parseLimit',
  description: 'Limits are read in three places. parseLimit reads one, and refuses what is no whole number.',
  files: ['src/options.ts'],
  new_files: [],
  new_symbols: [{ file: 'src/options.ts', name: 'parseLimit' }],
  criteria: ['parseLimit("10") is 10', 'parseLimit("x") throws'],
};

export const toolArguments = {
  write_plan: {
    schema: map({
      problem: text('what is wrong or missing, and for whom'),
      approach: text('how it will be solved, and why so'),
      kinds,
      files: paths,
      new_files: paths,
      risks: optionalTexts,
      test_design: described(
        optionalText,
        `what the tests will show and where they stop; needed for ${testedKinds.join(', ')}`,
      ),
    }),
    example: {
      problem: 'Limits are not checked.',
      approach: 'One function reads them.',
      kinds: ['business_logic'],
      files: ['src/options.ts'],
      risks: ['callers that pass nothing'],
      test_design: 'parseLimit with whole numbers, with 0, and with what is none.',
    },
  },
  write_tasks: {
    schema: map({
      tasks: items(
        map({
          ...taskShape,
          depends_on: withDefault(items(taskNumber, 'a list of task numbers'), []),
        }),
        'a list of tasks, the first of which is done in this run',
        'at least one task',
      ),
    }),
    example: { tasks: [{ ...exampleTask, depends_on: [] }] },
  },
  write_fix: { schema: map(taskShape), example: exampleTask },
  file_review: {
    schema: map({
      verdict: word(verdicts),
      summary: text('what you looked at, and what decides your verdict'),
      findings: withDefault(items(reviewFinding, 'a list of findings'), []),
      untested: described(
        withDefault(items(map({ task: text(), holds: flag(), why: text() }), 'a list of {task, holds, why}'), []),
        'for each task without tests: whether its justification still holds given the final diff',
      ),
    }),
    example: {
      verdict: 'NEEDS WORK',
      summary: 'Read plan.md and the three callers.',
      findings: [
        {
          class: 'plan-level',
          severity: 'NEEDS WORK',
          file: 'src/options.ts',
          symbol: 'parseLimit',
          title: 'Zero is not decided',
          detail: 'The plan does not say whether 0 is a limit.',
        },
      ],
    },
  },
  file_advice: {
    schema: map({ notes: withDefault(texts(), []) }),
    example: { notes: ['The second option is never used: leave it out.'] },
  },
  file_diagnosis: {
    schema: map({ verdict: word(diagnoses), notes: text('what is to be done, for the role that does it') }),
    example: { verdict: 'production_logic', notes: 'src/options.ts:12 drops the sign.' },
  },
  file_sign_off: {
    schema: map({ signed: flag(), rationale: text('why there can, or cannot, be a test') }),
    example: { signed: false, rationale: 'The parser is a pure function.' },
  },
  report_tests: {
    schema: map({
      verdict: word(testVerdicts),
      tests: described(
        withDefault(
          items(map({ name: text(), file: repositoryPath, code: word(failureCodes) }), 'a list of {name, file, code}'),
          [],
        ),
        'every new test, by the name its runner prints, with why it fails now',
      ),
      escalate_to_check: withDefault(flag(), false),
      reason: described(optionalText, 'why it cannot be tested, or what blocks you'),
      missing_seam: described(optionalText, 'if only a seam in the code is missing: which one'),
      future_seams: described(optionalTexts, 'what would make later tests easier'),
    }),
    example: {
      verdict: 'TESTS_READY',
      tests: [{ name: 'parseLimit reads a whole number', file: 'test/options.test.ts', code: 'MISSING_BEHAVIOR' }],
    },
  },
  report_work: {
    schema: map({
      verdict: word(workVerdicts),
      summary: text('what you did, or how far you came and what is in the way'),
      escalate: described(optionalText, 'if it is incomplete: what you suspect'),
      deviations: described(optionalTexts, 'where you did otherwise than the task says, and why'),
      bugs: described(bugs, 'bugs that were there before and do not belong to this task'),
    }),
    example: { verdict: 'Complete', summary: 'parseLimit reads whole numbers; 2 tests pass.' },
  },
  update_issue: {
    schema: map({
      criteria_met: described(
        withDefault(items(whole(1, 1000), 'a list of numbers'), []),
        'numbers of the acceptance criteria that the committed code fulfils',
      ),
      comment: text('one or two sentences on what was done'),
      bugs: described(bugs, 'bugs found on the way that are out of scope'),
    }),
    example: { criteria_met: [1, 2], comment: 'Limits are read in one place.' },
  },
};
