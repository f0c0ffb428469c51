import type { Dispatching } from '../workflow.ts';
import { brief } from './brief.ts';
import { conclude } from './conclude.ts';
import { tools } from './tools.ts';

export const dispatching: Dispatching = { tools, brief, conclude };
