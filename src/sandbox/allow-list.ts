/**
 * Hosts that a program in a box may reach.
 *
 * An entry is `host`, `host:port`, `*.domain` or `*.domain:port`; without a port it means HTTPS, 443.
 * An entry for this computer (`127.0.0.1:8080`, `localhost:8080`) names the port that is forwarded into the box.
 * Names are compared as text, after a check that leaves no room for tricks with unusual bytes.
 */

export interface Target {
  readonly host: string;
  readonly port: number;
}

const httpsPort = 443;
const loopback = ['127.0.0.1', 'localhost', '[::1]'];
const hostPattern = /^(?:\*\.)?[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?$|^\[[0-9a-f:.]{2,45}\]$/;

/** Null for what is no entry. */
export function readEntry(text: string): Target | null {
  const match = /^(.*?)(?::(\d{1,5}))?$/.exec(text.toLowerCase());
  const host = match?.[1] ?? '';
  const port = match?.[2] === undefined ? httpsPort : Number(match[2]);
  return hostPattern.test(host) && !host.includes('..') && port >= 1 && port <= 65_535 ? { host, port } : null;
}

/** `authority` as a proxy is asked for it: `host:port`, nothing else. */
export function readAuthority(authority: string): Target | null {
  const target = /:\d{1,5}$/.test(authority) ? readEntry(authority) : null;
  return target === null || target.host.startsWith('*') ? null : target;
}

export function isAllowed({ host, port }: Target, allow: readonly string[]): boolean {
  return allow.some((text) => {
    const entry = readEntry(text);
    if (entry === null || entry.port !== port) return false;
    if (isLoopback(entry) || isLoopback({ host, port })) return isLoopback(entry) && isLoopback({ host, port });
    return entry.host.startsWith('*.') ? host.endsWith(entry.host.slice(1)) : host === entry.host;
  });
}

/** Ports of this computer that are forwarded into the box. */
export function loopbackPorts(allow: readonly string[]): readonly number[] {
  const entries = allow.map(readEntry).filter((entry) => entry !== null);
  return [...new Set(entries.filter(isLoopback).map(({ port }) => port))];
}

/** The entries for the URLs among some values: those of a user's variables such as ANTHROPIC_BASE_URL. */
export function entriesOfUrls(values: readonly (string | undefined)[]): readonly string[] {
  return values.flatMap((value) => {
    if (value === undefined || !/^https?:\/\//i.test(value) || !URL.canParse(value)) return [];
    const { hostname, port, protocol } = new URL(value);
    const entry = `${hostname}:${port || (protocol === 'http:' ? '80' : '443')}`;
    return readEntry(entry) === null ? [] : [entry];
  });
}

function isLoopback({ host }: Target): boolean {
  return loopback.includes(host);
}
