/**
 * The `yaml` package, loaded when a text first needs it: what Pawl itself writes is read and written without it,
 * and loading it takes a tenth of the time of a short command. `import()` would make every reader wait.
 */

import type * as Yaml from 'yaml';

let loaded: typeof Yaml | undefined;

export function yaml(): typeof Yaml {
  return (loaded ??= load());
}

/** The build puts the package's own file in the place of its name. */
function load(): typeof Yaml {
  const require = process.getBuiltinModule('node:module').createRequire(import.meta.url);
  // oxlint-disable-next-line typescript/no-unsafe-return -- what `require` returns has no type
  return require('yaml');
}
