/** Before work goes on after a person was waited for: is what they approved still what is there? */

import { DocumentError } from '../../../documents/document-error.ts';
import type { Signal } from '../../../engine/transition.ts';
import type { CheckContext, CheckResult, RunView } from '../../workflow.ts';
import { readStrategy } from '../answers.ts';
import { designDigest } from '../digest.ts';
import { statusPath } from '../files/paths.ts';
import { readStatus, type Phase } from '../files/status.ts';
import { askedDesign } from '../gates.ts';
import { phaseOf } from '../phases.ts';
import { approvedDesign, runtimeFlagsOf, type Data } from '../run-data.ts';
import { hasInstructions } from './designing.ts';

export async function recheck(context: CheckContext): Promise<CheckResult> {
  const phase = phaseOf(context.snapshot);
  const { flags, returnTo } = context.snapshot;
  const { course } = flags;
  if (course !== 'lean' && isIn(phase, afterApproval) && !isApproved(context)) {
    const never = approvedDesign(context.snapshot) === null;
    const notes = [never ? 'the design was never approved' : 'the design is not what was approved last'];
    return { signal: { name: 'design_changed', data: askedDesign(context) }, notes };
  }
  if (isStrategy(course) && isIn(phase, afterStrategy) && strategyOnDisk(context) === null) {
    const notes = [`${statusPath(context.run)} has no review strategy any more`];
    return { signal: { name: 'no_strategy' }, notes };
  }
  // What an attempt that came to nothing left behind was judged by nobody.
  const last = context.history.findLast(({ problem }) => problem === null);
  const edited = isIn(phase, afterStrategy) && last !== undefined && last.tree !== (await context.treeDigest());
  const data = {
    ...(returnTo === 'approve_design' && askedDesign(context)),
    ...rechecked(context),
    ...(edited && everythingTouched),
  };
  const signal: Signal = { name: edited ? 'code_changed' : 'intact', data };
  return { signal, notes: edited ? ['files were changed since they were last judged; they are judged again'] : [] };
}

/** Nobody knows what was changed, so every gate looks at it. */
const everythingTouched = { touched: { behaviour: true, risky: true } };

/** Approved, not put off since, and still the same. */
function isApproved(context: CheckContext): boolean {
  const { snapshot } = context;
  const said = snapshot.decisions['UD-APPROVE-DESIGN'];
  return (
    said?.status === 'answered' &&
    APPROVED.test(said.answer ?? '') &&
    designDigest(context) === approvedDesign(snapshot)
  );
}

/** Stricter than a person's words need be: only the canonical answer is on record. */
export const APPROVED = /^approved(?:\s|:|$)/;

const afterApproval: readonly Phase[] = [
  'PLAN',
  'REVIEW_STRATEGY',
  'IMPLEMENT_LOOP',
  'FIX_REVIEW',
  'FIX_TESTS',
  'FIX_SECURITY',
  'FIX_BUILD',
  'INTEGRATE',
  'RELEASE',
];
const afterStrategy = afterApproval.slice(2);

function isStrategy(course: string | undefined): boolean {
  return course === 'per_batch' || course === 'single_final';
}

function isIn(phase: Phase | null, phases: readonly Phase[]): boolean {
  return phase !== null && phases.includes(phase);
}

/** The strategy as status.json on disk has it; null where it is missing, not canonical, or not to be read. */
export function strategyOnDisk({ files, run }: Pick<RunView, 'files' | 'run'>): 'per-batch' | 'single-final' | null {
  const answer = answerOnDisk({ files, run }, 'UD-REVIEW-STRATEGY');
  const strategy = answer === null ? null : readStrategy(answer);
  return strategy === 'per-batch' || strategy === 'single-final' ? (answer === strategy ? strategy : null) : null;
}

/** What status.json on disk says a person answered; null for everything else. */
export function answerOnDisk({ files, run }: Pick<RunView, 'files' | 'run'>, id: string): string | null {
  const file = statusPath(run);
  const text = files.read(file);
  if (text === undefined) return null;
  try {
    const found = readStatus(text, file).status.user_decisions.find(({ decision_id: each }) => each === id);
    return found?.status === 'answered' ? found.answer : null;
  } catch (error) {
    if (error instanceof DocumentError) return null;
    throw error;
  }
}

/** Flags of the session's surroundings are looked at again where they are missing. */
function rechecked({ snapshot, files, at }: RunView): Data {
  return runtimeFlagsOf(snapshot).checkedAt === null
    ? { runtime: { instructions: hasInstructions(files), checkedAt: at } }
    : {};
}
