/** What the reports of a dispatch amount to: one signal, and what the next steps need to know. */

import type { Json } from '../../engine/snapshot.ts';
import type { Signal } from '../../engine/transition.ts';
import { readArguments } from '../tool-definition.ts';
import type { Conclusion, EndedDispatch, FiledReport, Write } from '../workflow.ts';
import { designProblems, intakeProblems, taskNamed, tasksProblems } from './documents.ts';
import { tasksPath } from './files/paths.ts';
import { setTaskStatus } from './files/tasks-file.ts';
import { touches } from './files/touched.ts';
import { judge } from './judgements.ts';
import { attemptsOf, intakeOf, touchedOf, verdictsToAskAgain, type Data } from './run-data.ts';
import { toolArguments, type Report } from './tool-arguments.ts';

export function conclude(context: EndedDispatch, reports: readonly FiledReport[]): Conclusion {
  const filed = reports.find(({ tool }) => tool === 'report');
  if (!filed) return { insufficient: `the ${context.role} ended without calling report` };
  const read = readArguments(toolArguments.report, filed.args);
  if ('error' in read) return { insufficient: read.error };
  const report = read.value;
  const stopped = stop(context, report);
  if (stopped) return { signal: stopped, writes: [] };
  const missing = documentsMissing(context);
  if (missing.length > 0) return { insufficient: missing.join('\n') };
  return result(context, report);
}

/** What any role may come back with instead of a result. */
function stop(context: EndedDispatch, report: Report): Signal | null {
  const { status, summary, questions = [] } = report;
  if (status === 'FAIL') {
    const fix = `see pawl log ${context.run}; retry with another agent or a hint: pawl retry ${context.run} --hint "…"`;
    return { name: 'gave_up', problem: { code: 'role_failed', message: `${context.role}: ${summary}`, fix } };
  }
  if (questions.length > 0) return ask(context, `The ${context.role} asks`, summary, questions);
  if (status === 'BLOCKED' && context.role === 'Integrator' && context.step === 'fix_build')
    return { name: 'hand_over', data: { handedOver: summary } };
  if (status === 'BLOCKED' && !isGate(context.step)) {
    const question = { question: `How shall the ${context.role} go on?`, suggestions: [] };
    return ask(context, `The ${context.role} is blocked`, summary, [question]);
  }
  return null;
}

function isGate(step: string): boolean {
  return step === 'review' || step === 'qa' || step === 'security';
}

function ask(
  { role }: EndedDispatch,
  title: string,
  detail: string,
  questions: NonNullable<Report['questions']>,
): Signal {
  const parts = questions.map(({ question, kind, suggestions }) => ({
    question,
    about: kind ?? 'info',
    suggestions,
    binding: kind === 'security' || role === 'Security',
  }));
  return { name: 'questions', asks: { title, detail, parts } };
}

/** Documents a step is for; the files of the context already show what was filed. */
function documentsMissing(context: EndedDispatch): readonly string[] {
  switch (context.step) {
    case 'intake':
    case 'correct_spec':
      return intakeProblems(context, { lean: false });
    case 'intake_lean':
      return [...intakeProblems(context, { lean: true }), ...tasksProblems(context, { lean: true, allowShell: true })];
    case 'architect':
    case 'correct_architecture':
      return designProblems(context).filter((problem) => problem.includes('architecture.md'));
    case 'research':
      return designProblems(context).filter((problem) => problem.includes('research'));
    case 'design_ui':
    case 'correct_ui':
      return designProblems(context).filter((problem) => problem.includes('design-specs'));
    case 'plan':
      return tasksProblems(context, { lean: false, allowShell: true });
    default:
      return [];
  }
}

function result(context: EndedDispatch, report: Report): Conclusion {
  switch (context.step) {
    case 'intake':
    case 'intake_lean':
    case 'correct_spec':
      return { signal: specified(context, report), writes: [] };
    case 'code':
      return coded(context, report);
    case 'review':
    case 'qa':
    case 'security':
      return { signal: judge(context, report), writes: [] };
    case 'fix_review':
    case 'fix_tests':
    case 'fix_own_tests':
    case 'fix_security':
    case 'fix_build':
    case 'fix_build_code':
      return { signal: { name: 'reported', data: fixed(context, report) }, writes: [] };
    case 'docs':
      return { signal: { name: 'reported', data: documented(report) }, writes: [] };
    default:
      return { signal: { name: 'reported' }, writes: [] };
  }
}

