/** `pawl hook session-start`, with a workflow that has something to say. */

import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  appendFileSync,
  chmodSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { eventOn, sessionContext } from '../src/cli/session-hook.ts';
import { ScratchRepository } from '../src/testing/scratch-repository.ts';
import type { WorkflowSurface } from '../src/workflows/surface.ts';
import { pollSurface } from './poll/surface.ts';
import { bundlePawl } from './programs/bundle.ts';

const event = JSON.stringify({ session_id: 'x', hook_event_name: 'SessionStart', source: 'startup' });
const said = 'Poll tea; next: pawl poll topics';

let folder = '';
let program = '';
beforeAll(async () => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'pawl-hook-')));
  program = await bundlePawl(new URL('poll/program.ts', import.meta.url), join(folder, 'pawl'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

let repository: ScratchRepository;
beforeEach(() => {
  repository = ScratchRepository.create(program, { 'polls/now.txt': 'tea' });
  return () => repository.remove();
});

interface Call {
  readonly args?: readonly string[];
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Written to its stdin, which stays open unless `closes`. */
  readonly input?: string;
  readonly closes?: boolean;
  readonly stdout?: number;
}

function hook({ args = [], cwd = repository.root, env = {}, input = '', closes = true, stdout }: Call = {}) {
  return new Promise<{ code: number | null; stdout: string; stderr: string }>((resolve, reject) => {
    const child = spawn(process.execPath, [program, 'hook', 'session-start', ...args], {
      cwd,
      env: { PATH: process.env['PATH'] ?? '', HOME: repository.home, LANG: 'C.UTF-8', ...env },
      stdio: ['pipe', stdout ?? 'pipe', 'pipe'],
    });
    const output = { stdout: '', stderr: '' };
    child.stdout?.setEncoding('utf8').on('data', (text: string) => (output.stdout += text));
    child.stderr?.setEncoding('utf8').on('data', (text: string) => (output.stderr += text));
    child.stdin?.on('error', () => {});
    child.stdin?.write(input);
    if (closes) child.stdin?.end();
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, ...output }));
  });
}

describe('the answer', () => {
  test('is plain text, or JSON for a coding agent that sent its event', async () => {
    expect(await hook()).toMatchObject({ code: 0, stdout: `${said}\n`, stderr: '' });
    const json = { hookSpecificOutput: { hookEventName: 'SessionStart', additionalContext: said } };
    const { code, stdout } = await hook({ input: event });
    expect([code, JSON.parse(stdout)]).toEqual([0, json]);
    for (const args of [['--format', 'json'], ['--json']])
      expect(JSON.parse((await hook({ args })).stdout)).toEqual(json);
    expect((await hook({ args: ['--format', 'text'], input: event })).stdout).toBe(`${said}\n`);
  });

  test('does not wait for an input that stays open', async () => {
    expect((await hook({ closes: false })).stdout).toBe(`${said}\n`);
    expect((await hook({ closes: false, input: event })).stdout).toMatch(/^\{/);
    expect((await hook({ closes: false, input: '{"hook_event_name":' })).stdout).toBe(`${said}\n`);
  });

  test('knows an event that was there before a busy machine let it be read', async () => {
    const server = createServer((socket) => socket.write(event)).listen(join(folder, 'socket'));
    const input = connect(join(folder, 'socket'));
    await once(server, 'connection');
    // Timers come next, before anything is read.
    await new Promise((resolve) => setImmediate(resolve));
    const seen = eventOn(input);
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 200);
    expect(await seen).toEqual(JSON.parse(event));
    server.close();
  });

  test.each([['not JSON'], ['null'], ['[]'], ['{"hook_event_name":7}'], ['x'.repeat(200_000)]])(
    'is plain text where the input is no event of a session: %.30s',
    async (input) => {
      expect(await hook({ input })).toMatchObject({ code: 0, stdout: `${said}\n`, stderr: '' });
    },
  );

  test('is about the main work tree, also in a folder of a linked one', async () => {
    const linked = join(repository.folder, 'linked');
    repository.git('worktree', 'add', '--quiet', linked);
    writeFileSync(join(linked, 'polls/now.txt'), 'coffee');
    const { stdout } = await hook({ cwd: join(linked, 'polls') });
    expect(stdout).toBe(`${said}\nwarning: the poll is in ${realpathSync(repository.root)}\n`);
  });
});

