/** Nothing of a run goes on when Pawl is killed with SIGKILL, or behind a check that has ended; with and without a sandbox. */

import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { afterEach, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { ScratchRepository } from '../../src/testing/scratch-repository.ts';
import { bundleProgram } from '../programs/bundle.ts';
import { implemented, planned, program, type Turn } from '../change/scripts.ts';
import { levelHere } from './hostile-run.ts';

const { level } = levelHere();
const isMissing = level !== 'files+network' && process.env['CI'] !== 'true';
const levels = isMissing ? ['off'] : ['off', ''];
const patienceMs = 60_000;

let repository: ScratchRepository;
afterEach(() => {
  for (const pid of processesOf(repository.folder)) process.kill(pid, 'SIGKILL');
  repository.remove();
});

/** A process of its own session that ignores signals and keeps the variables it got. */
const leaver = `
import { spawn } from 'node:child_process';
const code = "process.on('SIGTERM', () => {}); setInterval(() => {}, 1000)";
spawn(process.execPath, ['-e', code, process.cwd()], { detached: true, stdio: 'ignore' }).unref();
`;

function prepare(first: Turn): void {
  repository = ScratchRepository.create(program, {
    'README.md': '# Scratch\n',
    'leaver.mjs': leaver,
    'pawl.toml': '[change]\nretry_delay_secs = 0\nscript_retries = 0\n[checks]\ntest = ["node", "leaver.mjs"]\n',
  });
  writeFileSync(join(repository.folder, 'turns.yaml'), stringify([{ ...planned[0], ...first }, ...planned.slice(1)]));
}

function processesOf(folder: string): number[] {
  return readdirSync('/proc')
    .map(Number)
    .filter((pid) => pid > 0 && commandOf(pid).includes(folder));
}

function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    return '';
  }
}

async function until(holds: () => boolean): Promise<boolean> {
  for (const deadline = Date.now() + patienceMs; Date.now() < deadline; await wait(50)) if (holds()) return true;
  return false;
}

test.each(levels)('attack 1.19: a killed Pawl leaves no agent behind (PAWL_SANDBOX=%s)', async (sandbox) => {
  prepare({ run: ['node leaver.mjs'], fault: 'hang' });
  const words = ['change', 'plan', 'greet', 'Greet', '--agent', 'scripted', '--no-input'];
  const script = ['--script', join(repository.folder, 'turns.yaml')];
  const ended = repository.pawl([...words, ...script], {
    env: { PAWL_SANDBOX: sandbox },
    onSpawn: (child) => {
      const isAtWork = (): boolean => processesOf(repository.folder).some((pid) => commandOf(pid).includes('SIGTERM'));
      void until(isAtWork).then(() => child.kill('SIGKILL'));
    },
  });
  expect((await ended).signal).toBe('SIGKILL');
  expect(await until(() => processesOf(repository.folder).length === 0)).toBe(true);
});

test('G4: a program that was started just before the kill ends, too', async () => {
  prepare({});
  const starter = await bundleProgram(new URL('../programs/guarded-starter.ts', import.meta.url), repository.folder);
  const ended = spawnSync(process.execPath, [starter, 'PAWL_TEST_MARK', repository.folder], { encoding: 'utf8' });
  expect(ended.signal).toBe('SIGKILL');
  const pid = Number(ended.stdout);
  expect(pid).toBeGreaterThan(0);
  expect(await until(() => !commandOf(pid).includes('sleep'))).toBe(true);
});

test.each(levels)('attack 1.19: a check leaves no process behind (PAWL_SANDBOX=%s)', async (sandbox) => {
  prepare({});
  const script = join(repository.folder, 'turns.yaml');
  writeFileSync(script, stringify([...planned, ...implemented]));
  const flags = ['--agent', 'scripted', '--script', script, '--no-input'];
  const env = { PAWL_SANDBOX: sandbox };
  const plan = await repository.pawl(['change', 'plan', 'greet', 'Greet', ...flags], { env });
  expect(plan.code, plan.stderr).toBe(0);
  const impl = await repository.pawl(['change', 'impl', 'greet', ...flags], { env });
  expect(impl.code, impl.stderr).toBe(0);
  const checks = join(repository.runFolder('change', 'greet'), 'checks');
  expect(existsSync(checks) && readdirSync(checks).length > 0).toBe(true);
  expect(processesOf(repository.root)).toEqual([]);
});
