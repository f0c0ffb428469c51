/** What vitest's JSON report says: one line of counts, and the titles of tests that failed or did not run. */

import { existsSync, readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { root } from './run-process.mjs';

/** @param {string} report */
export function summarize(report) {
  if (!existsSync(report)) return { failed: ['no test ran'], skipped: [], summary: '0 passed, 1 failed' };
  const { numPassedTests, testResults } = JSON.parse(readFileSync(report, 'utf8'));
  /** @type {{name: string, status: string, assertionResults: {fullName: string, status: string}[]}[]} */
  const files = testResults;
  const failed = files.flatMap(({ name, status, assertionResults }) => {
    const titles = assertionResults.filter((test) => test.status === 'failed').map(({ fullName }) => fullName);
    if (status === 'failed' && titles.length === 0) titles.push('the file does not load, or a hook failed');
    return titles.map((title) => `${relative(root, name)}: ${title}`);
  });
  const unrun = new Set(['pending', 'skipped', 'todo']);
  const skipped = files.flatMap(({ name, assertionResults }) =>
    assertionResults
      .filter((test) => unrun.has(test.status))
      .map(({ fullName }) => `${relative(root, name)}: ${fullName}`),
  );
  const counted = skipped.length > 0 ? `, ${skipped.length} skipped` : '';
  const summary = `${numPassedTests} passed, ${failed.length} failed${counted}`;
  return { failed, skipped, summary };
}
