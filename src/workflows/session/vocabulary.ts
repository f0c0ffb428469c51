/** Names a session uses in its table and beyond it. */

export const roles = [
  'SpecAgent',
  'Researcher',
  'Architect',
  'Designer',
  'Planner',
  'Coder',
  'Reviewer',
  'QA',
  'Security',
  'Integrator',
  'Docs',
] as const;
export type Role = (typeof roles)[number];

/** The kinds of repair, each with attempts of its own for every task. */
export const repairs = ['fix_review', 'fix_tests', 'fix_security', 'fix_build'] as const;
export type Repair = (typeof repairs)[number];
