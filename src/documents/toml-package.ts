/** The `smol-toml` package, loaded when there is a text to read: many repositories have none, and status has to be quick. */

import type * as Toml from 'smol-toml';

let loaded: typeof Toml | undefined;

export function toml(): typeof Toml {
  return (loaded ??= load());
}

/** The build puts the package's own file in the place of its name. */
function load(): typeof Toml {
  const require = process.getBuiltinModule('node:module').createRequire(import.meta.url);
  // oxlint-disable-next-line typescript/no-unsafe-return -- what `require` returns has no type
  return require('smol-toml');
}
