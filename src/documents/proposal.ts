import type { DocumentError } from './document-error.ts';
import { asRecord, fieldError, findWord, isRecord, keyLine, type Place } from './fields.ts';
import { readHeadings } from './headings.ts';
import { proposalBlocks, type ProposalBlocks } from './proposal-blocks.ts';
import { readPlanReview, renderPlanReview, type PlanReview } from './review.ts';
import { escapeTags, oneLine, tidy, unescapeTags } from './review-text.ts';
import { yaml } from './yaml-package.ts';
import { parseYaml } from './yaml.ts';

export const SCOPES = ['patch', 'minor', 'major'] as const;
export type Scope = (typeof SCOPES)[number];

export interface AffectedSpec {
  readonly id: string;
  readonly path: string;
  readonly depends: readonly string[];
}

/** What an author decides; the rest of a proposal document follows from reading it. */
export interface ProposalContent {
  readonly id: string;
  readonly version: string;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly author: string;
  readonly status: string;
  readonly iteration: number;
  readonly summary: string;
  readonly impact: { readonly scope: Scope; readonly affectedFiles: number; readonly newFiles: number };
  readonly affectedSpecs: readonly AffectedSpec[];
  /** The Markdown between the `<proposal>` tags. */
  readonly body: string;
  readonly reviews: readonly PlanReview[];
}

export interface Proposal extends ProposalContent {
  /** What was missing and had to be assumed. */
  readonly warnings: readonly string[];
}

export function renderProposal(proposal: ProposalContent): string {
  const front = {
    id: proposal.id,
    type: 'proposal',
    version: versionValue(proposal.version),
    created_at: proposal.createdAt,
    updated_at: proposal.updatedAt,
    author: oneLine(proposal.author),
    status: proposal.status,
    iteration: proposal.iteration,
    summary: oneLine(proposal.summary),
    impact: {
      scope: proposal.impact.scope,
      affected_files: proposal.impact.affectedFiles,
      new_files: proposal.impact.newFiles,
    },
    affected_specs: proposal.affectedSpecs.map(({ id, path, depends }) => ({ id, path, depends: [...depends] })),
  };
  const fields = yaml().stringify(front, { lineWidth: 0, compat: 'yaml-1.1', aliasDuplicateObjects: false });
  const text = `---\n${fields}---\n\n<proposal>\n\n${escapeTags(tidy(proposal.body))}\n\n</proposal>\n`;
  return proposal.reviews.reduce(appendReview, text);
}

/** A whole number is written as one, as in specs and tasks; a version with a point stays text, lest 1.10 become 1.1. */
function versionValue(version: string): number | string {
  return /^(?:0|[1-9]\d{0,8})$/.test(version) ? Number(version) : version;
}

/** Only appends: what a person or an earlier round wrote stays byte for byte. */
export function appendReview(text: string, review: PlanReview): string {
  return appendBlock(text, renderPlanReview(review));
}

/** The review blocks of one version of a proposal, byte for byte, behind a revised one that has none yet. */
export function carryReviews(from: string, to: string): string {
  return proposalBlocks(from).reviews.reduce((text, block) => appendBlock(text, closedBlock(block)), to);
}

function closedBlock(block: { readonly text: string; readonly closed: boolean }): string {
  return block.closed ? `${block.text}\n` : `${block.text.trimEnd()}\n</review>\n`;
}

function appendBlock(text: string, block: string): string {
  const gap = text === '' || text.endsWith('\n\n') ? '' : text.endsWith('\n') ? '\n' : '\n\n';
  return text + gap + block;
}

export interface ProposalHeadings {
  /** From `# Change: <id>`. */
  readonly changeId: string | null;
  /** Required headings that are not there, as they should be written. */
  readonly missing: readonly string[];
}

const REQUIRED_SECTIONS = ['Summary', 'Why', 'What Changes', 'Impact'] as const;

export function proposalHeadings(body: string): ProposalHeadings {
  let changeId: string | null = null;
  const sections = new Set<string>();
  for (const { level, text } of readHeadings(body)) {
    if (level === 1) changeId ??= /^change:\s*(.+)$/i.exec(text)?.[1] ?? null;
    if (level === 2) sections.add(text.toLowerCase());
  }
  const missing = REQUIRED_SECTIONS.filter((section) => !sections.has(section.toLowerCase())).map(
    (section) => `## ${section}`,
  );
  return { changeId, missing: changeId === null ? ['# Change: <id>', ...missing] : missing };
}

