/** The `agentd` program: the verbs of `pawl change` under their older name. */

import { start } from './start.ts';

await start('agentd', process.argv.slice(2));
