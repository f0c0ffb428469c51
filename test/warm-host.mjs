/**
 * Runs commands of Pawl one after the other in one process, whose code is loaded and optimised after the first.
 * Each command has its own folder, variables and output; what it left for the end of its process happens at its end.
 */

import { createRequire } from 'node:module';

const output = { stdout: '', stderr: '' };
for (const name of /** @type {const} */ (['stdout', 'stderr'])) {
  process[name].write = (/** @type {string | Uint8Array} */ text, /** @type {unknown[]} */ ...rest) => {
    output[name] += typeof text === 'string' ? text : Buffer.from(text).toString('utf8');
    const done = rest.at(-1);
    if (typeof done === 'function') process.nextTick(done);
    return true;
  };
}

const endings = ['exit', 'SIGINT', 'SIGTERM', 'SIGHUP'];
/** @type {import('node:events').EventEmitter} */
const events = process;
const require = createRequire(import.meta.url);

process.on('disconnect', () => process.exit());
process.on('message', (order) => void run(order));

/** @param {any} order */
async function run({ program, args, cwd, env }) {
  for (const name of Object.keys(process.env)) delete process.env[name];
  Object.assign(process.env, env);
  process.chdir(cwd);
  process.argv = [process.execPath, program, ...args];
  process.exitCode = undefined;
  Object.assign(output, { stdout: '', stderr: '' });
  const before = new Map(endings.map((event) => [event, events.listeners(event)]));
  delete require.cache[program];
  await require(program).ended;
  for (const [event, known] of before) {
    for (const listener of events.listeners(event).filter((each) => !known.includes(each))) {
      if (event === 'exit') listener(process.exitCode);
      events.removeListener(event, /** @type {(...args: unknown[]) => void} */ (listener));
    }
  }
  process.send?.({ code: process.exitCode ?? 0, signal: null, ...output });
}
