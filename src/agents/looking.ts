/** Commands a role that only reads may run in its shell, whichever agent plays it. */
export const lookingCommands: readonly string[] = ['diff', 'log', 'show', 'status', 'blame', 'ls-files'].map(
  (verb) => `git ${verb}`,
);
