/** The checks between a goal and an approved design. */

import { findingText, type Finding } from '../../../documents/finding.ts';
import type { DataPatch } from '../../data-slots.ts';
import type { CheckContext, CheckResult } from '../../workflow.ts';
import { readConfig } from '../config.ts';
import { designDigest } from '../design.ts';
import { designFindings, findingsIn, findingsProblem, shellFindings, type DocumentName } from '../documents.ts';
import { controlFolder, ignorePath } from '../files/paths.ts';
import { askedDesign } from '../gates.ts';
import { data } from '../run-data.ts';

/** The session's folder is nobody's to commit; project instructions are looked for once and again when unknown. */
export async function openSession(context: CheckContext): Promise<CheckResult> {
  const { files } = context;
  const head = await context.exec(['git', 'rev-parse', '--abbrev-ref', 'HEAD'], { timeoutMs: gitTimeoutMs });
  const branch = head.exitCode === 0 ? head.output.trim() : 'HEAD';
  return {
    signal: { name: 'opened', data: { ...host(context), ...data.branch.set(branch) } },
    writes: files.read(ignorePath) === undefined ? [{ path: ignorePath, content: '*\n' }] : [],
    notes: [`documents are kept in ${controlFolder}/, which git ignores`],
  };
}

const gitTimeoutMs = 30_000;

export const instructionPaths = ['.github/copilot-instructions.md', 'AGENTS.md'];

/** Whether there are project instructions, and when that was looked up. */
export function host({ files, at }: Pick<CheckContext, 'files' | 'at'>): DataPatch {
  const instructions = instructionPaths.some((path) => files.read(path) !== undefined);
  return data.runtime.set({ instructions, checkedAt: at });
}

export function checkIntake(context: CheckContext): CheckResult {
  return valid(context, findingsIn(context, ['spec', 'acceptance'], false));
}

export function checkLean(context: CheckContext): CheckResult {
  return valid(context, planned(context, ['spec', 'acceptance', 'tasks'], true));
}

export function checkPlan(context: CheckContext): CheckResult {
  return valid(context, planned(context, ['tasks'], false));
}

function planned(context: CheckContext, names: readonly DocumentName[], lean: boolean): readonly Finding[] {
  const findings = findingsIn(context, names, lean);
  const { allowShell } = readConfig(context.files).config.session;
  return allowShell || findings.length > 0 ? findings : shellFindings(context);
}

export function checkDesign(context: CheckContext): CheckResult {
  return valid(context, designFindings(context), askedDesign(context));
}

function valid({ run }: CheckContext, findings: readonly Finding[], more?: DataPatch): CheckResult {
  return findings.length === 0
    ? { signal: { name: 'valid', ...(more && { data: more }) } }
    : { signal: { name: 'invalid', problem: findingsProblem(findings, run) }, notes: findings.map(findingText) };
}

/** On record before anybody is set to work: whoever resumes knows that it is due, and by when it was sent off. */
export function queueCorrection({ snapshot, at }: CheckContext): CheckResult {
  const correction = data.correction.of(snapshot);
  return { signal: { name: 'queued', data: data.correction.set(correction && { ...correction, dispatchedAt: at }) } };
}

/** Whether the documents changed and are sound; the person sees what was found, and decides. */
export function verifyCorrection(context: CheckContext): CheckResult {
  const isSame = data.correction.of(context.snapshot)?.from === designDigest(context);
  const problems = [
    ...(isSame ? ['the correction changed nothing in the design'] : []),
    ...designFindings(context).map(findingText),
  ];
  return {
    signal: {
      name: problems.length === 0 ? 'completed' : 'incomplete',
      data: { ...askedDesign(context), ...data.correctionProblems.set(problems) },
    },
    notes: problems,
  };
}
