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

/** Those whose word lets work pass. */
export const judges = ['Reviewer', 'QA', 'Security'] as const satisfies readonly Role[];

/** The kinds of repair, each with attempts of its own for every task. */
export const repairs = ['fix_review', 'fix_tests', 'fix_security', 'fix_build'] as const;
export type Repair = (typeof repairs)[number];

/** The decisions of the two mandatory gates: one each, asked again in place. */
export const designDecision = { id: 'UD-APPROVE-DESIGN', question: 'Is the design approved?' } as const;
export const strategyDecision = {
  id: 'UD-REVIEW-STRATEGY',
  question: 'How are the changes reviewed: per-batch or single-final?',
} as const;
