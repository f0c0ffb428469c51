/** attack 6.9: what a list, a status and a gate read of a session takes time in proportion to the text. */

import { describe, expect, test } from 'vitest';
import { attempt } from '../../documents/document-error.ts';
import { readApproval, readCriterion, readNotes, readRepair, readStrategy } from './answers.ts';
import { architectureFlaws, requirementIds } from './content-checks.ts';
import * as paths from './files/session-paths.ts';
import { foreign } from './session-status.ts';
import { designFiles, run, statusFile, viewOf } from './session.fixture.ts';

/** A session of which one file holds this text. */
function listed(path: string): (text: string) => unknown {
  return (text) => {
    const { files } = viewOf({ files: { ...designFiles, ...statusFile(), [path]: text } });
    attempt(() => foreign.listed(run, files, paths.statusPath(run)));
    return attempt(() => foreign.status(run, files, paths.statusPath(run)));
  };
}

const readers: Readonly<Record<string, (text: string) => unknown>> = {
  'status.json': listed(paths.statusPath(run)),
  'tasks.yaml': listed(paths.tasksPath(run)),
  readApproval,
  readStrategy,
  readRepair,
  readCriterion,
  readNotes: (text) => readNotes(text, 5),
  requirementIds,
  architectureFlaws: (text) => architectureFlaws(text, text),
};

const status = (more: object): string => JSON.stringify({ session: run, current_state: 'PLAN', ...more });
const shapes: Readonly<Record<string, (fill: string) => string>> = {
  'a text': (fill) => `approved${fill}x`,
  'a mode': (fill) => status({ mode: `lean${fill}x`, session: `${fill}x` }),
  'a decision': (fill) =>
    status({ user_decisions: [`answered${fill}x`, { id: `UD-1${fill}x`, answer: `yes${fill}x` }] }),
  'a task': (fill) => `tasks:\n  - id: T-001\n    title: 1${fill}x\n    depends_on: ["${fill}x"]\n`,
  'a scalar': (fill) => `a: ${fill}x\n`,
  'a line': (fill) => `# Goals\n${fill}x AC-1\n`,
};
const fills = [
  ' ',
  '.',
  '! ',
  '\n',
  '\n# a',
  '\t',
  '-',
  '- ',
  '/',
  ':',
  '(',
  '*',
  '#',
  '1',
  '> ',
  'A-1 ',
  'answered ',
  ', yes',
];

describe.each(Object.entries(readers))('%s', (_, read) => {
  test.each(Object.entries(shapes))('long runs in %s', (_, textOf) => {
    for (const fill of fills) {
      const text = textOf(fill.repeat(Math.ceil(30_000 / fill.length)));
      const begin = process.cpuUsage();
      read(text);
      // Quadratic ones took two seconds and more for this, cubic ones hours.
      expect(process.cpuUsage(begin).user / 1_000, JSON.stringify(fill)).toBeLessThan(1_000);
    }
  });
});
