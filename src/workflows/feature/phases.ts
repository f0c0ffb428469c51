/** The words of a feature: its phases, what each produces and must suffice for, and its modes. */

import { significantWords } from '../../documents/significant-words.ts';

export const phases = [
  'brainstorm',
  'specify',
  'design',
  'create-plan',
  'create-tasks',
  'implement',
  'verify',
] as const;
export type Phase = (typeof phases)[number];
export type Target = Phase | 'finish';

export const modeNames = ['hotfix', 'quick', 'standard', 'full'] as const;
export type Mode = (typeof modeNames)[number];

interface ModeRules {
  /** How often a phase is reviewed at most. */
  readonly iterations: number;
  readonly phases: readonly Phase[];
  readonly worktree: 'none' | 'asked' | 'created';
}

export const modes: Readonly<Record<Mode, ModeRules>> = {
  hotfix: { iterations: 1, phases: ['implement'], worktree: 'none' },
  quick: { iterations: 2, phases: ['specify', 'create-tasks', 'implement'], worktree: 'asked' },
  standard: { iterations: 3, phases, worktree: 'created' },
  full: { iterations: 5, phases, worktree: 'created' },
};

export const roleNames = ['executor', 'reviewer', 'auditor'] as const;

interface PhaseRules {
  /** Null for code. */
  readonly artifact: string | null;
  readonly purpose: string;
  /** What the next phase must be able to do with it alone; reviewers cite them as E1, E2, … */
  readonly expectations: readonly string[];
}

export const phaseRules: Readonly<Record<Phase, PhaseRules>> = {
  brainstorm: {
    artifact: 'brainstorm.md',
    purpose: 'what the problem is and which ways there are to solve it',
    expectations: ['the problem is stated', 'options are explored', 'the intent of the user is captured'],
  },
  specify: {
    artifact: 'spec.md',
    purpose: 'requirements with ids (R1, R2, …), acceptance criteria for each, and what is out of scope',
    expectations: ['all requirements are listed', 'acceptance criteria are defined', 'scope boundaries are clear'],
  },
  design: {
    artifact: 'design.md',
    purpose: 'components, their interfaces and dependencies, decisions with reasons, and risks',
    expectations: [
      'components are defined',
      'interfaces are specified',
      'dependencies are identified',
      'risks are noted',
    ],
  },
  'create-plan': {
    artifact: 'plan.md',
    purpose: 'the order of the work: steps, the dependencies between them, and what each one achieves',
    expectations: ['steps are ordered, with dependencies', 'all items of the design are covered'],
  },
  'create-tasks': {
    artifact: 'tasks.md',
    purpose: 'a checklist (- [ ] …) of small tasks in the order they are done, each with acceptance criteria below it',
    expectations: ['tasks are small: less than 15 minutes each', 'each task has acceptance criteria'],
  },
  implement: {
    artifact: null,
    purpose: 'the code and its tests',
    expectations: ['all tasks are addressed', 'tests exist and pass', 'nothing is obviously wrong'],
  },
  verify: {
    artifact: 'verification.md',
    purpose: 'evidence for each requirement of the spec, the results of the checks, and what is left open',
    expectations: ['quality is confirmed', 'the implementation matches the spec', 'it is ready to be merged'],
  },
};

export const featuresFolder = 'docs/features';

/** The number and the slug of a description: `042-short-slugs`. */
const NAME = /^\d{1,6}-[A-Za-z0-9]+(?:[-_][A-Za-z0-9]+)*$/;
const nameCharsMax = 80;

export function isFeatureName(text: string): boolean {
  return text.length <= nameCharsMax && NAME.test(text);
}

export function folderOf(run: string): string {
  return `${featuresFolder}/${run}`;
}

export function artifactPath(run: string, phase: Phase): string {
  return `${folderOf(run)}/${phaseRules[phase].artifact ?? ''}`;
}

export function metaPath(run: string): string {
  return `${folderOf(run)}/.meta.json`;
}

export function historyPath(run: string): string {
  return `${folderOf(run)}/.review-history.md`;
}

/** The state of a feature is in the main work tree, its artifacts are where its code is. */
export function isInMain(path: string): boolean {
  return (
    path.startsWith(`${featuresFolder}/`) &&
    /^[^/]+\/\.(?:meta\.json|review-history\.md)$/.test(path.slice(featuresFolder.length + 1))
  );
}

export function branchOf(run: string): string {
  return `feature/${run}`;
}

/** As the machine names its command. */
export function commandOf(target: Target): string {
  return target.replaceAll('-', '_');
}

export function phaseNamed(text: unknown): Phase | null {
  const said = typeof text === 'string' ? text.trim().toLowerCase().replaceAll('_', '-') : '';
  return phases.find((phase) => phase === said) ?? null;
}

export function titled(phase: Phase): string {
  return `${phase.charAt(0).toUpperCase()}${phase.slice(1)}`;
}

/** The next phase of the mode behind another; `finish` behind the last. */
export function phaseAfter(current: Phase | null, mode: Mode): Target {
  const from = current === null ? -1 : phases.indexOf(current);
  return phases.find((phase, index) => index > from && modes[mode].phases.includes(phase)) ?? 'finish';
}

/** The phases in front of one whose artifacts it can build on, the nearest first. */
export function phasesBefore(phase: Phase): readonly Phase[] {
  return phases.slice(0, phases.indexOf(phase)).toReversed();
}

const slugWordsMax = 6;
const slugCharsMax = 60;

/** Null where a description has no letter or digit; one in another script has a name that says nothing. */
export function slugOf(description: string): string | null {
  const slug = significantWords(description).slice(0, slugWordsMax).join('-').slice(0, slugCharsMax).replace(/-+$/, '');
  return slug === '' ? (/[\p{L}\p{N}]/u.test(description) ? 'feature' : null) : slug;
}
