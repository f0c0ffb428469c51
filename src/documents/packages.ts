/**
 * The `yaml` and `smol-toml` packages, loaded when a text first needs them: loading takes a tenth of the time of a short
 * command, and `import()` would make every reader wait. The build puts a package's own file in the place of its name.
 */

import type * as Toml from 'smol-toml';
import type * as Yaml from 'yaml';

const require = process.getBuiltinModule('node:module').createRequire(import.meta.filename);
const loaded: { yaml?: typeof Yaml; toml?: typeof Toml } = {};

/* oxlint-disable typescript/no-unsafe-assignment -- what `require` returns has no type */
export const yaml = (): typeof Yaml => (loaded.yaml ??= require('yaml'));
export const toml = (): typeof Toml => (loaded.toml ??= require('smol-toml'));
