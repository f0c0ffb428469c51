/** A process that guards a program, starts it, and kills itself before it can say which one it is. */

import { spawn } from 'node:child_process';
import { guard } from '../../src/workspace/guardian.ts';

const [name = '', value = ''] = process.argv.slice(2);
guard(`${name}=${value}`);
const child = spawn('sleep', ['600'], { env: { [name]: value }, detached: true, stdio: 'ignore' });
process.stdout.write(`${child.pid}\n`, () => process.kill(process.pid, 'SIGKILL'));
