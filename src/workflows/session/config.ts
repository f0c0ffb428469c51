/** What `pawl.toml` says about sessions, and the parts of it that all workflows share. */

import { orNull, refine, section, withDefault } from '../../schema/compound.ts';
import { duration, flag, text, whole } from '../../schema/simple.ts';
import { command, runSettings } from '../run-config.ts';
import { readWorkflowConfig } from '../workflow-config.ts';
import type { FileView, RunSettings } from '../workflow.ts';
import { roles } from './vocabulary.ts';

/** As git takes it; `{session}` stands for the session's name. */
const tag = refine(text(), (name) =>
  /^(?!-)(?:[\w.\-/]|\{session\})+$/.test(name) && !name.includes('..')
    ? undefined
    : { expected: 'a tag such as "v1.2.0" or "done/{session}"' },
);

export const session = section({
  repairs: withDefault(whole(0, 100), 3),
  /** Further attempts at a dispatch that came to nothing. */
  retries: withDefault(whole(0, 100), 2),
  /** Build or CI command that INTEGRATE runs; null where the acceptance checks are all there is. */
  ci: orNull(command),
  checkMinutes: withDefault(duration(1440), 10),
  allowShell: withDefault(flag(), false),
  tag: orNull(tag),
});

/** A session works through many tasks, each judged by several roles. */
const format = { sections: { session }, roles, dispatches: 300 };

export function readConfig(files: Pick<FileView, 'read'>) {
  return readWorkflowConfig(files, format);
}

export function settingsOf(files: Pick<FileView, 'read'>): RunSettings {
  const { config, ...found } = readConfig(files);
  const { repairs, retries } = config.session;
  return {
    ...runSettings(config, roles),
    limits: { fix_review: repairs, fix_tests: repairs, fix_security: repairs, fix_build: repairs, retries },
    ...found,
  };
}
