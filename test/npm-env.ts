/** The environment of npm in tests: without what `npm test` tells its children, with the caller's certificates (vitest.config.ts). */

const { PAWL_TEST_CERTIFICATES: certificates, ...inherited } = process.env;
const isOwn = ([name]: readonly [string, unknown]): boolean => !name.toLowerCase().startsWith('npm_');

export const npmEnv = {
  ...Object.fromEntries(Object.entries(inherited).filter(isOwn)),
  ...(certificates !== undefined && { NODE_EXTRA_CA_CERTS: certificates }),
};
