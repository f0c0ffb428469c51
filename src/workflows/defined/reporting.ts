/** How roles of a defined workflow report, and what a report amounts to. */

import type { Json } from '../../engine/snapshot.ts';
import type { Conclusion, DispatchContext, FiledReport, Tool, ToolAnswer, Write } from '../workflow.ts';
import { contractProblem } from './artifacts.ts';
import { approvals } from './approvals.ts';
import type { RoleState, WorkflowDefinition } from './definition.ts';
import { reportsOf } from './machine-of.ts';
import { runPaths } from './paths.ts';

export const reportTool = 'report';

const summaryCharsMax = 2_000;
const detailsCharsMax = 100_000;

/** The one tool all roles share: a verdict, what it rests on in a sentence or two, and whatever the next one needs. */
export function tools(definition: WorkflowDefinition): Readonly<Record<string, Tool>> {
  const verdicts = Object.values(definition.states).flatMap((state) =>
    'role' in state ? reportsOf(definition, state) : [],
  );
  return {
    [reportTool]: {
      description: 'Ends your work: files your verdict with a summary. Call it once, as the last thing you do.',
      roles: Object.keys(definition.roles),
      report: { once: true },
      schema: {
        type: 'object',
        properties: {
          verdict: { type: 'string', enum: [...new Set(verdicts)] },
          summary: { type: 'string', description: 'What you did or found, in a few sentences.' },
          details: {
            type: 'string',
            description: 'Findings, reasons, open ends: whatever the next one needs. Markdown.',
          },
        },
        required: ['verdict', 'summary'],
        additionalProperties: false,
      },
      call: (args, context) => answer(definition, args, context),
    },
  };
}

function answer(
  definition: WorkflowDefinition,
  { verdict, summary, details, ...others }: Readonly<Record<string, unknown>>,
  context: DispatchContext,
): ToolAnswer {
  const state = roleState(definition, context.step);
  const verdicts = reportsOf(definition, state);
  if (typeof verdict !== 'string' || !verdicts.includes(verdict))
    return {
      error: `verdict must be ${verdicts.map((word) => `"${word}"`).join(' or ')}, not ${JSON.stringify(verdict)}`,
    };
  if (typeof summary !== 'string' || summary.trim() === '' || summary.length > summaryCharsMax)
    return { error: `summary must be a text of 1 to ${summaryCharsMax} characters; put more into details` };
  if (details !== undefined && (typeof details !== 'string' || details.length > detailsCharsMax))
    return { error: `details must be a text of at most ${detailsCharsMax} characters` };
  const [unknown] = Object.keys(others);
  if (unknown !== undefined) return { error: `there is no argument "${unknown}": use verdict, summary and details` };
  const problem = madeProblem(definition, state, context);
  if (problem !== null) return { error: `${problem}: write it first, then report` };
  return { text: `Filed: ${verdict}. You are done.` };
}

/** One report, and what it was to make is there. */
export function conclude(
  definition: WorkflowDefinition,
  context: DispatchContext,
  reports: readonly FiledReport[],
): Conclusion {
  const state = roleState(definition, context.step);
  const filed = reports.findLast(({ tool }) => tool === reportTool);
  if (!filed) return { insufficient: `the ${context.role} ended without calling ${reportTool}` };
  const problem = madeProblem(definition, state, context);
  if (problem !== null) return { insufficient: problem };
  const verdict = textOf(filed.args['verdict']);
  const report = { verdict, summary: textOf(filed.args['summary']), details: textOf(filed.args['details']) };
  const approved = approvals(definition, `${context.step}.${verdict}`, context);
  return {
    signal: { name: verdict, data: { [reportKey(context.step)]: { ...report, role: context.role }, ...approved } },
    writes: [reportFile(definition, context, report)],
  };
}

/** Where the last report of a state is kept in the run's data. */
export function reportKey(state: string): string {
  return `report.${state}`;
}

function madeProblem(
  { artifacts = {} }: WorkflowDefinition,
  { makes }: RoleState,
  context: DispatchContext,
): string | null {
  const artifact = makes === undefined ? undefined : artifacts[makes];
  return artifact ? contractProblem(artifact, context.files, context.run) : null;
}

function roleState({ name, states }: WorkflowDefinition, step: string): RoleState {
  const state = states[step];
  if (!state || !('role' in state)) throw new Error(`the workflow ${name} dispatches nobody in "${step}"`);
  return state;
}

function textOf(value: Json | undefined): string {
  return typeof value === 'string' ? value.trim() : '';
}

/** Reports stay readable when the run is over. */
function reportFile(
  { name }: WorkflowDefinition,
  { run, step, role, agent, at, history }: DispatchContext,
  { verdict, summary, details }: { readonly verdict: string; readonly summary: string; readonly details: string },
): Write {
  const number = String(history.length + 1).padStart(3, '0');
  const text = [
    `# ${step}: ${verdict}`,
    '',
    `${role} (${agent}), ${at}`,
    '',
    summary,
    ...(details ? ['', details] : []),
    '',
  ];
  return { path: `${runPaths(name, run).reports}/${number}-${step}.md`, content: text.join('\n') };
}
