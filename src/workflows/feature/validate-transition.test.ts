import { describe, expect, test } from 'vitest';
import { validateTransition, type Artifacts } from './validate-transition.ts';
import { modeNames, phases, type Mode, type Phase, type Target } from './phases.ts';

/** The order and the table of modes, as the specification has them. */
const order: readonly Target[] = [
  'brainstorm',
  'specify',
  'design',
  'create-plan',
  'create-tasks',
  'implement',
  'verify',
  'finish',
];
const inMode: Readonly<Record<Mode, string>> = {
  hotfix: 'implement',
  quick: 'specify create-tasks implement',
  standard: 'brainstorm specify design create-plan create-tasks implement verify',
  full: 'brainstorm specify design create-plan create-tasks implement verify',
};

const yesOrNo = [false, true];
const everyArtifacts: readonly Artifacts[] = yesOrNo.flatMap((spec) =>
  yesOrNo.flatMap((design) =>
    yesOrNo.flatMap((plan) =>
      yesOrNo.flatMap((tasks) => yesOrNo.map((verified) => ({ spec, design, plan, tasks, verified }))),
    ),
  ),
);

type Case = readonly [current: Phase | null, target: Target, artifacts: Artifacts, mode: Mode];

const domain: readonly Case[] = [null, ...phases].flatMap((current) =>
  order.flatMap((target) =>
    everyArtifacts.flatMap((artifacts) => modeNames.map((mode) => [current, target, artifacts, mode] as const)),
  ),
);

/** Why it is blocked, as a list of documents and approvals: the first two blocks are of phases the mode includes. */
function lackedBy([, target, artifacts, mode]: Case): string | null {
  if (target === 'implement' && mode !== 'hotfix' && !artifacts.spec) return 'spec.md';
  const needsPlan = mode === 'standard' || mode === 'full';
  if (target === 'create-tasks' && needsPlan && !artifacts.plan) return 'plan.md';
  if (target === 'finish' && mode === 'full' && artifacts.verified === false) return 'approved verify';
  return null;
}

const distance = ([current, target]: Case): number =>
  order.indexOf(target) - (current === null ? -1 : order.indexOf(current));

function skippedBy(one: Case): readonly string[] {
  const [current, target, , mode] = one;
  const between = order.slice(current === null ? 0 : order.indexOf(current) + 1, order.indexOf(target));
  return between.filter((phase) => inMode[mode].split(' ').includes(phase));
}

const later = { spec: 'specify', design: 'design', plan: 'create-plan', tasks: 'create-tasks' } as const;

function staleBy([, target, artifacts]: Case): readonly string[] {
  const keys = ['spec', 'design', 'plan', 'tasks'] as const;
  return keys
    .filter((key) => artifacts[key] && order.indexOf(later[key]) > order.indexOf(target))
    .map((key) => `${key}.md`);
}

const cases = (wanted: (one: Case) => boolean): readonly Case[] => domain.filter(wanted);

