import { describe, expect, test } from 'vitest';
import { entriesOfUrls, isAllowed, loopbackPorts, readAuthority, readEntry } from './allow-list.ts';

const may = (authority: string, ...allow: string[]): boolean => {
  const target = readAuthority(authority);
  return target !== null && isAllowed(target, allow);
};

describe('allowed hosts', () => {
  test.each([
    ['api.example.com:443', 'api.example.com'],
    ['API.Example.com:443', 'api.example.com'],
    ['a.b.example.com:443', '*.example.com'],
    ['host:8443', 'host:8443'],
    ['127.0.0.1:4021', '127.0.0.1:4021'],
    ['localhost:4021', '127.0.0.1:4021'],
  ])('%s by %s', (authority, entry) => expect(may(authority, entry)).toBe(true));

  test.each([
    ['api.example.com:80', 'api.example.com'],
    ['api.example.com.evil.org:443', 'api.example.com'],
    ['evilexample.com:443', '*.example.com'],
    ['example.com:443', '*.example.com'],
    ['api.example.com:443', 'example.com'],
    ['127.0.0.1:22', '127.0.0.1:4021'],
    ['127.0.0.1:443', '*.0.0.1'],
    ['127.0.0.2:4021', '127.0.0.1:4021'],
    ['localhost:4022', '*'],
  ])('not %s by %s', (authority, entry) => expect(may(authority, entry)).toBe(false));

  test.each([
    'evil.org\0.example.com:443',
    'evil.org\n.example.com:443',
    'evil.org/.example.com:443',
    'user@evil.org:443',
    'evil.org#.example.com:443',
    'ev%69l.example.com:443',
    'ünï.example.com:443',
    '*.example.com:443',
    'a..example.com:443',
    '.example.com:443',
    '-.example.com:443',
    'x.example.com',
    'x.example.com:0',
    'x.example.com:70000',
    ':443',
    '',
  ])('a name with unusual bytes is none: %j', (authority) => {
    expect(readAuthority(authority)).toBe(null);
    expect(may(authority, '*.example.com', '*.example.com:0')).toBe(false);
  });
});

test('an entry without a port means HTTPS', () => {
  expect(readEntry('Example.org')).toEqual({ host: 'example.org', port: 443 });
  expect(readEntry('[::1]:8080')).toEqual({ host: '[::1]', port: 8080 });
  expect(readEntry('not a host')).toBe(null);
});

test('ports of this computer are forwarded, each once', () => {
  expect(loopbackPorts(['127.0.0.1:5432', 'localhost:5432', 'example.org:80', 'localhost:6379'])).toEqual([5432, 6379]);
});

test('a base URL is an entry; other values are none', () => {
  const values = [
    'https://api.example.com/v1',
    'http://127.0.0.1:4020',
    'http://h',
    'sk-secret',
    undefined,
    'file:///x',
  ];
  expect(entriesOfUrls(values)).toEqual(['api.example.com:443', '127.0.0.1:4020', 'h:80']);
});
