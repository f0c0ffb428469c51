/** The `feature` workflow: a machine, and everything the runtime needs around it. */

import { counted } from '../../documents/review-text.ts';
import { phaseOf } from '../../engine/phase.ts';
import type { Json } from '../../engine/snapshot.ts';
import type { Signal } from '../../engine/transition.ts';
import { defineWorkflow, late } from '../define-workflow.ts';
import { patch } from '../data-slots.ts';
import type { DispatchContext, RunView, StatusDetails, StatusItem } from '../workflow.ts';
import { configPaths } from '../workflow-config.ts';
import { settingsOf } from './config.ts';
import { isPartial, renderMeta } from './meta-file.ts';
import { decisions, questions } from './questions.ts';
import { data, recordIn } from './run-data.ts';
import { foreign, listedOf, metaOf, stateFile } from './state-file.ts';
import { nextCommand, words } from './summary.ts';
import { machine } from './transition-table.ts';
import { featuresFolder, historyPath, isInMain, metaPath, modeNames, modes, phaseNamed, phases } from './phases.ts';

const phaseChecks = ['open', 'find_input', 'admit', 'start', 'set_aside', 'inspect', 'same_code', 'complete'] as const;
const finishChecks = [
  'inspect_finish',
  'inspect_discard',
  'merge',
  'open_pull_request',
  'clean_up',
  'discard',
] as const;

const reader = { mayWrite: [], judges: true, defaultAgent: 'codex' } as const;

export const feature = defineWorkflow({
  name: 'feature',
  machine,
  settings: settingsOf,
  controlFolder: featuresFolder,
  inMain: isInMain,
  mainFiles: (run) => [metaPath(run), historyPath(run)],
  configPaths,
  roles: {
    executor: { mayWrite: executorLimits, defaultAgent: 'claude' },
    reviewer: reader,
    auditor: reader,
  },
  dispatching: async () => (await import('./brief.ts')).dispatching,
  checks: {
    ...late(phaseChecks, async () => (await import('./phase-checks.ts')).phaseChecks),
    ...late(finishChecks, async () => (await import('./finish-checks.ts')).finishChecks),
  },
  questions,
  decisions,
  placeless: ['clean_up', 'discard'],

  enter,
  differenceTo: ({ phase, noReview }, { snapshot }) =>
    phaseNamed(phase) === null || (noReview === 'yes') === data.noReview.of(snapshot)
      ? undefined
      : ` ${data.noReview.of(snapshot) ? 'with' : 'without'} --no-review`,
  stateFile,
  foreign,
  words,
  abandonWrites: (view) => {
    const meta = { ...metaOf(view), status: 'abandoned' as const, completed: view.at };
    return [{ path: metaPath(view.run), content: renderMeta(view.files.read(metaPath(view.run)), meta, view.run) }];
  },
  listed: (view) => listedOf(metaOf(view)),
  nextIn: (run, phase) => (phase === null ? null : `pawl feature status ${run}`),
  status: statusOf,
  journalPath: () => null,
});

/** Documents are written by the tool that files them. */
function executorLimits({ step }: DispatchContext): readonly string[] {
  return step === 'produce' ? [] : ['**', `!${featuresFolder}/**`];
}

function enter(command: string, args: Readonly<Record<string, Json>>, { run, snapshot }: RunView): Signal {
  const { description } = args;
  const mode = modeNames.find((name) => name === args['mode']) ?? data.mode.of(snapshot);
  const { iterations } = modes[mode];
  const note = data.note.set('');
  // With every command, so that a phase has what its mode gives it.
  const limits = { rounds: iterations - 1, addresses: iterations };
  if (typeof description === 'string')
    return {
      name: command,
      limits,
      data: patch(
        data.id.set(run.slice(0, run.indexOf('-'))),
        data.name.set(description.split('\n')[0] ?? ''),
        data.description.set(description),
        data.mode.set(mode),
      ),
    };
  const phase = phaseNamed(args['phase']);
  if (phase === null) return { name: command, limits, data: note };
  const asked = patch(
    note,
    data.target.set(phase),
    data.noReview.set(args['noReview'] === 'yes'),
    data.confirmed.set(args['confirmed'] === 'yes'),
  );
  return { name: command, limits, data: asked };
}

function statusOf(view: RunView): StatusDetails {
  const { snapshot } = view;
  const meta = metaOf(view);
  const own = modes[meta.mode].phases;
  const items = phases
    .filter((phase) => own.includes(phase) || recordIn(snapshot, phase).started !== null)
    .map((phase): StatusItem => {
      const record = recordIn(snapshot, phase);
      const { started, iterations, reviewerNotes, reviewSkipped, stale } = record;
      const completed = isPartial(record) ? null : record.completed;
      const isTarget = snapshot.state !== 'idle' && data.target.of(snapshot) === phase;
      const isAtWork = isTarget && started !== null && snapshot.outcome === null;
      const facts = [
        ...(completed === null ? [] : [reviewSkipped ? 'review skipped' : counted(iterations ?? 0, 'iteration')]),
        ...(reviewerNotes.length > 0 ? [counted(reviewerNotes.length, 'concern')] : []),
        ...(stale ? ['stale'] : []),
        ...(started !== null && completed === null ? ['started'] : []),
      ];
      const isDoubtful = stale || (completed !== null && reviewerNotes.length > 0);
      const mark = isDoubtful ? 'warning' : completed !== null ? 'done' : isAtWork ? 'current' : 'open';
      return { mark, text: facts.join(', '), id: phase };
    });
  return {
    keys: {
      name: meta.name,
      mode: meta.mode,
      status: meta.status,
      worktree: meta.worktree,
      currentPhase: meta.currentPhase,
      phases: Object.fromEntries(Object.entries(meta.phases).map(([name, record]) => [name, { ...record }])),
      nextCommand: nextCommand(view),
    },
    title: [phaseOf(machine, snapshot) ?? 'new', meta.mode, ...(meta.worktree === null ? [] : [`in ${meta.worktree}`])],
    goal: meta.name || null,
    notes: [],
    sections: [{ title: 'Phases', items }],
  };
}
