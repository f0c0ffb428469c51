/** What a workflow is told about a dispatch, before it begins and when it is over. */

import type { DispatchEffect } from '../engine/transition.ts';
import type { DispatchContext } from '../workflows/workflow.ts';
import type { OpenDispatch } from './run-state.ts';
import type { Run } from './run.ts';

/** The context of a dispatch; its id names the run, so that its processes can be told from all others. */
export function contextOf(run: Run, effect: DispatchEffect, agent: string, hint?: string): DispatchContext {
  const { step, role, item } = effect;
  const { workspace } = run;
  const dispatch = callId(run, 1);
  const hinted = hint !== undefined && { hint };
  return { ...run.view(), workspace, step, role, agent, dispatch, ...(item && { item }), ...hinted };
}

/** The id of the nth agent call from now on. */
export function callId(run: Run, nth: number): string {
  const { dispatches, reruns } = run.state.spent;
  return `${run.workflow.name}.${run.id}#${dispatches + reruns + nth}`;
}

type Started = OpenDispatch['started'];

/** The context of a dispatch that has begun, from its record. */
export function contextFrom(run: Run, { id: dispatch, at, role, step, agent, item, hint }: Started): DispatchContext {
  return { ...contextOf(run, { type: 'dispatch', role, step, ...(item && { item }) }, agent, hint), dispatch, at };
}

/** The same for its advisor. */
export function advisorContextFrom(run: Run, started: Started, { id, role, agent }: NonNullable<Started['beside']>) {
  return { ...contextFrom(run, started), role, agent, dispatch: id };
}
