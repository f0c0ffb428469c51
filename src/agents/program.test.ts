import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { AgentUnavailable } from './agent.ts';
import { findProgram } from './program.ts';

test('a program is asked for its version once per process, and again after a failure', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'pawl-program-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const [program, asked] = [join(folder, 'vendor'), join(folder, 'asked')];
  const spec = { agent: 'vendor', command: [program], atLeast: '1.0.0', install: 'npm install', env: {} };
  await expect(findProgram(spec)).rejects.toThrow(AgentUnavailable);
  expect(existsSync(asked)).toBe(false);
  writeFileSync(program, `#!/bin/sh\necho once >> ${asked}\necho 1.2.3\n`, { mode: 0o755 });
  for (let call = 0; call < 3; call += 1) expect((await findProgram(spec)).version).toBe('1.2.3');
  expect(readFileSync(asked, 'utf8')).toBe('once\n');
});
