/** The reports of all roles. Documents are rendered from arguments, so that every one has all its parts. */

import { findingText } from '../../documents/finding.ts';
import { dependencyOrder } from '../../documents/dependency-order.ts';
import { defineTools } from '../tool-definition.ts';
import type { DispatchContext, ToolAnswer, Write } from '../workflow.ts';
import { bullets } from '../../documents/review-text.ts';
import type { Infer } from '../../schema/schema.ts';
import { renderPlan, renderTask, type Task } from './files/plan-files.ts';
import { hygieneFindings } from './files/hygiene.ts';
import { fixPath, issuePath, planPath, taskPath } from './files/ids.ts';
import { readIssue } from './files/issue-file.ts';
import { data } from './run-data.ts';
import { testedKinds, toolArguments } from './tool-arguments.ts';

const once = { once: true } as const;

export const tools = defineTools(toolArguments, {
  write_plan: {
    description: 'Files the plan. Once per dispatch; it is final.',
    roles: ['planner'],
    report: once,
    run(plan, context) {
      const isTested = plan.kinds.some((kind) => testedKinds.some((each) => each === kind));
      if (isTested && plan.test_design.trim() === '')
        return { error: `A plan of the kind ${plan.kinds.join(', ')} needs a test_design.` };
      const content = renderPlan({
        issue: context.run,
        title: data.title.of(context.snapshot),
        problem: plan.problem,
        approach: plan.approach,
        files: plan.files,
        newFiles: plan.new_files,
        risks: bullets(plan.risks),
        testDesign: plan.test_design,
      });
      return filed(context, [{ path: planPath(context.run), content }]);
    },
  },
  write_tasks: {
    description: 'Files all tasks, the one of this run first. Once per dispatch; it is final.',
    roles: ['planner'],
    report: once,
    run({ tasks }, context) {
      const problem = orderProblem(tasks);
      if (problem !== null) return { error: problem };
      const written = tasks.map((task, index) => ({
        path: taskPath(context.run, index + 1),
        content: renderTask(taskOf(task, 'task', index + 1, task.depends_on)),
      }));
      const before = data.tasks.of(context.snapshot);
      const removed = Array.from({ length: Math.max(0, before - tasks.length) }, (_, index) => ({
        path: taskPath(context.run, tasks.length + index + 1),
        content: null,
      }));
      return filed(context, [...written, ...removed]);
    },
  },
  write_fix: {
    description: 'Files the task that fixes the findings. Once per dispatch; it is final.',
    roles: ['planner'],
    report: once,
    run(task, context) {
      const number = data.fix.of(context.snapshot);
      const content = renderTask(taskOf(task, 'fix', number, []));
      return filed(context, [{ path: fixPath(context.run, number), content }]);
    },
  },
  file_review: {
    description: 'Files your review, with its verdict. Once per dispatch; it is final.',
    roles: ['check'],
    report: once,
    run({ verdict, findings, untested }, context) {
      if (verdict === 'ACCEPTABLE' && findings.length > 0)
        return { error: 'A review with findings is NEEDS WORK or BLOCK; remarks belong into the summary.' };
      if (verdict !== 'ACCEPTABLE' && findings.length === 0)
        return { error: `The verdict ${verdict} needs a finding.` };
      const manifest = context.step === 'review_code' ? data.manifest.of(context.snapshot) : [];
      const unanswered = manifest.filter(({ task }) => !untested.some((each) => each.task === task));
      if (unanswered.length > 0)
        return { error: `Say in untested whether it holds for ${unanswered.map(({ task }) => task).join(', ')}.` };
      if (untested.some(({ holds }) => !holds) && findings.length === 0)
        return { error: 'Where a justification does not hold any more, file a finding for it.' };
      return final(verdict);
    },
  },
  file_advice: {
    description: 'Files your notes. Once per dispatch; it is final.',
    roles: ['simplify'],
    report: once,
    run: ({ notes }) => final(notes.length === 1 ? 'one note' : `${notes.length} notes`),
  },
  file_diagnosis: {
    description: 'Files your diagnosis. Once per dispatch; it is final.',
    roles: ['check'],
    report: once,
    run: ({ verdict }) => final(verdict),
  },
  file_sign_off: {
    description: 'Says whether the task may go without tests. Once per dispatch; it is final.',
    roles: ['check'],
    report: once,
    run: ({ signed }) => final(signed ? 'signed off' : 'not signed off'),
  },
  report_tests: {
    description: 'Reports the new tests, or why there are none. Once per dispatch; it is final.',
    roles: ['test'],
    report: once,
    run({ verdict, tests, reason, missing_seam: seam }) {
      if (verdict === 'TESTS_READY') {
        if (tests.length === 0) return { error: 'TESTS_READY needs the new tests by name.' };
        const broken = tests.filter(({ code }) => code === 'TEST_BROKEN' || code === 'ENV_BROKEN');
        if (broken.length > 0)
          return { error: `${broken.map(({ name }) => name).join(', ')}: a broken test or environment is not RED.` };
      } else if (reason.trim() === '' && seam.trim() === '') return { error: `${verdict} needs a reason.` };
      return final(verdict);
    },
  },
  report_work: {
    description: 'Reports your work. Once per dispatch; it is final.',
    roles: ['make'],
    report: once,
    run: ({ verdict }) => final(verdict),
  },
  update_issue: {
    description: 'Says which criteria are fulfilled, and comments on the issue. Once per dispatch; it is final.',
    roles: ['pm'],
    report: once,
    run({ criteria_met: met }, { files, run: id }) {
      const { criteria } = readIssue(files.read(issuePath(id)) ?? '', issuePath(id));
      const unknown = met.filter((number) => number > criteria.length);
      if (unknown.length > 0) return { error: `There is no criterion ${unknown.join(', ')}.` };
      return final('updated');
    },
  },
});

