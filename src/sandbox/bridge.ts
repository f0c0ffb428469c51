/**
 * The inner end of the network of boxes: a program of ours in a network namespace that has nothing but a loopback.
 *
 * It listens there and forwards every connection to a socket of Pawl's, which decides. What it is to listen on comes as
 * lines of standard input (`proxy 3128`, `port 40123`); each is answered by the same line. It ends with its input.
 */

import { createServer, connect, type Server, type Socket } from 'node:net';
import { createInterface } from 'node:readline';

const socketPath = process.argv[2] ?? '';
const loopback = '127.0.0.1';
/** Of connections that wait to be taken. */
const backlog = 64;
/** A port behind which nobody answers refuses connections for so long, as it would without a bridge. */
const refusalMs = 3_000;

const input = createInterface({ input: process.stdin });
input.on('close', () => process.kill(process.pid, 'SIGKILL'));
input.on('line', (line) => {
  const [what, number] = line.split(' ');
  const port = Number(number);
  const server = createServer({ allowHalfOpen: true });
  const listen = (): Server => server.listen({ host: loopback, port, backlog });
  const refuse = (): void => {
    if (!server.listening) return;
    server.close();
    setTimeout(listen, refusalMs);
  };
  server.on('connection', (client) => (what === 'port' ? forward(client, port, refuse) : passOn(client)));
  server.on('error', (error) => process.stdout.write(`failed ${line}: ${error.message}\n`));
  server.on('listening', () => process.stdout.write(`${line}\n`));
  listen();
});

/** A proxy's client speaks for itself. */
function passOn(client: Socket): void {
  const outside = connect({ path: socketPath, allowHalfOpen: true });
  join(client, outside, () => client.destroy());
  client.pipe(outside).pipe(client);
}

/** For a forwarded port the connection is asked for here. */
function forward(client: Socket, port: number, refuse: () => void): void {
  const outside = connect({ path: socketPath, allowHalfOpen: true });
  let isOpen = false;
  join(client, outside, () => {
    if (isOpen) return client.destroy();
    refuse();
    client.resetAndDestroy();
  });
  outside.write(`CONNECT ${loopback}:${port} HTTP/1.1\r\nHost: ${loopback}:${port}\r\n\r\n`);
  let head = Buffer.alloc(0);
  const onData = (chunk: Buffer): void => {
    head = Buffer.concat([head, chunk]);
    const at = head.indexOf('\r\n\r\n');
    if (at === -1) return;
    outside.off('data', onData);
    if (!head.toString('latin1').startsWith('HTTP/1.1 200 ')) return void outside.destroy();
    isOpen = true;
    outside.pause();
    client.write(head.subarray(at + 4));
    client.pipe(outside).pipe(client);
  };
  outside.on('data', onData);
  outside.on('end', () => isOpen || outside.destroy());
}

/** Both ends end together. */
function join(client: Socket, outside: Socket, onOutsideClosed: () => void): void {
  client.on('error', () => outside.destroy());
  client.on('close', () => outside.destroy());
  outside.on('error', () => {});
  outside.on('close', onOutsideClosed);
}
