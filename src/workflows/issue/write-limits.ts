/** The two hard limits: `test` edits tests only, and `make` exactly the files of its task. */

import { isLockFile, isTestFile } from '../source-files.ts';
import type { DispatchContext, FileChange } from '../workflow.ts';
import { fixPath, taskPath } from './files/ids.ts';
import { data } from './run-data.ts';
import { taskIn } from './files/plan-files.ts';

/** ADR-8: of a Rust source, what is outside of `#[cfg(test)] mod` blocks stays as it is. */
export async function testObjection({ path, before, after }: FileChange): Promise<string | null> {
  if (isLockFile(path)) return 'test changes no lockfile';
  if (isTestFile(path)) return null;
  if (!path.endsWith('.rs') || before === null || after === null) return 'test changes test files only';
  const { outsideTests } = await import('../../syntax/rust-tests.ts');
  const outside = await outsideTests(before, after);
  return outside && `line ${outside.line}: ${outside.what}; test changes only what is inside #[cfg(test)] mod blocks`;
}

export async function makeObjection({ path, before, after }: FileChange, context: DispatchContext) {
  const { files, run, snapshot, step } = context;
  const documents = [
    ...(step === 'fix_code' ? [] : [taskPath(run, 1)]),
    ...(step === 'fix_code' || step === 'reverify' ? [fixPath(run, data.fix.of(snapshot))] : []),
  ];
  const named = documents.flatMap((document) => {
    const task = taskIn(files, run, document);
    return task ? [...task.filesToModify, ...task.newFiles] : [];
  });
  if (!named.includes(path)) return 'make changes only the files that its task names';
  if (isLockFile(path)) return 'make changes no lockfile';
  if (after === null) return 'make deletes and renames no file';
  const names = data.tests.of(snapshot).flatMap((test) => (test.file === path ? [test.name] : []));
  if (before === null || names.length === 0) return null;
  const { changedTests } = await import('../../syntax/named-tests.ts');
  const changed = await changedTests(path, { before, after }, names);
  return changed.length === 0 ? null : `make changes no test that was handed over: ${changed.join(', ')}`;
}
