import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { summarize } from '../scripts/test-report.mjs';
import { root } from './source-tree.ts';

const folder = mkdtempSync(join(tmpdir(), 'pawl-report-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('audit 12.7: tests that did not run are named, not only counted', () => {
  const report = join(folder, 'report.json');
  const assertionResults = [
    { fullName: 'programs in boxes (needs files; here: none) start', status: 'skipped' },
    { fullName: 'later', status: 'todo' },
    { fullName: 'is right', status: 'passed' },
    { fullName: 'is wrong', status: 'failed' },
  ];
  const testResults = [{ name: join(root, 'src/a.test.ts'), status: 'failed', assertionResults }];
  writeFileSync(report, JSON.stringify({ numPassedTests: 1, testResults }));
  expect(summarize(report)).toEqual({
    failed: ['src/a.test.ts: is wrong'],
    skipped: ['src/a.test.ts: programs in boxes (needs files; here: none) start', 'src/a.test.ts: later'],
    summary: '1 passed, 1 failed, 2 skipped',
  });
});