describe('over the whole domain', () => {
  test('there are 8 × 8 × 32 × 4 cases', () => {
    expect(domain).toHaveLength(8_192);
    expect(new Set(domain.map((one) => JSON.stringify(one))).size).toBe(8_192);
  });

  test('[feature/transition/allowed] is blocked exactly where something is lacking, whatever else would be warned of', () => {
    for (const one of domain) {
      const verdict = validateTransition(...one);
      const lacking = lackedBy(one);
      expect(verdict.type === 'blocked', JSON.stringify(one)).toBe(lacking !== null);
      expect(verdict.allowed, JSON.stringify(one)).toBe(lacking === null);
      if (lacking !== null) expect(verdict.message, JSON.stringify(one)).toContain(lacking);
    }
  });

  test('[feature/transition/backward] warns of every move backward, with the later artifacts that are there', () => {
    const back = cases((one) => distance(one) < 0 && lackedBy(one) === null);
    expect(back.length).toBeGreaterThan(0);
    for (const one of back) {
      const [current, target] = one;
      const stale = staleBy(one);
      const told = stale.length === 0 ? 'later work may be stale' : `${stale.join(', ')} may be stale`;
      const message = `going back from ${current} to ${target}: ${told}`;
      expect(validateTransition(...one), JSON.stringify(one)).toEqual({ allowed: true, type: 'warning', message });
    }
  });

  test('[feature/transition/skipped] warns of exactly the phases of the mode that are skipped', () => {
    const forward = cases((one) => distance(one) > 0 && lackedBy(one) === null && skippedBy(one).length > 0);
    expect(forward.length).toBeGreaterThan(0);
    for (const one of forward) {
      const message = `${one[1]} skips ${skippedBy(one).join(', ')}`;
      expect(validateTransition(...one), JSON.stringify(one)).toEqual({ allowed: true, type: 'warning', message });
    }
  });

  test('[feature/transition/proceed] proceeds otherwise, the same phase again included', () => {
    const others = cases((one) => distance(one) >= 0 && lackedBy(one) === null && skippedBy(one).length === 0);
    expect(others.some((one) => distance(one) === 0)).toBe(true);
    for (const one of others)
      expect(validateTransition(...one), JSON.stringify(one)).toEqual({
        allowed: true,
        type: 'proceed',
        message: null,
      });
  });
});

const nothing: Artifacts = { spec: false, design: false, plan: false, tasks: false, verified: false };

test.for<[string, Mode, Phase | null, Target, Partial<Artifacts>, string, string | null]>([
  ['[feature/transition/implement] no spec', 'standard', 'create-tasks', 'implement', {}, 'blocked', 'needs spec.md'],
  ['[feature/transition/implement] no spec in quick', 'quick', null, 'implement', {}, 'blocked', 'run specify first'],
  ['[feature/transition/implement] hotfix has none', 'hotfix', null, 'implement', {}, 'proceed', null],
  ['[feature/transition/create-tasks] no plan', 'full', 'design', 'create-tasks', {}, 'blocked', 'needs plan.md'],
  ['[feature/transition/create-tasks] quick', 'quick', 'specify', 'create-tasks', { spec: true }, 'proceed', null],
  ['[feature/transition/finish] full', 'full', 'implement', 'finish', { spec: true }, 'blocked', 'approved verify'],
  ['[feature/transition/finish] full, verified', 'full', 'verify', 'finish', { verified: true }, 'proceed', null],
  ['[feature/transition/finish] standard', 'standard', 'verify', 'finish', {}, 'proceed', null],
  ['finish without verify', 'standard', 'implement', 'finish', { spec: true }, 'warning', 'finish skips verify'],
  ['the first phase', 'standard', null, 'brainstorm', {}, 'proceed', null],
  ['straight to the design', 'standard', null, 'design', {}, 'warning', 'design skips brainstorm, specify'],
  ['quick has no brainstorm', 'quick', null, 'specify', {}, 'proceed', null],
  ['quick has no verify', 'quick', 'implement', 'finish', {}, 'proceed', null],
  ['a phase outside of the mode', 'hotfix', null, 'design', {}, 'proceed', null],
  ['back, blocked', 'standard', 'verify', 'implement', {}, 'blocked', 'needs spec.md'],
  ['back', 'standard', 'verify', 'specify', { plan: true, tasks: true }, 'warning', 'plan.md, tasks.md may be stale'],
])('%s', ([, mode, current, target, artifacts, type, told]) => {
  const verdict = validateTransition(current, target, { ...nothing, ...artifacts }, mode);
  expect(verdict).toMatchObject({ type, allowed: type !== 'blocked' });
  if (told === null) expect(verdict.message).toBeNull();
  else expect(verdict.message).toContain(told);
});

test('an approval of verify that nobody noted is none', () => {
  const { verified: _, ...four } = nothing;
  expect(validateTransition('verify', 'finish', four, 'full').type).toBe('blocked');
  expect(validateTransition('verify', 'finish', four, 'standard').type).toBe('proceed');
});
