/** What dispatches of the change workflow take: prompts, what reports amount to, and the tools of each role. */

import type { Dispatching, Tool } from '../workflow.ts';
import { brief } from './brief.ts';
import { conclude } from './conclude.ts';
import { createClarifications, createProposal, createSpec, createTasks } from './plan-tools.ts';
import * as reading from './reading-tools.ts';
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
  read_artifact: reading.readArtifact,
  list_specs: reading.listSpecs,
  read_all_requirements: reading.readAllRequirements,
  list_changed_files: reading.listChangedFiles,
  read_implementation_summary: reading.readImplementationSummary,
  validate_change: reading.validateChange,
};

export const dispatching: Dispatching = { tools, brief, conclude };
