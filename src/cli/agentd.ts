/** The `agentd` program: the verbs of `pawl change` under their older name. */

import { start } from './start.ts';

export const ended = start('agentd', process.argv.slice(2));
