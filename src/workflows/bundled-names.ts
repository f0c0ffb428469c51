/** The bundled workflows and their roles. Each has a section of its name in pawl.toml; all share [roles]. */

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
