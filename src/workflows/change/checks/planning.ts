/** Checks of the planning half: what is missing, whether it is well formed, whether it is what was judged. */

import { attempt, DocumentError } from '../../../documents/document-error.ts';
import { findingText, isBlocking } from '../../../documents/finding.ts';
import type { AffectedSpec } from '../../../documents/proposal.ts';
import { sameValue } from '../../../schema/values.ts';
import { stopWith } from '../../define-workflow.ts';
import { textDigest } from '../../digest.ts';
import { withWrites } from '../../staged-files.ts';
import type { CheckResult, RunView, Write } from '../../workflow.ts';
import { canonicalDocuments, planApproval, planDigest, planEdited } from '../documents.ts';
import { affectedSpecName, orderSpecs, proposalIn, tasksIn } from '../read-documents.ts';
import { isSpecName, proposalPath, specNameExpectation, specPath, tasksPath } from '../change-paths.ts';
import { data } from '../run-data.ts';
import { baseWrites } from '../spec-base.ts';
import { validatePlan } from '../validate.ts';

export const planningChecks = {
  survey: (view: RunView) =>
    view.files.read(proposalPath(view.run)) === undefined ? { signal: { name: 'nothing' } } : order(view),
  order,
  // A task list that is there is kept: a person may have worked on it.
  find_tasks: ({ files, run }: RunView) => ({ signal: { name: files.exists(tasksPath(run)) ? 'present' : 'missing' } }),
  validate,
  accept_lean: acceptLean,
  compare_rejected: (view: RunView) => compare(view, data.rejectedPlan.of(view.snapshot)),
  compare_approved: (view: RunView) =>
    compare(view, data.approvedPlan.of(view.snapshot)?.digest, `${planEdited}: it is challenged again`),
};

/** What of the plan is still to be written, once there is a proposal. */
function order(view: RunView): CheckResult {
  const { files, run } = view;
  const path = proposalPath(run);
  const proposal = attempt(() => proposalIn(view));
  if (proposal instanceof DocumentError) return stopWith('invalid', proposal.message);
  const affected = proposal?.affectedSpecs ?? [];
  const ordered = orderSpecs(affected);
  if ('cycle' in ordered) {
    const cycle = ordered.cycle.join(' → ');
    return stopWith('invalid', `${path}: affected_specs depend on each other in a circle: ${cycle}`);
  }
  if ('unknown' in ordered) {
    const notes = ordered.unknown.map(
      ({ spec, dependency }) => `${path}: spec "${spec}" depends on "${dependency}", which is not among affected_specs`,
    );
    return stopWith('invalid', notes.join('\n'), { notes });
  }
  const unnamed = affected.filter((spec) => affectedSpecName(spec, run) === undefined);
  if (unnamed.length > 0) {
    const names = unnamed.map(({ id }) => `"${id}"`).join(', ');
    return stopWith('invalid', `${path}: no spec can be called ${names}: expected ${specNameExpectation}`);
  }
  const missing = ordered.ok.filter((id) => !affected.some((spec) => spec.id === id && hasSpec(view, spec)));
  if (missing.length === 0)
    return { signal: { name: files.read(tasksPath(run)) === undefined ? 'tasks_missing' : 'complete' } };
  const items = missing.map((id) => {
    const depends = affected.find((spec) => spec.id === id)?.depends ?? [];
    return { id, after: depends.filter((one) => missing.includes(one)) };
  });
  return { signal: { name: 'specs_missing', items } };
}

function hasSpec({ files, run }: RunView, spec: AffectedSpec): boolean {
  const name = affectedSpecName(spec, run);
  return [name, spec.id].some((id) => id !== undefined && isSpecName(id) && files.exists(specPath(run, id)));
}

const validationsMax = 20;

/** Format validation: mechanical mistakes are fixed; other High findings stop the plan from being challenged. */
function validate(view: RunView): CheckResult {
  const { findings, fixes } = validatePlan(view.files, view.run);
  const blocking = findings.filter(isBlocking);
  const valid = blocking.length === 0;
  const validations = [
    ...data.validations.of(view.snapshot),
    { at: view.at, valid, findings: findings.length, fixed: fixes.map(({ what }) => what) },
  ].slice(-validationsMax);
  const notes = findings.map(findingText);
  const record = data.validations.set(validations);
  const validated = data.checksums.of(view.snapshot);
  const bases = valid ? baseWrites(view) : [];
  const hashes = documentHashes(view, [...fixes, ...bases]);
  const current = Object.fromEntries(hashes);
  // Validated again only because the challenge was interrupted: nothing new to tell.
  const known = Object.fromEntries(Object.entries(validated).map(([path, { hash }]) => [path, hash] as const));
  if (valid && sameValue(current, known)) return { signal: { name: 'valid' }, writes: bases, notes };
  const checksums = hashes.map(([path, hash]) => [path, { hash, validated_at: view.at }] as const);
  return {
    signal: valid
      ? { name: 'valid', data: { ...record, ...data.checksums.set(Object.fromEntries(checksums)) } }
      : { name: 'invalid', data: record, problem: { code: 'invalid', message: blocking.map(findingText).join('\n') } },
    writes: [...fixes.map(({ path, content }) => ({ path, content })), ...bases],
    notes: [...fixes.map(({ path, what }) => `fixed ${path}: ${what}`), ...notes],
  };
}

/** The plan of a lean change, once its author is done: well formed, and every task done. */
function acceptLean(view: RunView): CheckResult {
  const { run } = view;
  const proposal = attempt(() => proposalIn(view));
  if (!(proposal instanceof DocumentError) && proposal?.impact?.scope === 'major')
    return stopWith('too_large', `${proposalPath(run)} says that ${run} is a major change, so it is planned in full`);
  const { signal: found } = order(view);
  if (found.name === 'invalid') return { signal: found };
  if (found.name === 'specs_missing')
    return stopWith('invalid', `missing: ${(found.items ?? []).map(({ id }) => specPath(run, id)).join(', ')}`);
  const validated = validate(view);
  if (validated.signal.name === 'invalid') return validated;
  const files = withWrites(view.files, validated.writes ?? []);
  const open = tasksIn({ ...view, files })?.tasks.filter(({ status }) => status !== 'completed') ?? [];
  if (open.length > 0) return stopWith('invalid', `not completed: ${open.map(({ id }) => id).join(', ')}`);
  const approved = planApproval({ files, run }, 'lean');
  return { ...validated, signal: { name: 'valid', data: { ...found.data, ...validated.signal.data, ...approved } } };
}

/** Digests of the documents as validated: a later difference is a person's edit. */
function documentHashes({ files, run }: RunView, writes: readonly Write[]) {
  const documents = [...canonicalDocuments(withWrites(files, writes), run)];
  return documents.map(([path, text]) => [path, textDigest(text ?? '')] as const);
}

function compare(view: RunView, judged: string | null | undefined, note?: string): CheckResult {
  if (planDigest(view.files, view.run) === judged) return { signal: { name: 'unchanged' }, notes: [] };
  return { signal: { name: 'changed' }, notes: note === undefined ? [] : [note] };
}
