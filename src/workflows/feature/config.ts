/** What `pawl.toml` says about features, and the parts of it that all workflows share. */

import { described, section, withDefault } from '../../schema/compound.ts';
import { whole } from '../../schema/simple.ts';
import { runSettings } from '../run-config.ts';
import { readWorkflowConfig } from '../workflow-config.ts';
import type { FileView, RunSettings } from '../workflow.ts';
import { checks } from '../project-checks.ts';
import { roleNames } from './phases.ts';

const feature = section({
  retries: described(withDefault(whole(0, 20), 2), 'further attempts at an agent call that came to nothing'),
});

export const format = { sections: { feature, checks }, roles: roleNames, dispatches: 100 };

export function readConfig(files: Pick<FileView, 'read'>) {
  return readWorkflowConfig(files, format);
}

export function settingsOf(files: Pick<FileView, 'read'>): RunSettings {
  const { config, ...found } = readConfig(files);
  return { ...runSettings(config, roleNames), limits: { retries: config.feature.retries }, ...found };
}
