/** Files that a hostile repository or an agent puts in the way of commands that only look: rows of the attack table. */

import { execFileSync } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, symlinkSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { encodeRecord, type JournalRecord } from '../../src/store/record.ts';
import { ScratchRepository, type Ran } from '../../src/testing/scratch-repository.ts';
import { program } from '../change/scripts.ts';

const made: ScratchRepository[] = [];
afterAll(() => made.forEach((repository) => repository.remove()));

function create(files: Readonly<Record<string, string>> = {}): ScratchRepository {
  const repository = ScratchRepository.create(program, { 'README.md': '# Scratch\n', ...files });
  made.push(repository);
  return repository;
}

/** Long for a command that looks, short for one that waits for ever; and little memory for one that reads for ever. */
async function look(repository: ScratchRepository, args: readonly string[], env = {}): Promise<Ran> {
  let timer: NodeJS.Timeout | undefined;
  const ran = await repository.pawl(args, {
    env,
    node: ['--max-old-space-size=512'],
    onSpawn: (child) => (timer = setTimeout(() => child.kill('SIGKILL'), 60_000)),
  });
  clearTimeout(timer);
  expect(ran.signal, args.join(' ')).toBeNull();
  return ran;
}

const lists = [['runs'], ['change', 'list'], ['session', 'list']];
const level = (name: string, above: string): string => `${name}: &${name} [${Array(9).fill(`*${above}`).join(', ')}]\n`;
const bomb = `a: &a [x, x]\n${level('b', 'a')}${level('c', 'b')}${level('d', 'c')}${level('e', 'd')}${level('f', 'e')}`;

test('attack 2.10, audit 12.2: a FIFO in place of a vendor’s configuration keeps no command waiting', async () => {
  const repository = create({ 'bin/codex': '#!/bin/sh\necho "codex-cli 99.0.0"\n' });
  chmodSync(join(repository.root, 'bin/codex'), 0o755);
  const bin = join(repository.folder, 'bin');
  cpSync(join(repository.root, 'bin'), bin, { recursive: true });
  mkdirSync(join(repository.home, '.codex'));
  execFileSync('mkfifo', [join(repository.home, '.codex/config.toml')]);
  const env = { PATH: `${bin}:${process.env['PATH'] ?? ''}` };
  const ran = await look(repository, ['change', 'plan', 'x', 'Something', '--agent', 'codex'], env);
  expect(ran.stderr + ran.stdout).toMatch(/codex/);
});

describe.concurrent('one bad file stops no other run', () => {
  test('attack 2.10, 2.12, 2.29, 6.8, 6.9: lists name the bad runs and show the good one', async () => {
    const state = (name: string): string => `agentd/changes/${name}/STATE.yaml`;
    const repository = create({
      [state('good')]: 'phase: proposed\n',
      [state('bomb')]: bomb,
      [state('deep')]: `${'- '.repeat(20_000)}x\n`,
      [state('stars')]: 'phase: proposed\n',
      'agentd/changes/stars/tasks.md': `# Tasks\n\n## 1. Logic\n\n${'### Task 1.1: x\n```yaml\n'.repeat(16_000)}`,
      'agentd/changes/stars/proposal.md': `${'<review '.repeat(40_000)}\n`,
      '.agents-work/2026-01-01_long/status.json': `{${'"a":['.repeat(10_000)}`,
      'agentd/changes/fifo/proposal.md': '# x\n',
      'agentd/changes/zero/proposal.md': '# x\n',
    });
    execFileSync('mkfifo', [join(repository.root, state('fifo'))]);
    symlinkSync('/dev/zero', join(repository.root, state('zero')));
    for (const args of lists) {
      const { code, stdout } = await look(repository, args);
      expect(code, args.join(' ')).toBe(0);
      if (args[0] === 'session') continue;
      expect(stdout).toMatch(/^good +(?:change +)?proposed/m);
      for (const name of ['bomb', 'deep', 'fifo', 'zero']) expect(stdout).toMatch(new RegExp(`^${name} .*broken`, 'm'));
    }
    for (const name of ['bomb', 'deep', 'fifo', 'zero']) {
      const { code, stderr } = await look(repository, ['change', 'status', name]);
      expect([code, stderr]).toEqual([2, expect.stringMatching(/^error: [^]*\n {2}fix: /)]);
    }
    await look(repository, ['change', 'status', 'stars']);
  });

  test.each<[title: string, put: (file: string) => unknown]>([
    ['attack 2.10: a FIFO', (file) => execFileSync('mkfifo', [file])],
    ['attack 2.12: a link to /dev/zero', (file) => symlinkSync('/dev/zero', file)],
    ['attack 2.18: a socket', (file) => new Promise<void>((done) => createServer().unref().listen(file, done))],
  ])('%s in place of the configuration is an error, not a wait', async (_title, put) => {
    const repository = create({ 'agentd/project.md': '# x\n' });
    for (const path of ['agentd/config.toml', 'pawl.toml']) {
      await put(join(repository.root, path));
      const { code, stderr } = await look(repository, ['change', 'plan', 'x', 'Something', '--agent', 'scripted']);
      expect([code, stderr]).toEqual([2, expect.stringContaining(path)]);
    }
    for (const args of [['runs'], ['doctor'], ['--help']]) await look(repository, args);
  });
});

