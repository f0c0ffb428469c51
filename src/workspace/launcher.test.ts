import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { allowedEnv, launch } from './launcher.ts';
import type { ProcessEnd, LaunchOptions } from './launcher.ts';
import { isAlive, startTimeOf } from './processes.ts';
import type { ProcessId } from './processes.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'pawl-launch-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));

const inFolder = (name: string): string => join(folder, name);

/** Runs a small program written for the test. */
async function run(source: string, options: Partial<LaunchOptions> = {}): Promise<ProcessEnd & { lines: string[] }> {
  const lines: string[] = [];
  const program = inFolder('program.mjs');
  writeFileSync(program, source);
  const ended = await launch({
    command: process.execPath,
    args: [program],
    cwd: folder,
    env: allowedEnv(),
    stdin: '',
    stdoutFile: inFolder('out/stdout'),
    stderrFile: inFolder('out/stderr'),
    timeoutMs: 20_000,
    killGraceMs: 2_000,
    outputBytesMax: 64 * 1024 ** 2,
    onLine: (line) => lines.push(line),
    ...options,
  });
  return { ...ended, lines };
}

const untilExists = async (path: string): Promise<void> => {
  while (!existsSync(path) || readFileSync(path, 'utf8') === '') await wait(5);
};
const processIn = async (name: string): Promise<ProcessId> => {
  await untilExists(inFolder(name));
  const pid = Number(readFileSync(inFolder(name), 'utf8'));
  return { pid, startedAt: startTimeOf(pid) ?? 'gone' };
};
const ignoresSigterm = "process.on('SIGTERM', () => {}); setInterval(() => {}, 1000); console.log('up');";

describe('launch', () => {
  test('input, output, exit code, both files', async () => {
    const source = `
      let text = ''; for await (const part of process.stdin) text += part;
      console.log('got ' + text.length); console.error('warned'); process.exitCode = 3;`;
    const ended = await run(source, { stdin: 'ü'.repeat(200_000) });
    expect(ended).toMatchObject({
      exitCode: 3,
      signal: null,
      timedOut: false,
      aborted: false,
      outputExceeded: false,
      spawnError: null,
      stdinError: null,
      stderrTail: 'warned\n',
      lines: ['got 200000'],
    });
    expect(ended.ms).toBeGreaterThan(0);
    expect(readFileSync(inFolder('out/stdout'), 'utf8')).toBe('got 200000\n');
    expect(statSync(inFolder('out/stdout')).mode & 0o077).toBe(0);
  });

  test('lines come while it runs, split characters and all; the last one without an end too (L2)', async () => {
    const source = `
      import { writeSync } from 'node:fs';
      const bytes = Buffer.from('grü');
      writeSync(1, bytes.subarray(0, 3));
      setTimeout(() => writeSync(1, Buffer.concat([bytes.subarray(3), Buffer.from('ße\\r\\n\\n')])), 120);
      process.stdin.on('data', () => {}).on('end', () => setTimeout(() => writeSync(1, Buffer.from([0x62, 0xff, 0x21])), 240));`;
    const times: number[] = [];
    const lines: string[] = [];
    const onLine = (line: string): void => {
      lines.push(line);
      times.push(performance.now());
    };
    await run(source, { onLine });
    expect(lines).toEqual(['grüße', '', 'b\uFFFD!']);
    expect(times[2]! - times[0]!).toBeGreaterThan(50);
  });

  test('lines of standard error come apart from those of standard output, for whoever wants them (L2)', async () => {
    const errors: string[] = [];
    const source = `process.stderr.write('one\\ntwo'); console.log('out');`;
    const { lines } = await run(source, { onErrorLine: (line) => errors.push(line) });
    expect([lines, errors]).toEqual([['out'], ['one', 'two']]);
    const both = { stdoutFile: inFolder('out/both'), stderrFile: inFolder('out/both') };
    expect((await run(source, { ...both, onErrorLine: (line) => errors.push(line) })).lines.toSorted()).toContain(
      'one',
    );
    expect(errors).toEqual(['one', 'two']);
  });

  test('what is thrown over a line of standard error ends the child and is told (L1)', async () => {
    const source = `process.stderr.write('broken\\n'); setInterval(() => {}, 1000);`;
    const failing = run(source, {
      onErrorLine: (line) => {
        throw new Error(line);
      },
    });
    await expect(failing).rejects.toThrow('broken');
  });

  test('no line is lost of a child that prints much and exits at once (L2)', async () => {
    const source = `
      import { writeSync } from 'node:fs';
      let text = ''; for (let at = 0; at < 200000; at += 1) text += 'line ' + at + '\\n';
      let rest = Buffer.from(text); while (rest.length) rest = rest.subarray(writeSync(1, rest));
      process.exit(0);`;
    const { lines } = await run(source);
    expect(lines.length).toBe(200_000);
    expect(lines.at(-1)).toBe('line 199999');
  });

  test('an over-long line is cut, the next one whole (L4)', async () => {
    const { lines } = await run("console.log('x'.repeat(300000)); console.log('next');", { lineBytesMax: 1_000 });
    expect(lines).toEqual(['x'.repeat(1_000), 'next']);
  });

  test('one file for both outputs, appended to; old content is not handed on', async () => {
    writeFileSync(inFolder('log'), 'before\n');
    const source = "console.log('one'); console.error('two'); console.log('three');";
    const { lines, outputExceeded } = await run(source, {
      stdoutFile: inFolder('log'),
      stderrFile: inFolder('log'),
      outputBytesMax: 20,
    });
    expect(lines).toEqual(['one', 'two', 'three']);
    expect(outputExceeded).toBe(false);
    expect(readFileSync(inFolder('log'), 'utf8')).toBe('before\none\ntwo\nthree\n');
  });

  test('a child that does not read its input: noted, not an error (L1)', async () => {
    const ended = await run('process.stdin.destroy(); process.exit(0);', { stdin: 'x'.repeat(5_000_000) });
    expect(ended.exitCode).toBe(0);
    expect(['EPIPE', 'ECONNRESET']).toContain(ended.stdinError);
  });

  test('a signal from elsewhere', async () => {
    expect(await run("process.kill(process.pid, 'SIGKILL');")).toMatchObject({
      exitCode: null,
      signal: 'SIGKILL',
      timedOut: false,
    });
    expect(await run('process.exit(137);')).toMatchObject({ exitCode: 137, signal: null });
  });

  test('what cannot be started (L1)', async () => {
    writeFileSync(inFolder('plain'), 'no program', { mode: 0o644 });
    const missing = await run('', { command: 'pawl-no-such-program' });
    expect(missing).toMatchObject({ exitCode: null, spawnError: { code: 'ENOENT' } });
    expect(missing.spawnError?.message).toContain('pawl-no-such-program');
    expect((await run('', { command: inFolder('plain') })).spawnError?.code).toBe('EACCES');
    expect((await run('', { cwd: inFolder('nowhere') })).spawnError?.message).toContain('working folder');
    expect((await run('', { args: ['a\0b'] })).spawnError?.code).toBe('ERR_INVALID_ARG_VALUE');
    expect((await run('', { args: ['x'.repeat(3_000_000)] })).spawnError?.code).toBe('E2BIG');
    expect((await run('', { stdoutFile: folder })).spawnError?.code).toBe('EISDIR');
  });

  test('the stderr tail is the end of it', async () => {
    const { stderrTail } = await run("console.error('ü'.repeat(10000) + 'end');");
    expect(stderrTail.length).toBeLessThan(4_200);
    expect(stderrTail).toMatch(/^ü+end\n$/);
  });
});