function specified(context: EndedDispatch, report: Report): Signal {
  const { snapshot, step } = context;
  const known = intakeOf(snapshot);
  const data: Data = {
    intake: {
      needsResearch: report.needs_research ?? known.needsResearch,
      hasUi: report.has_ui ?? known.hasUi,
      research: report.research_question ?? known.research,
    },
    ...(report.assumptions.length > 0 && { assumptions: report.assumptions }),
  };
  const { lean } = report;
  if (step !== 'intake' || !lean || snapshot.data['fullWanted'] === true) return { name: 'reported', data };
  const holds = lean.unambiguous && lean.three_files_at_most && lean.no_decisions && lean.five_minutes_at_most;
  if (!holds) return { name: 'reported', data };
  const asks = {
    title: 'Is this small enough for a lean session?',
    detail: [
      'The SpecAgent judges: unambiguous, three files at most, nothing to be decided, five minutes at most.',
      ...(lean.reason === undefined ? [] : [lean.reason]),
      'Lean: one task, a review, no design and no approvals. Full: all phases.',
    ].join('\n'),
    parts: [{ question: 'Lean or full?', suggestions: ['lean', 'full'], binding: true }],
  };
  return { name: 'lean', data: { ...data, fullWanted: true }, asks };
}

function coded(context: EndedDispatch, report: Report): Conclusion {
  const { snapshot, run, files, item } = context;
  if (report.more_complex_than_expected === true && snapshot.flags['course'] === 'lean')
    return { signal: { name: 'complex', data: { fullWanted: true, leanOutcome: report.summary } }, writes: [] };
  const path = tasksPath(run);
  const writes: Write[] = item
    ? [{ path, content: setTaskStatus(files.read(path) ?? '', item.id, 'implemented', path) }]
    : [];
  return { signal: { name: 'reported', data: { ...touched(context, report), ...runInstructions(report) } }, writes };
}

/** By what git says was changed; what the role says can only add to it. */
function touched(context: EndedDispatch, { gates }: Report): Data {
  if (wroteBefore(context)) return { touched: { behaviour: true, risky: true } };
  const before = touchedOf(context.snapshot);
  const task = context.item ? taskNamed(context, context.item.id) : { risk_flags: [], type: '' };
  const { behaviour, risky } = touches(context.changed, task);
  return {
    touched: {
      behaviour: before.behaviour || behaviour || gates?.needs_tests === true,
      risky: before.risky || risky || (gates?.security_concerns ?? []).length > 0,
    },
  };
}

/** Whether attempts before this one left something behind: what it was is not known, so every gate looks at it. */
function wroteBefore({ history }: EndedDispatch): boolean {
  const last = history.findLastIndex(({ step, signal }) => !isMaking(step) || signal === 'reported');
  return last < history.length - 1 && history.at(-1)?.tree !== history[last]?.tree;
}

function isMaking(step: string): boolean {
  return step === 'code' || step.startsWith('fix_');
}

/** In lean nobody else tells how it is run. */
function runInstructions({ commands_to_run: commands, summary }: Report): Data {
  return commands.length === 0
    ? {}
    : { docs: { summary, howToRun: commands.map((each) => `    ${each}`).join('\n'), howToTest: '' } };
}

function fixed(context: EndedDispatch, report: Report): Data {
  const attempts: Json = [
    ...attemptsOf(context.snapshot).map((each) => ({ ...each })),
    { kind: context.step, tried: report.summary },
  ];
  return {
    attempts,
    guidance: null,
    handedOver: null,
    ...verdictsToAskAgain(context.snapshot),
    ...touched(context, report),
  };
}

function documented({ summary, how_to_run: howToRun = '', how_to_test: howToTest = '' }: Report): Data {
  return { docs: { summary, howToRun, howToTest } };
}
