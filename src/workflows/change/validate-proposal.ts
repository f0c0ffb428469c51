import { reporter, type Finding, type Reporter } from '../../documents/finding.ts';
import { readHeadings } from '../../documents/markdown.ts';
import { proposalHeadings, type AffectedSpec } from '../../documents/proposal.ts';
import type { ProposalDocument } from './fixes.ts';
import { groupOfRest, orderSpecs, type SpecOrder } from './order.ts';
import { reportUndecided } from './undecided.ts';

interface ProposalContext {
  readonly file: string;
  readonly changeId: string;
  readonly folder: string;
  /** The change's spec files, by path. */
  readonly specs: ReadonlyMap<string, unknown>;
}

/** `order`: the specs in the order in which they are worked on; null when there is none. */
export function validateProposal(
  { proposal, bodyLine }: ProposalDocument,
  context: ProposalContext,
): { findings: Finding[]; order: readonly string[] | null } {
  const { file, changeId } = context;
  const report = reporter(file);
  if (proposal.id !== changeId) {
    const message = `the proposal's id is "${proposal.id}", but the folder is "${changeId}"`;
    report.high('change-id-mismatch', 1, message, `set id to ${changeId}`);
  }
  for (const heading of proposalHeadings(proposal.body).missing)
    report.high('missing-heading', bodyLine, `"${heading}" is missing`, `add the section "${heading}"`);
  reportUndecided(report, 1, 'the summary', proposal.summary);
  for (const { text } of readHeadings(proposal.body)) reportUndecided(report, bodyLine, 'the heading', text);
  report.findings.push(...proposal.findings);
  const order = orderSpecs(proposal.affectedSpecs);
  reportAffected(proposal.affectedSpecs, context, report);
  reportOrder(order, report);
  return { findings: report.findings, order: 'ok' in order ? order.ok : null };
}

function reportAffected(affected: readonly AffectedSpec[], { folder, specs }: ProposalContext, report: Reporter): void {
  if (affected.length === 0) {
    // Without the list there is no order of work; a change without any spec is unusual but possible.
    const found = specs.size > 0 ? report.high : report.medium;
    return found('no-affected-specs', 1, 'affected_specs lists no spec', 'list each spec as {id, path, depends}');
  }
  const listed = new Set<string>();
  const ids = new Set<string>();
  for (const { id, path } of affected) {
    const file = [`${folder}/${path}`, path, `${folder}/specs/${id}.md`].find((one) => specs.has(one));
    if (file === undefined) {
      const fix = `write specs/${id}.md, or take "${id}" out of affected_specs`;
      report.high('missing-spec', 1, `the affected spec "${id}" has no file ${path}`, fix);
    } else listed.add(file);
    if (ids.has(id)) report.high('duplicate-spec', 1, `"${id}" is listed twice in affected_specs`, 'list it once');
    if (id === groupOfRest) report.high('reserved-spec-id', 1, `no spec may be called "${id}"`, 'give it another id');
    ids.add(id);
  }
  for (const path of specs.keys()) {
    if (listed.has(path)) continue;
    const fix = 'list it in the proposal, or delete the file';
    report.medium('unlisted-spec', 1, `${path} is not in affected_specs`, fix);
  }
}

function reportOrder(order: SpecOrder, report: Reporter): void {
  if ('cycle' in order) {
    const message = `specs depend on each other in a circle: ${order.cycle.join(' → ')}`;
    report.high('spec-cycle', 1, message, 'drop one of these dependencies');
  } else if ('unknown' in order) {
    for (const { spec, dependency } of order.unknown) {
      const message = `the spec "${spec}" depends on "${dependency}", which is not in affected_specs`;
      const fix = `list "${dependency}" in affected_specs, or drop the dependency`;
      report.high('unknown-spec-dependency', 1, message, fix);
    }
  }
}
