/** Whether a feature may go from its phase to another one. */

import { modes, phaseRules, phases, type Mode, type Phase, type Target } from './phases.ts';

export interface Artifacts {
  readonly spec: boolean;
  readonly design: boolean;
  readonly plan: boolean;
  readonly tasks: boolean;
  /** Whether `verify` was approved; it is asked for in full mode only. */
  readonly verified?: boolean;
}

export interface Verdict {
  /** False only where it is blocked. */
  readonly allowed: boolean;
  readonly type: 'proceed' | 'warning' | 'blocked';
  readonly message: string | null;
}

export function validateTransition(current: Phase | null, target: Target, artifacts: Artifacts, mode: Mode): Verdict {
  const blocked = blockerOf(target, artifacts, mode);
  if (blocked !== null) return { allowed: false, type: 'blocked', message: blocked };
  const warning = backwardWarning(current, target, artifacts) ?? skippedWarning(current, target, mode);
  return { allowed: true, type: warning === null ? 'proceed' : 'warning', message: warning };
}

/** A document is not needed where the mode leaves out the phase that makes it. */
function blockerOf(target: Target, { spec, plan, verified }: Artifacts, mode: Mode): string | null {
  const makes = (phase: Phase): boolean => modes[mode].phases.includes(phase);
  if (target === 'implement' && !spec && makes('specify')) return 'implement needs spec.md: run specify first';
  if (target === 'create-tasks' && !plan && makes('create-plan'))
    return 'create-tasks needs plan.md: run create-plan first';
  if (target === 'finish' && mode === 'full' && verified !== true)
    return 'finish needs an approved verify in full mode: run verify first';
  return null;
}

function positionOf(target: Target): number {
  return target === 'finish' ? phases.length : phases.indexOf(target);
}

const named: readonly (readonly [keyof Artifacts, Phase])[] = [
  ['spec', 'specify'],
  ['design', 'design'],
  ['plan', 'create-plan'],
  ['tasks', 'create-tasks'],
];

function backwardWarning(current: Phase | null, target: Target, artifacts: Artifacts): string | null {
  if (current === null || positionOf(target) >= phases.indexOf(current)) return null;
  const later = named.filter(([key, phase]) => artifacts[key] && phases.indexOf(phase) > positionOf(target));
  const files = later.map(([, phase]) => phaseRules[phase].artifact);
  const stale = files.length === 0 ? 'later work may be stale' : `${files.join(', ')} may be stale`;
  return `going back from ${current} to ${target}: ${stale}`;
}

function skippedWarning(current: Phase | null, target: Target, mode: Mode): string | null {
  const skipped = skippedPhases(current, target, mode);
  return skipped.length === 0 ? null : `${target} skips ${skipped.join(', ')}`;
}

/** Phases of the mode between the two. */
export function skippedPhases(current: Phase | null, target: Target, mode: Mode): readonly Phase[] {
  const from = current === null ? -1 : phases.indexOf(current);
  return phases.filter(
    (phase, index) => index > from && index < positionOf(target) && modes[mode].phases.includes(phase),
  );
}
