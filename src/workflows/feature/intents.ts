/** From words to intents. */

import { didYouMean } from '../../schema/nearest.ts';
import type { CommandInput, CommandIntent, Names } from '../surface.ts';
import type { UsageProblem } from '../workflow.ts';
import { commandOf, featuresFolder, modeNames, modes, slugOf, type Mode, type Phase, type Target } from './phases.ts';

const descriptionCharsMax = 2_000;

export function create({ words: [given = ''], flags }: CommandInput): CommandIntent | UsageProblem {
  const description = given.trim();
  const slug = slugOf(description);
  if (slug === null) {
    const message = description === '' ? 'the description is empty' : 'cannot derive a name from this description';
    return { code: 'InvalidDescription', message, fix: 'pawl feature create "Short slugs"' };
  }
  if (description.length > descriptionCharsMax) {
    const message = `the description has more than ${descriptionCharsMax} characters`;
    return { code: 'InvalidDescription', message, fix: 'describe the feature in a few sentences' };
  }
  const mode = modeIn(flags['mode']);
  if (typeof mode !== 'string') return mode;
  const place = placeFor(mode, flags);
  if (typeof place !== 'string') return place;
  return {
    kind: 'command',
    run: { made: (names) => numbered(names, slug) },
    command: `create_${mode}`,
    args: { description, mode },
    begins: place,
  };
}

function modeIn(given: string | true | undefined): Mode | UsageProblem {
  if (given === undefined) return 'standard';
  const mode = modeNames.find((name) => name === given);
  if (mode) return mode;
  const message = `there is no mode "${given}"${didYouMean(String(given), modeNames)}`;
  return { code: 'InvalidMode', message, fix: `use --mode ${modeNames.join('|')}` };
}

function placeFor(mode: Mode, { worktree, 'no-worktree': none }: CommandInput['flags']) {
  const { worktree: rule } = modes[mode];
  if (worktree && none) return usage('--worktree and --no-worktree exclude each other', 'give one of them');
  if (worktree && rule === 'none')
    return usage(`${mode} works in the checkout`, 'leave --worktree out, or use --mode quick');
  if (none && rule === 'created')
    return usage(`${mode} works in a worktree of its own`, 'leave --no-worktree out, or use --mode quick');
  if (rule === 'none' || none) return 'anywhere' as const;
  return worktree || rule === 'created' ? ('in-worktree' as const) : ('asked' as const);
}

function usage(message: string, fix: string): UsageProblem {
  return { code: 'UsageError', message, fix };
}

const numbersMax = 10_000;

/** One more than the highest number in all branches and worktrees; others that do the same at this moment get others. */
async function numbered(names: Names, slug: string): Promise<string | UsageProblem> {
  const taken = (await names.namesElsewhere(featuresFolder)).map((name) => Number(/^(\d{3,6})-/.exec(name)?.[1] ?? 0));
  const first = Math.max(0, ...taken) + 1;
  for (let number = first; number < first + numbersMax; number += 1) {
    const id = String(number).padStart(3, '0');
    if (names.claim(id)) return `${id}-${slug}`;
  }
  return usage(`no number is free behind ${first}`, `look into ${featuresFolder}`);
}

/** The verb of a phase, or of `finish`. */
export function enterPhase(target: Target) {
  return ({ words: [word], flags }: CommandInput): CommandIntent => ({
    kind: 'command',
    run: { existing: word ?? null },
    command: commandOf(target),
    args: {
      ...(target !== 'finish' && { phase: target satisfies Phase }),
      ...(flags['no-review'] && { noReview: 'yes' }),
      ...(flags['yes'] && { confirmed: 'yes' }),
    },
    begins: 'anywhere',
  });
}
