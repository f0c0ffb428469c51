/**
 * Format validation of a change's plan: local, without an agent, before every challenge.
 *
 * V1. What is mechanically fixable is in `fixes` and not among the findings; the fixed files give neither.
 * V2. Findings speak of the files as they are once the fixes are written.
 * V3. A document that cannot be read is a High finding with its line; the others are validated all the same.
 */

import { DocumentError } from '../../documents/document-error.ts';
import type { Spec } from '../../documents/spec.ts';
import type { Finding } from './finding.ts';
import { fixProposal, fixSpec, fixTasks, type Fixed } from './fixes.ts';
import { validateProposal } from './validate-proposal.ts';
import { validateSpec } from './validate-spec.ts';
import { validateTasks } from './validate-tasks.ts';

export type { Finding } from './finding.ts';

/** A file as it should be. */
export interface Fix {
  readonly path: string;
  readonly content: string;
  /** What was fixed, for people. */
  readonly what: string;
}

export interface Validation {
  readonly findings: readonly Finding[];
  readonly fixes: readonly Fix[];
}

export interface ChangeDocuments {
  readonly proposal?: string | undefined;
  /** By path, relative to the workspace or to the change's folder. */
  readonly specs: ReadonlyMap<string, string>;
  readonly tasks?: string | undefined;
}

export interface ValidationContext {
  readonly changeId: string;
  /** The change's folder, such as `agentd/changes/add-login`. */
  readonly folder: string;
}

export function validateChange(documents: ChangeDocuments, context: ValidationContext): Validation {
  const { changeId, folder } = context;
  const read: Reading = { findings: [], fixes: [] };
  const proposalFile = `${folder}/proposal.md`;
  const tasksFile = `${folder}/tasks.md`;
  const proposal = readAs(read, proposalFile, documents.proposal, (text) => fixProposal(text, proposalFile, changeId));
  const specs = new Map<string, Spec | null>();
  for (const [path, text] of documents.specs) {
    const file = path.startsWith(`${folder}/`) ? path : `${folder}/${path}`;
    specs.set(
      file,
      readAs(read, file, text, () => fixSpec(text, file)),
    );
  }
  const tasks = readAs(read, tasksFile, documents.tasks, (text) => fixTasks(text, tasksFile, changeId));
  const judged = proposal && validateProposal(proposal, { file: proposalFile, changeId, folder, specs });
  const findings = [...read.findings, ...(judged?.findings ?? [])];
  for (const [file, spec] of specs) if (spec) findings.push(...validateSpec(spec, file));
  if (tasks)
    findings.push(...validateTasks(tasks, { file: tasksFile, specs: byId(specs), order: judged?.order ?? null }));
  return { findings, fixes: read.fixes };
}

/** Whether anything stands in the way of a challenge. */
export function isBlocked(findings: readonly Finding[]): boolean {
  return findings.some(({ severity }) => severity === 'High');
}

interface Reading {
  readonly findings: Finding[];
  readonly fixes: Fix[];
}

/** One document with its fixes applied; null when it is missing or cannot be read, which is a finding. */
function readAs<D>(
  { findings, fixes }: Reading,
  file: string,
  text: string | undefined,
  read: (text: string) => Fixed<D>,
): D | null {
  const name = file.slice(file.lastIndexOf('/') + 1);
  if (text === undefined) {
    findings.push({
      severity: 'High',
      code: 'missing-document',
      message: `${name} does not exist`,
      file,
      line: null,
      fix: `write ${name}`,
    });
    return null;
  }
  try {
    const { document, content, what } = read(text);
    if (what.length > 0) fixes.push({ path: file, content, what: what.join('; ') });
    return document;
  } catch (error) {
    if (!(error instanceof DocumentError)) throw error;
    findings.push({
      severity: 'High',
      code: 'unreadable-document',
      message: error.message,
      file,
      line: error.line,
      fix: `write ${error.expected}`,
    });
    return null;
  }
}

function byId(specs: ReadonlyMap<string, Spec | null>): Map<string, Spec | null> {
  return new Map([...specs].map(([path, spec]) => [path.slice(path.lastIndexOf('/') + 1).replace(/\.md$/, ''), spec]));
}
