/**
 * The inner end of the network of boxes: a program of ours in a network namespace that has nothing but a loopback.
 *
 * It listens there and forwards every connection to a socket of Pawl's, which decides. What it is to listen on comes as
 * lines of standard input (`proxy 3128`, `port 40123`); each is answered by the same line. It ends with its input.
 */

import { createServer, connect, type Socket } from 'node:net';
import { createInterface } from 'node:readline';

const socketPath = process.argv[2] ?? '';
const loopback = '127.0.0.1';
/** Of connections that wait to be taken. */
const backlog = 64;

const input = createInterface({ input: process.stdin });
input.on('close', () => process.kill(process.pid, 'SIGKILL'));
input.on('line', (line) => {
  const [what, number] = line.split(' ');
  const port = Number(number);
  const server = createServer({ allowHalfOpen: true }, (client) => forward(client, what === 'port' ? port : null));
  server.on('error', (error) => process.stdout.write(`failed ${line}: ${error.message}\n`));
  server.listen({ host: loopback, port, backlog }, () => process.stdout.write(`${line}\n`));
});

/** A proxy's client speaks for itself; for a forwarded port the connection is asked for here. */
function forward(client: Socket, port: number | null): void {
  let isOpen = false;
  const outside = connect({ path: socketPath, allowHalfOpen: true });
  // As if nobody listened there: a client that is only cut off would try for longer.
  const end = (): void => {
    client.resetAndDestroy();
    outside.destroy();
  };
  client.on('error', end);
  outside.on('error', end);
  client.on('close', () => outside.destroy());
  outside.on('close', () => (isOpen ? client.destroy() : end()));
  if (port === null) {
    isOpen = true;
    client.pipe(outside).pipe(client);
    return;
  }
  outside.write(`CONNECT ${loopback}:${port} HTTP/1.1\r\nHost: ${loopback}:${port}\r\n\r\n`);
  let head = Buffer.alloc(0);
  const onData = (chunk: Buffer): void => {
    head = Buffer.concat([head, chunk]);
    const at = head.indexOf('\r\n\r\n');
    if (at === -1) return;
    outside.off('data', onData);
    if (!head.toString('latin1').startsWith('HTTP/1.1 200 ')) return end();
    isOpen = true;
    outside.pause();
    client.write(head.subarray(at + 4));
    client.pipe(outside).pipe(client);
  };
  outside.on('data', onData);
}
