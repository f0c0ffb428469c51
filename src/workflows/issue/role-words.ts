/** The words of the roles, as reports have them, and the files of a run that no role reads. */

import { runFolder, todoFolder, workflowFolder } from './files/ids.ts';

export const roleNames = ['planner', 'check', 'simplify', 'test', 'make', 'pm'] as const;

export const verdicts = ['ACCEPTABLE', 'NEEDS WORK', 'BLOCK'] as const;
export const diagnoses = ['test_design', 'production_logic', 'split_needed'] as const;
export const testVerdicts = ['TESTS_READY', 'NOT_TESTABLE', 'BLOCKED'] as const;
export const workVerdicts = ['Complete', 'Incomplete'] as const;

/** The first two are a valid RED. */
export const failureCodes = ['MISSING_BEHAVIOR', 'ASSERTION_MISMATCH', 'TEST_BROKEN', 'ENV_BROKEN'] as const;

export const statePath = (id: string) => `${runFolder(id)}/state.yaml`;
export const journalPath = (id: string) => `${runFolder(id)}/journal.jsonl`;

/** Neither the record of the run nor the tracker. */
export function isCode(path: string): boolean {
  return !path.startsWith(`${workflowFolder}/`) && !path.startsWith(`${todoFolder}/`);
}