function taskOf(
  task: Infer<(typeof toolArguments)['write_fix']['schema']>,
  kind: Task['kind'],
  number: number,
  dependsOn: readonly number[],
): Task {
  return {
    kind,
    number,
    dependsOn,
    title: task.title,
    description: task.description,
    criteria: task.criteria,
    filesToModify: task.files,
    newFiles: task.new_files,
    newSymbols: task.new_symbols,
    codeContext: task.code_context,
    integrationContracts: task.integration_contracts,
    testDesign: task.test_design,
  };
}

function final(what: string): ToolAnswer {
  return { text: `Filed: ${what}. Your work is done.` };
}

/** What breaks a rule for documents is refused at once, so that its author can correct it. */
function filed(context: DispatchContext, writes: readonly (Write & { content: string | null })[]): ToolAnswer {
  const findings = writes.flatMap(({ path, content }) =>
    content === null ? [] : hygieneFindings(content, { path, exists: (other) => context.files.exists(other) }),
  );
  if (findings.length > 0) return { error: ['Nothing was filed.', ...findings.map(findingText)].join('\n') };
  return { text: `Filed: ${writes.map(({ path }) => path).join(', ')}. Your work is done.`, writes };
}

function orderProblem(tasks: readonly { readonly depends_on: readonly number[] }[]): string | null {
  const nodes = tasks.map(({ depends_on: depends }, index) => ({ id: `${index + 1}`, depends: depends.map(String) }));
  const [first] = nodes;
  if (first && first.depends.length > 0) return 'The first task is done in this run, so it depends on no other.';
  const unknown = nodes.flatMap(({ depends }) => depends).find((id) => !nodes.some((node) => node.id === id));
  if (unknown !== undefined) return `There is no task ${unknown} to depend on.`;
  const order = dependencyOrder(nodes);
  return 'cycle' in order ? `Tasks depend on each other: ${order.cycle.join(' → ')}.` : null;
}
