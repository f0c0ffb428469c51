/** Whoever is elsewhere is told of every stop; what becomes of that changes no run. */

import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { repositoryFor, settings } from './change/observed.ts';
import { challenge, issue, planned, type ChangeRepository } from './change/scripts.ts';

const asked = [...planned.slice(0, 3), challenge('needs_revision', [issue])];
const secret = 'words of an agent';
const stops = [
  ['decision', asked, 3, { decision: 'revision', next: 'pawl answer greet revision <answer>' }],
  ['done', planned, 0, { decision: null, next: 'pawl change impl greet' }],
  ['failure', [{ role: 'planner', fault: 'exit:1', say: secret }], 1, { decision: null, next: expect.any(String) }],
  [
    'rate_limit',
    [{ role: 'planner', fault: 'rate_limited:3600', say: secret }],
    75,
    { decision: null, next: expect.any(String) },
  ],
  ['budget', planned, 5, { decision: null, next: expect.any(String) }],
] as const;

/** Writes what it is told to a file outside of the repository. */
function told({ repository }: ChangeRepository, more = ''): () => Record<string, unknown>[] {
  const file = join(repository.folder, 'told');
  writeFileSync(file, '');
  const script = `cat >> ${file}; echo "$PAWL_EVENT $PAWL_RUN $DISPLAY $XDG_RUNTIME_DIR" >> ${file}.env; pwd >> ${file}.env`;
  repository.write('pawl.toml', `[notify]\ncommand = ["sh", "-c", ${JSON.stringify(script)}]\n${more}`);
  return () =>
    readFileSync(file, 'utf8')
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
}

test.concurrent.each(stops)('%s: the command gets one document', async (event, script, code, more) => {
  const limits = event === 'budget' ? '\n[budget]\ndispatches = 2\n' : '';
  const change = repositoryFor(
    { onTestFinished: () => {} },
    script,
    settings('planning_iterations = 0\nscript_retries = 0', limits),
  );
  const documents = told(change);
  const ran = await change.repository.pawl(
    ['change', 'plan', 'greet', 'Greet by name', '--agent', 'scripted', '--script', change.scriptFile, '--no-input'],
    { env: { DISPLAY: ':7', XDG_RUNTIME_DIR: '/run/user/7' } },
  );
  expect(ran.code, ran.stderr).toBe(code);
  expect(documents()).toEqual([
    {
      event,
      workflow: 'change',
      run: 'greet',
      state: expect.any(String),
      message: expect.stringMatching(/^greet /),
      exitCode: code,
      costUsd: expect.any(Number),
      cwd: change.repository.root,
      ...more,
    },
  ]);
  expect(JSON.stringify(documents())).not.toContain(secret);
  // A program of the computer has the desktop, and begins outside of the repository.
  const [env, folder] = readFileSync(join(change.repository.folder, 'told.env'), 'utf8').split('\n');
  expect(env).toBe(`${event} greet :7 /run/user/7`);
  expect(folder).toBe(join(change.repository.runFolder('change', 'greet'), 'notify'));
  change.repository.remove();
});

test('only what is asked for is told, and a program of the repository has no desktop', async (context) => {
  const change = repositoryFor(context, asked, settings('planning_iterations = 0'));
  const documents = told(change, 'on = ["done"]\n');
  expect((await change.change('plan', 'greet', 'Greet by name')).code).toBe(3);
  expect(documents()).toEqual([]);
  const file = join(change.repository.folder, 'own');
  change.repository.write('tell.sh', `echo "at $PWD, display $DISPLAY" > ${file}\n`);
  change.repository.write('pawl.toml', 'notify = ["sh", "tell.sh"]\n');
  const again = ['change', 'plan', 'greet', '--agent', 'scripted', '--script', change.scriptFile, '--no-input'];
  expect((await change.repository.pawl(again, { env: { DISPLAY: ':7' } })).code).toBe(3);
  expect(readFileSync(file, 'utf8')).toBe(`at ${change.repository.root}, display \n`);
});

test('a webhook gets the same document; failures of either are told and change nothing', async (context) => {
  const received: unknown[] = [];
  const server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (text: string) => (body += text));
    request.on('end', () => {
      received.push({ method: request.method, type: request.headers['content-type'], body: JSON.parse(body) });
      if (request.url?.startsWith('/moved')) response.writeHead(302, { location: 'http://127.0.0.1:9/' });
      else response.writeHead(request.url?.startsWith('/broken') ? 500 : 200);
      response.end();
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  context.onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const change = repositoryFor(context, asked, settings('planning_iterations = 0'));
  const plan = async (path: string, command = '') => {
    change.repository.write(
      'pawl.toml',
      `[notify]\nwebhook = "http://127.0.0.1:${port}${path}?key=hidden"\n${command}`,
    );
    const words = ['change', 'plan', 'greet', 'Greet by name', '--agent', 'scripted', '--script', change.scriptFile];
    return change.repository.pawl([...words, '--no-input']);
  };
  const first = await plan('/hook');
  expect(first).toMatchObject({ code: 3, stdout: expect.stringContaining('the webhook was told') });
  expect(received).toMatchObject([
    { method: 'POST', type: 'application/json', body: { event: 'decision', exitCode: 3 } },
  ]);
  const broken = await plan('/broken', 'command = ["false"]\n');
  expect(broken.code).toBe(3);
  expect(broken.stdout).toContain('the webhook failed: answered with status 500');
  expect(broken.stdout).toContain('the command failed: exited with status 1');
  const moved = await plan('/moved', 'command = ["no-such-program"]\n');
  expect(moved.code).toBe(3);
  expect(moved.stdout).toContain('the webhook failed: could not be reached');
  expect(moved.stdout).toContain('the command failed: could not be started');
  expect(first.stdout + broken.stdout + moved.stdout).not.toContain('hidden');
});

test.each([
  'http://example.org/hook',
  'ftp://127.0.0.1/',
  'https://user:word@example.org/',
  'file:///etc/passwd',
  'hook',
])('no webhook is %s', async (webhook) => {
  const change = repositoryFor({ onTestFinished: () => {} }, planned);
  change.repository.write('pawl.toml', `[notify]\nwebhook = ${JSON.stringify(webhook)}\n`);
  const ran = await change.change('plan', 'greet', 'Greet by name');
  expect(ran.code).toBe(2);
  expect(ran.stderr).toContain('pawl.toml:2: notify.webhook');
  change.repository.remove();
});

test('a repository that nobody trusts tells nobody', async (context) => {
  const change = repositoryFor(context, planned);
  change.repository.write('pawl.toml', '[notify]\nwebhook = "https://example.org/"\n');
  const words = ['change', 'plan', 'greet', 'Greet by name', '--agent', 'scripted', '--no-input'];
  const ran = await change.repository.pawl(words, { env: { PAWL_TRUST: '' } });
  expect(ran).toMatchObject({ code: 3, stderr: expect.stringContaining('pawl.toml: notify.webhook') });
});
