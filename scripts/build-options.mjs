/** How sources become JavaScript: the same for the build, the benchmarks and the tests. */

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
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
  '@vscode/tree-sitter-wasm',
  'smol-toml',
  'web-tree-sitter',
  'yaml',
  'zod',
];

/**
 * Notices that a package's licence file lacks; where no licence is given, it is the MIT licence.
 * @type {Readonly<Record<string, readonly string[]>>}
 */
export const furtherNotices = {
  // It carries these in its own files.
  '@modelcontextprotocol/server': [
    'ajv: Copyright (c) 2015-2021 Evgeny Poberezkin',
    'ajv-formats: Copyright (c) 2020 Evgeny Poberezkin',
    'content-type: Copyright (c) 2015 Douglas Christopher Wilson',
    'fast-deep-equal: Copyright (c) 2017 Evgeny Poberezkin',
    'json-schema-traverse: Copyright (c) 2017 Evgeny Poberezkin',
    [
      'fast-uri (BSD-3-Clause):',
      'Copyright (c) 2011-2021, Gary Court until https://github.com/garycourt/uri-js/commit/a1acf730b4bba3f1097c9f52e7d9d3aba8cdcaae',
      'Copyright (c) 2021-present The Fastify team <https://github.com/fastify/fastify#team>',
      'All rights reserved.',
      '',
      'Redistribution and use in source and binary forms, with or without',
      'modification, are permitted provided that the following conditions are met:',
      '    * Redistributions of source code must retain the above copyright',
      '      notice, this list of conditions and the following disclaimer.',
      '    * Redistributions in binary form must reproduce the above copyright',
      '      notice, this list of conditions and the following disclaimer in the',
      '      documentation and/or other materials provided with the distribution.',
      '    * The names of any contributors may not be used to endorse or promote',
      '      products derived from this software without specific prior written',
      '      permission.',
      '',
      'THIS SOFTWARE IS PROVIDED BY THE COPYRIGHT HOLDERS AND CONTRIBUTORS "AS IS" AND',
      'ANY EXPRESS OR IMPLIED WARRANTIES, INCLUDING, BUT NOT LIMITED TO, THE IMPLIED',
      'WARRANTIES OF MERCHANTABILITY AND FITNESS FOR A PARTICULAR PURPOSE ARE',
      'DISCLAIMED. IN NO EVENT SHALL THE COPYRIGHT HOLDERS AND CONTRIBUTORS BE LIABLE FOR ANY',
      'DIRECT, INDIRECT, INCIDENTAL, SPECIAL, EXEMPLARY, OR CONSEQUENTIAL DAMAGES',
      '(INCLUDING, BUT NOT LIMITED TO, PROCUREMENT OF SUBSTITUTE GOODS OR SERVICES;',
      'LOSS OF USE, DATA, OR PROFITS; OR BUSINESS INTERRUPTION) HOWEVER CAUSED AND',
      'ON ANY THEORY OF LIABILITY, WHETHER IN CONTRACT, STRICT LIABILITY, OR TORT',
      '(INCLUDING NEGLIGENCE OR OTHERWISE) ARISING IN ANY WAY OUT OF THE USE OF THIS',
      'SOFTWARE, EVEN IF ADVISED OF THE POSSIBILITY OF SUCH DAMAGE.',
      '',
      '                                  *   *   *',
      '',
      'The complete list of contributors can be found at:',
      '- https://github.com/garycourt/uri-js/graphs/contributors',
    ].join('\n'),
  ],
  '@vscode/tree-sitter-wasm': [
    'tree-sitter-javascript: Copyright (c) 2014 Max Brunsfeld',
    'tree-sitter-python: Copyright (c) 2016 Max Brunsfeld',
    'tree-sitter-rust: Copyright (c) 2017 Maxim Sokolov',
    'tree-sitter-typescript: Copyright (c) 2017 Max Brunsfeld',
  ],
};

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

/** `import path from 'package/x.wasm'` gives the path of the file, which the build copies beside the code. */
export const wasmAssets = {
  name: 'wasm-assets',
  /** @type {'pre'} */
  enforce: 'pre',
  load: {
    filter: { id: /\.wasm$/ },
    /** @param {string} id */
    handler(id) {
      return { code: `export default ${JSON.stringify(id)};`, moduleType: 'js' };
    },
  },
};

const wasmBesideCode = {
  ...wasmAssets,
  load: {
    ...wasmAssets.load,
    /** @this {import('rolldown').PluginContext} @param {string} id */
    handler(id) {
      const fileName = basename(id);
      this.emitFile({ type: 'asset', fileName, source: readFileSync(id) });
      const url = `new URL(${JSON.stringify(`./${fileName}`)}, import.meta.url)`;
      return {
        code: `import { fileURLToPath } from 'node:url';\nexport default fileURLToPath(${url});`,
        moduleType: 'js',
      };
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
  // web-tree-sitter evaluates JavaScript that a grammar brings along; ours bring none.
  checks: { eval: false },
  plugins: [textAssets, wasmBesideCode, latePackages, findGroups],
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