describe('ending a child (L3, L4)', () => {
  test('timeout: SIGTERM first', async () => {
    const source =
      "process.on('SIGTERM', () => { console.log('cleaned up'); process.exit(0); }); setInterval(() => {}, 1000);";
    expect(await run(source, { timeoutMs: 300 })).toMatchObject({
      exitCode: 0,
      timedOut: true,
      aborted: false,
      lines: ['cleaned up'],
    });
  });

  test('timeout: SIGKILL for one that does not listen, and a timeout longer than a timer can be is none', async () => {
    expect(await run(ignoresSigterm, { timeoutMs: 3_000, killGraceMs: 100 })).toMatchObject({
      exitCode: null,
      signal: 'SIGKILL',
      timedOut: true,
    });
    expect(await run("console.log('x')", { timeoutMs: Number.MAX_SAFE_INTEGER })).toMatchObject({
      exitCode: 0,
      timedOut: false,
    });
  });

  test('abort, while it runs and before', async () => {
    const controller = new AbortController();
    const ended = await run(ignoresSigterm, {
      killGraceMs: 50,
      signal: controller.signal,
      onLine: () => controller.abort(),
    });
    expect(ended).toMatchObject({ signal: 'SIGKILL', aborted: true, timedOut: false });
    const before = await run("import { writeFileSync } from 'node:fs'; writeFileSync('ran', '');", {
      signal: controller.signal,
    });
    expect(before).toMatchObject({ exitCode: null, aborted: true, spawnError: null });
    expect(existsSync(inFolder('ran'))).toBe(false);
  });

  test('too much output: ended, cut', async () => {
    const source = "import { writeSync } from 'node:fs'; for (;;) writeSync(1, 'x'.repeat(99) + '\\n');";
    const ended = await run(source, { outputBytesMax: 10_000 });
    expect(ended).toMatchObject({ signal: 'SIGTERM', outputExceeded: true, timedOut: false });
    expect(ended.lines.length).toBe(100);
    expect(statSync(inFolder('out/stdout')).size).toBe(10_000);
  });

  const atOnce = "import { writeSync } from 'node:fs'; writeSync(1, 'x'.repeat(5000));";

  test('too much output at once, noticed only after it ended: its own end counts, the output is cut', async () => {
    const ended = await run(atOnce, { outputBytesMax: 1_000, onStarted: waitForEnd });
    expect(ended).toMatchObject({ exitCode: 0, signal: null, outputExceeded: true, timedOut: false, aborted: false });
    expect(statSync(inFolder('out/stdout')).size).toBe(1_000);
  });

  test('too much output at once, noticed while it runs on: ended, cut', async () => {
    const ended = await run(`${atOnce} setInterval(() => {}, 1000);`, { outputBytesMax: 1_000 });
    expect(ended).toMatchObject({ exitCode: null, signal: 'SIGTERM', outputExceeded: true, timedOut: false });
    expect(statSync(inFolder('out/stdout')).size).toBe(1_000);
  });

  /** Nothing of this process runs meanwhile, so the child's end is all there is to notice. */
  function waitForEnd({ pid }: ProcessId): void {
    const deadline = Date.now() + 20_000;
    const statOf = (): string => spawnSync('ps', ['-o', 'stat=', '-p', String(pid)], { encoding: 'utf8' }).stdout;
    while (!statOf().trim().startsWith('Z')) if (Date.now() > deadline) throw new Error('the child did not end');
  }

  const leavesChild = (then: string): string => `
    import { spawn } from 'node:child_process';
    import { writeFileSync } from 'node:fs';
    const child = spawn(process.execPath, ['-e', ${JSON.stringify(ignoresSigterm)}], { stdio: ['ignore', 'pipe', 'inherit'] });
    child.stdout.once('data', () => { writeFileSync('child', String(child.pid)); ${then} });`;

  test('survivors of a normal exit', async () => {
    const ended = run(leavesChild('setTimeout(() => process.exit(0), 200)'));
    const survivor = await processIn('child');
    expect(isAlive(survivor)).toBe(true);
    expect(await ended).toMatchObject({ exitCode: 0, signal: null });
    expect(isAlive(survivor)).toBe(false);
  });

  test('the whole group on a timeout', async () => {
    const ended = run(leavesChild(''), { timeoutMs: 1_000, killGraceMs: 100 });
    const survivor = await processIn('child');
    expect(await ended).toMatchObject({ timedOut: true });
    expect(isAlive(survivor)).toBe(false);
  });
});

