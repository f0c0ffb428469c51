/**
 * The bundled rehearsal of a feature as crash scenarios: each phase from the state the one before it left, and both ends
 * of finish that remove the worktree.
 */

import { readFileSync } from 'node:fs';
import {
  crashAt,
  runUndisturbed,
  type CrashScenario,
  type Instant,
  type Undisturbed,
} from '../../src/testing/crash-kit.ts';
import { FeatureRepository, run } from '../feature/played-feature.ts';

const root = new URL('../../', import.meta.url);
const hook = new URL('dist/crash-hook.js', root).pathname;
const scripted = ['--agent', 'scripted', '--script', '../script.yaml', '--no-input'];
const answers = { partial: 'continue', findings: 'address' };

export interface FeatureStep {
  readonly name: string;
  readonly scenario: CrashScenario;
  readonly undisturbed: Undisturbed;
}

export async function featureLife() {
  const beginning = FeatureRepository.with();
  await beginning.begin();
  const rehearsal = readFileSync(new URL('src/workflows/feature/rehearsal.yaml', root), 'utf8');
  const unlimited = rehearsal.replace(/^- role: executor\n {2}step: produce\n {2}fault: .*\n\n/m, '');
  beginning.write('../script.yaml', unlimited.replaceAll(/^ *sleep_ms:.*\n/gm, ''));
  beginning.write('../answers.json', JSON.stringify(answers));
  beginning.write('../merge.json', JSON.stringify({ finish: 'merge' }));
  beginning.write('../discard.json', JSON.stringify({ finish: 'discard', discard: run }));
  const steps: FeatureStep[] = [];
  let checkpoint = beginning;
  const play = async (name: string, args: readonly string[]): Promise<FeatureRepository> => {
    const scenario = { checkpoint, args, workflow: 'feature', run, hook, worktree: `../repo-${run}` };
    const undisturbed = await runUndisturbed(scenario);
    steps.push({ name, scenario, undisturbed });
    if (!(undisturbed.after instanceof FeatureRepository))
      throw new Error('internal error: another class of repository');
    return undisturbed.after;
  };
  for (const name of ['brainstorm', 'specify', 'design', 'create-plan', 'create-tasks', 'implement', 'verify'])
    checkpoint = await play(name, ['feature', name, run, ...scripted, '--answers', '../answers.json']);
  checkpoint.commit();
  for (const name of ['merge', 'discard'])
    await play(`finish: ${name}`, ['feature', 'finish', run, '--no-input', '--answers', `../${name}.json`]);
  return {
    steps,
    remove: () => [beginning, ...steps.map((step) => step.undisturbed.after)].map((each) => each.remove()),
  };
}

/** A phase that is completed begins anew with its command, so kills behind its last record are another matter. */
export function casesOf({ name, undisturbed: { instants } }: FeatureStep): readonly Instant[] {
  if (name.startsWith('finish')) return instants;
  return instants.slice(0, instants.findLastIndex(({ what }) => what === 'torn-record moved') + 1);
}

/** Kills the command, runs it again, and says what is not as it would have been undisturbed. */
export async function disturbed({ scenario, undisturbed }: FeatureStep, instant: Instant) {
  const { remains, repeated, alive, said } = await crashAt(scenario, instant);
  // A feature that was finished before the kill has only its last files written.
  const wasOver = scenario.args[1] === 'finish' && remains.exitCode === 4;
  return {
    said,
    found: { remains: { ...remains, ...(wasOver && { exitCode: 0 }) }, repeated, alive },
    wanted: { remains: undisturbed.remains, repeated: [], alive: [] },
  };
}
