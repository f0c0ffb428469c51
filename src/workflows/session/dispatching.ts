/** Everything dispatches of the session workflow take: prompts, tools, and what reports amount to. */

import type { Dispatching } from '../workflow.ts';
import { brief } from './brief.ts';
import { conclude } from './conclude.ts';
import { tools } from './tools.ts';

export const dispatching: Dispatching = { tools, brief, conclude };
