/**
 * The network of the boxes of this process: one network namespace that has nothing but a loopback, held by our bridge.
 *
 * W1. It is made once, because starting the bridge takes longer than starting a box, and ends with this process.
 * W2. A box may reach what the boxes that run at the moment may reach; in general that is one.
 */

import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import type { Server } from 'node:http';
import { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { statusDescriptor } from '../workspace/box-status.ts';
import { statusOption } from './bubblewrap.ts';
import { loopbackPorts } from './allow-list.ts';
import { createProxy, proxyVariables, upstreamProxy, type ProxyRules } from './proxy.ts';

/** Where none of the forwarded ports is. */
const proxyPorts = [3128, 3129, 3130, 3131];
const startMsMax = 20_000;
const folderCharsMax = 70;
const bridgeEnded = 'the bridge of the sandbox has ended';

export interface BoxNetwork {
  /** Words in front of a command that is to run in the namespace. */
  readonly enter: readonly string[];
  /** Opens what is allowed until it is closed; the variables tell programs of the proxy. */
  open(rules: ProxyRules): Promise<{ readonly env: Readonly<Record<string, string>>; close(): void }>;
  close(): void;
}

export interface NetworkPrograms {
  readonly bubblewrap: string;
  readonly nsenter: string;
  /** Path of `sandbox-bridge.js`. */
  readonly bridge?: string;
}

const besideThis = fileURLToPath(new URL('./sandbox-bridge.js', import.meta.url));

/** Throws where the namespace cannot be made. */
export async function startBoxNetwork({
  bubblewrap,
  nsenter,
  bridge = besideThis,
}: NetworkPrograms): Promise<BoxNetwork> {
  // The path of a socket has little room.
  const folder = mkdtempSync(join(tmpdir().length > folderCharsMax ? '/tmp' : tmpdir(), 'pawl-net-'));
  const running = new Set<ProxyRules>();
  const server = createProxy(() => [...running], upstreamProxy(process.env));
  const socket = join(folder, 'socket');
  server.listen(socket);
  server.unref();
  await once(server, 'listening');
  const holder = new Holder(bubblewrap, [process.execPath, bridge, socket], { server, folder });
  try {
    const pid = await holder.pid();
    const proxy = await holder.firstOf(proxyPorts);
    holder.unref();
    const enter = [nsenter, `--user=/proc/${pid}/ns/user`, `--net=/proc/${pid}/ns/net`, '--preserve-credentials', '--'];
    return {
      enter,
      open: async (rules) => {
        // Its pid may be another process's by now, and the namespace with it.
        if (holder.hasEnded) throw new Error(bridgeEnded);
        for (const port of loopbackPorts(rules.allow)) await holder.listen(`port ${port}`);
        running.add(rules);
        return { env: proxyVariables(proxy), close: () => void running.delete(rules) };
      },
      close: () => holder.close(),
    };
  } catch (error) {
    holder.close();
    throw error;
  }
}

/** The process that holds the namespace; nothing of it keeps this process alive. */
class Holder {
  readonly #child: ChildProcess;
  readonly #rest: { readonly server: Server; readonly folder: string };
  readonly #answers = new Map<string, (problem: string | null) => void>();
  readonly #listening = new Map<string, Promise<void>>();
  hasEnded = false;
  readonly #onExit = (): void => this.close();

  constructor(bubblewrap: string, command: readonly string[], rest: { server: Server; folder: string }) {
    this.#rest = rest;
    const bind = ['--ro-bind', '/', '/', '--dev-bind', '/dev', '/dev', statusOption, `${statusDescriptor}`];
    const args = [
      '--unshare-user',
      '--unshare-net',
      '--cap-drop',
      'ALL',
      '--die-with-parent',
      ...bind,
      '--',
      ...command,
    ];
    const { spawn } = process.getBuiltinModule('node:child_process');
    this.#child = spawn(bubblewrap, args, { env: {}, stdio: ['pipe', 'pipe', 'pipe', 'pipe'], detached: true });
    const { stdin, stdout } = this.#child;
    stdin?.on('error', () => {});
    if (stdout) createInterface({ input: stdout }).on('line', (line) => this.#answered(line));
    this.#child.on('error', () => {});
    this.#child.once('exit', () => {
      this.hasEnded = true;
      this.#answers.forEach((answer) => answer(bridgeEnded));
    });
    process.once('exit', this.#onExit);
  }

  /** The pid of the holder as this process sees it. */
  async pid(): Promise<number> {
    const status = this.#child.stdio[statusDescriptor];
    const words = this.#child.stderr;
    if (!status || !('on' in status) || !words) throw new Error('bubblewrap has no status');
    let text = '';
    let said = '';
    words.on('data', (chunk) => (said += String(chunk)));
    return new Promise((found, fail) => {
      const timer = setTimeout(() => fail(new Error('bubblewrap does not answer')), startMsMax).unref();
      status.on('data', (chunk) => {
        text += String(chunk);
        const pid = /"child-pid":\s*(\d+)/.exec(text)?.[1];
        if (pid === undefined) return;
        clearTimeout(timer);
        found(Number(pid));
      });
      this.#child.once('error', fail);
      this.#child.once('exit', () => fail(new Error(said.trim() || 'bubblewrap ended at once')));
    });
  }

  async firstOf(ports: readonly number[]): Promise<number> {
    for (const port of ports) {
      const isTaken = await this.listen(`proxy ${port}`).then(
        () => false,
        () => true,
      );
      if (!isTaken) return port;
    }
    throw new Error(this.hasEnded ? bridgeEnded : 'no port is free for the proxy of the sandbox');
  }

  listen(line: string): Promise<void> {
    if (this.hasEnded) return Promise.reject(new Error(bridgeEnded));
    const known = this.#listening.get(line);
    if (known) return known;
    const begun = new Promise<void>((done, fail) => {
      const timer = setTimeout(() => fail(new Error('the bridge does not answer')), startMsMax);
      this.#answers.set(line, (problem) => {
        clearTimeout(timer);
        if (problem === null) done();
        else fail(new Error(problem));
      });
      this.#child.stdin?.write(`${line}\n`);
    });
    this.#listening.set(line, begun);
    return begun;
  }

  #answered(line: string): void {
    const [, failed, problem] = /^failed (\w+ \d+): (.*)$/.exec(line) ?? [];
    this.#answers.get(failed ?? line)?.(failed === undefined ? null : (problem ?? ''));
  }

  unref(): void {
    this.#child.unref();
    for (const stream of this.#child.stdio) if (stream instanceof Socket) stream.unref();
  }

  close(): void {
    process.off('exit', this.#onExit);
    this.#child.kill('SIGKILL');
    this.#rest.server.close();
    rmSync(this.#rest.folder, { recursive: true, force: true });
  }
}
