/** Commands that tell about this computer, the configuration and the formats of files. They change nothing. */

import type { OwnVerb } from './command-table.ts';

export const setupVerbs: readonly OwnVerb[] = [
  {
    verb: 'doctor',
    about: 'Check this machine: git, agents and their roles',
    load: async () => (await import('./doctor.ts')).doctor,
  },
  {
    verb: 'config',
    about: 'Show the configuration and where each value is set',
    words: ['run?'],
    flags: {
      set: { about: 'only what differs from the defaults' },
      keys: { about: 'all keys with values, default and meaning' },
    },
    examples: ['config', 'config --set', 'config --keys'],
    load: async () => (await import('./config-command.ts')).config,
  },
  {
    verb: 'schema',
    about: 'Print the JSON Schema of a file, for editors',
    words: ['config|workflow|script'],
    examples: ['schema config > pawl.schema.json'],
    load: async () => (await import('./config-command.ts')).schema,
  },
  {
    verb: 'tools',
    about: 'Show the tools of a workflow and their arguments',
    words: ['workflow', 'role?'],
    examples: ['tools change', 'tools change reviewer --json'],
    load: async () => (await import('./tools-command.ts')).tools,
  },
];
