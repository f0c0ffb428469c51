/** What each dispatch of a session is sent off with, or why it is not sent at all. */

import type { Signal } from '../../engine/transition.ts';
import type { Brief, DispatchContext, Dispatching, Skip } from '../workflow.ts';
import { conclude } from './conclude.ts';
import { taskNamed } from './documents.ts';
import { unfit } from './pre-dispatch.ts';
import { promptFor } from './prompt.ts';
import { data, scopeOf } from './run-data.ts';
import { tools } from './tools.ts';

/** Everything a dispatch takes. */
export const dispatching: Dispatching = { tools, brief, conclude };

export function brief(context: DispatchContext): Brief | Skip {
  const stopped = unfit(context);
  if (stopped) {
    const { validator, problem } = stopped;
    const fix = `mend it, then: pawl session resume ${context.run}`;
    return {
      signal: { name: 'unfit', problem: { code: `pre_dispatch_${validator}`, message: problem, fix } },
      why: `${context.role} is not dispatched: ${problem}`,
    };
  }
  return skipped(context) ?? { prompt: promptFor(context), closedBy: 'report', complexity: complexityOf(context) };
}

/** Roles that are not needed, and judgements that stand because nothing has changed. */
function skipped(context: DispatchContext): Skip | null {
  const { step, snapshot } = context;
  const { needsResearch, hasUi } = data.intake.of(snapshot);
  if (step === 'research' && !needsResearch) return skip('not_needed', 'no research was asked for');
  if (step === 'design_ui' && !hasUi) return skip('not_needed', 'there is no user interface');
  if (step === 'code' && isImplemented(context)) return skip('reported', 'the task is implemented already');
  if (step === 'fix_build' && snapshot.flags['mode'] === 'lean')
    return skip('hand_over', 'in a lean session the Coder mends the build');
  if (step !== 'review' && step !== 'qa' && step !== 'security') return null;
  if (stands(context)) return skip('unchanged', 'it passed, and nothing has changed since');
  if (step !== 'review' && !isNeeded(context))
    return skip('not_needed', `nothing the ${context.role} looks at was touched`);
  return null;
}

function skip(name: Signal['name'], why: string): Skip {
  return { signal: { name }, why };
}

function isImplemented(context: DispatchContext): boolean {
  return context.item !== undefined && taskNamed(context, context.item.id).status === 'implemented';
}

/** The same gate passed for the same purpose, and the files are the very same. */
function stands({ step, snapshot, history, judged }: DispatchContext): boolean {
  if (data.pass.get(snapshot, step) !== scopeOf(snapshot) || judged === undefined) return false;
  const last = history.findLast((each) => each.step === step && each.problem === null);
  return last !== undefined && last.signal.startsWith('passed') && last.tree === judged.digest;
}

/**
 * QA looks at behaviour, Security at risk, by what was touched since the last judgement was complete.
 * A single final pass is the only look they get; otherwise they join the final pass where they have not worked yet,
 * so that every core role has.
 */
function isNeeded({ step, snapshot, history }: DispatchContext): boolean {
  const { behaviour, risky } = data.touched.of(snapshot);
  const { mode, round } = snapshot.flags;
  if (step === 'qa' ? behaviour : risky) return true;
  if (round === 'task' || mode === 'lean') return false;
  const worked = history.some((each) => each.step === step && each.problem === null);
  return !worked || mode === 'single_final';
}

/** The more is at stake, the stronger the model. */
function complexityOf({ role, snapshot }: DispatchContext): string {
  if (snapshot.flags['mode'] === 'lean') return 'low';
  return role === 'Architect' || role === 'Planner' || role === 'Security' ? 'high' : 'medium';
}
