/** Runs the configured command when a person is needed. What becomes of it never changes the run. */

import { join } from 'node:path';
import { allowedEnv } from '../workspace/launcher.ts';
import type { Run } from './run.ts';

const timeoutMs = 10_000;
const killGraceMs = 1_000;
const outputBytesMax = 1024 * 1024;

export async function notify(run: Run): Promise<void> {
  const [command, ...args] = run.settings.notify ?? [];
  if (command === undefined) return;
  const folder = join(run.folder, 'notify');
  run.disk.mkdir(folder);
  const ended = await run.host.launch({
    command,
    args,
    cwd: run.workspace,
    env: allowedEnv({ PAWL_WORKFLOW: run.workflow.name, PAWL_RUN: run.id, PAWL_STATE: run.state.snapshot.state }),
    stdin: '',
    stdoutFile: join(folder, 'stdout.log'),
    stderrFile: join(folder, 'stderr.log'),
    timeoutMs,
    killGraceMs,
    outputBytesMax,
  });
  const problem = ended.spawnError?.message ?? (ended.exitCode === 0 ? null : `exited with status ${ended.exitCode}`);
  run.observe({ type: 'notified', problem });
}
