/** The tools of the session workflow: documents by role, and the report that ends every dispatch. */

import type { Tool } from '../workflow.ts';
import { writeAcceptance, writeDocument, writeTasks } from './document-tools.ts';
import { report } from './report-tools.ts';
import type { ToolName } from './tool-arguments.ts';

export const tools: Readonly<Record<ToolName, Tool>> = {
  write_document: writeDocument,
  write_acceptance: writeAcceptance,
  write_tasks: writeTasks,
  report,
};
