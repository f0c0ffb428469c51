/**
 * Module hooks for a project's own workflows: `pawl` means the Pawl that is running, and TypeScript is read
 * on versions of Node that do not do it themselves, the way newer ones do: types are blanked out.
 */

import { readFile } from 'node:fs/promises';
import type { LoadHook, ResolveHook } from 'node:module';
import { fileURLToPath } from 'node:url';

const ours: Readonly<Record<string, string>> = {
  pawl: new URL('./index.js', import.meta.url).href,
  'pawl/testing': new URL('./testing.js', import.meta.url).href,
};

export const resolve: ResolveHook = async (specifier, context, next) => {
  const url = Object.hasOwn(ours, specifier) ? ours[specifier] : undefined;
  return url === undefined ? next(specifier, context) : { url, shortCircuit: true };
};

export const load: LoadHook = async (url, context, next) => {
  if (!/\.m?ts$/.test(new URL(url).pathname) || readsTypeScript()) return next(url, context);
  const source = await readFile(fileURLToPath(url), 'utf8');
  const { default: swc } = await import('@swc/wasm-typescript');
  const { code } = swc.transformSync(source, { mode: 'strip-only', module: true, filename: fileURLToPath(url) });
  return { format: 'module', source: code, shortCircuit: true };
};

function readsTypeScript(): boolean {
  return 'typescript' in process.features && Boolean(process.features.typescript);
}
