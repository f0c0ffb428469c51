/** What those need of `change` who only look at changes. It loads without what only work takes. */

import type { WorkflowReader } from '../workflow.ts';
import { settingsOf } from './config.ts';
import { machine } from './machine.ts';
import { shownState } from './shown-state.ts';
import { foreign, listed, nextIn, status } from './status.ts';
import { summarize } from './summary.ts';

export const reader: WorkflowReader = {
  name: 'change',
  machine,
  settings: settingsOf,
  stateFile: shownState,
  summarize,
  listed,
  nextIn,
  status,
  foreign,
};
