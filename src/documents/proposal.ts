import { list, prepared, refine, table, withDefault } from '../schema/compound.ts';
import { ifFits, maybe, texts, unlessNull } from '../schema/lenient.ts';
import { leaf, type Infer } from '../schema/schema.ts';
import { text } from '../schema/simple.ts';
import { findWord, isRecord } from '../schema/values.ts';
import { fieldsOf, readFields } from './yaml.ts';
import { Reporter, type Finding } from './finding.ts';
import { readHeadings } from './markdown.ts';
import { proposalBlocks } from './proposal-blocks.ts';
import { readPlanReview, renderPlanReview, type PlanReview } from './review.ts';
import { specMeant, specName } from './spec-names.ts';
import { escapeTags, oneLine, tidy, unescapeTags } from './review-text.ts';
import { yaml } from './packages.ts';

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
  /** Low: what was missing and had to be assumed. */
  readonly findings: readonly Finding[];
}

export function renderProposal(proposal: ProposalContent): string {
  const { id, version, status, iteration, impact } = proposal;
  const front = {
    id,
    type: 'proposal',
    // A whole number is written as one, as in specs and tasks; a version with a point stays text, lest 1.10 become 1.1.
    version: /^(?:0|[1-9]\d{0,8})$/.test(version) ? Number(version) : version,
    created_at: proposal.createdAt,
    updated_at: proposal.updatedAt,
    author: oneLine(proposal.author),
    status,
    iteration,
    summary: oneLine(proposal.summary),
    impact: { scope: impact.scope, affected_files: impact.affectedFiles, new_files: impact.newFiles },
    affected_specs: proposal.affectedSpecs.map((spec) => ({ id: spec.id, path: spec.path, depends: spec.depends })),
  };
  const fields = yaml().stringify(front, { lineWidth: 0, compat: 'yaml-1.1', aliasDuplicateObjects: false });
  const text = `---\n${fields}---\n\n<proposal>\n\n${escapeTags(tidy(proposal.body))}\n\n</proposal>\n`;
  return proposal.reviews.reduce(appendReview, text);
}

/** Only appends: what a person or an earlier round wrote stays byte for byte. */
export function appendReview(text: string, review: PlanReview): string {
  return appendBlock(text, renderPlanReview(review));
}

/** The review blocks of one version of a proposal, byte for byte, behind a revised one that has none yet. */
export function carryReviews(from: string, to: string): string {
  return proposalBlocks(from).reviews.reduce(
    (text, block) => appendBlock(text, block.closed ? `${block.text}\n` : `${block.text.trimEnd()}\n</review>\n`),
    to,
  );
}

function appendBlock(text: string, block: string): string {
  const gap = text === '' || text.endsWith('\n\n') ? '' : text.endsWith('\n') ? '\n' : '\n\n';
  return text + gap + block;
}

const REQUIRED_SECTIONS = ['Summary', 'Why', 'What Changes', 'Impact'];

/** The id of `# Change: <id>`, and required headings that are missing, as they should be written. */
export function proposalHeadings(body: string, headings = readHeadings(body)) {
  const sections = new Set<string>();
  let changeId: string | null = null;
  for (const { level, text } of headings) {
    if (level === 2) sections.add(text.toLowerCase());
    else if (level === 1) changeId ??= /^change:\s*(.+)$/i.exec(text)?.[1] ?? null;
  }
  const missing = changeId === null ? ['# Change: <id>'] : [];
  for (const each of REQUIRED_SECTIONS) if (!sections.has(each.toLowerCase())) missing.push(`## ${each}`);
  return { changeId, missing };
}

const given = ifFits(text());

/** A number, or the list of the things counted. */
const count = leaf('a whole number', (value) => {
  if (Array.isArray(value)) return value.length;
  return typeof value === 'string' && /^\d{1,9}$/.test(value) ? Number(value) : undefined;
});

const otherScopes: Readonly<Record<Scope, string>> = {
  patch: 'minimal small trivial low',
  minor: 'moderate medium',
  major: 'large significant breaking high',
};

/** Also in the words of other tools. */
function scopeIn(value: unknown): Scope | undefined {
  const said = typeof value === 'string' ? value.trim().toLowerCase() : '';
  return findWord(value, SCOPES) ?? SCOPES.find((scope) => otherScopes[scope].split(' ').includes(said));
}

