/** What the signals of a feature leave in its snapshot. */

import { list, orNull, withDefault } from '../../schema/compound.ts';
import { maybe } from '../../schema/lenient.ts';
import { flag, number, oneOf, verbatim } from '../../schema/simple.ts';
import type { Snapshot } from '../../engine/snapshot.ts';
import { keyed, slots } from '../data-slots.ts';
import { evidence, finalFinding, issueSchema } from '../../documents/review-issues.ts';
import { phaseRecord, recordOf, type PhaseRecord, type PhaseRecords } from './meta-file.ts';
import { modeNames, phases, type Phase } from './phases.ts';

const words = withDefault(verbatim(), '');
const wordsOrNull = orNull(maybe(verbatim()));
const texts = withDefault(list(verbatim(), 'a list of texts'), []);

export const data = slots({
  id: words,
  name: words,
  description: words,
  mode: withDefault(oneOf(modeNames), 'standard'),
  created: words,
  completed: wordsOrNull,
  worktree: wordsOrNull,
  /** The branch that it began from, and comes back to; and its own. */
  base: wordsOrNull,
  branch: wordsOrNull,
  currentPhase: orNull(oneOf(phases)),
  phase: keyed(phaseRecord),
  /** Of the phase at work. */
  target: withDefault(oneOf(phases), 'implement'),
  noReview: withDefault(flag(), false),
  confirmed: withDefault(flag(), false),
  warning: words,
  /** What the last answer came to, where nothing was done. */
  note: words,
  iteration: withDefault(number(), 0),
  /** The work tree at the beginning, as it is being reviewed, and as it was reviewed before. */
  startTree: wordsOrNull,
  reviewTree: wordsOrNull,
  reviewDigest: wordsOrNull,
  reviewedTree: wordsOrNull,
  changes: words,
  issues: withDefault(list(issueSchema, 'a list'), []),
  feedback: words,
  summary: words,
  approved: withDefault(flag(), false),
  suite: texts,
  findings: withDefault(list(finalFinding, 'a list'), []),
  evidence: withDefault(list(evidence, 'a list'), []),
  proceeded: withDefault(flag(), false),
  /** Digest of what `verify` approved. */
  verifiedTree: wordsOrNull,
  /** How the feature came home, for the person. */
  landed: texts,
});

export function phaseRecords(snapshot: Pick<Snapshot, 'data'>): PhaseRecords {
  return data.phase.all(snapshot);
}

export function recordIn(snapshot: Pick<Snapshot, 'data'>, phase: Phase): PhaseRecord {
  return recordOf(phaseRecords(snapshot), phase);
}
