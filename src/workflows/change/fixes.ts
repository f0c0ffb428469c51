/** Reads the documents of a plan and mends on the way what needs no judgement. */

import { setFrontFields, splitFrontMatter } from '../../documents/front-matter.ts';
import { readHeadings } from '../../documents/headings.ts';
import { proposalBlocks, type ProposalBlocks } from '../../documents/proposal-blocks.ts';
import { readProposal, type Proposal } from '../../documents/proposal.ts';
import { requirementCounts, versionText } from '../../documents/render-spec.ts';
import { readSpec, type Spec } from '../../documents/spec.ts';
import { readTasks, type TaskList } from '../../documents/tasks.ts';
import { yamlText } from '../../documents/yaml.ts';

export interface Fixed<D> {
  readonly document: D;
  /** The text with all fixes. */
  readonly content: string;
  readonly what: readonly string[];
}

export interface ProposalDocument {
  readonly proposal: Proposal;
  /** Where the part between the tags starts. */
  readonly bodyLine: number;
}

export function fixProposal(text: string, file: string, changeId: string): Fixed<ProposalDocument> {
  const what: string[] = [];
  let content = withUnixLines(text, what);
  let blocks = proposalBlocks(content);
  if (!blocks.proposal?.closed) {
    content = withTags(content, blocks);
    blocks = proposalBlocks(content);
    what.push('put the proposal between <proposal> tags');
  }
  const titled = withTitle(content, blocks, changeId);
  if (titled !== content) {
    what.push(`set the heading "# Change: ${changeId}"`);
    blocks = proposalBlocks(titled);
  }
  return {
    document: { proposal: readProposal(titled, file, blocks), bodyLine: blocks.proposal?.line ?? 1 },
    content: titled,
    what,
  };
}

export function fixSpec(text: string, file: string): Fixed<Spec> {
  const what: string[] = [];
  const content = withUnixLines(text, what);
  const spec = readSpec(content, file);
  const ids = spec.requirements.map(({ id }) => id);
  if (statesIds(spec, ids)) return { document: spec, content, what };
  const counted = setFrontFields(content, {
    ...(!spec.hasFront && {
      id: yamlText(spec.id),
      type: 'spec',
      title: yamlText(spec.title),
      version: versionText(spec.version),
    }),
    requirements: requirementCounts(ids),
  });
  what.push(spec.hasFront ? 'counted the requirements in the front matter' : 'added the front matter');
  return { document: readSpec(counted, file), content: counted, what };
}

export function fixTasks(text: string, file: string, changeId: string): Fixed<TaskList> {
  const what: string[] = [];
  const content = withUnixLines(text, what);
  const list = readTasks(content, { file, changeId });
  if (list.front === 'ok') return { document: list, content, what };
  what.push(`set change_id: ${changeId} in the front matter`);
  if (list.front === 'broken') {
    const set = setFrontFields(content, { change_id: yamlText(changeId) });
    const mended = readTasks(set, { file, changeId });
    if (mended.front === 'ok') return { document: mended, content: set, what };
  }
  const fresh = setFrontFields(withoutFront(content), tasksFront(changeId));
  return { document: readTasks(fresh, { file, changeId }), content: fresh, what };
}

function withUnixLines(text: string, what: string[]): string {
  if (!text.includes('\r')) return text;
  what.push('changed line ends to LF');
  return text.replaceAll(/\r\n?/g, '\n');
}

/** Everything up to the first review is the proposal. */
function withTags(text: string, { proposal, reviews }: ProposalBlocks): string {
  const end = reviews[0] ? text.indexOf(reviews[0].text) : text.length;
  const rest = end === text.length ? '' : `\n${text.slice(end)}`;
  if (proposal) return `${text.slice(0, end).trimEnd()}\n\n</proposal>\n${rest}`;
  const { body } = splitFrontMatter(text.slice(0, end));
  const head = text.slice(0, end - body.length);
  const inner = body.replaceAll(/<\/proposal>/gi, '').trim();
  return `${head}${head === '' || head.endsWith('\n\n') ? '' : '\n'}<proposal>\n\n${inner}\n\n</proposal>\n${rest}`;
}

function withTitle(text: string, { proposal }: ProposalBlocks, changeId: string): string {
  const wanted = `# Change: ${changeId}`;
  // As every proposal of Pawl's own begins.
  if (!proposal || proposal.text.startsWith(`\n\n${wanted}\n`)) return text;
  const title = readHeadings(proposal.text).find((heading) => heading.level === 1 && /^change:/i.test(heading.text));
  if (title?.text.replace(/^change:\s*/i, '') === changeId) return text;
  const lines = text.split('\n');
  const at = proposal.line + (title?.line ?? 1) - 2;
  if (title) lines[at] = (lines[at] ?? '').replace(/#.*$/, () => wanted);
  else lines.splice(proposal.line, 0, '', wanted);
  return lines.join('\n');
}

function statesIds({ stated, hasFront }: Spec, ids: readonly string[]): boolean {
  if (!hasFront || stated === null || stated.total !== String(ids.length)) return false;
  return stated.ids.length === ids.length && ids.every((id, index) => stated.ids[index] === id);
}

function tasksFront(changeId: string): Record<string, string> {
  return {
    id: yamlText(`${changeId}-tasks`),
    change_id: yamlText(changeId),
    type: 'tasks',
    version: '1',
    proposal_ref: yamlText(changeId),
  };
}

/** Also takes away the lines of front matter that is never closed. */
function withoutFront(text: string): string {
  return splitFrontMatter(text).body.replace(/^---[ \t]*\n(?:[\w"'-]+[ \t]*:.*\n|[ \t-].*\n)*/, '');
}
