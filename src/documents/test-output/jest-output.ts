/** The JSON report of jest. */

import { isRecord } from '../../schema/values.ts';
import { scriptOrigin, testResult, type OutputReader, type Status, type TestResult } from './test-result.ts';

/** One line among what tests and npm print; the last one is the report. */
export const readJestOutput: OutputReader = (output) => {
  const report = output.split('\n').map(reportIn).findLast(isRecord);
  if (!report || !Array.isArray(report['testResults'])) return null;
  const files = report['testResults'].filter(isRecord);
  const tests = files.flatMap((file) => testsOf(file).map((test) => resultOf(test, String(file['name']))));
  const isAll = tests.length === report['numTotalTests'];
  return isAll ? [...tests, ...files.flatMap(brokenFile)] : null;
};

function reportIn(line: string): unknown {
  if (!line.startsWith('{') || !line.includes('"testResults"')) return undefined;
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

const testsOf = ({ assertionResults }: Readonly<Record<string, unknown>>): Record<string, unknown>[] =>
  Array.isArray(assertionResults) ? assertionResults.filter(isRecord) : [];

function resultOf(test: Readonly<Record<string, unknown>>, file: string): TestResult {
  const titles: readonly unknown[] = Array.isArray(test['ancestorTitles']) ? test['ancestorTitles'] : [];
  const name = [...titles, test['title']].map(String).join(' > ');
  const status: Status = test['status'] === 'passed' || test['status'] === 'failed' ? test['status'] : 'skipped';
  if (status !== 'failed') return testResult(name, status, { file });
  const text = Array.isArray(test['failureMessages']) ? String(test['failureMessages'][0] ?? '') : '';
  const [message = ''] = text.split(/\n\s+at /, 1);
  return testResult(name, status, { file, message, origin: scriptOrigin(text) });
}

/** A file that could not be loaded has no tests. */
function brokenFile(file: Readonly<Record<string, unknown>>): TestResult[] {
  if (file['status'] !== 'failed' || testsOf(file).length > 0) return [];
  const name = String(file['name']);
  return [testResult(name, 'failed', { file: name, message: String(file['message']), broken: true })];
}