describe('the caller', () => {
  test('is told pid and start time before the child gets its input', async () => {
    const seen: ProcessId[] = [];
    const source = 'for await (const part of process.stdin) console.log(process.pid);';
    const { lines } = await run(source, {
      stdin: 'x',
      onStarted: (started) => {
        expect(isAlive(started)).toBe(true);
        seen.push(started);
      },
    });
    expect(lines).toEqual([String(seen[0]?.pid)]);
    expect(isAlive(seen[0]!)).toBe(false);
  });

  test('gets its own error back, after the child was ended', async () => {
    let started: ProcessId | undefined;
    const failing = run(ignoresSigterm, {
      killGraceMs: 50,
      onStarted: (id) => {
        started = id;
      },
      onLine: () => {
        throw new Error('mine');
      },
    });
    await expect(failing).rejects.toThrow('mine');
    expect(isAlive(started!)).toBe(false);
  });
});

test('allowedEnv: a short list and nothing else (L5)', async () => {
  const before = { ...process.env };
  Object.assign(process.env, {
    SECRET_TOKEN: 'x',
    NODE_EXTRA_CA_CERTS: '/x',
    HTTPS_PROXY: 'x',
    NO_PROXY: 'corp',
    TZ: 'UTC',
    TERM: 'xterm',
  });
  try {
    const env = allowedEnv({ PAWL_DISPATCH: 'd1' });
    expect(env).toMatchObject({
      TERM: 'dumb',
      TZ: 'UTC',
      NO_PROXY: 'corp,127.0.0.1,localhost',
      PAWL_DISPATCH: 'd1',
      PATH: process.env['PATH'],
    });
    const known = 'PATH HOME USER LOGNAME LANG LC_ALL LC_CTYPE TZ TMPDIR TERM NO_PROXY CI PAWL_DISPATCH'.split(' ');
    expect(Object.keys(env).filter((name) => !known.includes(name))).toEqual([]);
    const { lines } = await run('console.log(JSON.stringify(process.env));', { env });
    expect(JSON.parse(lines[0]!)).toEqual(env);
  } finally {
    for (const name of Object.keys(process.env)) if (!(name in before)) delete process.env[name];
    Object.assign(process.env, before);
  }
});
