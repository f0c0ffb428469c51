/** The report every role ends with, and what it must hold for which role. */

import { defineTool } from '../tool-definition.ts';
import { toolArguments, type Report } from './tool-arguments.ts';
import { roles, type Role } from './vocabulary.ts';

export const report = defineTool(toolArguments.report, {
  description: 'Ends your work: files your report in the form of the contract. Call it once, as the last thing you do.',
  roles,
  report: { once: true },
  run(given, { role }) {
    const known = roles.find((each) => each === role);
    const problems = known === undefined ? [] : reportMistakes(given, known);
    if (problems.length === 0) return { text: 'Your report is filed; you are done.' };
    return {
      error: ['The report was refused. Mend this and call it again:', ...problems.map((each) => `- ${each}`)].join(
        '\n',
      ),
    };
  },
});

/** A report that contradicts itself is not a report. */
function reportMistakes(given: Report, role: Role): readonly string[] {
  return [
    ...statusMistakes(given, role),
    ...(role === 'Reviewer' ? verdictMistakes(given) : []),
    ...(role === 'Security' ? findingMistakes(given) : []),
  ];
}

function statusMistakes({ status, questions = [] }: Report, role: Role): string[] {
  if (status === 'NEEDS_DECISION' && role !== 'Security')
    return ['status NEEDS_DECISION is for Security; put questions into "questions"'];
  if (status === 'NEEDS_INFO' && role !== 'Researcher')
    return ['status NEEDS_INFO is for the Researcher; put questions into "questions"'];
  if (status === 'NEEDS_INFO' && questions.length === 0)
    return ['status NEEDS_INFO needs the questions in "questions"'];
  return [];
}

function verdictMistakes({
  status,
  verdict,
  review_comments: comments = [],
  checklist_summary: checklist,
}: Report): string[] {
  const grave = comments.filter(({ severity }) => severity === 'major' || severity === 'blocker');
  if (status === 'FAIL') return [];
  return [
    ...(verdict === undefined ? ['verdict is missing; expected PASS, PASS WITH NOTES or NEEDS FIXES'] : []),
    ...(checklist === undefined
      ? ['checklist_summary is missing; say what you checked, N/A for what does not apply']
      : []),
    ...(verdict !== undefined && verdict !== 'NEEDS FIXES' && grave.length > 0
      ? [`verdict is ${verdict}, but ${grave.length} comments are major or blocker; expected NEEDS FIXES`]
      : []),
    ...(verdict === 'NEEDS FIXES' && comments.length === 0
      ? ['verdict is NEEDS FIXES without a review comment that says what to fix']
      : []),
    ...(verdict === 'PASS WITH NOTES' && comments.length === 0
      ? ['verdict is PASS WITH NOTES without a note in review_comments']
      : []),
  ];
}

function findingMistakes({ status, findings = [] }: Report): string[] {
  const worst = ['critical', 'high', 'medium'].find((each) => findings.some(({ severity }) => severity === each));
  if (status === 'OK' && worst !== undefined)
    return [
      `status is OK, but there is a ${worst} finding; expected ${worst === 'medium' ? 'NEEDS_DECISION' : 'BLOCKED'}`,
    ];
  if ((status === 'BLOCKED' || status === 'NEEDS_DECISION') && findings.length === 0)
    return [`status is ${status} without a finding that says why`];
  if (status === 'NEEDS_DECISION' && worst === undefined)
    return ['status is NEEDS_DECISION, but no finding is medium or worse; expected OK'];
  return [];
}
