/**
 * `npm test`: set-up, static checks, tests; the last line counts the tests.
 *
 *   npm test                      everything that does not take long
 *   npm test -- src/engine        vitest with these arguments, without the static checks
 *   npm run test:crash            a sample of real kills, and what else takes long (*.long.ts)
 *   npm run test:crash -- --all   real kills at every instant: more than an hour
 *   npm run test:agents           the real agents, against a scripted model, and every way they can fail
 */

import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { bootstrap } from './bootstrap.mjs';
import { root, run, runNode } from './run-process.mjs';
import { summarize } from './test-report.mjs';

/** Scripts of package.json, each one program of `node_modules/.bin` with its arguments. */
const staticChecks = ['typecheck', 'lint', 'format:check', 'knip', 'publint'];

/** @type {Record<string, 'crash' | 'agents'>} */
const others = { '--crash': 'crash', '--agents': 'agents' };
const project = others[process.argv[2] ?? ''] ?? 'unit';
const given = process.argv.slice(project === 'unit' ? 2 : 3);
const everyCrash = '--all';
if (project === 'crash' && given.includes(everyCrash)) process.env['PAWL_CRASHES'] = 'all';
const vitestArgs = given.filter((arg) => arg !== everyCrash);

await bootstrap();
const failures = project !== 'unit' || vitestArgs.length > 0 ? [] : await runStaticChecks();
const tests = await runTests();
if (tests.code !== 0) failures.push('tests');
// Once more at the end, where they are found: thousands of lines may stand above.
// With a filter these are all the others.
const isFiltered = vitestArgs.some((arg) => /^(?:-t|--testNamePattern)/.test(arg));
for (const skipped of isFiltered ? [] : tests.skipped) console.log(`skipped test: ${skipped}`);
for (const failed of tests.failed) console.log(`failed test: ${failed}`);
if (failures.length > 0) console.log(`failed: ${failures.join(', ')}`);
console.log(tests.summary);
process.exitCode = failures.length > 0 ? 1 : 0;

async function runStaticChecks() {
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const results = await Promise.all(
    staticChecks.map(async (name) => {
      const [program, ...args] = scripts[name].split(' ');
      const started = performance.now();
      const { code, output } = await run(join(root, 'node_modules/.bin', program), args, { capture: true });
      const seconds = ((performance.now() - started) / 1000).toFixed(1);
      console.log(`${code === 0 ? 'ok  ' : 'FAIL'} ${name} (${seconds} s)${code === 0 ? '' : `\n${output}`}`);
      return { name, code };
    }),
  );
  return results.filter(({ code }) => code !== 0).map(({ name }) => name);
}

async function runTests() {
  const report = join(root, `.build/tests-${project}.json`);
  mkdirSync(join(root, '.build'), { recursive: true });
  rmSync(report, { force: true });
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`];
  const vitest = join(root, 'node_modules/vitest/vitest.mjs');
  const { code } = await runNode([vitest, 'run', `--project=${project}`, ...reporters, ...vitestArgs]);
  return { code, ...summarize(report) };
}
