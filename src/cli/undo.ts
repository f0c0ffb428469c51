/** `undo`: takes back what a run did to the work tree, and says what it cannot take back. */

import { transition } from '../engine/transition.ts';
import { isUnderWay } from '../runtime/drive.ts';
import type { Run } from '../runtime/run.ts';
import { undoRun } from '../runtime/undo.ts';
import type { CommandFunction } from './commands.ts';
import { exitCodes } from './exit-codes.ts';
import { withRun } from './held-run.ts';
import { Problem } from './problem.ts';

export const undo: CommandFunction = ({ words, flags }) => {
  return withRun(words[0] ?? '', async (run) => {
    if (isUnderWay(run)) throw underWay(run);
    const possible = transition(run.workflow.machine, run.state.snapshot, { name: 'undo' });
    if (possible.kind === 'refusal') {
      const { message, next } = run.workflow.summarize(run.view(), {
        outcome: possible.outcome,
        refusal: possible.reason,
      });
      throw new Problem(possible.reason, message, {
        exitCode: exitCodes[possible.outcome],
        ...(next !== null && { fix: next }),
      });
    }
    const { restored, left } = await undoRun(run);
    const { phase, next } = run.workflow.summarize(run.view(), { outcome: 'done', refusal: null });
    const kept = ['the plan and its reviews', 'the journal', 'what was spent', 'commits, if anybody made some'];
    if (flags['json']) process.stdout.write(`${JSON.stringify({ run: run.id, restored, left, kept, phase, next })}\n`);
    else process.stdout.write(inWords(run.id, restored, left, { phase, kept, next }));
    return exitCodes.done;
  });
};

function underWay({ id, state }: Run): Problem {
  return new Problem('under_way', `"${state.lastCommand}" of ${id} was interrupted and is not finished`, {
    fix: `give the step up first: pawl cancel ${id}`,
    exitCode: exitCodes.not_ready,
  });
}

function inWords(
  run: string,
  restored: readonly string[],
  left: readonly string[],
  { phase, kept, next }: { phase: string | null; kept: readonly string[]; next: string | null },
): string {
  return [
    restored.length === 0 ? `${run}: no file had to be put back` : `${run}: put back as before the run:`,
    ...restored.map((path) => `  ${path}`),
    ...(left.length === 0
      ? []
      : ['not touched, because somebody changed them since:', ...left.map((path) => `  ${path}`)]),
    `not taken back: ${kept.join(', ')}`,
    `phase=${phase}`,
    ...(next === null ? [] : [`Next: ${next}`]),
    '',
  ].join('\n');
}
