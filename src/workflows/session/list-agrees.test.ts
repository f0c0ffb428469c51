/** attack 6.6: a list says of a malformed session what `status` and the commands say. */

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { attempt, DocumentError } from '../../documents/document-error.ts';
import * as paths from './files/session-paths.ts';
import { foreign } from './session-status.ts';
import { plannedFiles, run, tasksFile, viewOf } from './session.fixture.ts';
import { session } from './session.ts';

const statusPath = paths.statusPath(run);

/** One or two places of a text removed, doubled, or replaced by what has a meaning in JSON or YAML. */
function mutated(text: string): fc.Arbitrary<string> {
  const piece = fc.constantFrom(
    '',
    '"',
    ',',
    ':',
    '{',
    '}',
    '[',
    ']',
    '\n',
    ' ',
    '- ',
    '#',
    '\\',
    'x',
    '1',
    'null',
    '\0',
  );
  const edit = fc.record({ at: fc.nat(text.length), length: fc.nat(30), piece });
  return fc
    .array(edit, { minLength: 1, maxLength: 2 })
    .map((edits) =>
      edits.reduce((all, { at, length, piece }) => all.slice(0, at) + piece + all.slice(at + length), text),
    );
}

test.each([
  ['status.json', statusPath, plannedFiles[statusPath] ?? ''],
  ['tasks.yaml', paths.tasksPath(run), tasksFile({}, { id: 'T-002', status: 'completed' })[paths.tasksPath(run)] ?? ''],
])('%s', (_, path, text) => {
  let refused = 0;
  fc.assert(
    fc.property(mutated(text), (content) => {
      const { files } = viewOf({ files: { ...plannedFiles, [path]: content } });
      const listed = attempt(() => foreign.listed(run, files, statusPath));
      const shown = attempt(() => foreign.status(run, files, statusPath));
      const taken = attempt(() => session.stateFile(run).identify(files.read(statusPath) ?? ''));
      const isRefused = listed instanceof DocumentError;
      expect([shown instanceof DocumentError, taken instanceof DocumentError]).toEqual([isRefused, isRefused]);
      if (isRefused || shown instanceof DocumentError || taken instanceof DocumentError) {
        refused += 1;
        return;
      }
      if (!listed || !shown) throw new Error('nothing is known of it');
      const { tasks, pending } = listed.details;
      const { keys, waiting, problems } = shown.details;
      expect([listed.phase, listed.phase, pending]).toEqual([shown.phase, taken.phase, waiting?.length ?? 0]);
      const all = keys['tasks'] as { all: readonly { status: string }[] } | null;
      const done = all?.all.filter((each) => each.status === 'completed').length;
      expect(tasks).toEqual(all && { done, total: all.all.length });
      if (tasks === null) refused += 1;
      expect(tasks === null).toBe((problems ?? []).some((problem) => problem.includes('tasks.yaml')));
    }),
    { numRuns: 500 },
  );
  expect(refused).toBeGreaterThan(25);
});
