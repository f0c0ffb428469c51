/** The checks between a goal and an approved design. */

import type { CheckContext, CheckResult } from '../../workflow.ts';
import { designDigest } from '../digest.ts';
import { askedDesign } from '../gates.ts';
import { designProblems, intakeProblems, tasksProblems } from '../documents.ts';
import { readConfig } from '../config.ts';
import { controlFolder, ignorePath } from '../files/paths.ts';
import { correctionOf, recordOf } from '../run-data.ts';
import { documentsProblem } from '../stops.ts';

/** The session's folder is nobody's to commit; project instructions are looked for once and again when unknown. */
export async function openSession(context: CheckContext): Promise<CheckResult> {
  const { files, at } = context;
  const head = await context.exec(['git', 'rev-parse', '--abbrev-ref', 'HEAD'], { timeoutMs: gitTimeoutMs });
  const branch = head.exitCode === 0 ? head.output.trim() : 'HEAD';
  return {
    signal: { name: 'opened', data: { runtime: { instructions: hasInstructions(files), checkedAt: at }, branch } },
    writes: files.read(ignorePath) === undefined ? [{ path: ignorePath, content: '*\n' }] : [],
    notes: [`documents are kept in ${controlFolder}/, which git ignores`],
  };
}

const gitTimeoutMs = 30_000;

export const instructionPaths = ['.github/copilot-instructions.md', 'AGENTS.md'];

export function hasInstructions(files: CheckContext['files']): boolean {
  return instructionPaths.some((path) => files.read(path) !== undefined);
}

export function checkIntake(context: CheckContext): CheckResult {
  return judged(context, intakeProblems(context, { lean: false }), {});
}

export function checkLean(context: CheckContext): CheckResult {
  const { allowShell } = readConfig(context.files).config.session;
  const problems = [...intakeProblems(context, { lean: true }), ...tasksProblems(context, { lean: true, allowShell })];
  return judged(context, problems, {});
}

export function checkDesign(context: CheckContext): CheckResult {
  const problems = [...intakeProblems(context, { lean: false }), ...designProblems(context)];
  return judged(context, problems, problems.length === 0 ? askedDesign(context) : {});
}

function judged(
  { run }: CheckContext,
  problems: readonly string[],
  data: NonNullable<CheckResult['signal']['data']>,
): CheckResult {
  return problems.length === 0
    ? { signal: { name: 'valid', data } }
    : { signal: { name: 'invalid', problem: documentsProblem(problems, run) }, notes: problems };
}

/** On record before anybody is set to work: whoever resumes knows that it is due, and by when it was sent off. */
export function queueCorrection({ snapshot, at }: CheckContext): CheckResult {
  const { data } = snapshot;
  return {
    signal: {
      name: 'queued',
      data: { correction: { ...recordOf(data['correction'], 'correction'), dispatchedAt: at } },
    },
  };
}

/** Whether the documents changed and are sound; the person sees what was found, and decides. */
export function verifyCorrection(context: CheckContext): CheckResult {
  const correction = correctionOf(context.snapshot);
  const problems = [
    ...(correction?.from === designDigest(context) ? ['the correction changed nothing in the design'] : []),
    ...intakeProblems(context, { lean: false }),
    ...designProblems(context),
  ];
  return {
    signal: {
      name: problems.length === 0 ? 'completed' : 'incomplete',
      data: { ...askedDesign(context), correctionProblems: [...problems] },
    },
    notes: problems,
  };
}
