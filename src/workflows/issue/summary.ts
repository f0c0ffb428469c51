/** The result of a command on an issue, in words. */

import type { RunWords } from '../define-workflow.ts';
import { summaryPath } from './files/ids.ts';
import { recoveryCommands } from './recovery.ts';
import { data } from './run-data.ts';
import { filedIn } from './summary-values.ts';

export const words: RunWords = {
  next: ({ run, snapshot }) => (['done', 'failed'].includes(snapshot.state) ? null : `pawl issue run ${run} --resume`),
  verdict: ({ snapshot }) => (snapshot.state === 'done' || snapshot.state === 'failed' ? snapshot.state : null),
  stops: ({ run, snapshot: { problem } }, outcome) => {
    const next = `pawl issue run ${run} --resume`;
    if (outcome === 'interrupted') return ['interrupted', 'stopped; everything finished so far is kept', next];
    if (outcome === 'over_budget')
      return ['over_budget', problem?.message ?? '', problem?.fix ?? `${next} --budget <name>=<number>`];
    if (outcome === 'unavailable') return ['agent_unavailable', problem?.message ?? '', `${next} --agent <agent>`];
    if (outcome === 'temporary') return ['rate_limited', problem?.message ?? '', next];
    return null;
  },
  refusals: {
    AlreadyRun: ({ run }) => ['already_run', `the run of ${run} was begun already`],
    NothingToRetry: ({ run, snapshot }) => {
      const isDone = snapshot.state === 'done';
      return ['nothing_to_retry', `the run of ${run} ${isDone ? 'is done; nothing is left' : 'has no step to retry'}`];
    },
  },
  rests: {
    done: ({ run, snapshot }) => {
      const commits = data.commits.of(snapshot).map(({ id, message }) => `  ${id.slice(0, 9)} ${message}`);
      const open = filedIn(snapshot).map(({ id, label, title }) => `  ${id} (${label}): ${title}`);
      return [
        'done',
        [
          `the run of ${run} is done; see ${summaryPath(run)}`,
          ...(commits.length === 0 ? ['nothing was committed'] : ['commits:', ...commits]),
          ...(open.length === 0 ? [] : ['filed:', ...open]),
        ].join('\n'),
        null,
      ];
    },
    failed: (view) => {
      const { run, snapshot } = view;
      const { signal = '', why = '' } = data.failure.of(snapshot) ?? {};
      const told = `the run of ${run} failed: ${signal}${why === '' ? '' : `: ${why}`}\nsee ${summaryPath(run)}; to begin again:`;
      return ['failed', [told, ...recoveryCommands(view).map((command) => `  ${command}`)].join('\n'), null];
    },
  },
};
