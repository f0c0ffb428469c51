/** Makes a program of a test: a process of its own that uses Pawl's modules. */

import { join } from 'node:path';
import { build } from 'rolldown';
import { inputOptions, outputOptions } from '../../scripts/build-options.mjs';

export async function bundleProgram(source: URL, folder: string): Promise<string> {
  const file = join(folder, 'program.mjs');
  await build({ input: source.pathname, platform: 'node', output: { file, format: 'esm' }, logLevel: 'silent' });
  return file;
}

/** The same for all of Pawl: in several files, as it is installed. */
export async function bundlePawl(source: URL, folder: string): Promise<string> {
  const output = { ...outputOptions, dir: folder };
  await build({ ...inputOptions, input: { pawl: source.pathname }, output, logLevel: 'silent' });
  return join(folder, 'pawl.js');
}
