#!/usr/bin/env node
/**
 * A program that speaks like Claude Code and misbehaves as told by ANTHROPIC_FAULT.
 * What it does well, it does through the real tool server.
 */

import { spawn } from 'node:child_process';
import { closeSync, readFileSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import { request } from 'node:http';

const fault = process.env['ANTHROPIC_FAULT'] ?? 'none';
/** @param {unknown} value */
const say = (value) => writeSync(1, `${typeof value === 'string' ? value : JSON.stringify(value)}\n`);
const result = (more = {}) =>
  say({
    type: 'result',
    subtype: 'success',
    is_error: false,
    result: 'done',
    usage: { input_tokens: 7, output_tokens: 3 },
    total_cost_usd: 0.01,
    ...more,
  });
/** @param {string} text */
const apiError = (text, more = {}) => result({ is_error: true, result: text, ...more });
const forEver = () => new Promise(() => setInterval(() => {}, 1_000));

const config = process.argv.find((arg) => arg.startsWith('--mcp-config='))?.slice('--mcp-config='.length);
const server = config === undefined ? undefined : JSON.parse(readFileSync(config, 'utf8')).mcpServers.pawl;
/** @type {string | string[] | undefined} */
let session;

/** @param {object} message */
function post(message, token = server.headers.Authorization) {
  return new Promise((resolve, reject) => {
    const body = JSON.stringify({ jsonrpc: '2.0', ...message });
    const headers = {
      authorization: token,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2025-11-25',
      ...(session && { 'mcp-session-id': session }),
    };
    const sent = request(server.url, { method: 'POST', headers }, (answer) => {
      session = answer.headers['mcp-session-id'] ?? session;
      let text = '';
      answer
        .setEncoding('utf8')
        .on('data', (part) => (text += part))
        .on('end', () => resolve({ status: answer.statusCode, text }));
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

/**
 * @param {string} name
 * @param {object} args
 * @param {string} [token]
 */
async function call(name, args, token) {
  await post(
    {
      id: 1,
      method: 'initialize',
      params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'faulty', version: '1' } },
    },
    token,
  );
  await post({ method: 'notifications/initialized' }, token);
  return post({ id: 2, method: 'tools/call', params: { name, arguments: args } }, token);
}

const proposal = {
  summary: 'Greet by name',
  why: 'A greeting without a name is cold.',
  what_changes: 'greet() takes a name.',
  impact: { scope: 'minor', affected_files: ['src/greet.mjs'], new_files: ['src/1.1.mjs'] },
  affected_specs: [{ id: 'greeting', depends: [] }],
};
const report = () => call('create_proposal', proposal);

/** @type {Record<string, () => unknown>} */
const faults = {
  none: async () => {
    await report();
    result();
  },
  'exit at once': () => process.exit(0),
  'exit 1 at once': () => process.exit(1),
  'exit 137': () => process.exit(137),
  'killed by itself': () => process.kill(process.pid, 'SIGKILL'),
  'segmentation fault': () => process.kill(process.pid, 'SIGSEGV'),
  'terminated by somebody': () => process.kill(process.pid, 'SIGTERM'),
  'stops itself': async () => {
    process.kill(process.pid, 'SIGSTOP');
    await forEver();
  },
  'hangs silently': forEver,
  'hangs after its report': async () => {
    await report();
    await forEver();
  },
  'ignores SIGTERM': async () => {
    process.on('SIGTERM', () => {});
    process.on('SIGINT', () => {});
    await forEver();
  },
  'closes its standard input': async () => {
    closeSync(0);
    writeSync(2, 'closed\n');
    process.exit(1);
  },
  'half a line of JSON': async () => {
    await report();
    writeSync(1, '{"type":"result","is_er');
  },
  'invalid UTF-8': async () => {
    await report();
    writeSync(1, Buffer.from([0xff, 0xfe, 0x0a, 0xc3, 0x28, 0x0a]));
  },
  'ANSI noise': async () => {
    say('\u001B[2J\u001B[31mloading\u001B[0m');
    say('\u001B]0;title\u0007');
    await report();
  },
  'noise around a good end': async () => {
    say('\u001B[2Jhello');
    writeSync(1, Buffer.from([0xff, 0x0a]));
    say('npm warn deprecated');
    await report();
    result();
  },
  'a line of 20 MB': async () => {
    await report();
    say('x'.repeat(20 * 1024 * 1024));
    result();
  },
  'too much on stdout': async () => {
    const part = 'x'.repeat(1024 * 1024);
    for (let n = 0; n < 40; n += 1) say(part);
    await forEver();
  },
  'too much on stderr': async () => {
    const part = 'x'.repeat(1024 * 1024);
    for (let n = 0; n < 100; n += 1) writeSync(2, part);
    await forEver();
  },
  'no report': () => result(),
  'a report and no end': () => report().then(() => undefined),
  'a report with nonsense': async () => {
    await call('create_proposal', { summary: 3 });
    result();
  },
  'a tool that does not exist': async () => {
    await call('approve_everything', {});
    result();
  },
  "another role's tool": async () => {
    await call('append_review', { status: 'approved', content: 'Good.', issues: [] });
    result();
  },
  'a wrong token': async () => {
    const { status } = await call('create_proposal', proposal, 'Bearer nonsense');
    say({ type: 'assistant', message: { content: [{ type: 'text', text: `status ${status}` }] } });
    result();
  },
  'no token': async () => {
    await call('create_proposal', proposal, '');
    result();
  },
  'not JSON to the tool server': async () => {
    await new Promise((done) => {
      const sent = request(
        server.url,
        {
          method: 'POST',
          headers: { authorization: server.headers.Authorization, 'content-type': 'application/json' },
        },
        (answer) => {
          answer.resume();
          answer.on('end', done);
        },
      );
      sent.end('{');
    });
    result();
  },
  'a body of 30 MB to the tool server': async () => {
    await call('create_proposal', { ...proposal, why: 'x'.repeat(30 * 1024 * 1024) }).catch(() => undefined);
    result();
  },
  'the same report twice': async () => {
    await report();
    await report();
    result();
  },
  'a report after the end': async () => {
    result();
    await report();
  },
  'ended with an error flag': async () => {
    await report();
    result({ is_error: true, result: 'something went wrong' });
  },
  'rate limited, with a time': () => apiError(`Claude AI usage limit reached|${Math.ceil(Date.now() / 1_000) + 7_200}`),
  'rate limited, without a time': () => apiError('API Error: 429 {"type":"error","error":{"type":"rate_limit_error"}}'),
  'rate limited, and does not end': async () => {
    apiError('API Error: 429 {"type":"error","error":{"type":"rate_limit_error"}}');
    await forEver();
  },
  'failed, and does not end': async () => {
    apiError('something went wrong');
    await forEver();
  },
  overloaded: () => apiError('API Error: 529 overloaded_error'),
  'not logged in': () => apiError('Invalid API key · Please run /login'),
  'API error 401': () => apiError('API Error: 401 authentication_error'),
  'API error 500': () => apiError('API Error: 500 internal server error'),
  'prompt too long': () => apiError('Prompt is too long'),
  'too many turns': () => result({ subtype: 'error_max_turns', is_error: true, result: undefined }),
  'writes outside of its role': async () => {
    writeFileSync('planted.txt', 'hello');
    await report();
    result();
  },
  "edits the plan's files itself": async () => {
    await report();
    writeFileSync('README.md', 'rewritten');
    result();
  },
  'leaves a child behind': async () => {
    spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' }).unref();
    await report();
    result();
  },
  'leaves a child in its own session': async () => {
    spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore', detached: true }).unref();
    await report();
    result();
  },
  'deletes its own log': async () => {
    await report();
    rmSync(config ?? '', { force: true });
    result();
  },
  'prints its token': async () => {
    say({ type: 'assistant', message: { content: [{ type: 'text', text: server.headers.Authorization }] } });
    await report();
    result();
  },
};

if (process.argv.includes('--version')) {
  if (fault === 'no version') say('beta');
  else if (fault === 'too old') say('1.0.0 (Claude Code)');
  else if (fault === 'version hangs') await forEver();
  else say('2.9.9 (Claude Code)');
} else {
  for await (const _ of process.stdin.on('error', () => undefined)) if (fault === 'closes its standard input') break;
  await faults[fault]?.();
}
