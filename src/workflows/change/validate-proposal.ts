import { readHeadings } from '../../documents/headings.ts';
import { proposalHeadings, type AffectedSpec } from '../../documents/proposal.ts';
import { UNDECIDED, undecided, type Finding } from './finding.ts';
import type { ProposalDocument } from './fixes.ts';
import { groupOfRest, orderSpecs, type SpecOrder } from './order.ts';

export interface ProposalPlace {
  readonly file: string;
  readonly changeId: string;
  readonly folder: string;
  /** The change's spec files, by path. */
  readonly specs: ReadonlyMap<string, unknown>;
}

/** `order`: the specs in the order in which they are worked on; null when there is none. */
export function validateProposal(
  { proposal, bodyLine }: ProposalDocument,
  place: ProposalPlace,
): { findings: Finding[]; order: readonly string[] | null } {
  const { file, changeId } = place;
  const findings: Finding[] = [];
  const report = (finding: Omit<Finding, 'file' | 'line'>, line = 1): void =>
    void findings.push({ ...finding, file, line });
  if (proposal.id !== changeId) {
    const message = `the proposal's id is "${proposal.id}", but the folder is "${changeId}"`;
    report({ severity: 'High', code: 'change-id-mismatch', message, fix: `set id to ${changeId}` });
  }
  for (const heading of proposalHeadings(proposal.body).missing) {
    report(
      {
        severity: 'High',
        code: 'missing-heading',
        message: `"${heading}" is missing`,
        fix: `add the section "${heading}"`,
      },
      bodyLine,
    );
  }
  if (UNDECIDED.test(proposal.summary)) report(undecided('the summary', proposal.summary));
  const headings = UNDECIDED.test(proposal.body) ? readHeadings(proposal.body) : [];
  for (const { text } of headings) if (UNDECIDED.test(text)) report(undecided('the heading', text), bodyLine);
  for (const message of proposal.warnings) {
    report({ severity: 'Low', code: 'incomplete-proposal', message, fix: 'complete the front matter' });
  }
  const order = orderSpecs(proposal.affectedSpecs);
  for (const finding of affectedFindings(proposal.affectedSpecs, place)) report(finding);
  for (const finding of orderFindings(order)) report(finding);
  return { findings, order: 'ok' in order ? order.ok : null };
}

type Unplaced = Omit<Finding, 'file' | 'line'>;

function affectedFindings(affected: readonly AffectedSpec[], { folder, specs }: ProposalPlace): Unplaced[] {
  if (affected.length === 0) return [noneListed(specs.size)];
  const findings: Unplaced[] = [];
  const listed = new Set<string>();
  const ids = new Set<string>();
  for (const { id, path } of affected) {
    const file = [`${folder}/${path}`, path, `${folder}/specs/${id}.md`].find((one) => specs.has(one));
    if (file === undefined) {
      findings.push({
        severity: 'High',
        code: 'missing-spec',
        message: `the affected spec "${id}" has no file ${path}`,
        fix: `write specs/${id}.md, or take "${id}" out of affected_specs`,
      });
    } else listed.add(file);
    if (ids.has(id))
      findings.push({
        severity: 'High',
        code: 'duplicate-spec',
        message: `"${id}" is listed twice in affected_specs`,
        fix: 'list it once',
      });
    if (id === groupOfRest)
      findings.push({
        severity: 'High',
        code: 'reserved-spec-id',
        message: `no spec may be called "${id}"`,
        fix: 'give it another id',
      });
    ids.add(id);
  }
  for (const path of specs.keys()) {
    if (!listed.has(path))
      findings.push({
        severity: 'Medium',
        code: 'unlisted-spec',
        message: `${path} is not in affected_specs`,
        fix: 'list it in the proposal, or delete the file',
      });
  }
  return findings;
}

/** Without the list there is no order of work; a change without any spec is unusual but possible. */
function noneListed(specFiles: number): Unplaced {
  const severity = specFiles > 0 ? 'High' : 'Medium';
  return {
    severity,
    code: 'no-affected-specs',
    message: 'affected_specs lists no spec',
    fix: 'list each spec as {id, path, depends}',
  };
}

function orderFindings(order: SpecOrder): Unplaced[] {
  if ('cycle' in order) {
    const message = `specs depend on each other in a circle: ${order.cycle.join(' → ')}`;
    return [{ severity: 'High', code: 'spec-cycle', message, fix: 'drop one of these dependencies' }];
  }
  if ('ok' in order) return [];
  return order.unknown.map(({ spec, dependency }) => ({
    severity: 'High',
    code: 'unknown-spec-dependency',
    message: `the spec "${spec}" depends on "${dependency}", which is not in affected_specs`,
    fix: `list "${dependency}" in affected_specs, or drop the dependency`,
  }));
}
