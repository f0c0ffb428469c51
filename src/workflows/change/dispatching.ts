/** The parts of the change workflow that a dispatch takes: prompts, conclusions, and the tools of each role. */

import type { Dispatching } from '../workflow.ts';
import { brief } from './brief.ts';
import { conclude } from './conclude.ts';
import { planTools } from './plan-tools.ts';
import { readingTools } from './reading-tools.ts';
import { reportTools } from './report-tools.ts';

export const tools = { ...planTools, ...reportTools, ...readingTools };

export const dispatching: Dispatching = { tools, brief, conclude };
