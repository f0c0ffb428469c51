/** The `pawl` program. Kept tiny: everything else is loaded when a command needs it. */

import { start } from './start.ts';

export const ended = start('pawl', process.argv.slice(2));
