/** What `pawl.toml` says about sessions, and the parts of it that all workflows share. */

import { described, orNull, refine, section, withDefault } from '../../schema/compound.ts';
import { duration, text, whole } from '../../schema/simple.ts';
import { command, runSettings } from '../run-config.ts';
import { readWorkflowConfig } from '../workflow-config.ts';
import type { FileView, RunSettings } from '../workflow.ts';
import { roles } from './session-words.ts';

/** As git takes it; `{session}` stands for the session's name. */
const tag = refine(text(), (name) =>
  /^(?!-)(?:[\w.\-/]|\{session\})+$/.test(name) && !name.includes('..')
    ? undefined
    : { expected: 'a tag such as "v1.2.0" or "done/{session}"' },
);

const session = section({
  repairs: described(withDefault(whole(0, 100), 3), 'repairs of one kind and task before a person decides'),
  retries: described(withDefault(whole(0, 100), 2), 'further attempts at an agent call that came to nothing'),
  ci: described(orNull(command), 'build or CI command that runs beside the acceptance checks'),
  checkMinutes: described(withDefault(duration(1440), 10), 'for each check'),
  tag: described(orNull(tag), 'git tag set at the end, such as `"done/{session}"`'),
});

/** A session works through many tasks, each judged by several roles. */
export const format = { sections: { session }, roles, dispatches: 300 };

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
