/** What every workflow of a project's own shows to those who call it. */

import type { WorkflowSurface } from '../surface.ts';

const RUN_NAME = /^[a-z0-9][a-z0-9-]{0,63}$/;
const shownCharsMax = 80;

export function definedSurface(name: string): Omit<WorkflowSurface, 'load'> {
  return {
    name,
    title: name,
    verbs: [],
    begin: `pawl ${name} start <run> "<description>"`,
    isRunName: (text) => RUN_NAME.test(text),
    matches: (word, run) => (word === run ? 'name' : null),
    invalidName: (word) => ({
      code: 'invalid_run',
      message: `${JSON.stringify(word.slice(0, shownCharsMax))} cannot name a run`,
      fix: 'use small letters, digits and -, at most 64, beginning with a letter or digit',
    }),
    notFound: (word, { near }) => ({
      code: 'RunNotFound',
      message: `there is no run "${name}/${word}" in this repository${near === undefined ? '' : `; did you mean ${name}/${near}?`}`,
      fix: 'pawl runs lists them',
    }),
    list: { plural: 'runs', nameKey: 'run', titles: ['RUN', 'STATE'], blank: {}, cells: () => [], showsNext: true },
  };
}
