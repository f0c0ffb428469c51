/** `npm start`: from a fresh clone to a finished demo run. */

import { bootstrap } from './bootstrap.mjs';
import { runNode } from './run-process.mjs';

await bootstrap();
const { code } = await runNode(['dist/pawl.js', 'demo', ...process.argv.slice(2)]);
process.exitCode = code;
