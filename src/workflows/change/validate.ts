/**
 * Format validation of a change's plan: local, without an agent, before every challenge.
 *
 * V1. What is mechanically fixable is in `fixes` and not among the findings; the fixed files give neither.
 * V2. Findings speak of the files as they are once the fixes are written.
 * V3. A document that cannot be read is a High finding with its line; the others are validated all the same.
 */

import { attempt, DocumentError } from '../../documents/document-error.ts';
import { findingText, isBlocking, Reporter, type Finding } from '../../documents/finding.ts';
import { setFrontFields, splitFrontMatter } from '../../documents/front-matter.ts';
import { readHeadings } from '../../documents/markdown.ts';
import { proposalBlocks, type ProposalBlocks } from '../../documents/proposal-blocks.ts';
import { readProposal } from '../../documents/proposal.ts';
import { requirementCounts, versionText } from '../../documents/render-documents.ts';
import { specName } from '../../documents/spec-names.ts';
import { readSpec, type Spec } from '../../documents/spec.ts';
import { readTasks } from '../../documents/tasks.ts';
import { parseYaml, yamlText } from '../../documents/yaml.ts';
import type { FileView } from '../workflow.ts';
import { mainSpecPath, proposalPath, specIdOf, specNameExpectation, specsFolder, tasksPath } from './change-paths.ts';
import { planSpecs } from './documents.ts';
import { speaksOfMain, validateAgainst, validateProposal, validateSpec, validateTasks } from './validate-documents.ts';

export interface Validation {
  readonly findings: readonly Finding[];
  /** Files as they should be, and what was fixed in them, for people. */
  readonly fixes: readonly { readonly path: string; readonly content: string; readonly what: string }[];
}

export function validatePlan(files: FileView, id: string): Validation {
  const findings: Finding[] = [];
  const fixes: Validation['fixes'][number][] = [];
  /** One document with its fixes applied; null when it is missing or cannot be read, which is a finding. */
  const readAs = <D>(path: string, fix: (text: string, what: string[]) => Fixed<D>): D | null => {
    const text = files.read(path);
    if (text === undefined) {
      const name = path.slice(path.lastIndexOf('/') + 1);
      new Reporter(path, findings).high('missing-document', null, `${name} does not exist`, `write ${name}`);
      return null;
    }
    const what: string[] = [];
    if (text.includes('\r')) what.push('changed line ends to LF');
    const fixed = attempt(() => fix(what.length > 0 ? text.replaceAll(/\r\n?/g, '\n') : text, what));
    if (fixed instanceof DocumentError) {
      const { line, message, expected } = fixed;
      new Reporter(path, findings).high('unreadable-document', line, message, `write ${expected}`);
      return null;
    }
    if (what.length > 0) fixes.push({ path, content: fixed.content, what: what.join('; ') });
    return fixed.document;
  };
  const [file, tasksFile] = [proposalPath(id), tasksPath(id)];
  const specFiles = planSpecs({ files, run: id });
  const proposal = readAs(file, (text, what) => fixProposal(text, id, what));
  const specs = new Map<string, Spec | null>();
  const specsById = new Map<string, Spec | null>();
  for (const path of specFiles) {
    const spec = readAs(path, (text, what) => fixSpec(text, path, what));
    specs.set(path, spec);
    if (specIdOf(path, specsFolder(id)) === undefined) {
      const message = 'no permanent spec can have this name';
      new Reporter(path, findings).high('spec-name', null, message, `rename it to ${specNameExpectation}`);
    }
    specsById.set(specIdOf(path, specsFolder(id)) ?? specName(path), spec);
  }
  const tasks = readAs(tasksFile, (text, what) => fixTasks(text, id, what));
  const order = proposal && validateProposal(proposal, id, specs, new Reporter(file, findings));
  for (const [path, spec] of specs) {
    if (!spec) continue;
    validateSpec(spec, path, findings);
    const name = specIdOf(path, specsFolder(id));
    if (name !== undefined) againstMain(files, mainSpecPath(name), spec, new Reporter(path, findings));
  }
  if (tasks) validateTasks(tasks, specsById, order, new Reporter(tasksFile, findings));
  return { findings, fixes };
}

/** A permanent spec that cannot be read says nothing about its requirements; a spec that says nothing of it needs none. */
function againstMain(files: FileView, path: string, spec: Spec, report: Reporter): void {
  if (!speaksOfMain(spec)) return;
  const text = files.read(path);
  const main = text === undefined ? null : attempt(() => readSpec(text, path));
  if (!(main instanceof DocumentError)) validateAgainst(main, spec, path, report);
}

