/** `pawl` with one more workflow, as a program. */

import { main } from '../../src/cli/main.ts';
import { bundled } from '../../src/workflows/bundled.ts';
import { pollSurface } from './surface.ts';

void main('pawl', process.argv.slice(2), [...bundled, pollSurface]).then((code) => (process.exitCode = code));
