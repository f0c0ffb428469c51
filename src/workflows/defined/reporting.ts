/** The report of a defined workflow's roles, and its conclusion. */

import type { Json } from '../../engine/snapshot.ts';
import { described, optional, refine } from '../../schema/compound.ts';
import { map } from '../../schema/lenient.ts';
import type { Schema } from '../../schema/schema.ts';
import { oneOf, text, verbatim } from '../../schema/simple.ts';
import { readArguments } from '../tool-definition.ts';
import type { Conclusion, DispatchContext, EndedDispatch, FiledReport, Tools, Write } from '../workflow.ts';
import { approvals, contractProblem, controlFolder } from './declared-artifacts.ts';
import type { RoleState, WorkflowDefinition } from './definition.ts';
import { reportsOf } from './machine-of.ts';

export const reportTool = 'report';

const summaryCharsMax = 2_000;
const detailsCharsMax = 100_000;

const atMost = (schema: (expected: string) => Schema<string>, max: number, expected: string) =>
  refine(schema(expected), ({ length }) => (length <= max ? undefined : { expected }));

function reportArguments(verdicts: readonly string[]) {
  const summary = `a text of 1 to ${summaryCharsMax} characters; put more into details`;
  const details = `a text of at most ${detailsCharsMax} characters`;
  return map({
    verdict: oneOf(verdicts),
    summary: described(atMost(text, summaryCharsMax, summary), 'What you did or found, in a few sentences.'),
    details: described(
      optional(atMost(verbatim, detailsCharsMax, details)),
      'Findings, reasons, open ends: whatever the next role needs. Markdown.',
    ),
  });
}

/** The one tool all roles share: a verdict, a summary of its reasons, and details for the next role. */
export function tools(definition: WorkflowDefinition): Tools {
  const states = Object.values(definition.states).filter((state) => 'role' in state);
  const parts = states.flatMap((state) => [state, state.beside ? advisorPart(state.beside) : []].flat());
  const verdicts = new Set(parts.flatMap((part) => reportsOf(definition, part)));
  return {
    [reportTool]: {
      description: 'Ends your work: files your verdict with a summary. Call it once, as the last thing you do.',
      roles: Object.keys(definition.roles),
      report: { once: true },
      schema: { type: 'object', ...reportArguments([...verdicts]).json() },
      call: (args, context) => {
        const state = partOf(definition, context);
        const own = reportsOf(definition, state);
        const example = { verdict: own[0], summary: 'Everything asked for is done.' };
        const read = readArguments({ tool: reportTool, schema: reportArguments(own), example }, args);
        if ('error' in read) return read;
        const problem = artifactProblem(definition, state, context);
        if (problem !== null) return { error: `${problem}: write it first, then report` };
        return { text: `Filed: ${read.value.verdict}. You are done.` };
      },
    },
  };
}

type Reports = readonly FiledReport[];

/** One report, and the artifact it was to make is there. */
export function conclude(definition: WorkflowDefinition, context: Ended, reports: Reports): Conclusion {
  const state = roleState(definition, context.step);
  const filed = reports.findLast(({ tool }) => tool === reportTool);
  if (!filed) return { insufficient: `the ${context.role} ended without calling ${reportTool}` };
  const problem = artifactProblem(definition, state, context);
  if (problem !== null) return { insufficient: problem };
  const report = readReport(filed, context.role);
  const { verdict, summary, details } = report;
  const advice = adviceIn(state, context);
  const approved = approvals(definition, `${context.step}.${verdict}`, context);
  const data = { [reportKey(context.step)]: report, ...(state.beside && { [adviceKey(context.step)]: advice }) };
  const told = advice ? [`## ${advice.role}: ${advice.verdict}`, advice.summary, advice.details] : [];
  return {
    signal: { name: verdict, data: { ...data, ...approved } },
    writes: [reportFile(definition, context, [`${context.step}: ${verdict}`, summary, details, ...told])],
  };
}

type Ended = DispatchContext & Pick<EndedDispatch, 'advice'>;

function readReport({ args }: FiledReport, role: string) {
  const textOf = (value: Json | undefined): string => (typeof value === 'string' ? value.trim() : '');
  const { verdict, summary, details } = args;
  return { verdict: textOf(verdict), summary: textOf(summary), details: textOf(details), role };
}

/** Null where the advisor has none. */
function adviceIn({ beside }: RoleState, { advice = [] }: Ended) {
  const filed = advice.findLast(({ tool }) => tool === reportTool);
  return beside && filed ? readReport(filed, beside.role) : null;
}

export function reportKey(state: string): string {
  return `report.${state}`;
}

/** What the advisor in a state said last. */
export function adviceKey(state: string): string {
  return `advice.${state}`;
}

function artifactProblem(definition: WorkflowDefinition, { makes }: RoleState, { files, run }: DispatchContext) {
  const artifact = makes === undefined ? undefined : definition.artifacts?.[makes];
  return artifact ? contractProblem(artifact, files, run) : null;
}

function roleState({ name, states }: WorkflowDefinition, step: string): RoleState {
  const state = states[step];
  if (!state || !('role' in state)) throw new Error(`the workflow ${name} dispatches nobody in "${step}"`);
  return state;
}

/** The part of the context's role in its state: an advisor makes nothing, and no signal leaves with its report. */
export function partOf(definition: WorkflowDefinition, { step, role }: DispatchContext): RoleState {
  const state = roleState(definition, step);
  return state.beside?.role === role ? advisorPart(state.beside) : state;
}

function advisorPart(beside: NonNullable<RoleState['beside']>): RoleState {
  return { ...beside, on: {} };
}

/** Reports stay readable when the run is over. */
function reportFile(
  { name }: WorkflowDefinition,
  context: DispatchContext,
  [title, ...texts]: readonly string[],
): Write {
  const { run, step, role, agent, at, history } = context;
  const number = String(history.length + 1).padStart(3, '0');
  const parts = [`# ${title}`, `${role} (${agent}), ${at}`, ...texts.filter((part) => part !== '')];
  return { path: `${controlFolder(name)}/${run}/reports/${number}-${step}.md`, content: `${parts.join('\n\n')}\n` };
}
