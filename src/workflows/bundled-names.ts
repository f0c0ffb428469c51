/** The workflows that come with Pawl: each has the section of its name in pawl.toml, and all share [roles]. */

export const bundledRoles: Readonly<Record<string, readonly string[]>> = {
  change: ['planner', 'challenger', 'implementer', 'reviewer', 'archivist'],
  session: [
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
  ],
};
