/** What the reports of a dispatch amount to: one signal, and what the next steps need to know. */

import { findingText } from '../../documents/finding.ts';
import type { Signal } from '../../engine/transition.ts';
import type { DataPatch } from '../data-slots.ts';
import { readArguments } from '../tool-definition.ts';
import type { Conclusion, EndedDispatch, FiledReport } from '../workflow.ts';
import { statusWrites, stepFindings, taskNamed } from './documents.ts';
import { judgements } from './ask-user.ts';
import { attempted, remarks, subjectOf } from './known-issues.ts';
import { data, everythingTouched, verdictsToAskAgain } from './run-data.ts';
import { toolArguments, type Report } from './tool-arguments.ts';
import { touches } from './touched.ts';

export function conclude(context: EndedDispatch, reports: readonly FiledReport[]): Conclusion {
  const { role } = context;
  const filed = reports.find(({ tool }) => tool === 'report');
  if (!filed) return { insufficient: `the ${role} ended without calling report` };
  const read = readArguments({ tool: 'report', ...toolArguments.report }, filed.args);
  if ('error' in read) return { insufficient: read.error };
  const concluded = concludeReport(context, read.value);
  if ('insufficient' in concluded) return concluded;
  const { signal } = concluded;
  return { ...concluded, signal: { ...signal, data: { ...signal.data, ...remarks(context, read.value) } } };
}

function concludeReport(context: EndedDispatch, report: Report): Conclusion {
  const { step } = context;
  const stopped = stop(context, report);
  if (stopped) return { signal: stopped, writes: [] };
  const undone = undocumented(context, report);
  if (undone !== null) return { insufficient: undone };
  const lacking = stepFindings(context);
  if (lacking.length > 0) return { insufficient: lacking.map(findingText).join('\n') };
  if (step === 'code') return coded(context, report);
  const result = results[step] ?? (isMaking(step) ? fixed : () => ({ name: 'reported' }));
  return { signal: result(context, report), writes: [] };
}

const results: Readonly<Record<string, (context: EndedDispatch, report: Report) => Signal>> = {
  ...judgements,
  intake: specified,
  intake_lean: specified,
  correct_spec: specified,
  docs: ({ changed }, { summary, how_to_run: howToRun = '', how_to_test: howToTest = '' }) => ({
    name: 'reported',
    data: { ...data.docs.set({ summary, howToRun, howToTest }), ...data.released.set(changed) },
  }),
  release_notes: ({ changed, snapshot }) => ({
    name: 'reported',
    data: data.released.set([...new Set([...data.released.of(snapshot), ...changed])]),
  }),
};

/** The README is current because it was changed, in this release or an earlier attempt at it, or for a reason. */
function undocumented({ step, changed, history }: EndedDispatch, report: Report): string | null {
  const isDone = changed.length > 0 || report.nothing_to_document !== undefined;
  if (step !== 'docs' || isDone || history.some((each) => each.step === 'docs' && each.problem === null)) return null;
  return 'the Docs changed nothing; bring the README up to date, or say in nothing_to_document why it is current';
}

function stop(context: EndedDispatch, { status, summary, questions = [] }: Report): Signal | null {
  const { run, role, step, item } = context;
  const about = item ? ` about ${subjectOf(context)}` : '';
  if (status === 'FAIL') {
    const fix = `pawl retry ${run} --hint "<hint>"`;
    return { name: 'gave_up', problem: { code: 'role_failed', message: `${role}: ${summary}`, fix } };
  }
  if (questions.length > 0) {
    const parts = questions.map(({ question, kind, suggestions }) => {
      const binding = kind === 'security' || role === 'Security';
      return { question, about: kind ?? 'info', suggestions, binding };
    });
    return { name: 'questions', asks: { title: `The ${role} asks${about}`, detail: summary, parts } };
  }
  if (status !== 'BLOCKED' || step in judgements) return null;
  if (step === 'fix_build') return { name: 'hand_over', data: data.handedOver.set(summary) };
  const subject = item ? ` with ${subjectOf(context)}` : '';
  const parts = [{ question: `How should the ${role} continue${subject}?`, about: 'info' }];
  return { name: 'questions', asks: { title: `The ${role} is blocked`, detail: summary, parts } };
}

function specified({ snapshot, step }: EndedDispatch, report: Report): Signal {
  const known = data.intake.of(snapshot);
  const { assumptions, lean } = report;
  const { needs_research: needsResearch = known.needsResearch, has_ui: hasUi = known.hasUi } = report;
  const found: DataPatch = {
    ...data.intake.set({ needsResearch, hasUi, research: report.research_question ?? known.research }),
    ...(assumptions.length > 0 && data.assumptions.set(assumptions)),
  };
  const holds = lean?.unambiguous && lean.three_files_at_most && lean.no_decisions && lean.five_minutes_at_most;
  if (step !== 'intake' || !holds || data.fullWanted.of(snapshot)) return { name: 'reported', data: found };
  const detail = [
    'The SpecAgent judges: unambiguous, three files at most, nothing to be decided, five minutes at most.',
    ...(lean.reason === undefined ? [] : [lean.reason]),
    'Lean: one task, a review, no design and no approvals. Full: all phases.',
  ].join('\n');
  const parts = [{ question: 'Lean or full?', suggestions: ['lean', 'full'], binding: true }];
  return {
    name: 'lean',
    data: { ...found, ...data.fullWanted.set(true) },
    asks: { title: 'Is this small enough for a lean session?', detail, parts },
  };
}

function coded(context: EndedDispatch, report: Report): Conclusion {
  const { snapshot, item } = context;
  const { summary, commands_to_run: commands } = report;
  if (report.more_complex_than_expected === true && snapshot.flags['mode'] === 'lean') {
    const more = { ...data.fullWanted.set(true), ...data.leanOutcome.set(summary) };
    return { signal: { name: 'complex', data: more }, writes: [] };
  }
  // In lean nobody else tells how it is run.
  const howToRun = commands.map((each) => `    ${each}`).join('\n');
  const docs = commands.length > 0 && data.docs.set({ summary, howToRun, howToTest: '' });
  return {
    signal: { name: 'reported', data: { ...touched(context, report), ...docs } },
    writes: item ? statusWrites(context, [item.id], 'implemented') : [],
  };
}

/** By what git says was changed; what the role says can only add to it. */
function touched(context: EndedDispatch, { gates }: Report): DataPatch {
  const { history } = context;
  // What attempts before this one left behind is not known, so every gate looks at it.
  const last = history.findLastIndex(({ step, signal }) => !isMaking(step) || signal === 'reported');
  if (last < history.length - 1 && history.at(-1)?.tree !== history[last]?.tree) return everythingTouched;
  const before = data.touched.of(context.snapshot);
  const task = context.item ? taskNamed(context, context.item.id) : { risk_flags: [], type: '' };
  const { behaviour, risky } = touches(context.changed, task, context.diff);
  return data.touched.set({
    behaviour: before.behaviour || behaviour || gates?.needs_tests === true,
    risky: before.risky || risky || (gates?.security_concerns ?? []).length > 0,
  });
}

const isMaking = (step: string): boolean => step === 'code' || step.startsWith('fix_');

function fixed(context: EndedDispatch, report: Report): Signal {
  const { snapshot } = context;
  return {
    name: 'reported',
    data: {
      ...attempted(context, report),
      guidance: null,
      handedOver: null,
      ...verdictsToAskAgain(snapshot),
      ...touched(context, report),
    },
  };
}
