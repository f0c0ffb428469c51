/** The bundled rehearsal of an issue as a crash scenario: a split, tests designed again, a fix, and three commits. */

import { readFileSync } from 'node:fs';
import {
  crashAt,
  runUndisturbed,
  type CrashScenario,
  type Instant,
  type Undisturbed,
} from '../../src/testing/crash-kit.ts';
import { IssueRepository, scripted } from '../issue/scratch-issues.ts';

const root = new URL('../../', import.meta.url);
const run = 'GAL-1';
const notReady = 4;

export interface IssueLife {
  readonly scenario: CrashScenario;
  readonly undisturbed: Undisturbed;
  remove(): void;
}

export async function issueLife(): Promise<IssueLife> {
  const manifest = JSON.stringify({ type: 'module', scripts: { test: 'node --test' } });
  const repository = IssueRepository.with([{ id: run }], { 'package.json': manifest });
  repository.git('switch', '--quiet', '--create', 'work');
  const rehearsal = readFileSync(new URL('src/workflows/issue/rehearsal.yaml', root), 'utf8');
  repository.write('../script.yaml', rehearsal.replaceAll(/^ *sleep_ms:.*\n/gm, ''));
  const hook = new URL('dist/crash-hook.js', root).pathname;
  const args = ['issue', 'run', run, ...scripted, '--no-input'];
  // Whoever begins a run again is told to continue it.
  const goOn = { afterExit: notReady, args: ['issue', 'run', run, '--resume', ...scripted, '--no-input'] };
  const scenario = { checkpoint: repository, args, workflow: 'issue', run, hook, goOn };
  const undisturbed = await runUndisturbed(scenario);
  return { scenario, undisturbed, remove: () => [repository, undisturbed.after].forEach((each) => each.remove()) };
}

/** Kills the command, continues the run, and says what is not as it would have been undisturbed. */
export async function disturbed({ scenario, undisturbed }: IssueLife, instant: Instant) {
  const { remains, repeated, alive, said } = await crashAt(scenario, instant);
  // A run that was over before the kill has only its last files written.
  const wasOver = remains.exitCode === notReady && said.includes(`the run of ${run} is done; nothing is left`);
  return {
    said,
    found: { remains: { ...remains, ...(wasOver && { exitCode: 0 }) }, repeated, alive },
    wanted: { remains: undisturbed.remains, repeated: [], alive: [] },
  };
}