/** `blocks`: those of the text, where they are known already. */
export function readProposal(text: string, file: string, blocks = proposalBlocks(text)): Proposal {
  const warnings: string[] = [];
  const place: Place = { file, line: blocks.frontLine, text: blocks.front ?? '' };
  const fields = readFront(blocks, file, warnings);
  const body = readBody(blocks, warnings);
  const iteration = fields['iteration'];
  return {
    id: readId(fields, body, { file, warnings }),
    version: textOf(fields['version']) ?? '1',
    createdAt: textOf(fields['created_at']) ?? '',
    updatedAt: textOf(fields['updated_at']) ?? '',
    author: textOf(fields['author']) ?? '',
    status: textOf(fields['status']) ?? 'proposed',
    iteration: iteration === undefined || iteration === null ? 1 : readCount(iteration, 'iteration', place),
    summary: textOf(fields['summary']) ?? '',
    impact: readImpact(fields['impact'], place, warnings),
    affectedSpecs: readAffectedSpecs(fields['affected_specs'], place, warnings),
    body,
    reviews: blocks.reviews.map((block, index) => {
      if (!block.closed) warnings.push(`line ${block.line}: the review block is not closed`);
      return readPlanReview(block.text, { file, line: block.line }, index + 1);
    }),
    warnings,
  };
}

function readFront({ front, frontLine }: ProposalBlocks, file: string, warnings: string[]): Record<string, unknown> {
  const where = { file, line: frontLine };
  const value = front === null ? null : parseYaml(front, where, { numbersAsText: true });
  if (value === null) warnings.push('there is no front matter');
  return value === null ? {} : asRecord(value, where);
}

function readBody({ proposal, rest }: ProposalBlocks, warnings: string[]): string {
  if (!proposal) warnings.push('there are no <proposal> tags');
  else if (!proposal.closed) warnings.push('<proposal> is not closed');
  return unescapeTags(tidy(proposal?.text ?? rest[0] ?? ''));
}

function readId(
  fields: Record<string, unknown>,
  body: string,
  context: { readonly file: string; readonly warnings: string[] },
): string {
  const given = textOf(fields['id']);
  if (given !== undefined) return given;
  context.warnings.push('id is missing');
  const folder = /(?:^|\/)([^/]+)\/[^/]+$/.exec(context.file)?.[1];
  return folder ?? proposalHeadings(body).changeId ?? '';
}

function readImpact(value: unknown, place: Place, warnings: string[]): ProposalContent['impact'] {
  const impact = isRecord(value) ? value : { scope: value };
  const given = impact['scope'];
  if (given === undefined || given === null) warnings.push('impact.scope is missing; minor is assumed');
  const scope = given === undefined || given === null ? 'minor' : findWord(given, SCOPES);
  if (scope === undefined) throw impactError('impact.scope', given, `one of ${SCOPES.join(', ')}`, place);
  return {
    scope,
    affectedFiles: readCount(impact['affected_files'], 'impact', place),
    newFiles: readCount(impact['new_files'], 'impact', place),
  };
}

function impactError(name: string, value: unknown, expected: string, place: Place): DocumentError {
  return fieldError(name, value, expected, { file: place.file, line: keyLine(place, 'impact') });
}

/** A number, or the list of the things counted; nothing counts as none. */
function readCount(value: unknown, key: string, place: Place): number {
  if (value === undefined || value === null) return 0;
  if (Array.isArray(value)) return value.length;
  if (typeof value === 'string' && /^\d{1,9}$/.test(value)) return Number(value);
  throw fieldError(key, value, 'a whole number', place);
}

function readAffectedSpecs(value: unknown, place: Place, warnings: string[]): AffectedSpec[] {
  if (value === undefined || value === null) {
    warnings.push('affected_specs is missing');
    return [];
  }
  if (!Array.isArray(value)) throw fieldError('affected_specs', value, 'a list of {id, path, depends}', place);
  return value.map((item: unknown) => {
    const fields = isRecord(item) ? item : { id: item };
    const name = textOf(fields['id']) ?? textOf(fields['path']);
    if (name === undefined)
      throw fieldError(
        'affected_specs',
        value,
        'an id for each spec, as in {id: login, path: specs/login.md, depends: []}',
        place,
      );
    const id = name.replace(/^.*\//, '').replace(/\.md$/, '');
    return { id, path: textOf(fields['path']) ?? `specs/${id}.md`, depends: readDepends(fields['depends'], place) };
  });
}

function readDepends(value: unknown, place: Place): string[] {
  if (value === undefined || value === null) return [];
  const items: readonly unknown[] = Array.isArray(value) ? value : [value];
  return items.map((item) => {
    const id = textOf(item);
    if (id === undefined) throw fieldError('affected_specs', value, 'ids of specs in depends', place);
    return id;
  });
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined;
}
