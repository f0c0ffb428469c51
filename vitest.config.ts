import { defineConfig } from 'vitest/config';
import { alias, textAssets, wasmAssets } from './scripts/build-options.mjs';

// Node 20 reads this certificate bundle at every start, and the tests start many processes; npm may need it.
const certificates = process.env['NODE_EXTRA_CA_CERTS'];
delete process.env['NODE_EXTRA_CA_CERTS'];

export default defineConfig({
  plugins: [textAssets, wasmAssets],
  resolve: { alias },
  test: {
    // Most tests wait for processes: one worker a core keeps all of them busy.
    maxWorkers: '100%',
    server: { deps: { inline: [/\.wasm$/] } },
    // A person's git configuration must not decide what tests see.
    env: {
      // Most tests are about something else, and their agents keep logs anywhere; those about the sandbox set it anew.
      PAWL_SANDBOX: process.env['PAWL_TEST_SANDBOX'] ?? 'off',
      ...(certificates !== undefined && { PAWL_TEST_CERTIFICATES: certificates }),
      GIT_CONFIG_GLOBAL: '/dev/null',
      GIT_CONFIG_NOSYSTEM: '1',
      GIT_AUTHOR_NAME: 'Test Author',
      GIT_AUTHOR_EMAIL: 'author@example.com',
      GIT_COMMITTER_NAME: 'Test Author',
      GIT_COMMITTER_EMAIL: 'author@example.com',
    },
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
          isolate: false,
          // Far beyond what the slowest takes: a deadline tells of a test that hangs, never of a machine that is busy.
          testTimeout: 300_000,
          hookTimeout: 300_000,
        },
      },
      {
        extends: true,
        test: {
          name: 'crash',
          include: ['test/**/*.{crash,long}.ts'],
          // Each case waits on processes most of the time.
          maxConcurrency: 3,
          testTimeout: 900_000,
          hookTimeout: 300_000,
        },
      },
      {
        extends: true,
        test: {
          name: 'agents',
          // Vendors' programs work in the sandbox that users have by default.
          env: { PAWL_SANDBOX: process.env['PAWL_TEST_SANDBOX'] ?? '' },
          include: ['test/agents/**/*.agents.ts'],
          // Real agents take hundreds of megabytes each: one file at a time.
          fileParallelism: false,
          // Their vendors' programs, not ours, are what may need a second try.
          retry: 1,
          testTimeout: 300_000,
          hookTimeout: 900_000,
        },
      },
    ],
  },
});
