/** Reads the documents of a plan and fixes on the way what needs no judgement. */

import { setFrontFields, splitFrontMatter } from '../../documents/front-matter.ts';
import { readHeadings } from '../../documents/markdown.ts';
import { proposalBlocks, type ProposalBlocks } from '../../documents/proposal-blocks.ts';
import { readProposal, type Proposal } from '../../documents/proposal.ts';
import { requirementCounts, versionText } from '../../documents/render-documents.ts';
import { readSpec, type Spec } from '../../documents/spec.ts';
import { readTasks, type TaskList } from '../../documents/tasks.ts';
import { yamlText } from '../../documents/yaml.ts';

/** The document as it reads with all fixes, and its text. */
export interface Fixed<D> {
  readonly document: D;
  readonly content: string;
  readonly what: readonly string[];
}

/** `bodyLine`: where the part between the tags starts. */
export function fixProposal(
  text: string,
  file: string,
  changeId: string,
): Fixed<{ readonly proposal: Proposal; readonly bodyLine: number }> {
  const what = lineEndFixes(text);
  let content = withUnixLines(text);
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
  const document = { proposal: readProposal(titled, file, blocks), bodyLine: blocks.proposal?.line ?? 1 };
  return { document, content: titled, what };
}

export function fixSpec(text: string, file: string): Fixed<Spec> {
  const what = lineEndFixes(text);
  const content = withUnixLines(text);
  const spec = readSpec(content, file);
  const { hasFront, stated } = spec;
  const ids = spec.requirements.map(({ id }) => id);
  if (hasFront && stated?.total === String(ids.length) && JSON.stringify(stated.ids) === JSON.stringify(ids))
    return { document: spec, content, what };
  const { id, title, version } = spec;
  const identity = { id: yamlText(id), type: 'spec', title: yamlText(title), version: versionText(version) };
  const fields = { ...(!hasFront && identity), requirements: requirementCounts(ids) };
  what.push(hasFront ? 'counted the requirements in the front matter' : 'added the front matter');
  const counted = setFrontFields(content, fields);
  return { document: readSpec(counted, file), content: counted, what };
}

export function fixTasks(text: string, file: string, changeId: string): Fixed<TaskList> {
  const what = lineEndFixes(text);
  const unix = withUnixLines(text);
  const read = (content: string) => ({ document: readTasks(content, { file, changeId }), content, what });
  const list = read(unix);
  if (list.document.front === 'ok') return list;
  what.push(`set change_id: ${changeId} in the front matter`);
  if (list.document.front === 'broken') {
    const repaired = read(setFrontFields(unix, { change_id: yamlText(changeId) }));
    if (repaired.document.front === 'ok') return repaired;
  }
  // The body without front matter, also where that is never closed.
  const body = splitFrontMatter(unix).body.replace(/^---[ \t]*\n(?:[\w"'-]+[ \t]*:.*\n|[ \t-].*\n)*/, '');
  const [id, ref] = [yamlText(`${changeId}-tasks`), yamlText(changeId)];
  return read(setFrontFields(body, { id, change_id: ref, type: 'tasks', version: '1', proposal_ref: ref }));
}

function lineEndFixes(text: string): string[] {
  return text.includes('\r') ? ['changed line ends to LF'] : [];
}

function withUnixLines(text: string): string {
  return text.includes('\r') ? text.replaceAll(/\r\n?/g, '\n') : text;
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
