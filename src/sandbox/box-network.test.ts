/** The network of boxes, with a real namespace and real connections. */

import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createServer } from 'node:http';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startBoxNetwork, type BoxNetwork } from './box-network.ts';

const [bubblewrap, nsenter] = ['/usr/bin/bwrap', '/usr/bin/nsenter'];
const bridge = new URL('../../dist/sandbox-bridge.js', import.meta.url).pathname;
const isMissing = (!existsSync(bubblewrap) || !existsSync(nsenter)) && process.env['CI'] !== 'true';

describe.skipIf(isMissing)('the network of boxes (needs bubblewrap and nsenter)', () => {
  let network: BoxNetwork;
  const server = createServer((request, response) => response.end(`you asked for ${request.url}`));
  let port = 0;

  beforeAll(async () => {
    network = await startBoxNetwork({ bubblewrap, nsenter, bridge });
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
    const address = server.address();
    port = address !== null && typeof address === 'object' ? address.port : 0;
  });
  afterAll(() => {
    network.close();
    server.close();
  });

  /** Runs a line of JavaScript in the namespace; what it prints. */
  async function within(code: string, env: Readonly<Record<string, string>>): Promise<string> {
    const [command, ...args] = [...network.enter, process.execPath, '--input-type=module', '-e', code];
    return (await promisify(execFile)(command, args, { env: { ...env } })).stdout.trim();
  }
  /** What is answered there, or the code of the error: as a function that can be called again. */
  const fetched = (url: string, times = 1) => `
    import { get } from 'node:http';
    const ask = () => new Promise((done) => get(${JSON.stringify(url)}, (answer) => answer.on('data', (data) => done(String(data))))
      .on('error', (error) => done(error.code)));
    for (let time = 0; time < ${times}; time += 1) console.log(await ask());`;
  /** Through the proxy, as a vendor's program would ask for it. */
  const asked = (authority: string) => `
    import { connect } from 'node:net';
    const { hostname, port } = new URL(process.env.HTTPS_PROXY);
    const socket = connect({ host: hostname, port: Number(port) });
    socket.write('CONNECT ' + ${JSON.stringify(authority)} + ' HTTP/1.1\\r\\nHost: x\\r\\n\\r\\n');
    socket.once('data', (data) => { console.log(String(data)); socket.destroy(); });
    socket.on('error', (error) => console.log(error.code));`;

  test('an allowed port of this computer is reached under its own address; when closed, no more', async () => {
    const denied: string[] = [];
    const opened = await network.open({ allow: [`127.0.0.1:${port}`], onDenied: (host) => denied.push(host) });
    const url = `http://127.0.0.1:${port}/hello`;
    expect(await within(fetched(url), opened.env)).toBe('you asked for /hello');
    expect(await within(asked(`127.0.0.1:${port}`), opened.env)).toContain('200');
    opened.close();
    expect(await within(fetched(url), opened.env)).toMatch(/ECONNRESET|ECONNREFUSED/);
    expect(denied).toEqual([]);
  });

  test('a port behind which nobody answers refuses connections like one without a bridge', async () => {
    const dead = createServer();
    await new Promise<void>((listening) => dead.listen(0, '127.0.0.1', listening));
    const address = dead.address();
    const unused = address !== null && typeof address === 'object' ? address.port : 0;
    await new Promise((closed) => dead.close(closed));
    const opened = await network.open({ allow: [`127.0.0.1:${unused}`], onDenied: () => {} });
    const url = `http://127.0.0.1:${unused}/`;
    expect((await within(fetched(url, 2), opened.env)).split('\n')[1]).toBe('ECONNREFUSED');
    opened.close();
  });

  test('when the bridge has ended, nothing is started in its namespace any more', async () => {
    const other = await startBoxNetwork({ bubblewrap, nsenter, bridge });
    const pid = Number(/proc\/(\d+)\//.exec(other.enter.join(' '))?.[1]);
    process.kill(pid, 'SIGKILL');
    await expect
      .poll(() => other.open({ allow: [], onDenied: () => {} }).then(() => 'open', String), { timeout: 20_000 })
      .toContain('the bridge of the sandbox has ended');
    other.close();
  });

  test('everything else is refused and told, also with tricks in the name', async () => {
    const denied: string[] = [];
    const opened = await network.open({ allow: ['allowed.example'], onDenied: (host) => denied.push(host) });
    expect(await within(fetched('http://10.255.255.1/'), opened.env)).toMatch(/ENETUNREACH|sandbox does not allow/);
    for (const authority of [
      'evil.example:443',
      'allowed.example:22',
      'allowed.example.evil.example:443',
      '127.0.0.1:22',
    ])
      expect(await within(asked(authority), opened.env)).toMatch(/^HTTP\/1\.1 403[^]*add it to \[network\] allow/);
    expect(await within(asked('evil.example\t.allowed.example:443'), opened.env)).not.toContain('200');
    opened.close();
    expect(denied).toEqual(expect.arrayContaining(['evil.example:443', 'allowed.example:22', '127.0.0.1:22']));
  });
});
