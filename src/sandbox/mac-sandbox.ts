/** Boxes of macOS's sandbox-exec. Untested on the platform: see seatbelt.ts. */

import { once } from 'node:events';
import { promisify } from 'node:util';
import { loopbackPorts } from './allow-list.ts';
import { mountsOf } from './box-mounts.ts';
import { createProxy, proxyVariables, upstreamProxy, type ProxyRules } from './proxy.ts';
import type { Sandbox } from './sandbox.ts';
import { seatbeltProfile } from './seatbelt.ts';

const program = '/usr/bin/sandbox-exec';

export async function findMacSandbox(): Promise<Sandbox> {
  const { execFile } = process.getBuiltinModule('node:child_process');
  const profile = seatbeltProfile([], { level: 'files+network', loopbackPorts: [], proxyPort: null });
  const problem = await promisify(execFile)(program, ['-p', profile, '/usr/bin/true'], { env: {} }).then(
    () => null,
    (error: unknown) => `sandbox-exec cannot start: ${error instanceof Error ? error.message : String(error)}`,
  );
  return { level: problem === null ? 'files+network' : 'none', problem, enter };
}

const enter: Sandbox['enter'] = async (box, { command, args, env }, onDenied) => {
  const proxy = box.level === 'files' ? null : await openProxy({ allow: box.allow, onDenied });
  const mounts = mountsOf(box, { command, env });
  const ports = { loopbackPorts: loopbackPorts(box.allow), proxyPort: proxy?.port ?? null };
  return {
    command: program,
    args: ['-p', seatbeltProfile(mounts, { level: box.level, ...ports }), command, ...args],
    env: { ...env, ...(proxy && proxyVariables(proxy.port)) },
    tellsStatus: false,
    close: () => proxy?.close(),
  };
};

/** There is no namespace to put it into: a port of this computer for each box. */
async function openProxy(rules: ProxyRules): Promise<{ readonly port: number; close(): void }> {
  const server = createProxy(() => [rules], upstreamProxy(process.env));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the proxy of the sandbox has no port');
  return { port: address.port, close: () => void server.close() };
}
