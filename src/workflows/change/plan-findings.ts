/** The format check of a change, on the files as they are. */

import type { FileView } from '../workflow.ts';
import { changeFolder, proposalPath, specsFolder, tasksPath } from './paths.ts';
import { validateChange, type ChangeDocuments, type Finding, type Validation } from './validate.ts';

/** Proposal, specs and tasks of a change, as far as they exist. */
export function planDocuments(files: FileView, id: string): ChangeDocuments {
  const specs = new Map<string, string>();
  for (const path of files.list(specsFolder(id))) {
    const text = path.endsWith('.md') ? files.read(path) : undefined;
    if (text !== undefined) specs.set(path, text);
  }
  const proposal = files.read(proposalPath(id));
  const tasks = files.read(tasksPath(id));
  return { specs, ...(proposal !== undefined && { proposal }), ...(tasks !== undefined && { tasks }) };
}

export function validatePlan(files: FileView, id: string): Validation {
  return validateChange(planDocuments(files, id), { changeId: id, folder: changeFolder(id) });
}

/** What blocks, as one line each for a model. */
export function blockingFindings(files: FileView, id: string): string[] {
  return validatePlan(files, id)
    .findings.filter(({ severity }) => severity === 'High')
    .map(lineOf);
}

/** What is wrong with one document that was just written; what is still to come is not missed yet. */
export function findingsAbout(path: string, files: FileView, id: string): string[] {
  const { findings } = validatePlan(files, id);
  return findings.filter(({ file, code }) => file === path && !code.startsWith('missing-spec')).map(lineOf);
}

export function validationReport(files: FileView, id: string): string {
  const { findings, fixes } = validatePlan(files, id);
  const high = findings.filter(({ severity }) => severity === 'High').length;
  const verdict = high === 0 ? 'Valid.' : `Not valid: ${high} of ${findings.length} findings block.`;
  const repairs = fixes.map(({ path, what }) => `- ${path}: fixed without you: ${what}`);
  return [verdict, ...findings.map(lineOf), ...repairs].join('\n');
}

function lineOf({ severity, message, file, line, fix }: Finding): string {
  return `- ${severity}, ${line === null ? file : `${file}:${line}`}: ${message}; ${fix}`;
}
