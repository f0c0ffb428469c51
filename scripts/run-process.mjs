/** Starting programs from the repository's scripts, without a shell. */

import { spawn } from 'node:child_process';
import { existsSync, realpathSync } from 'node:fs';
import { constants } from 'node:os';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('..', import.meta.url));

/**
 * @typedef {object} Finished
 * @property {number} code
 * @property {string} output What it printed; empty unless captured.
 */

/**
 * Runs a program in the repository root.
 * @param {string} command
 * @param {readonly string[]} args
 * @param {{capture?: boolean, stdoutToStderr?: boolean, env?: NodeJS.ProcessEnv}} options
 * @returns {Promise<Finished>}
 */
export async function run(command, args, { capture = false, stdoutToStderr = false, env = process.env } = {}) {
  const out = capture ? 'pipe' : 'inherit';
  const child = spawn(command, args, { cwd: root, env, stdio: ['inherit', stdoutToStderr ? 2 : out, out] });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => (output += String(chunk)));
  // The terminal sends Ctrl-C to the child as well; its exit code is the one that counts.
  const wait = () => {};
  process.on('SIGINT', wait);
  try {
    return await new Promise((resolve, reject) => {
      child.on('error', reject);
      child.on('close', (code, signal) =>
        resolve({ code: code ?? 128 + constants.signals[signal ?? 'SIGKILL'], output }),
      );
    });
  } finally {
    process.off('SIGINT', wait);
  }
}

/**
 * Runs Node on a file of the repository (or of a package's bin folder).
 * @param {readonly string[]} args
 * @param {Parameters<typeof run>[2]} [options]
 */
export function runNode(args, options) {
  return run(process.execPath, args, options);
}

/**
 * Whether the module with this `import.meta.url` is the one Node was started on, symbolic links resolved.
 * @param {string} url
 */
export function isMain(url) {
  const started = process.argv[1];
  return started !== undefined && existsSync(started) && realpathSync(started) === fileURLToPath(url);
}
