/** Tries to get out of a box in many ways, and prints what came of each: `done` where it worked, else the error's code. */

import { spawn } from 'node:child_process';
import { appendFileSync, readdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';

/** @type {Record<string, any>} */
const target = JSON.parse(readFileSync(new URL('target.json', import.meta.url), 'utf8'));
/** @type {Record<string, string>} */
const outcomes = {};

/** @param {string} name @param {() => unknown} act */
const attempt = async (name, act) => {
  try {
    const outcome = await act();
    outcomes[name] = typeof outcome === 'string' ? outcome : 'done';
  } catch (error) {
    outcomes[name] = error instanceof Error && 'code' in error ? String(error.code) : String(error);
  }
};

/** @param {object} where @param {string} [send] */
const reach = (where, send) =>
  new Promise((resolve, reject) => {
    const socket = connect(/** @type {any} */ (where));
    socket.setTimeout(5_000, () => reject(new Error('timeout')));
    socket.on('error', reject);
    if (send === undefined) socket.on('connect', () => (socket.destroy(), resolve('done')));
    else
      socket
        .on('connect', () => socket.write(send))
        .on('data', (data) => (socket.destroy(), resolve(String(data).split('\r')[0])));
  });

const { root, folder, home, port, daemon, dispatch } = target;
const git = join(root, '.git');
await attempt('write the workspace', () => writeFileSync(join(root, 'src/planted.mjs'), 'planted'));
await attempt('write beside the workspace', () => writeFileSync(join(folder, 'outside.txt'), 'planted'));
await attempt('write the home folder', () => appendFileSync(join(home, '.bashrc'), 'planted'));
await attempt('write a system folder', () => writeFileSync(target.system, 'planted'));
await attempt('write a hook', () => writeFileSync(join(git, 'hooks/post-checkout'), 'planted'));
await attempt('write the git configuration', () => appendFileSync(join(git, 'config'), '[core]\nhooksPath = /tmp\n'));
await attempt('move main', () => writeFileSync(join(git, 'refs/heads/main'), 'planted'));
await attempt('append to the journal', () => appendFileSync(join(git, 'pawl/change/greet/journal.jsonl'), 'planted\n'));
const own = join(git, 'pawl/change/greet');
await attempt('put an answer into the inbox', () => writeFileSync(join(own, 'inbox/answer-revision.json'), '{}'));
await attempt('write a lease', () => writeFileSync(join(own, 'lease.99'), '{}'));
await attempt('write the index of snapshots', () => writeFileSync(join(own, 'shadow/index'), 'planted'));
await attempt('write a file that git ignores', () => writeFileSync(join(root, 'node_modules/planted.mjs'), 'planted'));
await attempt('write a file and take it back', () => {
  const file = join(root, 'src/greet.mjs');
  const before = readFileSync(file);
  writeFileSync(file, 'planted');
  writeFileSync(file, before);
});
await attempt(
  'read the variables of a process outside',
  () => readFileSync(`/proc/${target.pid}/environ`, 'utf8').length,
);
await attempt('replace the git folder', () => renameSync(git, join(root, 'git-elsewhere')));
await attempt('read a private key', () => readFileSync(join(home, '.ssh/id_ed25519'), 'utf8'));
await attempt('read the login of another vendor', () => readFileSync(join(home, '.claude.json'), 'utf8'));
await attempt('link the own output elsewhere', () => {
  const file = join(dispatch, 'stderr.log');
  renameSync(file, `${file}.old`);
  symlinkSync(join(home, '.bashrc'), file);
});
await attempt('see a process outside', () => {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  const seen = pids.filter((pid) => {
    try {
      return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('pawl.js');
    } catch {
      // It has ended meanwhile.
      return false;
    }
  });
  return seen.length > 0 ? 'done' : 'none';
});
await attempt('signal a process outside', () => void process.kill(target.pid, 'SIGTERM'));
await attempt('reach a server of this computer', () => reach({ host: '127.0.0.1', port }));
await attempt('reach it through the proxy', () => {
  const proxy = new URL(process.env['HTTPS_PROXY'] ?? 'http://127.0.0.1:1');
  return reach({ host: proxy.hostname, port: Number(proxy.port) }, `CONNECT 127.0.0.1:${port} HTTP/1.1\r\n\r\n`);
});
await attempt('reach a socket of this computer', () => reach({ path: join(folder, 'agent.sock') }));
await attempt('leave a process behind', () => {
  const code = `setInterval(() => require('fs').appendFileSync('${join(root, 'src/haunted.mjs')}', 'x'), 20)`;
  const child = spawn(process.execPath, ['-e', code, daemon], { detached: true, stdio: 'ignore', env: {} });
  child.unref();
});
process.stdout.write(`outcomes ${JSON.stringify(outcomes)}\n`);
