/** The launcher's promises for programs in boxes, with real boxes. */

import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { allowedEnv, type ProcessEnd } from '../workspace/launcher.ts';
import { launchBoxed, type BoxedLaunchOptions } from './boxed-launch.ts';
import type { Box } from './box.ts';
import { probeSandbox } from './sandbox.ts';

const { level, problem } = await probeSandbox();
const isMissing = level === 'none' && process.env['CI'] !== 'true';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'pawl-box-'));
  mkdirSync(join(folder, 'work'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));

const at = (name: string): string => join(folder, name);

function run(script: string, box: Partial<Box> = {}, more: Partial<BoxedLaunchOptions> = {}): Promise<ProcessEnd> {
  const lists = { readOnly: [], hidden: [], read: [], write: [], allow: [] };
  return launchBoxed({
    box: { level: 'files', workspace: at('work'), access: 'write', ...lists, ...box },
    command: 'sh',
    args: ['-c', script],
    cwd: at('work'),
    env: allowedEnv({ HOME: folder }),
    stdin: '',
    stdoutFile: at('stdout'),
    stderrFile: at('stderr'),
    timeoutMs: 20_000,
    killGraceMs: 10_000,
    outputBytesMax: 1024 ** 2,
    ...more,
  });
}
const printed = (): string => readFileSync(at('stdout'), 'utf8').trim();

describe.skipIf(isMissing)(`programs in boxes (needs files; here: ${level}, ${problem ?? 'complete'})`, () => {
  test('exit code, input and output are those of the program', async () => {
    const ended = await run('cat; echo warned >&2; exit 7', {}, { stdin: 'hello' });
    expect(ended).toMatchObject({ exitCode: 7, signal: null, spawnError: null, stderrTail: 'warned\n' });
    expect(printed()).toBe('hello');
  });

  test('a program that a signal ended is told as without a box', async () => {
    expect(await run('kill -SEGV $$')).toMatchObject({ exitCode: null, signal: 'SIGSEGV', spawnError: null });
    expect(await run('exit 144')).toMatchObject({ exitCode: 144, signal: null });
  });

  test('a program that does not exist is told as without a box', async () => {
    const ended = await run('', {}, { command: 'no-such-program' });
    expect(ended.spawnError).toMatchObject({ code: 'ENOENT', message: expect.stringContaining('it was not found') });
    const lost = await run('echo ran', {}, { cwd: at('elsewhere') });
    expect(lost.spawnError?.message).toContain('does not exist');
  });

  test('where the level cannot be reached, the program does not run at a lower one', async () => {
    // In tests the bridge is not beside the source, so there is no network of its own.
    const ended = await run('echo ran > ran', { level: 'files+network' });
    expect(ended.spawnError?.code).toBe('SandboxLost');
    expect(existsSync(at('work/ran'))).toBe(false);
  });

  test('is asked to end, and has its time to do so', async () => {
    const stop = new AbortController();
    const script = 'trap "echo saved; exit 3" TERM; echo up; while :; do sleep 0.05; done';
    const ended = await run(script, {}, { signal: stop.signal, onLine: () => stop.abort() });
    expect(ended).toMatchObject({ aborted: true, exitCode: 3 });
    expect(printed()).toContain('saved');
  });

  test('one that does not is killed with all it started', async () => {
    const stop = new AbortController();
    const script =
      'trap "" TERM; (setsid sh -c "trap \\"\\" TERM; while :; do date > alive; sleep 0.02; done" &); echo up; while :; do sleep 0.05; done';
    const ended = await run(script, {}, { signal: stop.signal, onLine: () => stop.abort(), killGraceMs: 300 });
    expect(ended.aborted).toBe(true);
    rmSync(at('work/alive'), { force: true });
    await new Promise((later) => setTimeout(later, 200));
    expect(existsSync(at('work/alive'))).toBe(false);
  });

  test('a hidden folder is empty, a hidden file too, a read-only one cannot be written', async () => {
    mkdirSync(at('work/secret'));
    for (const name of ['secret/key', 'netrc', 'fixed']) writeFileSync(at(`work/${name}`), 'private');
    await run('ls secret; cat netrc; echo x > fixed; mv fixed moved; echo done', {
      hidden: [at('work/secret'), at('work/netrc')],
      readOnly: [at('work/fixed')],
    });
    expect(printed()).toBe('done');
    expect(readFileSync(at('work/fixed'), 'utf8')).toBe('private');
  });

  test('a link does not widen the box: what it leads to is not mounted in its place', async () => {
    writeFileSync(at('private'), 'private');
    symlinkSync(at('private'), at('work/link'));
    await run('cat link; echo done');
    expect(printed()).toBe('done');
  });
});
