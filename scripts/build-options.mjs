/** How sources become JavaScript: the same for the build, the benchmarks and the tests. */

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** Output name → source: what can be started or imported from outside. */
export const entries = {
  pawl: 'src/cli/pawl.ts',
  agentd: 'src/cli/agentd.ts',
  'scripted-agent': 'src/agents/scripted/scripted-agent.ts',
  'acp-bridge': 'src/agents/acp/acp-bridge.ts',
  'command-runner': 'src/agents/command/command-runner.ts',
  'sandbox-bridge': 'src/sandbox/bridge.ts',
  index: 'src/index.ts',
  testing: 'src/testing/index.ts',
  'crash-hook': 'src/testing/crash-hook.ts',
  'module-hooks': 'src/project/module-hooks.ts',
};

/** Entries that are started as programs. */
export const programs = ['pawl', 'agentd', 'scripted-agent', 'acp-bridge', 'command-runner', 'sandbox-bridge'];

/** The only packages that may end up in what a user installs. */
export const bundledPackages = [
  '@agentclientprotocol/sdk',
  '@modelcontextprotocol/core',
  '@modelcontextprotocol/server',
  'smol-toml',
  'yaml',
  'zod',
];

/** Packages that are installed beside Pawl instead: large, and loaded only when they are needed. */
export const separatePackages = ['@swc/wasm-typescript', '@viz-js/viz'];

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

/** Packages that are files of their own, loaded with `require` by `src/documents/packages.ts` when a text needs them. */
const latePackages = {
  name: 'late-packages',
  transform: {
    filter: { id: /\/documents\/packages\.ts$/ },
    /** @this {import('rolldown').TransformPluginContext} @param {string} code */
    handler(code) {
      return code.replaceAll(/require\('([\w-]+)'\)/g, (_, /** @type {string} */ id) => {
        this.emitFile({ type: 'chunk', id, fileName: `${id}.js` });
        return `require('./${id}.js')`;
      });
    },
  },
};

/**
 * What is loaded together goes into one file, for every file more costs each start half a millisecond:
 * all that these modules import statically, as far as it is not in a group above.
 */
const groups = {
  /** Before any other file, which is then loaded from the code cache. */
  start: ['cli/start'],
  /** What our programs need that run in the place of an agent: little, for one is started in every dispatch. */
  program: ['agents/own-program', 'agents/scripted/turn', 'agents/mcp-client'],
  /** With the commands that only look. */
  quick: ['cli/main'],
  /** Lists and logs. */
  reading: ['cli/reading'],
  /** Each workflow behind its surface, the part for those who only look first. */
  ...Object.fromEntries(
    readdirSync(new URL('../src/workflows', import.meta.url))
      .flatMap((name) => [`${name}/reader`, `${name}/${name}`])
      .filter((path) => existsSync(new URL(`../src/workflows/${path}.ts`, import.meta.url)))
      .map((path) => [path.replace('/', '-'), [`workflows/${path}`]]),
  ),
  /** Commands that work on a run. */
  work: ['cli/work', 'cli/short-work'],
};
/** @type {Map<string, string>} Module to group. */
const groupOf = new Map();

const findGroups = {
  name: 'find-groups',
  /** @this {import('rolldown').PluginContext} */
  buildEnd() {
    /** @param {string} id @param {string} group */
    const visit = (id, group) => {
      if (groupOf.has(id) || !id.endsWith('.ts')) return;
      groupOf.set(id, group);
      for (const imported of this.getModuleInfo(id)?.importedIds ?? []) visit(imported, group);
    };
    for (const [group, names] of Object.entries(groups)) {
      for (const name of names) {
        const id = fileURLToPath(new URL(`../src/${name}.ts`, import.meta.url));
        if (!existsSync(id)) throw new Error(`there is no src/${name}.ts, which the group ${group} names`);
        visit(id, group);
      }
    }
  },
};

/** @type {import('rolldown').InputOptions} */
export const inputOptions = {
  platform: 'node',
  tsconfig: false,
  transform: { target: 'node20.19' },
  resolve: { alias },
  external: separatePackages,
  plugins: [textAssets, latePackages, findGroups],
};

/**
 * CommonJS: without Node's module loader every start takes 4 ms less, a tenth of a short command. Those who import the
 * package or write a workflow see no difference.
 * @type {import('rolldown').OutputOptions}
 */
export const outputOptions = {
  format: 'cjs',
  entryFileNames: '[name].js',
  // All in one folder, so that a path beside `import.meta.url` is right in every chunk.
  chunkFileNames: '[name]-[hash].js',
  comments: false,
  codeSplitting: {
    groups: Object.keys(groups).map((name) => ({
      name,
      test: (/** @type {string} */ id) => groupOf.get(id) === name,
    })),
  },
};