/** For a model, with what was fixed without it. */
export function validationReport(files: FileView, id: string): string {
  const { findings, fixes } = validatePlan(files, id);
  const high = findings.filter(isBlocking).length;
  const verdict = high === 0 ? 'Valid.' : `Not valid: ${high} of ${findings.length} findings block.`;
  const repairs = fixes.map(({ path, what }) => `${path}: fixed without you: ${what}`);
  return [verdict, ...[...findings.map(findingText), ...repairs].map((line) => `- ${line}`)].join('\n');
}

/** The document as it reads with all fixes, and its text. */
type Fixed<D> = { readonly document: D; readonly content: string };

/** `bodyLine`: where the part between the tags starts. */
function fixProposal(text: string, changeId: string, what: string[]) {
  let content = text;
  let blocks = proposalBlocks(text);
  if (!blocks.proposal?.closed) {
    content = withTags(text, blocks);
    blocks = proposalBlocks(content);
    what.push('put the proposal between <proposal> tags');
  }
  const titled = withTitle(content, blocks, changeId);
  if (titled !== content) {
    what.push(`set the heading "# Change: ${changeId}"`);
    blocks = proposalBlocks(titled);
  }
  const proposal = readProposal(titled, proposalPath(changeId), blocks);
  return { document: { proposal, bodyLine: blocks.proposal?.line ?? 1 }, content: titled };
}

function fixSpec(text: string, file: string, what: string[]) {
  const spec = readSpec(text, file);
  const { id, title, version, requirements, hasFront, stated } = spec;
  if (
    hasFront &&
    stated?.total === String(requirements.length) &&
    stated.ids.length === requirements.length &&
    requirements.every((requirement, index) => requirement.id === stated.ids[index])
  )
    return { document: spec, content: text };
  const ids = requirements.map((requirement) => requirement.id);
  const identity = { id: yamlText(id), type: 'spec', title: yamlText(title), version: versionText(version) };
  const fields = { ...(!hasFront && identity), requirements: requirementCounts(ids) };
  what.push(hasFront ? 'counted the requirements in the front matter' : 'added the front matter');
  const counted = setFrontFields(text, fields);
  return { document: readSpec(counted, file), content: counted };
}

function fixTasks(text: string, changeId: string, what: string[]) {
  const file = tasksPath(changeId);
  const read = (content: string) => ({ document: readTasks(content, { file, changeId }), content });
  const list = read(text);
  if (list.document.front === 'ok') return list;
  what.push(`set change_id: ${changeId} in the front matter`);
  if (list.document.front === 'broken') {
    const repaired = read(setFrontFields(text, { change_id: yamlText(changeId) }));
    if (repaired.document.front === 'ok') return repaired;
  }
  // The body without front matter, also where that is never closed.
  const body = splitFrontMatter(text).body.replace(/^---[ \t]*\n(?:[\w"'-]+[ \t]*:.*\n|[ \t-].*\n)*/, '');
  const { kept, lost } = readableFields(text.slice(0, text.length - body.length), file);
  what.push(...lost.map((field) => `left out of the front matter, because it cannot be read: ${field.trimEnd()}`));
  const front = kept.length === 0 ? body : `---\n${kept.join('')}---\n\n${body.trimStart()}`;
  const [id, ref] = [yamlText(`${changeId}-tasks`), yamlText(changeId)];
  return read(setFrontFields(front, { id, change_id: ref, type: 'tasks', version: '1', proposal_ref: 'proposal.md' }));
}

/** The fields of a broken front matter, each with its lines: what can be read by itself is kept. */
function readableFields(front: string, file: string) {
  const fields = front.replaceAll(/^---[ \t]*\n/gm, '').match(/^[\w"'-]+[ \t]*:.*\n(?:[ \t-].*\n)*/gm) ?? [];
  const names = new Set<string>();
  const isReadable = (field: string): boolean => {
    const name = field.slice(0, field.indexOf(':')).trim();
    if (names.has(name) || attempt(() => parseYaml(field, { file, line: 1 })) instanceof DocumentError) return false;
    return names.add(name).size > 0;
  };
  const kept = fields.filter(isReadable);
  return { kept, lost: fields.filter((field) => !kept.includes(field)) };
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