describe('nothing is said, and nothing fails', () => {
  const silent = { code: 0, stdout: '', stderr: '' };

  test('outside of a repository, and where there is nothing to say', async () => {
    const outside = join(repository.folder, 'outside');
    mkdirSync(outside);
    expect(await hook({ cwd: outside, input: event })).toMatchObject(silent);
    rmSync(join(repository.root, 'polls'), { recursive: true });
    expect(await hook({ input: event })).toMatchObject(silent);
  });

  test.each<[string, (root: string) => void]>([
    ['a git directory that is a broken file', (root) => replaceGit(root, 'gitdir: /nowhere\n')],
    ['a git directory that is not text', (root) => replaceGit(root, '\0\xFF')],
    ['a bare repository', (root) => appendFileSync(join(root, '.git/config'), '\n[core]\nbare = true\n')],
    ['a file of the workflow that is a folder', (root) => inPlace(root, (path) => mkdirSync(path))],
    ['a file that leads out', (root) => inPlace(root, (path) => symlinkSync('/etc/hostname', path))],
    ['a link in a circle', (root) => inPlace(root, (path) => symlinkSync('now.txt', path))],
    ['a pipe', (root) => inPlace(root, (path) => execFileSync('mkfifo', [path]))],
    ['a file that is far too long', (root) => inPlace(root, (path) => writeFileSync(path, 'x'.repeat(5_000_000)))],
    ['bytes that are no text', (root) => inPlace(root, (path) => writeFileSync(path, Buffer.from([0xff, 0xfe, 0])))],
    ['a defect of a workflow', (root) => inPlace(root, (path) => writeFileSync(path, 'broken'))],
  ])('%s', async (_, spoil) => {
    spoil(repository.root);
    expect(await hook({ input: event })).toMatchObject(silent);
  });

  test('a folder that is gone, a git that is missing, an agent of a run', async () => {
    const gone = join(repository.root, 'gone');
    mkdirSync(gone);
    const leaving = spawnIn(gone);
    rmSync(gone, { recursive: true });
    expect(await leaving).toEqual({ code: 0, stdout: '' });
    expect((await hook({ env: { PATH: '/nowhere' } })).stdout).toBe(`${said}\n`);
    expect(await hook({ env: { PAWL_DISPATCH: 'poll/tea#1' } })).toMatchObject(silent);
  });

  test('an output that nobody reads, or that is full', async () => {
    expect((await hook({ stdout: openSync('/dev/full', 'w') })).code).toBe(0);
    const shell = `"$0" "$1" hook session-start | true; exec "$0" "$1" hook session-start >&- <&-`;
    const args = ['-c', shell, process.execPath, program];
    expect(() => execFileSync('sh', args, { cwd: repository.root, stdio: 'ignore' })).not.toThrow();
  });

  test('a mistake in the command line is told on stderr', async () => {
    const ran = await hook({ args: ['--formt', 'json'] });
    expect(ran).toMatchObject({ code: 0, stdout: '', stderr: expect.stringContaining('did you mean --format?') });
  });
});

test('what files say is cut, and cannot steer a terminal', async () => {
  repository.write('polls/now.txt', `\u001B]0;title\u0007\u001B[2J\u202Etea${'🍵'.repeat(2_000)}`);
  for (const args of [
    ['--format', 'text'],
    ['--format', 'json'],
  ]) {
    const { stdout } = await hook({ args });
    expect(stdout.length).toBeLessThan(800);
    // oxlint-disable-next-line no-control-regex -- finding control characters is the point
    expect(stdout).not.toMatch(/[\u0000-\u0009\u000B-\u001F\u007F-\u009F\u202A-\u202E]/);
    expect(stdout).toContain('tea');
    expect(stdout).toContain('…');
    expect(Buffer.from(stdout).toString()).toBe(stdout);
    expect(stdout).not.toContain('\\ud83c');
  }
});

test('one workflow that fails does not silence another, and all that is read is limited', async () => {
  const surface = (sessionContext: NonNullable<WorkflowSurface['sessionContext']>) => ({
    ...pollSurface,
    sessionContext,
  });
  for (let index = 0; index < 30; index += 1) repository.write(`many/${index}.txt`, 'x'.repeat(200_000));
  const context = await sessionContext(repository.root, [
    surface(() => Promise.reject(new Error('a defect'))),
    surface(() => Promise.resolve(() => null)),
    surface(() =>
      Promise.resolve(({ files, modifiedMs }) => {
        const texts = files.list('many').map((path) => files.read(path));
        const read = texts.filter((text) => text !== undefined).length;
        const outside = [files.read('../secret'), modifiedMs('../secret'), files.exists('/etc')];
        return `${texts.length} files, ${read} read, outside ${JSON.stringify(outside)}`;
      }),
    ),
    pollSurface,
  ]);
  expect(context).toBe(`30 files, 20 read, outside [null,null,false]\n${said}`);
});

test('a repository that cannot be read says nothing', async () => {
  chmodSync(join(repository.root, 'polls'), 0);
  // Root reads everything.
  expect([null, said]).toContain(await sessionContext(repository.root, [pollSurface]));
  chmodSync(join(repository.root, 'polls'), 0o755);
});

function replaceGit(root: string, content: string): void {
  rmSync(join(root, '.git'), { recursive: true });
  writeFileSync(join(root, '.git'), content, 'latin1');
}

function inPlace(root: string, put: (path: string) => void): void {
  const path = join(root, 'polls/now.txt');
  rmSync(path);
  mkdirSync(dirname(path), { recursive: true });
  put(path);
}

/** Starts it when its folder is gone already. */
function spawnIn(cwd: string): Promise<{ code: number | null; stdout: string }> {
  return new Promise((resolve) => {
    const shell = 'while [ -d "$PWD" ]; do sleep 0.01; done; exec "$0" "$1" hook session-start';
    const child = spawn('sh', ['-c', shell, process.execPath, program], { cwd, stdio: ['ignore', 'pipe', 'ignore'] });
    let stdout = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
    child.on('close', (code) => resolve({ code, stdout }));
  });
}
