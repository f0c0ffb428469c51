/** What `pawl.toml` says about runs of issues, and the parts of it that all workflows share. */

import { described, section, withDefault } from '../../schema/compound.ts';
import { whole } from '../../schema/simple.ts';
import { runSettings } from '../run-config.ts';
import { readWorkflowConfig } from '../workflow-config.ts';
import type { FileView, RunSettings } from '../workflow.ts';
import { checks } from '../project-checks.ts';
import { roleNames } from './role-words.ts';

const cycles = whole(1, 20);

const issue = section({
  planReviews: described(withDefault(cycles, 3), 'reviews of a plan before the run goes on with what is open'),
  splitReviews: described(withDefault(cycles, 2), 'reviews of a split into tasks'),
  finalReviews: described(withDefault(cycles, 3), 'reviews of the code'),
  escalations: described(withDefault(whole(0, 20), 2), 'diagnoses for one plan'),
  planRework: described(withDefault(whole(0, 20), 1), 'further plans in one run (`plan_rework_remaining`)'),
  retries: described(withDefault(whole(0, 20), 2), 'further attempts at an agent call that came to nothing'),
});

export const format = { sections: { issue, checks }, roles: roleNames, dispatches: 100 };

export function readConfig(files: Pick<FileView, 'read'>) {
  return readWorkflowConfig(files, format);
}

export function settingsOf(files: Pick<FileView, 'read'>): RunSettings {
  const { config, ...found } = readConfig(files);
  const { planReviews, splitReviews, finalReviews, escalations, planRework, retries } = config.issue;
  return {
    ...runSettings(config, roleNames),
    limits: {
      plan_rework: planRework,
      plan_edits: planReviews - 1,
      split_edits: splitReviews - 1,
      review_edits: finalReviews - 1,
      escalations,
      retries,
    },
    ...found,
  };
}