const impact = prepared(
  (value) => (isRecord(value) ? value : { scope: value }),
  table({
    scope: unlessNull(leaf(`one of ${SCOPES.join(', ')}`, scopeIn)),
    affectedFiles: withDefault(unlessNull(count), 0),
    newFiles: withDefault(unlessNull(count), 0),
  }),
);

const affectedSpec = prepared(
  (value) => (isRecord(value) ? value : { id: value }),
  table({ id: given, path: given, depends: withDefault(maybe(texts('ids of specs')), []) }),
);

const frontFields = fieldsOf({
  id: given,
  version: withDefault(given, '1'),
  createdAt: withDefault(given, ''),
  updatedAt: withDefault(given, ''),
  author: withDefault(given, ''),
  status: withDefault(given, 'proposed'),
  iteration: withDefault(unlessNull(count), 1),
  summary: withDefault(given, ''),
  impact,
  affectedSpecs: unlessNull(
    refine(list(affectedSpec, 'a list of {id, path, depends}'), (specs) =>
      specs.every(({ id, path }) => id !== undefined || path !== undefined)
        ? undefined
        : { expected: 'an id for each spec, as in {id: login, path: specs/login.md, depends: []}' },
    ),
  ),
});

/** `blocks`: those of the text, where they are known already. */
export function readProposal(text: string, file: string, blocks = proposalBlocks(text)): Proposal {
  const report = new Reporter(file);
  const assume = (message: string, line = 1): void =>
    report.low('incomplete-proposal', line, message, 'complete the front matter');
  const { front, frontLine, proposal, rest } = blocks;
  const fields = readFields(front, { file, line: frontLine }, frontFields);
  if ((front ?? '').trim() === '') assume('there is no front matter');
  if (!proposal) assume('there are no <proposal> tags');
  else if (!proposal.closed) assume('<proposal> is not closed');
  const body = unescapeTags(tidy(proposal?.text ?? rest[0] ?? ''));
  if (fields.id === undefined) assume('id is missing');
  if (fields.impact.scope === undefined) assume('impact.scope is missing; minor is assumed');
  if (fields.affectedSpecs === undefined) assume('affected_specs is missing');
  const { version, createdAt, updatedAt, author, status, iteration, summary } = fields;
  const { scope = 'minor', affectedFiles, newFiles } = fields.impact;
  // Spelled out: a spread is slow.
  return {
    id: fields.id ?? folderOf(file) ?? proposalHeadings(body).changeId ?? '',
    version,
    createdAt,
    updatedAt,
    author,
    status,
    iteration,
    summary,
    impact: { scope, affectedFiles, newFiles },
    affectedSpecs: readAffectedSpecs(fields.affectedSpecs ?? namedSpecs(body)),
    body,
    reviews: blocks.reviews.map((block, index) => {
      if (!block.closed) assume('the review block is not closed', block.line);
      return readPlanReview(block.text, { file, line: block.line }, index + 1);
    }),
    findings: report.findings,
  };
}

const NAMED_SPECS = /^[ \t]*[-*+]?[ \t]*\**affected specs\**[ \t]*:\**[ \t]*(.*(?:\n[ \t]{2,}[-*+][ \t].*)*)/im;

/** Older proposals name their specs in a line of the impact: "Affected specs: `login.md`, `search.md`". */
function namedSpecs(body: string): readonly Infer<typeof affectedSpec>[] {
  const words = NAMED_SPECS.exec(body)?.[1]?.replaceAll(/\([^)]*\)/g, '') ?? '';
  const quoted = [...words.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name);
  const names = quoted.length > 0 ? quoted : (words.match(/[\w./-]+\.md\b/g) ?? []);
  const ids = names.map(specName);
  return [...new Set(ids)].filter((id) => /^\w[\w./-]*$/.test(id)).map((id) => ({ id, depends: [] }));
}

function folderOf(file: string): string | undefined {
  return /(?:^|\/)([^/]+)\/[^/]+$/.exec(file)?.[1];
}

function readAffectedSpecs(listed: readonly Infer<typeof affectedSpec>[]): readonly AffectedSpec[] {
  const ids = listed.map(({ id, path }) => specName(id ?? path ?? ''));
  return listed.map(({ path, depends }, index) => {
    const id = ids[index] ?? '';
    return { id, path: path ?? `specs/${id}.md`, depends: depends.map((each) => specMeant(each, ids) ?? each) };
  });
}
