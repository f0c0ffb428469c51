import { expect, test } from 'vitest';
import type { RunView } from '../workflow.ts';
import { reportFlaws } from './content-checks.ts';
import { judgedCriteria } from './closing.ts';
import { reportText } from './final-report.ts';
import {
  answeredDecision,
  decisionOf,
  dispatched,
  plannedFiles,
  ledger,
  tasksFile,
  viewOf,
} from './session.fixture.ts';

const reportOf = (view: RunView): string => reportText(view, judgedCriteria(view));

test('a session of which nothing is known has its four sections all the same [session/files/report] [session/done/report-sections]', () => {
  const text = reportOf(viewOf({ files: plannedFiles }));
  expect(reportFlaws(text)).toEqual([]);
  expect(text).toContain('No check was run');
  expect(text).toContain('Nobody recorded how it is run.');
});

test('the report is what happened: tasks, criteria with evidence, decisions, work, issues, how to run and test [session/files/report-from-record]', () => {
  const data = {
    goal: 'Export CSV',
    docs: { summary: 'Rows are written.', howToRun: 'npm start', howToTest: 'npm run all' },
    checks: { results: [{ entry: 'cmd: npm test', status: 'passed', evidence: 'exit code 0' }] },
    'issue:1': 'Slow for large files',
  };
  const skipped = { id: 'UD-2', question: 'Names?', status: 'cancelled', reason: 'no response provided' } as const;
  const decisions = ledger(answeredDecision('UD-1', 'tabs'), decisionOf(skipped));
  const files = { ...plannedFiles, ...tasksFile({ status: 'completed' }) };
  const history = [dispatched('code', { role: 'Coder', ms: 60_000 }), dispatched('review'), dispatched('review')];
  const text = reportOf(viewOf({ files, data, decisions, history }));
  for (const words of [
    'Goal: Export CSV',
    'Rows are written.',
    '- T-001 Write rows (completed)',
    '- AC-001 A file has all rows: **met**, cmd: npm test passed (exit code 0)',
    '- UD-1 (IMPLEMENT_LOOP): Which format? **tabs**',
    '- UD-2 (IMPLEMENT_LOOP): Names? **cancelled, no response provided**',
    '3 agent calls in 2 minutes of work: Coder 1, Reviewer 2.',
    '## How to run\n\nDocs says:\n\n> npm start',
    '> Rows are written.',
    'npm run all',
    '- `npm test` (passed)',
    '- Slow for large files',
  ])
    expect(text).toContain(words);
  expect(reportFlaws(text)).toEqual([]);
});
