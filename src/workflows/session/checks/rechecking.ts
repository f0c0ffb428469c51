/** Before work goes on after a person was waited for: is what they approved still what is there? */

import { attempt, DocumentError } from '../../../documents/document-error.ts';
import type { CheckContext, CheckResult, RunView } from '../../workflow.ts';
import { designDigest } from '../design.ts';
import { statusPath } from '../files/paths.ts';
import { readStatus } from '../files/read-status.ts';
import type { Phase } from '../files/status-file.ts';
import { askedDesign } from '../gates.ts';
import { phaseOf } from '../machine.ts';
import { data, everythingTouched } from '../run-data.ts';
import { designDecision, strategyDecision } from '../vocabulary.ts';
import { host } from './designing.ts';

export async function recheck(context: CheckContext): Promise<CheckResult> {
  const { snapshot, run } = context;
  const phase = phaseOf(snapshot);
  const { mode } = snapshot.flags;
  if (mode !== 'lean' && isIn(phase, afterApproval) && !isApproved(context)) {
    const never = data.approvedDesign.of(snapshot) === null;
    const notes = [never ? 'the design was never approved' : 'the design is not what was approved last'];
    return { signal: { name: 'design_changed', data: askedDesign(context) }, notes };
  }
  const isChosen = mode === 'per_batch' || mode === 'single_final';
  if (isChosen && isIn(phase, afterStrategy) && strategyOnDisk(context) === null) {
    return { signal: { name: 'no_strategy' }, notes: [`${statusPath(run)} has no review strategy any more`] };
  }
  // What an attempt that came to nothing left behind was judged by nobody.
  const last = context.history.findLast(({ problem }) => problem === null);
  const edited = isIn(phase, afterStrategy) && last !== undefined && last.tree !== (await context.treeDigest());
  const found = {
    ...(snapshot.returnTo === 'approve_design' && askedDesign(context)),
    ...(data.runtime.of(snapshot).checkedAt === null && host(context)),
  };
  if (!edited) return { signal: { name: 'intact', data: found }, notes: [] };
  return {
    signal: { name: 'code_changed', data: { ...found, ...everythingTouched } },
    notes: ['files were changed since they were last judged; they are judged again'],
  };
}

/** Approved, not put off since, and still the same. */
function isApproved(context: CheckContext): boolean {
  const { decisions } = context.snapshot;
  const { status, answer } = decisions[designDecision.id] ?? {};
  return (
    status === 'answered' &&
    APPROVED.test(answer ?? '') &&
    designDigest(context) === data.approvedDesign.of(context.snapshot)
  );
}

/** Stricter than a person's words need be: only the canonical answer is on record. */
const APPROVED = /^approved(?:\s|:|$)/;

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

function isIn(phase: Phase | null, phases: readonly Phase[]): boolean {
  return phase !== null && phases.includes(phase);
}

type Place = Pick<RunView, 'files' | 'run'>;

export function isApprovedOnDisk(place: Place): boolean {
  return APPROVED.test(answerOnDisk(place, designDecision.id) ?? '');
}

/** The strategy as status.json on disk has it; null where it is missing, not canonical, or not to be read. */
export function strategyOnDisk(place: Place): 'per-batch' | 'single-final' | null {
  const answer = answerOnDisk(place, strategyDecision.id);
  return answer === 'per-batch' || answer === 'single-final' ? answer : null;
}

/** What status.json on disk says a person answered; null for everything else. */
export function answerOnDisk({ files, run }: Place, id: string): string | null {
  const file = statusPath(run);
  const read = attempt(() => readStatus(files.read(file) ?? '', file));
  if (read instanceof DocumentError) return null;
  const found = read.status.user_decisions.find((each) => each.id === id);
  return found?.status === 'answered' ? found.answer : null;
}
