/** `npm run bench`: bundles `bench/main.ts`, for Node 20 cannot run TypeScript, and runs it in the repository root. */

import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { bootstrap } from './bootstrap.mjs';
import { root, runNode } from './run-process.mjs';

await bootstrap();
const { rolldown } = await import('rolldown');
const { inputOptions, outputOptions } = await import('./build-options.mjs');
const folder = join(root, '.build/bench');
rmSync(folder, { recursive: true, force: true });
const bundler = await rolldown({ ...inputOptions, cwd: root, input: { main: 'bench/main.ts' } });
await bundler.write({ ...outputOptions, format: 'esm', dir: folder });
await bundler.close();

// Node 20 reads this certificate bundle at every start, which would drown what is measured.
const { NODE_EXTRA_CA_CERTS: _, ...env } = process.env;
const { code } = await runNode([join(folder, 'main.js'), ...process.argv.slice(2)], { env });
process.exitCode = code;
