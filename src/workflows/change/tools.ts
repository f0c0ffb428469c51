/** The tools of the change workflow: what each role reports with, and what all may look up. */

import type { Tool } from '../workflow.ts';
import { createClarifications, createProposal, createSpec, createTasks } from './plan-tools.ts';
import {
  listChangedFiles,
  listSpecs,
  readAllRequirements,
  readArtifact,
  readImplementationSummary,
  validateChangeTool,
} from './reading-tools.ts';
import { appendReview, createReview } from './review-tools.ts';
import type { ToolName } from './tool-arguments.ts';
import { updateTask, writeMainSpec } from './work-tools.ts';

export const tools: Readonly<Record<ToolName, Tool>> = {
  create_clarifications: createClarifications,
  create_proposal: createProposal,
  create_spec: createSpec,
  create_tasks: createTasks,
  append_review: appendReview,
  create_review: createReview,
  update_task: updateTask,
  write_main_spec: writeMainSpec,
  read_artifact: readArtifact,
  list_specs: listSpecs,
  read_all_requirements: readAllRequirements,
  list_changed_files: listChangedFiles,
  read_implementation_summary: readImplementationSummary,
  validate_change: validateChangeTool,
};
