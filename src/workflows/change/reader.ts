/** What those need of `change` who only look at changes. It loads without what only work takes. */

import { summarize } from '../run-summary.ts';
import type { WorkflowReader } from '../workflow.ts';
import { settingsOf } from './config.ts';
import { machine } from './machine.ts';
import { shownState } from './shown-state.ts';
import { foreign, listed, nextIn, status } from './status.ts';
import { words } from './summary.ts';

export const reader: WorkflowReader = {
  name: 'change',
  machine,
  settings: settingsOf,
  stateFile: shownState,
  summarize: (view, rest) => summarize(machine, words, view, rest),
  listed,
  nextIn,
  status,
  foreign,
};
