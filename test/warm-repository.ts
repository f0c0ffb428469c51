/**
 * A scratch repository whose commands run in processes that live on: starting and loading Pawl anew for each of a
 * thousand commands would take more time than all the tests. `PAWL_TEST_PROCESSES=each` gives every command its own.
 */

import { fork, type ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { ScratchRepository, type Ran, type RunOptions } from '../src/testing/scratch-repository.ts';

const host = fileURLToPath(new URL('warm-host.mjs', import.meta.url));
/** The one used last comes first: it is the warmest. */
const idle: ChildProcess[] = [];

export class WarmRepository extends ScratchRepository {
  /** A command that a test wants to signal, or to start in its own way, has a process of its own. */
  override pawl(args: readonly string[], options: RunOptions = {}): Promise<Ran> {
    const own = options.onSpawn || options.node || process.env['PAWL_TEST_PROCESSES'] === 'each';
    if (own) return super.pawl(args, options);
    const env = this.env(options.env ?? {});
    return ask(idle.pop() ?? start(), { program: this.program, args, cwd: options.cwd ?? this.root, env });
  }

  override copy(): WarmRepository {
    return new WarmRepository(this.program, super.copy().folder);
  }
}

function start(): ChildProcess {
  const child = fork(host, { stdio: ['ignore', 'ignore', 'inherit', 'ipc'], execArgv: [] });
  child.unref();
  child.channel?.unref();
  return child;
}

function ask(child: ChildProcess, order: object): Promise<Ran> {
  return new Promise((resolve, reject) => {
    const onExit = (code: number | null, signal: string | null): void =>
      reject(new Error(`a warm process ended with ${code ?? signal} during ${JSON.stringify(order)}`));
    child.channel?.ref();
    child.once('exit', onExit);
    child.once('message', (ran: Ran) => {
      child.off('exit', onExit);
      child.channel?.unref();
      idle.push(child);
      resolve(ran);
    });
    child.send(order);
  });
}
