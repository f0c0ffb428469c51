/** How sources become JavaScript: the same for the build, the benchmarks and the tests. */

import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** Output name → source: what can be started or imported from outside. */
export const entries = {
  pawl: 'src/cli/pawl.ts',
  agentd: 'src/cli/agentd.ts',
  'scripted-agent': 'src/agents/scripted/scripted-agent.ts',
  index: 'src/index.ts',
  testing: 'src/testing/index.ts',
  'crash-hook': 'src/testing/crash-hook.ts',
};

/** Entries that are started as programs. */
export const programs = ['pawl', 'agentd', 'scripted-agent'];

/** The only packages that may end up in what a user installs. */
export const bundledPackages = [
  '@modelcontextprotocol/core',
  '@modelcontextprotocol/server',
  'smol-toml',
  'yaml',
  'zod',
];

/** The ESM build of yaml instead of its CommonJS one: a fifth less start-up time in every command that reads YAML. */
export const alias = { yaml: fileURLToPath(new URL('../node_modules/yaml/browser/index.js', import.meta.url)) };

/** `import text from './prompt.md'` gives the file's text: a plugin for rolldown and for vitest alike. */
export const textAssets = {
  name: 'text-assets',
  /** @type {'pre'} */
  enforce: 'pre',
  load: {
    filter: { id: /\.(?:md|yaml)$/ },
    /** @param {string} id */
    handler(id) {
      return { code: `export default ${JSON.stringify(readFileSync(id, 'utf8'))};`, moduleType: 'js' };
    },
  },
};

/** Commands that only look. All they load goes into one file: every file more costs each start half a millisecond. */
const quickCommands = ['main', 'change/status', 'change/list', 'runs', 'log'];
/** @type {Set<string>} */
const quickModules = new Set();

/** Finds everything those commands import statically. */
const findQuickModules = {
  name: 'find-quick-modules',
  /** @this {import('rolldown').PluginContext} */
  buildEnd() {
    /** @param {string} id */
    const visit = (id) => {
      if (quickModules.has(id) || !id.endsWith('.ts')) return;
      quickModules.add(id);
      for (const imported of this.getModuleInfo(id)?.importedIds ?? []) visit(imported);
    };
    for (const name of quickCommands) visit(fileURLToPath(new URL(`../src/cli/${name}.ts`, import.meta.url)));
  },
};

/** @type {import('rolldown').InputOptions} */
export const inputOptions = {
  platform: 'node',
  tsconfig: false,
  transform: { target: 'node20.19' },
  resolve: { alias },
  plugins: [textAssets, findQuickModules],
};

/** @type {import('rolldown').OutputOptions} */
export const outputOptions = {
  format: 'esm',
  entryFileNames: '[name].js',
  // All in one folder, so that a path beside `import.meta.url` is right in every chunk.
  chunkFileNames: '[name]-[hash].js',
  comments: false,
  codeSplitting: { groups: [{ name: 'quick', test: (/** @type {string} */ id) => quickModules.has(id) }] },
};
