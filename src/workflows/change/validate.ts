/**
 * Format validation of a change's plan: local, without an agent, before every challenge.
 *
 * V1. What is mechanically fixable is in `fixes` and not among the findings; the fixed files give neither.
 * V2. Findings speak of the files as they are once the fixes are written.
 * V3. A document that cannot be read is a High finding with its line; the others are validated all the same.
 */

import { attempt, DocumentError } from '../../documents/document-error.ts';
import { findingText, isBlocking, reporter, type Finding } from '../../documents/finding.ts';
import type { FileView } from '../workflow.ts';
import { planFiles } from './documents.ts';
import { fixProposal, fixSpec, fixTasks, type Fixed } from './fixes.ts';
import { proposalPath, tasksPath } from './change-paths.ts';
import { validateProposal, validateSpec, validateTasks } from './validate-documents.ts';

export interface Validation {
  readonly findings: readonly Finding[];
  /** Files as they should be, and what was fixed in them, for people. */
  readonly fixes: readonly { readonly path: string; readonly content: string; readonly what: string }[];
}

export function validatePlan(files: FileView, id: string): Validation {
  const findings: Finding[] = [];
  const fixes: Validation['fixes'][number][] = [];
  /** One document with its fixes applied; null when it is missing or cannot be read, which is a finding. */
  const readAs = <D>(path: string, read: (text: string) => Fixed<D>): D | null => {
    const text = files.read(path);
    const name = path.slice(path.lastIndexOf('/') + 1);
    const { high } = reporter(path, findings);
    const fixed = text === undefined ? undefined : attempt(() => read(text));
    if (fixed === undefined) high('missing-document', null, `${name} does not exist`, `write ${name}`);
    else if (fixed instanceof DocumentError)
      high('unreadable-document', fixed.line, fixed.message, `write ${fixed.expected}`);
    else {
      const { document, content, what } = fixed;
      if (what.length > 0) fixes.push({ path, content, what: what.join('; ') });
      return document;
    }
    return null;
  };
  const [file, tasksFile] = [proposalPath(id), tasksPath(id)];
  const specFiles = planFiles({ files, run: id }).filter((path) => path !== file && path !== tasksFile);
  const proposal = readAs(file, (text) => fixProposal(text, file, id));
  const specs = new Map(specFiles.map((path) => [path, readAs(path, (text) => fixSpec(text, path))]));
  const tasks = readAs(tasksFile, (text) => fixTasks(text, tasksFile, id));
  const judged = proposal && validateProposal(proposal, { file, run: id, specs });
  findings.push(...(judged?.findings ?? []));
  for (const [path, spec] of specs) if (spec) findings.push(...validateSpec(spec, path));
  const specsById = new Map(
    [...specs].map(([path, spec]) => [path.slice(path.lastIndexOf('/') + 1, -'.md'.length), spec]),
  );
  if (tasks) findings.push(...validateTasks(tasks, tasksFile, specsById, judged?.order ?? null));
  return { findings, fixes };
}

/** For a model, with what was fixed without it. */
export function validationReport(files: FileView, id: string): string {
  const { findings, fixes } = validatePlan(files, id);
  const high = findings.filter(isBlocking).length;
  const verdict = high === 0 ? 'Valid.' : `Not valid: ${high} of ${findings.length} findings block.`;
  const repairs = fixes.map(({ path, what }) => `${path}: fixed without you: ${what}`);
  return [verdict, ...[...findings.map(findingText), ...repairs].map((line) => `- ${line}`)].join('\n');
}
