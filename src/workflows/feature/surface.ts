/** The surface of `feature`. */

import { shown } from '../../schema/values.ts';
import type { Flags, Verb, WorkflowSurface } from '../surface.ts';
import { featuresFolder, isFeatureName, metaPath, roleNames, type Target } from './phases.ts';

const phaseFlags: Flags = {
  yes: { about: 'confirm skipped phases and moving backward', vouches: true },
  'no-review': { about: 'complete the phase without a review (recorded)', vouches: true },
};

function phaseVerb(target: Target, about: string, delivers: string, flags = phaseFlags): Verb {
  return {
    verb: target,
    does: 'work',
    delivers: [delivers],
    intent: async () => (await import('./intents.ts')).enterPhase(target),
    about,
    words: ['feature?'],
    flags,
    slash: true,
  };
}

const unusable = (name: string): string =>
  `${featuresFolder}/${name} is not a valid feature name: a number, a hyphen, and words joined by hyphens`;

export const featureSurface: WorkflowSurface = {
  name: 'feature',
  title: 'Features',
  verbs: [
    {
      verb: 'create',
      does: 'work',
      delivers: ['create_hotfix', 'create_quick', 'create_standard', 'create_full'],
      intent: async () => (await import('./intents.ts')).create,
      about: 'Create a feature, with a worktree as its mode says',
      words: ['description'],
      flags: {
        mode: { value: 'hotfix|quick|standard|full', about: 'how much process it gets (default standard)' },
        worktree: { about: 'quick: work in a worktree of its own' },
        'no-worktree': { about: 'quick: work in this checkout' },
      },
      examples: ['create "Short slugs"', 'create "Fix the login" --mode hotfix'],
    },
    phaseVerb('brainstorm', 'Explore the problem and its options', 'brainstorm'),
    phaseVerb('specify', 'Write the spec: requirements and criteria', 'specify'),
    phaseVerb('design', 'Design components, interfaces and risks', 'design'),
    phaseVerb('create-plan', 'Plan the steps and their order', 'create_plan'),
    phaseVerb('create-tasks', 'Break the plan into small tasks', 'create_tasks'),
    phaseVerb('implement', 'Carry out the tasks, and compare with the spec', 'implement'),
    phaseVerb('verify', 'Verify the implementation against the spec', 'verify'),
    phaseVerb('finish', 'Merge or discard a feature, or open a pull request', 'finish', {}),
    {
      verb: 'status',
      does: 'status',
      about: 'Show the phases of a feature, and the next command',
      words: ['feature?'],
      flags: {},
    },
    { verb: 'list', does: 'list', about: 'List features', words: [], flags: {} },
  ],
  roles: roleNames,
  begin: 'pawl feature create "<description>"',
  isRunName: isFeatureName,
  worktreeFolder: (main, run) => `${main}-${run}`,
  runsInMain: true,
  shortName: (run) => run.slice(0, run.indexOf('-')),
  matches: (word, run) => {
    if (word === run) return 'name';
    const [number = '', ...slug] = run.split('-');
    if (word === number || word === slug.join('-') || (/^\d+$/.test(word) && Number(word) === Number(number)))
      return 'short';
    return word.length > 2 && run.includes(word.toLowerCase()) ? 'part' : null;
  },
  invalidName: (word) => ({
    code: 'InvalidFeatureName',
    message: `${shown(word)} is not a valid feature name`,
    fix: 'pawl feature list',
  }),
  notFound: (word, { near, none }) => ({
    code: 'FeatureNotFound',
    message: `there is no feature "${word}"${near === undefined ? '' : `; did you mean ${near}?`}`,
    fix: none ? 'pawl feature create "<description>"' : 'pawl feature list',
  }),
  foreignRuns: (namesIn, known) =>
    namesIn(featuresFolder)
      .filter((name) => !known.has(name) && namesIn(`${featuresFolder}/${name}`).includes('.meta.json'))
      .map((run) => ({ run, path: metaPath(run), ...(!isFeatureName(run) && { problem: unusable(run) }) })),
  list: {
    plural: 'features',
    nameKey: 'id',
    titles: ['FEATURE', 'PHASE', 'MODE', 'NAME'],
    blank: { name: null, mode: null, status: null },
    cells: ({ mode, name }) => [typeof mode === 'string' ? mode : null, typeof name === 'string' ? name : null],
    showsNext: true,
  },
  sessionContext: async () => (await import('./session-context.ts')).sessionContext,
  rehearsal: async () => (await import('./rehearsal.yaml')).default,
  config: async () => (await import('./config.ts')).format,
  load: async () => (await import('./feature.ts')).feature,
};