const escapes = '\u001B]0;pwned\u0007\u001B[2J\u009B31m\u202E';
/** What steers a terminal: control characters other than line breaks and tabs, and changes of direction. */
// oxlint-disable-next-line no-control-regex
const steering = /[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u202A-\u202E\u2066-\u2069]/;

describe.concurrent('foreign text does not steer the terminal', () => {
  test('attack 5.7: fields of a journal that came with a clone', async () => {
    const text = `seen${escapes}`;
    const repository = create({ 'agentd/archive/boo/proposal.md': '# x\n' });
    const of = (seq: number) => ({ seq, epoch: 1, at: `2026-01-01T00:00:0${seq}.000Z` });
    const change = { state: text, phase: text };
    const created = {
      type: 'created',
      format: 1,
      workflow: text,
      run: text,
      workspace: text,
      input: {},
      snapshot: change,
    };
    const names = {
      id: text,
      role: text,
      step: text,
      agent: text,
      model: text,
      prompt: text,
      tree: text,
      digest: text,
    };
    const forged = [
      { ...created, ...of(1) },
      { type: 'dispatch.started', ...names, ...of(2) },
      { type: 'report.filed', dispatch: text, tool: text, args: { [text]: text }, ...of(3) },
      { type: 'moved', from: text, signal: text, change, by: { who: text, how: 'terminal' }, ...of(4) },
      { type: 'state.edited', phase: text, change, by: { who: text, how: 'edit' }, ...of(5) },
      { type: 'dispatch.abandoned', id: text, why: text, patch: text, ...of(6) },
    ] as unknown as readonly JournalRecord[];
    let last = '';
    const lines = forged.map((record) => {
      const { line, sum } = encodeRecord(record, last);
      last = sum;
      return line;
    });
    repository.write('agentd/archive/boo/journal.jsonl', lines.join(''));
    const { stdout, stderr } = await look(repository, ['log', 'boo']);
    expect(stdout.match(/seen/g)?.length, stderr).toBeGreaterThan(5);
    for (const args of [['log', 'boo'], ['change', 'status', 'boo'], ['runs']]) {
      const ran = await look(repository, args);
      expect(ran.stdout + ran.stderr, args.join(' ')).not.toMatch(steering);
    }
  });

  test('attack 5.8: names of folders', async () => {
    const repository = create({
      [`.agents-work/2026-01-01_x${escapes}/status.json`]: '{"current_state": "PLAN"}\n',
      [`agentd/changes/x${escapes}/STATE.yaml`]: 'phase: proposed\n',
    });
    for (const args of lists) {
      const { stdout, stderr } = await look(repository, args);
      expect(stdout + stderr, args.join(' ')).not.toMatch(steering);
    }
  });
});
