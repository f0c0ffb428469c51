/** The tools of a session: documents by role, checked before they count, and the report that ends every dispatch. */

import { defineTools } from '../tool-definition.ts';
import type { ToolAnswer } from '../workflow.ts';
import { criteriaFlaws, flawText, hasPlaceholder, type Flaw } from './content-checks.ts';
import { documentNames, draftFlaws, isLean, tasksFlaws, tasksIfReadable, writers } from './documents.ts';
import { renderAcceptance } from './files/acceptance-file.ts';
import { readTasks, renderTasks } from './files/tasks-file.ts';
import { acceptancePath, sessionFolder, tasksPath } from './files/session-paths.ts';
import { toolArguments, type Report } from './tool-arguments.ts';
import { roles } from './session-words.ts';

export const tools = defineTools(toolArguments, {
  write_document: {
    description: 'Writes one of your documents into the session folder, as a whole. Call it again to replace it.',
    roles: writers,
    report: { once: false },
    run({ path, content }, context) {
      const text = `${content.trimEnd()}\n`;
      const flaws = hasPlaceholder(path) ? null : draftFlaws(context, path, text);
      if (flaws !== null) return written(`${sessionFolder(context.run)}/${path}`, text, flaws);
      const expected = documentNames(context.role) || 'nothing';
      return { error: `"${path}" is not yours to write, nothing was written; expected ${expected}.` };
    },
  },

  write_acceptance: {
    description: 'Writes acceptance.json: the criteria by which the session is judged, and how each is verified.',
    roles: ['SpecAgent'],
    report: { once: false },
    run({ criteria }, context) {
      const flaws = criteriaFlaws(criteria);
      return written(acceptancePath(context.run), flaws.length > 0 ? '' : renderAcceptance(criteria), flaws);
    },
  },

  write_tasks: {
    description: 'Writes tasks.yaml: the tasks, what each depends on, and how one sees that it is done.',
    roles: ['Planner', 'SpecAgent'],
    report: { once: false },
    run({ project, tasks }, context) {
      const lean = isLean(context.snapshot);
      const error = 'Only a lean session has its task from you, nothing was written; leave planning to the Planner.';
      if (context.role === 'SpecAgent' && !lean) return { error };
      const path = tasksPath(context.run);
      // What cannot be read any more is what a new plan is for.
      const before = tasksIfReadable(context);
      const planned = tasks.map((task) => {
        // A new plan does not undo what was done: tasks that stay what they were keep their status, which no agent sets.
        const same = before.find(({ id, goal }) => id === task.id && goal === task.goal);
        return { ...task, status: same?.status ?? ('not-started' as const) };
      });
      const content = renderTasks({ project, tasks: planned });
      return written(path, content, tasksFlaws(context, readTasks(content, path), lean));
    },
  },

  report: {
    description:
      'Ends your work: files your report in the form of the contract. Call it once, as the last thing you do.',
    roles,
    report: { once: true },
    run(given, { role }) {
      const mistakes = reportMistakes(given, role);
      if (mistakes.length > 0) return { error: refused('The report was refused', mistakes) };
      return { text: 'Your report is filed; you are done.' };
    },
  },
});

function written(path: string, content: string, flaws: readonly Flaw[]): ToolAnswer {
  if (flaws.length === 0) return { text: `Written: ${path}.`, writes: [{ path, content }] };
  return { error: refused(`${path} is not complete, nothing was written`, flaws.map(flawText)) };
}

function refused(why: string, mistakes: readonly string[]): string {
  return [`${why}. Fix the following and call the tool again:`, ...mistakes.map((each) => `- ${each}`)].join('\n');
}

/** A report that contradicts itself is not a report. */
function reportMistakes(given: Report, role: string): readonly string[] {
  const { status, questions = [] } = given;
  if (status === 'NEEDS_DECISION' && role !== 'Security')
    return ['status NEEDS_DECISION is for Security; put questions into "questions"'];
  if (status === 'NEEDS_INFO' && role !== 'Researcher')
    return ['status NEEDS_INFO is for the Researcher; put questions into "questions"'];
  if (status === 'NEEDS_INFO' && questions.length === 0)
    return ['status NEEDS_INFO needs the questions in "questions"'];
  if (role === 'Reviewer' && status !== 'FAIL') return verdictMistakes(given);
  return role === 'Security' ? findingMistakes(given) : [];
}

function verdictMistakes({ verdict, review_comments: comments = [], checklist_summary: checklist }: Report): string[] {
  const grave = comments.filter(({ severity }) => severity === 'major' || severity === 'blocker').length;
  const needed = {
    'NEEDS FIXES': 'review comment that says what to fix',
    'PASS WITH NOTES': 'note in review_comments',
  };
  const isPass = verdict === undefined || verdict === 'PASS';
  return [
    verdict === undefined && 'verdict is missing; expected PASS, PASS WITH NOTES or NEEDS FIXES',
    checklist === undefined && 'checklist_summary is missing; say what you checked, N/A for what does not apply',
    verdict &&
      verdict !== 'NEEDS FIXES' &&
      grave > 0 &&
      `verdict is ${verdict}, but ${grave} comments are major or blocker; expected NEEDS FIXES`,
    !isPass && comments.length === 0 && `verdict is ${verdict} without a ${needed[verdict]}`,
  ].filter((mistake) => typeof mistake === 'string');
}

function findingMistakes({ status, findings = [] }: Report): string[] {
  const worst = ['critical', 'high', 'medium'].find((each) => findings.some(({ severity }) => severity === each));
  if (status === 'OK' && worst !== undefined) {
    const expected = worst === 'medium' ? 'NEEDS_DECISION' : 'BLOCKED';
    return [`status is OK, but there is a ${worst} finding; expected ${expected}`];
  }
  if ((status === 'BLOCKED' || status === 'NEEDS_DECISION') && findings.length === 0)
    return [`status is ${status} without a finding that says why`];
  if (status === 'NEEDS_DECISION' && worst === undefined)
    return ['status is NEEDS_DECISION, but no finding is medium or worse; expected OK'];
  return [];
}
