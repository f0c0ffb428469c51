/** The example's life as crash scenarios: each command from the state the one before it left. */

import {
  crashAt,
  runUndisturbed,
  type CrashScenario,
  type Instant,
  type Undisturbed,
} from '../../src/testing/crash-kit.ts';
import type { Turn } from '../change/scripts.ts';
import { begin, DocsRepository, draft, goodPage, page, review, scripted } from './docs-review.ts';

const hook = new URL('../../dist/crash-hook.js', import.meta.url).pathname;

type Command = readonly [name: string, exitCode: number, args: readonly string[]];
const start: Command = ['start', 3, begin];
const publish: Command = ['answer publish', 0, ['answer', 'install', 'accept', 'publish']];

/** A first version, one review that wants more, and a second round that a person asks for. */
const turns = [
  draft(),
  review('needs_work'),
  draft({ write: { [page]: `${goodPage}\nMore.\n` } }),
  review('approved'),
  draft({ write: { [page]: `${goodPage}\nEven more.\n`, 'docs/other.md': '# Other\n' } }),
  review('approved'),
];

export interface OwnStep {
  readonly name: string;
  readonly exitCode: number;
  readonly scenario: CrashScenario;
  readonly undisturbed: Undisturbed;
}

export const wholeLife = {
  commands: [
    start,
    ['answer rework', 0, ['answer', 'install', 'accept', 'rework']] satisfies Command,
    ['resume', 3, ['resume', 'install', ...scripted]] satisfies Command,
    publish,
  ],
  turns,
};

export async function ownLifeCycle(life: {
  readonly commands: readonly Command[];
  readonly turns: readonly Turn[];
}): Promise<readonly OwnStep[]> {
  const docs = DocsRepository.create();
  docs.script(life.turns);
  const steps: OwnStep[] = [];
  let checkpoint = docs.repository;
  for (const [name, exitCode, args] of life.commands) {
    const scenario: CrashScenario = { checkpoint, args, workflow: 'docs-review', run: 'install', hook };
    const undisturbed = await runUndisturbed(scenario);
    steps.push({ name, exitCode, scenario, undisturbed });
    checkpoint = undisturbed.after;
  }
  return steps;
}

/** Kills the command, runs it again, and says what is not as it would have been undisturbed. */
export async function disturbed({ name, exitCode, scenario, undisturbed }: OwnStep, instant: Instant) {
  const { remains, repeated, alive, said } = await crashAt(scenario, instant);
  // An answer that was on record before the kill is not asked for again.
  const answered = name.startsWith('answer') && remains.exitCode === 4;
  return {
    said,
    found: { remains: { ...remains, ...(answered && { exitCode }) }, repeated, alive },
    wanted: { remains: undisturbed.remains, repeated: [], alive: [] },
  };
}
