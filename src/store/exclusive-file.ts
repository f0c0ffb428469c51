import { linkSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Creates a file that appears whole or not at all; false when there is one of that name already. */
export function createExclusively(folder: string, name: string, content: string): boolean {
  const draft = join(folder, `.${name}.${process.pid}`);
  try {
    writeFileSync(draft, content);
    linkSync(draft, join(folder, name));
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false;
    throw error;
  } finally {
    rmSync(draft, { force: true });
  }
}
