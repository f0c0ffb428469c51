/** Boxes of bubblewrap, in a network namespace of their own where there is one. */

import { existsSync, readFileSync, statSync } from 'node:fs';
import { orElse } from '../disk/disk-error.ts';
import { bubblewrapArguments, type BubblewrapFeatures } from './bubblewrap.ts';
import { mountsOf, type BoxedProgram } from './box-mounts.ts';
import type { Box } from './box.ts';
import { startBoxNetwork, type BoxNetwork } from './box-network.ts';
import type { Sandbox } from './sandbox.ts';

/** S1. */
const systemFolders = ['/usr/bin', '/bin', '/usr/local/bin', '/usr/sbin', '/run/current-system/sw/bin'];
const probeMsMax = 20_000;

export async function findLinuxSandbox(): Promise<Sandbox> {
  const none = (problem: string): Sandbox => ({
    level: 'none',
    problem,
    enter: () => Promise.reject(new Error(problem)),
  });
  const bubblewrap = systemProgram('bwrap');
  if (bubblewrap === null) return none('bubblewrap is not installed (apt install bubblewrap)');
  // The bridge takes longest: it starts while the boxes are tried.
  const starting = startNetwork(bubblewrap);
  let failed = '';
  for (const disableUserns of [true, false]) {
    const features = { disableUserns };
    failed = (await tryBox([], bubblewrap, features)) ?? '';
    if (failed !== '') continue;
    const network = await tryNetwork(await starting, bubblewrap, features);
    const isOpen = 'problem' in network;
    const enter = entering({ bubblewrap, features, network: isOpen ? null : network });
    return { level: isOpen ? 'files' : 'files+network', problem: isOpen ? network.problem : null, enter };
  }
  const unused = await starting;
  if (!('problem' in unused)) unused.close();
  return none(`bubblewrap cannot start here: ${failed}${hint()}`);
}

interface Found {
  readonly bubblewrap: string;
  readonly features: BubblewrapFeatures;
  readonly network: BoxNetwork | null;
}

function entering({ bubblewrap, features, network }: Found): Sandbox['enter'] {
  return async (box, program, onDenied) => {
    const { command, args, cwd, env } = program;
    const words = [bubblewrap, ...argumentsFor(box, program, { cwd, features }), command, ...args];
    if (box.level === 'files' || network === null) return boxed(words, env, () => {});
    const opened = await network.open({ allow: box.allow, onDenied });
    return boxed([...network.enter, ...words], { ...env, ...opened.env }, () => opened.close());
  };
}

function boxed(words: readonly string[], env: BoxedProgram['env'], close: () => void) {
  const [command = '', ...args] = words;
  return { command, args, env, close, tellsStatus: true };
}

function argumentsFor(box: Box, program: BoxedProgram, at: { cwd: string; features: BubblewrapFeatures }): string[] {
  const isFile = (path: string): boolean => orElse(false, () => !statSync(path).isDirectory());
  return bubblewrapArguments(mountsOf(box, program), { ...at, isFile });
}

type Unavailable = { readonly problem: string };

async function startNetwork(bubblewrap: string): Promise<BoxNetwork | Unavailable> {
  const nsenter = systemProgram('nsenter');
  if (nsenter === null) return { problem: 'nsenter is not installed (apt install util-linux)' };
  return startBoxNetwork({ bubblewrap, nsenter }).catch((error: unknown) =>
    withoutNetwork(error instanceof Error ? error.message : String(error)),
  );
}

async function tryNetwork(
  network: BoxNetwork | Unavailable,
  bubblewrap: string,
  features: BubblewrapFeatures,
): Promise<BoxNetwork | Unavailable> {
  if ('problem' in network) return network;
  const failed = await tryBox(network.enter, bubblewrap, features);
  if (failed === null) return network;
  network.close();
  return withoutNetwork(failed);
}

function withoutNetwork(why: string): Unavailable {
  return { problem: `there is no network namespace: ${why}` };
}

/** Null when a box like those of agents starts. */
async function tryBox(
  enter: readonly string[],
  bubblewrap: string,
  features: BubblewrapFeatures,
): Promise<string | null> {
  const lists = { readOnly: [], hidden: [], read: [], write: [], allow: [] };
  const box: Box = { level: 'files', workspace: '/usr', access: 'read', ...lists };
  const args = argumentsFor(box, { command: 'true', env: {} }, { cwd: '/', features });
  const [command, ...words] = [...enter, bubblewrap, ...args, 'true'];
  const { spawn } = process.getBuiltinModule('node:child_process');
  const options = { env: { PATH: '/usr/bin:/bin' }, timeout: probeMsMax, killSignal: 'SIGKILL' } as const;
  return new Promise((told) => {
    // With a descriptor for its status, as the launcher has it.
    const child = spawn(command, words, { ...options, stdio: ['ignore', 'ignore', 'pipe', 'pipe'] });
    let said = '';
    child.stderr?.on('data', (chunk) => (said += String(chunk)));
    child.once('error', (error) => told(error.message));
    child.once('close', (code) =>
      told(code === 0 ? null : (said.trim().split('\n').at(-1) ?? '') || `it ended with exit code ${code}`),
    );
  });
}

/** The usual reason on a desktop, and in a container. */
function hint(): string {
  const restricted = '/proc/sys/kernel/apparmor_restrict_unprivileged_userns';
  const isRestricted = orElse('', () => readFileSync(restricted, 'utf8')).trim() === '1';
  if (isRestricted) return ' (AppArmor forbids user namespaces: sysctl kernel.apparmor_restrict_unprivileged_userns=0)';
  return existsSync('/.dockerenv') ? ' (Docker forbids user namespaces unless seccomp allows them)' : '';
}

function systemProgram(name: string): string | null {
  return systemFolders.map((folder) => `${folder}/${name}`).find((path) => existsSync(path)) ?? null;
}
