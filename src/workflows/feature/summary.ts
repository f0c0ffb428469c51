/** The result of a command on a feature, in words. */

import { counted } from '../../documents/review-text.ts';
import { stopText, type RunWords } from '../define-workflow.ts';
import type { RunView } from '../workflow.ts';
import { data, recordIn } from './run-data.ts';
import { metaPath, phaseAfter, titled } from './phases.ts';

export function nextCommand({ run, snapshot }: Pick<RunView, 'run' | 'snapshot'>): string | null {
  if (['done', 'discarded'].includes(snapshot.state)) return null;
  const target = phaseAfter(data.currentPhase.of(snapshot), data.mode.of(snapshot));
  const isBlocked = target === 'finish' && snapshot.flags['verify'] === 'required';
  return `pawl feature ${isBlocked ? 'verify' : target} ${run}`;
}

export const words: RunWords = {
  next: nextCommand,
  verdict: ({ snapshot }) => (['done', 'discarded'].includes(snapshot.state) ? snapshot.state : null),
  stops: (view, outcome) => (view.snapshot.state === 'idle' ? null : stopText(view, outcome)),
  refusals: {
    NotActive: ({ run, snapshot, phase }) =>
      snapshot.state === 'new' ? ['not_created', `${run} is not created yet`] : ['over', `${run} is ${phase}`, null],
    AlreadyCreated: ({ run }) => ['already_created', `${run} is there already`],
    NothingToRetry: ({ run }) => ['nothing_to_retry', `${run} has no step to retry`],
    NoAddressLeft: ({ run }) => [
      'no_round_left',
      'no round is left to address the findings',
      `pawl answer ${run} findings proceed`,
    ],
    NotVerified: ({ run }) => [
      'not_verified',
      `${run} is in full mode: finish needs an approved verify`,
      `pawl feature verify ${run}`,
    ],
  },
  rests: {
    confirm_move: ({ run, snapshot }) => asked(run, 'move', data.warning.of(snapshot)),
    ask_partial: ({ run, snapshot }) =>
      asked(run, 'partial', `${data.target.of(snapshot)} was started and not completed`),
    ask_findings: ({ run }) => asked(run, 'findings', 'the implementation is not what was asked for'),
    ask_finish: ({ run }) => asked(run, 'finish', `${run} can be finished`),
    confirm_discard: ({ run }) => asked(run, 'discard', `${run} is discarded only when its name is typed`),
    idle: (view, outcome) => {
      const { run, snapshot } = view;
      const { problem } = snapshot;
      if (outcome === 'not_ready' && problem)
        return [problem.code === 'PhaseBlocked' ? 'blocked' : 'not_ready', problem.message, problem.fix ?? null];
      if (outcome === 'not_ready') return ['not_started', 'nothing was changed'];
      const note = data.note.of(snapshot);
      if (note !== '') return ['kept', note];
      const current = data.currentPhase.of(snapshot);
      if (current === null) return ['created', createdText(view)];
      const { iterations, reviewerNotes, reviewSkipped } = recordIn(snapshot, current);
      const rounds = reviewSkipped ? 'review skipped' : counted(iterations ?? 0, 'iteration');
      if (reviewerNotes.length === 0) return ['completed', `${titled(current)} complete (${rounds})`];
      const concerns = reviewerNotes.map((note) => `  - ${note}`).join('\n');
      const told = `${reviewSkipped ? 'Problems' : 'Reviewer concerns'}:\n${concerns}\n(${rounds}; see ${metaPath(run)})`;
      return ['completed_with_concerns', `${titled(current)} complete. ${told}`];
    },
    done: (view) => ended('finished', 'completed', view),
    discarded: (view) => ended('discarded', 'discarded', view),
  },
};

function ended(action: string, how: string, { run, snapshot }: RunView) {
  return [action, [`${run} is ${how}`, ...data.landed.of(snapshot)].join('\n'), null] as const;
}

function asked(run: string, question: string, message: string) {
  return ['asked', message, `pawl answer ${run} ${question} <answer>`] as const;
}

function createdText({ run, snapshot }: RunView): string {
  const where = data.worktree.of(snapshot) === null ? 'in this checkout' : 'in a worktree of its own';
  return `${run} is created in ${data.mode.of(snapshot)} mode, ${where}`;
}
