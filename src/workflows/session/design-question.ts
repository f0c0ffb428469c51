/** What a person is shown and asked before a design counts as approved. */

import type { RunView } from '../workflow.ts';
import { askingGate } from './decisions.ts';
import { designTexts } from './digest.ts';
import type { Data } from './run-data.ts';

/** Puts the gate's decision on record as pending, with the design as it is asked about and as it was the last time. */
export function askForApproval(view: RunView): Data {
  const earlier = view.snapshot.data['askedDesign'];
  return {
    ...askingGate('UD-APPROVE-DESIGN', 'Is the design approved?', {
      snapshot: view.snapshot,
      at: view.at,
      context: 'APPROVE_DESIGN',
    }),
    askedDesign: designTexts(view),
    ...(earlier !== undefined && { askedBefore: earlier }),
  };
}

export function askForStrategy(view: RunView): Data {
  return askingGate('UD-REVIEW-STRATEGY', 'How are the changes reviewed: per-batch or single-final?', {
    snapshot: view.snapshot,
    at: view.at,
    context: 'REVIEW_STRATEGY',
  });
}
